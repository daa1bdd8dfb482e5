// Horizontal fusion (the redomap paper, section 3.2). Two Soacs of one body over the same space become one,
// which has the outputs of both, when the later one uses nothing of the earlier but elements at its own
// point, and needs nothing that needs the earlier: what stands between goes before or after the two. It pays
// where they read a common array, which is then read once, where one reads what the other makes, where one
// computes from its indices alone, and where one is small: one launch instead of two. A running value may so
// meet what is computed from it (scan, then map and reduce), but no second scan over it: that needs the first
// one's values in memory, or one more walk. Nothing joins a scatter of tuples, which is one task on a
// processor, but another such scatter.
//
// Which pairs are taken first decides how few Soacs are left: those that share a step of the shortest
// sequence (steps.h), then the rest in the order of the program.
#include <algorithm>
#include <optional>
#include <set>

#include "base/match.h"
#include "fuse/fuse.h"
#include "fuse/partition.h"
#include "fuse/steps.h"
#include "fuse/vertical.h"
#include "simplify/cost.h"
#include "soac/count.h"
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

/// A body of at most this cost is merged with one that it has nothing in common with.
constexpr int small = 32;

class Merger {
 public:
  Merger(const Program& program, PassContext& context)
      : arena_(*program.arena), context_(context), params_(program.params.begin(), program.params.end()) {}

  /// True if something was merged.
  bool scope(std::vector<Stm>& stms) {
    bool changed = false;
    for (Stm& stm : stms)
      for (auto& inner : soac::nested_in(stm)) changed = scope(inner.lambda->body) || changed;
    return merge_all(stms, steps_of(stms)) || changed;
  }

 private:
  using Steps = std::unordered_map<Var, std::size_t>;  // by the names of statements

  bool merge_all(std::vector<Stm>& stms, const Steps& steps) {
    bool changed = false;
    for (const bool same_step : {true, false}) {
      for (std::size_t j = 1; j < stms.size(); ++j) {
        for (std::size_t i = 0; i < j; ++i) {
          if (same_step && !is_same_step(steps, stms[i], stms[j])) continue;
          if (!try_pair(stms, i, j)) continue;
          changed = true;
          j = 0;  // from the start: the statements moved
          break;
        }
      }
    }
    return changed;
  }

  static bool is_same_step(const Steps& steps, const Stm& a, const Stm& b) {
    return !a.names.empty() && !b.names.empty() && steps.at(a.names[0]) == steps.at(b.names[0]);
  }

  bool try_pair(std::vector<Stm>& stms, std::size_t i, std::size_t j) {
    const auto *a = as<Soac>(stms[i].op), *b = as<Soac>(stms[j].op);
    if (!a || !b || scatters_tuples(*a) != scatters_tuples(*b)) return false;
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
    const std::optional<std::vector<bool>> after = what_goes_after(stms, i, j, made);
    if (!after || update_divides(stms, i, j) || loses_update(stms[i], stms[j], *merged)) return false;
    if (!context_.spend()) return false;
    context_.log.push_back(event_of(Event::Kind::merged, stms[i], stms[j], reason));
    std::vector<Stm> before_it, after_it;
    for (std::size_t k = i + 1; k < j; ++k)
      ((*after)[k - i] ? after_it : before_it).push_back(std::move(stms[k]));
    auto at = std::move(before_it.begin(), before_it.end(), stms.begin() + static_cast<std::ptrdiff_t>(i));
    *at++ = std::move(*merged);
    at = std::move(after_it.begin(), after_it.end(), at);
    stms.erase(at);
    return true;
  }

