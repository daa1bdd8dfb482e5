// Horizontal fusion (the redomap paper, section 3.2). Two Soacs of one body over the same space become one,
// which has the reductions and mapped results of both, when the later one uses nothing of the earlier but
// elements at its own point, and the two can be brought together: nothing between them needs the earlier, or
// the later needs nothing from between. It pays where they read a common array, which is then read once,
// where one reads what the other makes, and where one computes from its indices alone.
#include <algorithm>

#include "base/match.h"
#include "fuse/fuse.h"
#include "fuse/vertical.h"
#include "soac/count.h"
#include "soac/rename.h"
#include "soac/walk.h"

namespace fulgurite::fuse {

using base::as;
using scalar::Arena;
using scalar::Expr;
using scalar::Op;
using scalar::Var;
using soac::Event;
using soac::Lambda;
using soac::PassContext;
using soac::Program;
using soac::Soac;
using soac::Stm;
using soac::Vars;

namespace {

std::vector<Expr> all_roots(const Stm& stm) {
  std::vector<Expr> roots;
  soac::for_each_root(stm, [&](Expr e) { roots.push_back(e); });
  return roots;
}

Vars arrays_read(const Stm& stm) {
  Vars arrays;
  scalar::for_each_node(all_roots(stm), [&](Expr e) {
    if (e.op() == Op::index) arrays.insert(e.arg(0).var());
  });
  return arrays;
}

bool mentions_any(const Stm& stm, const Vars& names) {
  Vars mentioned;
  soac::add_mentioned(stm, mentioned);
  return std::any_of(mentioned.begin(), mentioned.end(), [&](Var v) { return names.contains(v); });
}

class Merger {
 public:
  Merger(Arena& arena, PassContext& context) : arena_(arena), context_(context) {}

  /// True if something was merged.
  bool scope(std::vector<Stm>& stms) {
    bool changed = false;
    for (Stm& stm : stms)
      for (auto& inner : soac::nested_in(stm)) changed = scope(inner.lambda->body) || changed;
    for (std::size_t j = 1; j < stms.size(); ++j) {
      for (std::size_t i = j; i-- > 0;) {
        if (!try_pair(stms, i, j)) continue;
        changed = true;
        j = 0;  // from the start: the statements moved
        break;
      }
    }
    return changed;
  }

 private:
  enum class Meeting : std::uint8_t { none, at_earlier, at_later };

  bool try_pair(std::vector<Stm>& stms, std::size_t i, std::size_t j) {
    const auto *a = as<Soac>(stms[i].op), *b = as<Soac>(stms[j].op);
    if (!a || !b || a->dims != b->dims) return false;
    if (is_scan(*a) || is_scatter(*a) || is_partition(*a) || is_scan(*b) || is_scatter(*b) || is_partition(*b))
      return false;
    const Vars made(stms[i].names.begin(), stms[i].names.end());
    const bool dependent = mentions_any(stms[j], made);
    if (dependent ? !reads_own_point_only(stms[j], made) || makes_rows(*a)
                  : !read_common_array(stms[i], stms[j]))
      return false;
    const Meeting meeting = where_to_meet(stms, i, j, made);
    if (meeting == Meeting::none || !context_.spend()) return false;
    context_.log.push_back(event_of(Event::Kind::merged, stms[i], stms[j],
                                    dependent ? "it makes what the other reads, over the same space"
                                              : "they read a common array over the same space"));
    Stm merged = merge(stms[i], stms[j]);
    const std::size_t stays = meeting == Meeting::at_later ? j : i,
                      goes = meeting == Meeting::at_later ? i : j;
    stms[stays] = std::move(merged);
    stms.erase(stms.begin() + static_cast<std::ptrdiff_t>(goes));
    return true;
  }

  /// Elements of an inner array, which a function cannot keep, are not there for the other to read.
  static bool makes_rows(const Soac& soac) {
    return std::any_of(soac.body.results.begin(), soac.body.results.end(),
                       [](Expr e) { return e.type().rank > 0; });
  }

  /// Or one of them reads nothing, and is no burden to the other.
  static bool read_common_array(const Stm& a, const Stm& b) {
    const Vars of_a = arrays_read(a), of_b = arrays_read(b);
    if (of_a.empty() || of_b.empty()) return true;
    return std::any_of(of_a.begin(), of_a.end(), [&](Var v) { return of_b.contains(v); });
  }

