#include "schedule/rewrites/segment_values.h"

#include <algorithm>
#include <functional>
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
  // Whether the expression is worth a name, and has no array as its value.
  bool is_value(Expr e) const {
    if (e.type().rank > 0 || e.is_name() || e.is_constant()) return false;
    bool reads = false;
    scalar::for_each_node(std::span(&e, 1), [&](Expr node) { reads = reads || node.op() == Op::index; });
    soac::Vars mentioned;
    soac::add_mentioned(std::span(&e, 1), mentioned);
    return reads && is_of_segment(mentioned);
  }

  Expr named_value(Expr e) {
    const Expr name = arena_.fresh(e.type(), "of_segment");
    take({{name.var()}, soac::Let{e}, values_.stm.where, values_.stm.origin});
    return name;
  }
  void take(Stm s) {
    scalar::Substitution checked(arena_, [this](Expr e) { return e.op() == Op::index ? read(e) : Expr(); });
    soac::map_roots(s, std::ref(checked));
    for (Var name : s.names) of_point_.erase(name);
    values_.before.push_back(std::move(s));
  }
  // The points that have looked at the index before the read are not there.
  Expr read(Expr e) {
    std::vector<Expr> indices;
    scalar::Substitution checked(arena_,
                                 [this](Expr of) { return of.op() == Op::index ? read(of) : Expr(); });
    for (Expr index : e.args().subspan(1)) indices.push_back(checked(index));
    return arena_.index(e.arg(0), indices, e.site() != 0 ? e.site() : untold);
  }

  Arena& arena_;
  SegmentValues values_;
  soac::Vars of_point_;  // names that a point binds
};

}  // namespace

SegmentValues segment_values(Arena& arena, const Stm& s) {
  return Values(arena, s)();
}

}  // namespace fulgurite::schedule
