#include "schedule/rewrites/segment_values.h"

#include <algorithm>
#include <functional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "soac/rename.h"
#include "soac/walk.h"

namespace fulgurite::schedule {

using scalar::Arena, scalar::Expr, scalar::Op, scalar::Var;
using soac::Stm;

namespace {

// A read fails where a walk would read outside of the array: this site is never told.
constexpr scalar::Site untold = 1;

class Values {
 public:
  Values(Arena& arena, const Stm& s) : arena_(arena), values_{{}, s} { soac::add_bound(body(), of_point_); }

  SegmentValues operator()() && {
    scalar::Substitution named(arena_, [this](Expr e) { return is_value(e) ? named_value(e) : Expr(); });
    std::vector<Stm> kept;
    for (Stm& s : std::exchange(body().body, {})) {
      if (is_of_segment(s)) {
        take(std::move(s));
        continue;
      }
      soac::map_roots(s, std::ref(named));
      kept.push_back(std::move(s));
    }
    body().body = std::move(kept);
    for (Expr& result : body().results) result = named(result);
    return std::move(values_);
  }

 private:
  soac::Lambda& body() { return std::get<soac::Soac>(values_.stm.op).body; }

  bool is_of_segment(const soac::Vars& mentioned) const {
    return std::ranges::none_of(mentioned, [&](Var name) { return of_point_.contains(name); });
  }
  bool is_of_segment(const Stm& s) const {
    soac::Vars mentioned;
    soac::add_mentioned(s, mentioned);
    for (const auto& inner : soac::nested_in(s))
      if (!inner.lambda->body.empty() || !inner.lambda->params.empty()) return false;
    return is_of_segment(mentioned);
  }
  // Whether the expression reads something, mentions nothing else of the point, and is no array: then it gets
  // a name.
  bool is_value(Expr e) {
    if (e.type().rank > 0 || e.is_name() || e.is_constant()) return false;
    scalar::for_each_new_node(e, looked_at_, [this](Expr node) {
      bool is_plain = !node.is_name() || !of_point_.contains(node.var()), reads = node.op() == Op::index;
      for (Expr arg : node.args()) {
        is_plain = is_plain && !of_points_.contains(arg);
        reads = reads || reading_.contains(arg);
      }
      if (!is_plain) of_points_.insert(node);
      if (reads) reading_.insert(node);
    });
    return reading_.contains(e) && !of_points_.contains(e);
  }

  Expr named_value(Expr e) {
    const Expr name = arena_.fresh(e.type(), "of_segment");
    take({{name.var()}, soac::Let{e}, values_.stm.where, values_.stm.origin});
    return name;
  }
  void take(Stm s) {
    soac::map_roots(s, [this](Expr e) { return checked(e); });
    for (Var name : s.names) of_point_.erase(name);
    values_.before.push_back(std::move(s));
  }
  // With a check of each read: the points that have looked at its index are not there.
  Expr checked(Expr root) {
    scalar::for_each_new_node(root, rebuilt_, [this](Expr e) {
      std::vector<Expr> args;
      for (Expr arg : e.args()) args.push_back(checked_.at(arg));
      const bool is_unchecked = e.op() == Op::index && e.site() == 0;
      checked_.emplace(e, is_unchecked ? arena_.index(args[0], std::span(args).subspan(1), untold)
                                       : scalar::rebuild(arena_, e, args));
    });
    return checked_.at(root);
  }

  Arena& arena_;
  SegmentValues values_;
  soac::Vars of_point_;  // names that a point binds
  std::unordered_set<Expr> looked_at_, of_points_, reading_, rebuilt_;
  std::unordered_map<Expr, Expr> checked_;
};

}  // namespace

SegmentValues segment_values(Arena& arena, const Stm& s) {
  return Values(arena, s)();
}

}  // namespace fulgurite::schedule
