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
#include "fuse/merge_facts.h"
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

bool mentions_any(const Stm& stm, const Vars& names) {
  Vars mentioned;
  soac::add_mentioned(stm, mentioned);
  return std::any_of(mentioned.begin(), mentioned.end(), [&](Var v) { return names.contains(v); });
}

/// A body of at most this cost is merged with one that it has nothing in common with.
constexpr int small = 32;
/// A function with so many nodes takes others in as it is.
constexpr std::size_t large = 512;

class Merger {
 public:
  Merger(const Program& program, PassContext& context)
      : arena_(*program.arena), context_(context), params_(program.params.begin(), program.params.end()) {}

  /// True if something was merged.
  bool scope(std::vector<Stm>& stms) {
    bool changed = false;
    for (Stm& stm : stms)
      for (auto& inner : soac::nested_in(stm)) changed = scope(inner.lambda->body) || changed;
    return merge_all(stms) || changed;
  }

 private:
  struct Body {
    std::vector<Stm>& stms;
    BodyFacts facts;
    // By ids of two statements: whether nothing but others may keep them apart, once asked.
    std::vector<std::vector<std::optional<bool>>> compatible;
  };

  bool merge_all(std::vector<Stm>& stms) {
    if (stms.size() < 2) return false;
    Body body{stms, {arena_, stms, params_}, {}};
    find_steps(body);
    bool changed = false;
    for (const bool same_step : {true, false}) {
      for (std::size_t j = 1; j < stms.size(); ++j) {
        for (std::size_t i = 0; i < j; ++i) {
          if (same_step && !is_same_step(body.facts[i], body.facts[j])) continue;
          if (!try_pair(body, i, j)) continue;
          changed = true;
          j = std::max<std::size_t>(i, 1) - 1;  // statements from i on moved
          break;
        }
      }
    }
    return changed;
  }

  static bool is_same_step(const MergeFacts& a, const MergeFacts& b) { return a.step && a.step == b.step; }

  bool try_pair(Body& body, std::size_t i, std::size_t j) {
    std::vector<Stm>& stms = body.stms;
    if (!are_compatible(body, i, j) || update_divides(body, i, j)) return false;
    const std::optional<std::vector<bool>> after = what_goes_after(body, i, j);
    if (!after) return false;
    auto &a = std::get<Soac>(stms[i].op), &b = std::get<Soac>(stms[j].op);
    std::optional<Stm> merged;
    const char* reason = nullptr;
    const bool same_space = a.dims == b.dims;
    if (same_space) {
      if (a.outer_axes != b.outer_axes && soac::may_fail(a.body) && soac::may_fail(b.body))
        return false;  // their messages number points in two ways
      reason = body.facts.after(i)[j] ? "it makes what the other reads, over the same space"
                                      : "they run over the same space";
      const bool both_scan = is_scan(a) && is_scan(b);
      const bool updates = !body.facts[i].updated.empty() || !body.facts[j].updated.empty();
      const bool is_sure = !both_scan && !updates && !context_.gas;
      merged = merge(stms[i].names, is_sure ? std::move(a) : a, stms[j], body.facts[i].n_nodes >= large);
      if (both_scan && !scans_are_independent(std::get<Soac>(merged->op).body)) return false;
    } else {
      merged = into_partition(arena_, stms[i], stms[j]);
      reason = "the other reads what it keeps";
    }
    if (loses_update(body, i, j, *merged)) return false;
    if (!context_.spend()) return false;
    context_.log.push_back(event_of(Event::Kind::merged, stms[i], stms[j], reason));
    MergeFacts facts = facts_of_both(body, i, j, *merged);
    std::vector<std::size_t> order, after_it;
    for (std::size_t k = i + 1; k < j; ++k) ((*after)[k - i] ? after_it : order).push_back(k);
    order.push_back(i);
    order.insert(order.end(), after_it.begin(), after_it.end());
    stms[i] = std::move(*merged);
    std::vector<Stm> moved;
    for (std::size_t k : order) moved.push_back(std::move(stms[k]));
    std::move(moved.begin(), moved.end(), stms.begin() + static_cast<std::ptrdiff_t>(i));
    stms.erase(stms.begin() + static_cast<std::ptrdiff_t>(j));
    body.facts.merged(i, j, order, std::move(facts));
    return true;
  }

