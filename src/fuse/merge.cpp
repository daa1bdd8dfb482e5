// Horizontal fusion (the redomap paper, section 3.2). Two Soacs of one body over the same space become one,
// which has the outputs of both, when the later one uses nothing of the earlier but elements at its own
// point, and needs nothing that needs the earlier: what stands between goes before or after the two. It pays
// where they read a common array, which is then read once, where one reads what the other makes, where one
// computes from its indices alone, and where one is small: one launch instead of two. A running value may so
// meet what is computed from it (scan, then map and reduce), but no second scan over it: that needs the first
// one's values in memory, or one more walk.
//
// Which pairs are taken first decides how few Soacs are left: pairs that share a step of the shortest
// sequence (steps.h), then the rest in the order of the program.
#include <algorithm>
#include <optional>
#include <set>

#include "base/match.h"
#include "fuse/decide.h"
#include "fuse/fuse.h"
#include "fuse/merge_facts.h"
#include "fuse/partition.h"
#include "fuse/steps.h"
#include "fuse/vertical.h"
#include "simplify/cost.h"
#include "soac/count.h"
#include "soac/outputs.h"
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

/// A body of at most this cost is merged even with one with which it has nothing in common.
constexpr int small = 32;
/// A function with this many nodes takes others in as it is.
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
    std::vector<Stm>& stms;  // by the numbers that the facts know them by
    BodyFacts facts;
  };

  enum class Outcome : std::uint8_t { merged, never, not_here };

  bool merge_all(std::vector<Stm>& stms) {
    if (stms.size() < 2) return false;
    Body body{stms, {arena_, stms, params_}};
    find_steps(body);
    bool changed = false;
    for (const bool same_step : {true, false}) changed = merge_pairs(body, same_step) || changed;
    if (!changed) return false;
    std::vector<Stm> ordered;
    for (std::size_t k : body.facts.order()) ordered.push_back(std::move(stms[k]));
    stms = std::move(ordered);
    return true;
  }

  /// What is known of the pairs of a statement and earlier ones.
  struct Tried {
    bool all = false;                 // no pair can be merged, but for:
    std::size_t n_merged = 0;         // pairs with what more merges than these have made
    std::vector<std::size_t> others;  // statements that others kept apart, or that stood after it
  };

  /// Merges the first pair, in the order of the later ones of pairs, until there is none. A pair is looked at
  /// again only where something may have changed: ten thousand statements have too many of them.
  bool merge_pairs(Body& body, bool same_step) {
    const std::vector<std::size_t>& order = body.facts.order();
    std::vector<Tried> tried(body.stms.size());
    std::vector<std::size_t> made;  // the statement that each merge made
    for (std::size_t at = 1; at < order.size(); ++at) {
      const std::optional<std::size_t> partner = merge_into_earlier(body, at, same_step, tried, made);
      if (!partner) continue;
      tried[*partner] = {};
      made.push_back(*partner);
      at = std::max<std::size_t>(body.facts.position(*partner), 1) - 1;  // statements from there on moved
    }
    return !made.empty();
  }

  std::optional<std::size_t> merge_into_earlier(Body& body, std::size_t at, bool same_step,
                                                std::vector<Tried>& tried,
                                                const std::vector<std::size_t>& made) {
    BodyFacts& facts = body.facts;
    const std::size_t b = facts.order()[at];
    if (!facts[b].space) return {};
    Tried& of_b = tried[b];
    std::vector<std::size_t> earlier, apart;
    if (of_b.all) {
      for (std::size_t k : of_b.others) earlier.push_back(facts.position(facts.current(k)));
      for (std::size_t k = of_b.n_merged; k < made.size(); ++k)
        earlier.push_back(facts.position(facts.current(made[k])));
      std::sort(earlier.begin(), earlier.end());
      earlier.erase(std::unique(earlier.begin(), earlier.end()), earlier.end());
      std::erase_if(earlier, [&](std::size_t position) { return position >= at; });
    }
    for (std::size_t k = 0; k < (of_b.all ? earlier.size() : at); ++k) {
      const std::size_t a = facts.order()[of_b.all ? earlier[k] : k];
      if (!may_join(body, a, b) || (same_step && !is_same_step(facts[a], facts[b]))) continue;
      switch (try_pair(body, a, b, tried)) {
        case Outcome::merged: return a;
        case Outcome::not_here: apart.push_back(a); break;
        case Outcome::never: break;
      }
    }
    of_b = {true, made.size(), std::move(apart)};
    return {};
  }

  static bool is_same_step(const MergeFacts& a, const MergeFacts& b) { return a.step && a.step == b.step; }

  /// Two Soacs over one space, or the later one over what the earlier one keeps, and no third that needs the
  /// one and is needed by the other.
  static bool may_join(const Body& body, std::size_t a, std::size_t b) {
    const MergeFacts &of_a = body.facts[a], &of_b = body.facts[b];
    if (!of_a.space) return false;
    if (of_a.space != of_b.space) {
      const Soac& reader = std::get<Soac>(body.stms[b].op);
      if (reader.dims.size() != 1 || !reader.dims[0].is_name()) return false;
      if (body.facts.maker(reader.dims[0].var()) != a) return false;
    }
    return !body.facts.is_between(a, b);
  }

  Outcome try_pair(Body& body, std::size_t first, std::size_t second, std::vector<Tried>& tried) {
    BodyFacts& facts = body.facts;
    Stm &stm_a = body.stms[first], &stm_b = body.stms[second];
    if (!are_compatible(body, first, second)) return Outcome::never;
    if (update_divides(body, first, second)) return Outcome::not_here;
    const std::optional<std::vector<bool>> after = what_goes_after(body, first, second);
    if (!after) return Outcome::not_here;
    auto &a = std::get<Soac>(stm_a.op), &b = std::get<Soac>(stm_b.op);
    std::optional<Stm> merged;
    const char* reason = nullptr;
    if (facts[first].space == facts[second].space) {
      if (a.outer_axes != b.outer_axes && soac::may_fail(a.body) && soac::may_fail(b.body))
        return Outcome::never;  // their messages number points in two ways
      reason = facts.is_after(second, first) ? "it makes what the other reads, over the same space"
                                             : "they run over the same space";
      const bool both_scan = is_scan(a) && is_scan(b);
      const bool updates = !facts[first].updated.empty() || !facts[second].updated.empty();
      const bool is_sure = !both_scan && !updates && !context_.gas;
      Stm of_first{stm_a.names, is_sure ? std::move(a) : a, {}, {}};
      merged = merge(std::move(of_first), stm_b, facts[second].read, facts[first].n_nodes >= large);
      if (both_scan && !scans_are_independent(std::get<Soac>(merged->op).body)) return Outcome::never;
    } else {
      merged = into_partition(arena_, stm_a, stm_b);
      reason = "the other reads what it keeps";
    }
    if (loses_update(body, first, second, *merged)) return Outcome::never;
    if (!context_.spend()) return Outcome::never;
    context_.log.push_back(event_of(Event::Kind::merged, stm_a, stm_b, reason));
    MergeFacts of_both = facts_of_both(body, first, second, *merged);
    const std::size_t from = facts.position(first), to = facts.position(second);
    std::vector<std::size_t> order, after_it;
    for (std::size_t k = from + 1; k < to; ++k) {
      const std::size_t between = facts.order()[k];
      if ((*after)[k - from]) {
        after_it.push_back(between);
        continue;
      }
      order.push_back(between);
      for (std::size_t passed : after_it) tried[passed].others.push_back(between);
    }
    order.push_back(first);
    order.insert(order.end(), after_it.begin(), after_it.end());
    stm_a = std::move(*merged);
    stm_b = {};
    facts.merged(first, second, order, std::move(of_both));
    return Outcome::merged;
  }

  /// The facts of two statements that are one. Facts of a large one are not looked for in its expressions
  /// again, as it may take in a thousand small ones.
  MergeFacts facts_of_both(Body& body, std::size_t first, std::size_t second, const Stm& merged) {
    MergeFacts &a = body.facts[first], &b = body.facts[second];
    const bool updates = !a.updated.empty() || !b.updated.empty();
    MergeFacts facts;
    if (a.n_nodes < large || updates) {
      facts = body.facts.facts_of(merged);
    } else {
      facts.n_nodes = a.n_nodes + b.n_nodes;
      const auto joined = [&](Vars& of_a, const Vars& of_b) {
        Vars both = std::move(of_a);
        for (Var v : of_b)
          if (body.facts.maker(v) != first) both.insert(v);
        return both;
      };
      facts.mentioned = joined(a.mentioned, b.mentioned);
      facts.read = joined(a.read, b.read);
      facts.elsewhere = joined(a.elsewhere, b.elsewhere);
      facts.space = a.space;
    }
    const std::vector<Var>& names = body.stms[first].names;
    const bool starts_with_first = !names.empty() && merged.names[0] == names[0];
    facts.step = starts_with_first ? a.step : b.step;
    return facts;
  }

  /// Whether the two statements can be one, and should be, as far as they alone decide it.
  bool are_compatible(Body& body, std::size_t first, std::size_t second) const {
    const Stm &stm_a = body.stms[first], &stm_b = body.stms[second];
    MergeFacts &a = body.facts[first], &b = body.facts[second];
    const auto &soac_a = std::get<Soac>(stm_a.op), &soac_b = std::get<Soac>(stm_b.op);
    if (a.space != b.space) return fits_partition(arena_, stm_a, stm_b);
    if (stay_apart(arena_, stm_a, stm_b) || stay_apart(arena_, stm_b, stm_a)) return false;
    if (makes_any(body.facts, first, b.mentioned))
      return reads_own_point_only(body.facts, b, stm_a, first) && !makes_rows(soac_a);
    return pays(a, soac_a, b, soac_b);
  }

  void find_steps(Body& body) const {
    const std::vector<Stm>& stms = body.stms;
    std::vector<Task> tasks(stms.size());
    // The last scans whose running values a statement meets.
    std::vector<std::set<std::size_t>> scans(stms.size());
    for (std::size_t j = 0; j < stms.size(); ++j) {
      const MergeFacts& reader = body.facts[j];
      tasks[j].space = reader.space;
      for (std::size_t i : body.facts.needs(j)) {
        const bool meets = reader.space && body.facts[i].space == reader.space &&
                           reads_own_point_only(body.facts, reader, stms[i], i);
        tasks[j].needs.push_back({i, !meets});
        if (meets) scans[j].insert(scans[i].begin(), scans[i].end());
      }
      const auto* soac = as<Soac>(stms[j].op);
      if (!soac || !is_scan(*soac)) continue;
      for (std::size_t scan : scans[j]) tasks[j].needs.push_back({scan, true});
      scans[j] = {j};
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

  /// Whether it pays to merge two independent Soacs: they read a common array, one reads nothing and does not
  /// slow the other, or one is so small that the launch counts (but not beside a scan, whose points follow
  /// each other)
  static bool pays(MergeFacts& a, const Soac& soac_a, MergeFacts& b, const Soac& soac_b) {
    if (a.read.empty() || b.read.empty() || have_common(a.read, b.read)) return true;
    const auto is_small = [](MergeFacts& facts, const Soac& soac) {
      if (!facts.cost) facts.cost = simplify::cost_of(soac.body);
      return *facts.cost <= small;
    };
    return is_scan(soac_a) == is_scan(soac_b) && (is_small(b, soac_b) || is_small(a, soac_a));
  }

  /// Whether every mention of a name that `maker` binds is an element of a mapped result at the reader's own
  /// indices, in its body.
  static bool reads_own_point_only(const BodyFacts& facts, const MergeFacts& reader, const Stm& maker,
                                   std::size_t number) {
    if (makes_any(facts, number, reader.elsewhere)) return false;
    Vars mapped;
    for (const soac::Mapped& m : soac::view_of(maker).mapped) mapped.insert(m.array);
    return std::ranges::none_of(reader.mentioned,
                                [&](Var v) { return facts.maker(v) == number && !mapped.contains(v); });
  }
  static bool makes_any(const BodyFacts& facts, std::size_t statement, const Vars& names) {
    return std::ranges::any_of(names, [&](Var v) { return facts.maker(v) == statement; });
  }

  /// Whether no Scan of the body runs over another one's values.
  static bool scans_are_independent(const Lambda& body) {
    Vars running;
    for (const Stm& stm : body.body) {
      if (!soac::mentions_any(stm, running)) {
        if (as<soac::Scan>(stm.op)) running.insert(stm.names.begin(), stm.names.end());
        continue;
      }
      if (as<soac::Scan>(stm.op)) return false;
      running.insert(stm.names.begin(), stm.names.end());
    }
    return true;
  }

  /// Whether one reads an array that is updated in place, and the other its new version: together they would
  /// need both, and so a copy.
  static bool update_divides(const Body& body, std::size_t first, std::size_t second) {
    const MergeFacts &a = body.facts[first], &b = body.facts[second];
    return std::ranges::any_of(body.facts.updating(), [&](std::size_t k) {
      if (k == first || body.facts.position(k) >= body.facts.position(second)) return false;
      const Vars& old = body.facts[k].updated;
      const auto divides = [&](const MergeFacts& one, const MergeFacts& other) {
        return have_common(one.mentioned, old) && binds_any(body.stms[k], other.mentioned);
      };
      return divides(a, b) || divides(b, a);
    });
  }

  /// An array that one of the two updates in place must be copied for the merged statement, because the other
  /// reads elements of it that other points store to.
  bool loses_update(const Body& body, std::size_t first, std::size_t second, const Stm& merged) const {
    const MergeFacts &a = body.facts[first], &b = body.facts[second];
    if (a.updated.empty() && b.updated.empty()) return false;
    const std::vector<Var> kept = soac::updated_arrays(arena_, merged);
    const auto is_lost = [&](Var array) { return std::find(kept.begin(), kept.end(), array) == kept.end(); };
    return std::ranges::any_of(a.updated, is_lost) || std::ranges::any_of(b.updated, is_lost);
  }

  /// Which of the statements from the first to the second need what the first makes, and so come after the
  /// two; nothing if a Check is among them, which may be what makes the second one's indices safe. None of
  /// them is needed by the second.
  static std::optional<std::vector<bool>> what_goes_after(const Body& body, std::size_t first,
                                                          std::size_t second) {
    const BodyFacts& facts = body.facts;
    const std::size_t from = facts.position(first), to = facts.position(second);
    // Reads of an array that is updated in place had better stay before the update.
    const auto updates_what_is_read = [&](std::size_t update, std::size_t reader) {
      return !facts[update].updated.empty() && have_common(facts[update].updated, facts[reader].mentioned);
    };
    std::vector<bool> after(to - from, false);
    for (std::size_t at = from + 1; at < to; ++at) {
      const std::size_t k = facts.order()[at];
      after[at - from] = facts.is_after(k, first);
      if (!after[at - from]) {
        if (updates_what_is_read(k, first)) return {};
      } else if (facts[k].is_check || updates_what_is_read(second, k)) {
        return {};
      }
    }
    return after;
  }

  /// The second statement's function takes in the first one's; `as_is`: it is the other way round, as
  /// copying a large function for each small one that it meets would take quadratic time.
  Stm merge(Stm first, Stm second, const Vars& read_by_second, bool as_is) {
    auto &a = std::get<Soac>(first.op), &b = std::get<Soac>(second.op);
    const bool numbers_as_a = a.outer_axes == b.outer_axes || soac::may_fail(a.body);
    const std::size_t outer_axes = numbers_as_a ? a.outer_axes : b.outer_axes;
    if (!as_is) a.body = at_points_of(b.body, a.body);
    soac::Outputs outputs = soac::take_outputs(first);

    // b's reads of a's arrays become a's values at this point.
    std::unordered_map<Var, Expr> elements;
    for (const soac::Mapped& m : outputs.mapped)
      if (read_by_second.contains(m.array) && m.result.type().rank == 0) elements.emplace(m.array, m.result);
    scalar::Substitution substitute(arena_, [&](Expr e) {
      if (e.op() != Op::index) return Expr();
      auto found = elements.find(e.arg(0).var());
      return found == elements.end() ? Expr() : found->second;
    });
    if (as_is) b.body = at_points_of(a.body, b.body);
    soac::substitute_in(b.body, substitute);
    soac::Outputs more = soac::take_outputs(second);

    append(a.body.body, std::move(b.body.body));
    append(outputs.reductions, std::move(more.reductions));
    append(outputs.scatters, std::move(more.scatters));
    append(outputs.partitions, std::move(more.partitions));
    append(outputs.mapped, std::move(more.mapped));
    Stm merged{{}, Soac{std::move(b.dims), std::move(a.body)}, second.where, second.origin};
    std::get<Soac>(merged.op).outer_axes = outer_axes;
    return soac::with_outputs(std::move(merged), std::move(outputs));
  }

  /// The function with the parameters of another one over the same space.
  Lambda at_points_of(const Lambda& other, const Lambda& function) {
    std::vector<Expr> own;
    for (Var p : other.params) own.push_back(arena_.name(p));
    soac::Applied applied = soac::apply(arena_, function, own);
    return {other.params, std::move(applied.body), std::move(applied.results)};
  }

  template <class T>
  static void append(std::vector<T>& list, std::vector<T>&& more) {
    list.insert(list.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
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
