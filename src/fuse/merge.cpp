// Horizontal fusion (the redomap paper, section 3.2). Two Soacs of one body over the same space become one,
// which has the outputs of both, when the later one uses nothing of the earlier but elements at its own
// point, and the two can be brought together: nothing between them needs the earlier, or the later needs
// nothing from between. It pays where they read a common array, which is then read once, where one reads what
// the other makes, where one computes from its indices alone, and where both are small: one launch instead of
// two. A running value may so meet what is computed from it (scan, then map and reduce), but no second scan
// over it: that needs the first one's values in memory, or one more walk.
#include <algorithm>
#include <optional>

#include "base/match.h"
#include "fuse/decide.h"
#include "fuse/fuse.h"
#include "fuse/partition.h"
#include "fuse/vertical.h"
#include "simplify/cost.h"
#include "soac/layout.h"
#include "soac/rename.h"
#include "soac/update.h"
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

/// Two bodies of together at most this cost are merged even if they have nothing in common.
constexpr int small_together = 64;

class Merger {
 public:
  Merger(const Program& program, PassContext& context)
      : arena_(*program.arena), context_(context), params_(program.params.begin(), program.params.end()) {}

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
    if (!a || !b) return false;
    const Vars made(stms[i].names.begin(), stms[i].names.end());
    std::optional<Stm> merged;
    const char* reason = nullptr;
    if (a->dims == b->dims) {
      const bool dependent = mentions_any(stms[j], made);
      if (dependent ? !reads_own_point_only(stms[j], stms[i]) || makes_rows(*a)
                    : !pays(stms[i], *a, stms[j], *b))
        return false;
      merged = merge(stms[i], stms[j]);
      if (!scans_are_independent(std::get<Soac>(merged->op).body)) return false;
      reason =
          dependent ? "it makes what the other reads, over the same space" : "they run over the same space";
    } else if (merged = into_partition(arena_, stms[i], stms[j]); merged) {
      reason = "the other reads what it keeps";
    } else {
      return false;
    }
    const Meeting meeting = where_to_meet(stms, i, j, made);
    if (meeting == Meeting::none || update_divides(stms, i, j) || !context_.spend()) return false;
    context_.log.push_back(event_of(Event::Kind::merged, stms[i], stms[j], reason));
    const std::size_t stays = meeting == Meeting::at_later ? j : i,
                      goes = meeting == Meeting::at_later ? i : j;
    stms[stays] = std::move(*merged);
    stms.erase(stms.begin() + static_cast<std::ptrdiff_t>(goes));
    return true;
  }

  /// Elements of an inner array, which a function cannot keep, are not there for the other to read.
  static bool makes_rows(const Soac& soac) {
    return std::any_of(soac.body.results.begin(), soac.body.results.end(),
                       [](Expr e) { return e.type().rank > 0; });
  }

  /// Of two that are independent: they read a common array, one of them reads nothing and is no burden to the
  /// other, or both are small.
  static bool pays(const Stm& a, const Soac& soac_a, const Stm& b, const Soac& soac_b) {
    const Vars of_a = arrays_read(a), of_b = arrays_read(b);
    if (of_a.empty() || of_b.empty()) return true;
    return std::any_of(of_a.begin(), of_a.end(), [&](Var v) { return of_b.contains(v); }) ||
           simplify::cost_of(soac_a.body) + simplify::cost_of(soac_b.body) <= small_together;
  }

  /// Every mention of what `maker` binds is an element of a mapped result at the Soac's own indices, in its
  /// body.
  bool reads_own_point_only(const Stm& stm, const Stm& maker) const {
    const Soac& soac = std::get<Soac>(stm.op);
    const Vars made(maker.names.begin(), maker.names.end());
    const soac::Layout::Part mapped = layout_of(std::get<Soac>(maker.op)).mapped;
    const Vars elements(maker.names.begin() + static_cast<std::ptrdiff_t>(mapped.name), maker.names.end());
    std::vector<Expr> own;
    for (Var p : soac.body.params) own.push_back(arena_.name(p));
    auto is_made = [&](Expr e) { return e.is_name() && made.contains(e.var()); };
    auto is_own_element = [&](Expr e) {
      return e.op() == Op::index && elements.contains(e.arg(0).var()) &&
             std::equal(own.begin(), own.end(), e.args().begin() + 1, e.args().end());
    };
    const std::vector<Expr> roots = all_roots(stm);
    bool fine = std::none_of(roots.begin(), roots.end(), is_made);
    scalar::for_each_node(soac::roots_of(stm), [&](Expr e) { fine = fine && !is_made(e); });
    scalar::for_each_node(roots, [&](Expr e) {
      if (!is_own_element(e)) fine = fine && std::none_of(e.args().begin(), e.args().end(), is_made);
    });
    for (const auto& inner : soac::nested_in(stm)) {
      if (inner.role == soac::Role::points) continue;
      Vars mentioned;
      soac::add_mentioned(*inner.lambda, mentioned);
      fine = fine && std::none_of(made.begin(), made.end(), [&](Var v) { return mentioned.contains(v); });
    }
    return fine;
  }

  /// No Scan of the body runs over what another one gives.
  static bool scans_are_independent(const Lambda& body) {
    Vars running;
    for (const Stm& stm : body.body) {
      if (!mentions_any(stm, running)) {
        if (as<soac::Scan>(stm.op)) running.insert(stm.names.begin(), stm.names.end());
        continue;
      }
      if (as<soac::Scan>(stm.op)) return false;
      running.insert(stm.names.begin(), stm.names.end());
    }
    return true;
  }

  /// One reads an array that is updated in place, the other what the update makes of it: together they would
  /// need both, and so a copy.
  bool update_divides(const std::vector<Stm>& stms, std::size_t i, std::size_t j) const {
    for (std::size_t k = 0; k < j; ++k) {
      Vars old;
      for (Var array : soac::updated_arrays(arena_, stms[k]))
        if (!params_.contains(array)) old.insert(array);
      const Vars updated(stms[k].names.begin(), stms[k].names.end());
      if (old.empty() || k == i) continue;
      const bool one_way = mentions_any(stms[i], old) && mentions_any(stms[j], updated);
      if (one_way || (mentions_any(stms[j], old) && mentions_any(stms[i], updated))) return true;
    }
    return false;
  }

  Meeting where_to_meet(const std::vector<Stm>& stms, std::size_t i, std::size_t j, const Vars& made) const {
    // Reads of an array that is updated in between stay before the update.
    bool down = !is_updated_before(arena_, params_, stms, i, j), up = true;
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

    const soac::Layout of_first = layout_of(a), of_second = layout_of(b);
    // b's reads of a's arrays are what a computes at this point.
    std::unordered_map<Var, Expr> elements;
    for (std::size_t k = 0; k < of_first.mapped.n_names; ++k) {
      const Expr element = of_a.results[of_first.mapped.result + k];
      if (element.type().rank == 0) elements.emplace(first.names[of_first.mapped.name + k], element);
    }
    scalar::Substitution substitute(arena_, [&](Expr e) {
      if (e.op() != Op::index) return Expr();
      auto found = elements.find(e.arg(0).var());
      return found == elements.end() ? Expr() : found->second;
    });
    Lambda of_b = b.body;
    replace_in(of_b, substitute);
    std::move(of_b.body.begin(), of_b.body.end(), std::back_inserter(soac.body.body));

    auto join = [](auto list, const auto& more) {
      list.insert(list.end(), more.begin(), more.end());
      return list;
    };
    soac.reductions = join(a.reductions, b.reductions);
    soac.scatters = join(a.scatters, b.scatters);
    soac.partitions = join(a.partitions, b.partitions);
    auto take = [&](const soac::Layout::Part& p, const std::vector<Expr>& results,
                    const std::vector<Var>& names) {
      for (std::size_t k = 0; k < p.n_results; ++k) soac.body.results.push_back(results[p.result + k]);
      for (std::size_t k = 0; k < p.n_names; ++k) merged.names.push_back(names[p.name + k]);
    };
    auto take_all = [&](const auto& parts_of_a, const auto& parts_of_b) {
      for (const auto& p : parts_of_a) take(p, of_a.results, first.names);
      for (const auto& p : parts_of_b) take(p, of_b.results, second.names);
    };
    take_all(of_first.reductions, of_second.reductions);
    take_all(of_first.scatters, of_second.scatters);
    take_all(of_first.partitions, of_second.partitions);
    take(of_first.mapped, of_a.results, first.names);
    take(of_second.mapped, of_b.results, second.names);
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
  const Vars params_;  // arrays of the caller, which nothing updates in place
};

Program run_merge(Program program, PassContext& context) {
  do fuse_vertically(program, context);
  while (Merger(program, context).scope(program.body));
  return program;
}

}  // namespace

const soac::Pass merge{"merge",
                       "Soacs over one space that read a common array, or one the other's result, run as one",
                       run_merge};

}  // namespace fulgurite::fuse