  Steps steps_of(const std::vector<Stm>& stms) const {
    std::vector<Task> tasks(stms.size());
    std::vector<const std::vector<Expr>*> spaces;
    std::vector<std::set<std::size_t>> scans(stms.size());  // whose running values a statement meets
    for (std::size_t j = 0; j < stms.size(); ++j) {
      const auto* reader = as<Soac>(stms[j].op);
      if (reader) {
        const auto known = std::find_if(spaces.begin(), spaces.end(),
                                        [&](const auto* dims) { return *dims == reader->dims; });
        tasks[j].space = static_cast<std::size_t>(known - spaces.begin());
        if (known == spaces.end()) spaces.push_back(&reader->dims);
      }
      Vars mentioned;
      soac::add_mentioned(stms[j], mentioned);
      for (std::size_t i = 0; i < j; ++i) {
        if (std::none_of(stms[i].names.begin(), stms[i].names.end(),
                         [&](Var v) { return mentioned.contains(v); }))
          continue;
        const auto* maker = as<Soac>(stms[i].op);
        const bool meets =
            maker && reader && maker->dims == reader->dims && reads_own_point_only(stms[j], stms[i]);
        tasks[j].needs.push_back({i, !meets});
        if (meets) scans[j].insert(scans[i].begin(), scans[i].end());
      }
      if (!reader || !is_scan(*reader)) continue;
      for (std::size_t scan : scans[j]) tasks[j].needs.push_back({scan, true});
      scans[j].insert(j);
    }
    const std::vector<std::size_t> step = fewest_steps(tasks);
    Steps steps;
    for (std::size_t k = 0; k < stms.size(); ++k)
      for (Var v : stms[k].names) steps.emplace(v, step[k]);
    return steps;
  }

  /// Elements of an inner array, which a function cannot keep, are not there for the other to read.
  static bool makes_rows(const Soac& soac) {
    return std::any_of(soac.body.results.begin(), soac.body.results.end(),
                       [](Expr e) { return e.type().rank > 0; });
  }

  /// Of two that are independent: they read a common array, one of them reads nothing and is no burden to the
  /// other, or one is so small that the launch counts (but not beside a scan, whose points follow each other)
  static bool pays(const Stm& a, const Soac& soac_a, const Stm& b, const Soac& soac_b) {
    const Vars of_a = arrays_read(a), of_b = arrays_read(b);
    if (of_a.empty() || of_b.empty()) return true;
    return std::any_of(of_a.begin(), of_a.end(), [&](Var v) { return of_b.contains(v); }) ||
           (is_scan(soac_a) == is_scan(soac_b) &&
            std::min(simplify::cost_of(soac_a.body), simplify::cost_of(soac_b.body)) <= small);
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

  /// An array that one of the two updates in place must be copied for the merged statement, because the other
  /// reads elements of it that other points store to.
  bool loses_update(const Stm& a, const Stm& b, const Stm& merged) const {
    const std::vector<Var> kept = soac::updated_arrays(arena_, merged);
    const auto is_lost = [&](Var array) {
      return !params_.contains(array) && std::find(kept.begin(), kept.end(), array) == kept.end();
    };
    for (const Stm* stm : {&a, &b}) {
      const std::vector<Var> updated = soac::updated_arrays(arena_, *stm);
      if (std::any_of(updated.begin(), updated.end(), is_lost)) return true;
    }
    return false;
  }

  /// Which of the statements from i to j need what i makes, and so come after the two; nothing if j needs one
  /// of them, or if a Check is among them: it may be what makes j's indices safe.
  std::optional<std::vector<bool>> what_goes_after(const std::vector<Stm>& stms, std::size_t i, std::size_t j,
                                                   Vars made) const {
    std::vector<bool> after(j - i, false);
    Vars later;  // made by those
    for (std::size_t k = i + 1; k < j; ++k) {
      if (!mentions_any(stms[k], made)) {
        if (updates_what_is_read(stms[k], stms[i])) return {};
        continue;
      }
      if (as<soac::Check>(stms[k].op) || updates_what_is_read(stms[j], stms[k])) return {};
      after[k - i] = true;
      made.insert(stms[k].names.begin(), stms[k].names.end());
      later.insert(stms[k].names.begin(), stms[k].names.end());
    }
    if (mentions_any(stms[j], later)) return {};
    return after;
  }

  /// Reads of an array that is updated in place had better stay before the update.
  bool updates_what_is_read(const Stm& update, const Stm& reader) const {
    Vars old;
    for (Var array : soac::updated_arrays(arena_, update))
      if (!params_.contains(array)) old.insert(array);
    return mentions_any(reader, old);
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
    soac::substitute_in(of_b, substitute);
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