  /// Every mention of the names is an element of an array at the Soac's own indices, in its body.
  bool reads_own_point_only(const Stm& stm, const Vars& names) const {
    const Soac& soac = std::get<Soac>(stm.op);
    std::vector<Expr> own;
    for (Var p : soac.body.params) own.push_back(arena_.name(p));
    auto is_one = [&](Expr e) { return e.is_name() && names.contains(e.var()); };
    bool fine = true;
    scalar::for_each_node(soac::roots_of(stm), [&](Expr e) { fine = fine && !is_one(e); });
    const std::vector<Expr> roots = all_roots(stm);
    for (Expr root : roots) fine = fine && !is_one(root);
    scalar::for_each_node(roots, [&](Expr e) {
      const bool reads_one = e.op() == Op::index && is_one(e.arg(0));
      if (reads_one) fine = fine && std::equal(own.begin(), own.end(), e.args().begin() + 1, e.args().end());
      if (!reads_one) fine = fine && std::none_of(e.args().begin(), e.args().end(), is_one);
    });
    for (const soac::Reduction& r : soac.reductions) {
      Vars mentioned;
      soac::add_mentioned(r.op, mentioned);
      for (Var v : names) fine = fine && !mentioned.contains(v);
    }
    return fine;
  }

  static Meeting where_to_meet(const std::vector<Stm>& stms, std::size_t i, std::size_t j, const Vars& made) {
    bool down = true, up = true;
    Vars mentioned;
    soac::add_mentioned(stms[j], mentioned);
    for (std::size_t k = i + 1; k < j; ++k) {
      down = down && !mentions_any(stms[k], made);
      // A Check between may be what makes the later one's indices safe.
      up = up && !as<soac::Check>(stms[k].op) &&
           std::none_of(stms[k].names.begin(), stms[k].names.end(),
                        [&](Var v) { return mentioned.contains(v); });
    }
    return down ? Meeting::at_later : up ? Meeting::at_earlier : Meeting::none;
  }

  Stm merge(const Stm& first, const Stm& second) {
    const Soac &a = std::get<Soac>(first.op), &b = std::get<Soac>(second.op);
    Stm merged{{}, {}, second.where, second.origin};
    Soac soac;
    soac.dims = b.dims;
    soac.body.params = b.body.params;
    std::vector<Expr> own;
    for (Var p : b.body.params) own.push_back(arena_.name(p));
    soac::Applied of_a = soac::apply(arena_, a.body, own);
    soac.body.body = std::move(of_a.body);

    std::size_t a_operands = 0, b_operands = 0;
    for (const soac::Reduction& r : a.reductions) a_operands += r.op.results.size();
    for (const soac::Reduction& r : b.reductions) b_operands += r.op.results.size();
    // b's reads of a's arrays are what a computes at this point.
    std::unordered_map<Var, Expr> elements;
    for (std::size_t k = a_operands; k < first.names.size(); ++k)
      if (of_a.results[k].type().rank == 0) elements.emplace(first.names[k], of_a.results[k]);
    scalar::Substitution substitute(arena_, [&](Expr e) {
      if (e.op() != Op::index) return Expr();
      auto found = elements.find(e.arg(0).var());
      return found == elements.end() ? Expr() : found->second;
    });
    Lambda of_b = b.body;
    replace_in(of_b, substitute);
    std::move(of_b.body.begin(), of_b.body.end(), std::back_inserter(soac.body.body));

    soac.reductions = a.reductions;
    soac.reductions.insert(soac.reductions.end(), b.reductions.begin(), b.reductions.end());
    auto append = [](auto& to, const auto& from, std::size_t begin, std::size_t end) {
      to.insert(to.end(), from.begin() + static_cast<std::ptrdiff_t>(begin),
                from.begin() + static_cast<std::ptrdiff_t>(end));
    };
    append(soac.body.results, of_a.results, 0, a_operands);
    append(soac.body.results, of_b.results, 0, b_operands);
    append(soac.body.results, of_a.results, a_operands, of_a.results.size());
    append(soac.body.results, of_b.results, b_operands, of_b.results.size());
    append(merged.names, first.names, 0, a_operands);
    append(merged.names, second.names, 0, b_operands);
    append(merged.names, first.names, a_operands, first.names.size());
    append(merged.names, second.names, b_operands, second.names.size());
    merged.op = std::move(soac);
    return merged;
  }

  static void replace_in(Lambda& lambda, scalar::Substitution& substitute) {
    for (Stm& stm : lambda.body) {
      soac::map_roots(stm, [&](Expr e) { return substitute(e); });
      for (auto& inner : soac::nested_in(stm)) replace_in(*inner.lambda, substitute);
    }
    for (Expr& e : lambda.results) e = substitute(e);
  }

  Arena& arena_;
  PassContext& context_;
};

Program run_merge(Program program, PassContext& context) {
  do fuse_vertically(program, context);
  while (Merger(*program.arena, context).scope(program.body));
  return program;
}

}  // namespace

const soac::Pass merge{"merge",
                       "Soacs over one space that read a common array, or one the other's result, run as one",
                       run_merge};

}  // namespace fulgurite::fuse