  /// The facts of two statements that are one now. Those of a large one are not looked for in its expressions
  /// again, as it may take in a thousand small ones.
  MergeFacts facts_of_both(Body& body, std::size_t i, std::size_t j, const Stm& merged) {
    MergeFacts &a = body.facts[i], &b = body.facts[j];
    const bool updates = !a.updated.empty() || !b.updated.empty();
    MergeFacts facts;
    if (a.n_nodes < large || updates) {
      facts = facts_of(arena_, merged, params_);
    } else {
      facts.n_nodes = a.n_nodes + b.n_nodes;
      facts.mentioned = std::move(a.mentioned);
      facts.mentioned.insert(b.mentioned.begin(), b.mentioned.end());
      facts.read = std::move(a.read);
      facts.read.insert(b.read.begin(), b.read.end());
      for (Var v : body.stms[i].names) {
        facts.mentioned.erase(v);
        facts.read.erase(v);
      }
    }
    const bool starts_with_first = !body.stms[i].names.empty() && merged.names[0] == body.stms[i].names[0];
    facts.step = starts_with_first ? a.step : b.step;
    return facts;
  }

  /// What of the two statements alone decides whether they can be one, and had better be.
  bool are_compatible(Body& body, std::size_t i, std::size_t j) {
    const auto *a = as<Soac>(body.stms[i].op), *b = as<Soac>(body.stms[j].op);
    if (!a || !b || scatters_tuples(*a) != scatters_tuples(*b)) return false;
    const std::size_t id_a = body.facts[i].id, id_b = body.facts[j].id;
    if (body.compatible.size() <= id_a) body.compatible.resize(id_a + 1);
    std::vector<std::optional<bool>>& of_a = body.compatible[id_a];
    if (of_a.size() <= id_b) of_a.resize(body.facts.n_ids());
    std::optional<bool>& known = of_a[id_b];
    if (!known) {
      if (a->dims != b->dims)
        known = into_partition(arena_, body.stms[i], body.stms[j]).has_value();
      else if (binds_any(body.stms[i], body.facts[j].mentioned))
        known = reads_own_point_only(body.stms[j], body.stms[i]) && !makes_rows(*a);
      else
        known = pays(body.facts[i], *a, body.facts[j], *b);
    }
    return *known;
  }

  void find_steps(Body& body) const {
    const std::vector<Stm>& stms = body.stms;
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
      for (std::size_t i : body.facts.needs(j)) {
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
    for (std::size_t k = 0; k < stms.size(); ++k)
      if (!stms[k].names.empty()) body.facts[k].step = step[k];
  }

  /// Elements of an inner array, which a function cannot keep, are not there for the other to read.
  static bool makes_rows(const Soac& soac) {
    return std::any_of(soac.body.results.begin(), soac.body.results.end(),
                       [](Expr e) { return e.type().rank > 0; });
  }

  /// Of two that are independent: they read a common array, one of them reads nothing and is no burden to the
  /// other, or one is so small that the launch counts (but not beside a scan, whose points follow each other)
  static bool pays(MergeFacts& a, const Soac& soac_a, MergeFacts& b, const Soac& soac_b) {
    if (a.read.empty() || b.read.empty() || have_common(a.read, b.read)) return true;
    const auto is_small = [](MergeFacts& facts, const Soac& soac) {
      if (!facts.cost) facts.cost = simplify::cost_of(soac.body);
      return *facts.cost <= small;
    };
    return is_scan(soac_a) == is_scan(soac_b) && (is_small(b, soac_b) || is_small(a, soac_a));
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
  static bool update_divides(const Body& body, std::size_t i, std::size_t j) {
    const MergeFacts &a = body.facts[i], &b = body.facts[j];
    return std::ranges::any_of(body.facts.updating(), [&](std::size_t k) {
      if (k >= j || k == i) return false;
      const Vars& old = body.facts[k].updated;
      const auto divides = [&](const MergeFacts& one, const MergeFacts& other) {
        return have_common(one.mentioned, old) && binds_any(body.stms[k], other.mentioned);
      };
      return divides(a, b) || divides(b, a);
    });
  }

  /// An array that one of the two updates in place must be copied for the merged statement, because the other
  /// reads elements of it that other points store to.
  bool loses_update(const Body& body, std::size_t i, std::size_t j, const Stm& merged) const {
    if (body.facts[i].updated.empty() && body.facts[j].updated.empty()) return false;
    const std::vector<Var> kept = soac::updated_arrays(arena_, merged);
    const auto is_lost = [&](Var array) { return std::find(kept.begin(), kept.end(), array) == kept.end(); };
    return std::ranges::any_of(body.facts[i].updated, is_lost) ||
           std::ranges::any_of(body.facts[j].updated, is_lost);
  }

  /// Which of the statements from i to j need what i makes, and so come after the two; nothing if j needs one
  /// of them, or if a Check is among them: it may be what makes j's indices safe.
  static std::optional<std::vector<bool>> what_goes_after(Body& body, std::size_t i, std::size_t j) {
    const std::vector<bool>& after = body.facts.after(i);
    if (std::ranges::any_of(body.facts.needs(j), [&](std::size_t k) { return k > i && after[k]; })) return {};
    // Reads of an array that is updated in place had better stay before the update.
    const auto updates_what_is_read = [&](std::size_t update, std::size_t reader) {
      return have_common(body.facts[update].updated, body.facts[reader].mentioned);
    };
    for (std::size_t k = i + 1; k < j; ++k) {
      if (!after[k]) {
        if (updates_what_is_read(k, i)) return {};
        continue;
      }
      if (as<soac::Check>(body.stms[k].op) || updates_what_is_read(j, k)) return {};
    }
    return std::vector<bool>(after.begin() + static_cast<std::ptrdiff_t>(i),
                             after.begin() + static_cast<std::ptrdiff_t>(j));
  }

  /// The second statement's function takes in the first one's; `as_is`: it is the other way round, as
  /// copying a large function for each small one that it meets would take quadratic time.
  Stm merge(const std::vector<Var>& first_names, Soac a, const Stm& second, bool as_is) {
    const Soac& b = std::get<Soac>(second.op);
    Stm merged{{}, {}, second.where, second.origin};
    Soac soac;
    soac.dims = b.dims;
    soac.outer_axes = a.outer_axes == b.outer_axes || soac::may_fail(a.body) ? a.outer_axes : b.outer_axes;
    soac.body.params = as_is ? a.body.params : b.body.params;
    std::vector<Expr> own;
    for (Var p : soac.body.params) own.push_back(arena_.name(p));
    const soac::Layout of_first = layout_of(a), of_second = layout_of(b);
    soac::Applied of_a = as_is ? soac::Applied{std::move(a.body.body), std::move(a.body.results)}
                               : soac::apply(arena_, a.body, own);
    soac.body.body = std::move(of_a.body);

    // b's reads of a's arrays are what a computes at this point.
    std::unordered_map<Var, Expr> elements;
    for (std::size_t k = 0; k < of_first.mapped.n_names; ++k) {
      const Expr element = of_a.results[of_first.mapped.result + k];
      if (element.type().rank == 0) elements.emplace(first_names[of_first.mapped.name + k], element);
    }
    scalar::Substitution substitute(arena_, [&](Expr e) {
      if (e.op() != Op::index) return Expr();
      auto found = elements.find(e.arg(0).var());
      return found == elements.end() ? Expr() : found->second;
    });
    Lambda of_b = b.body;
    if (as_is) {
      soac::Applied applied = soac::apply(arena_, b.body, own);
      of_b = {{}, std::move(applied.body), std::move(applied.results)};
    }
    soac::substitute_in(of_b, substitute);
    std::move(of_b.body.begin(), of_b.body.end(), std::back_inserter(soac.body.body));

    auto join = [](auto list, const auto& more) {
      list.insert(list.end(), more.begin(), more.end());
      return list;
    };
    soac.reductions = join(std::move(a.reductions), b.reductions);
    soac.scatters = join(std::move(a.scatters), b.scatters);
    soac.partitions = join(std::move(a.partitions), b.partitions);
    auto take = [&](const soac::Layout::Part& p, const std::vector<Expr>& results,
                    const std::vector<Var>& names) {
      for (std::size_t k = 0; k < p.n_results; ++k) soac.body.results.push_back(results[p.result + k]);
      for (std::size_t k = 0; k < p.n_names; ++k) merged.names.push_back(names[p.name + k]);
    };
    auto take_all = [&](const auto& parts_of_a, const auto& parts_of_b) {
      for (const auto& p : parts_of_a) take(p, of_a.results, first_names);
      for (const auto& p : parts_of_b) take(p, of_b.results, second.names);
    };
    take_all(of_first.reductions, of_second.reductions);
    take_all(of_first.scatters, of_second.scatters);
    take_all(of_first.partitions, of_second.partitions);
    take(of_first.mapped, of_a.results, first_names);
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
