#include "lower/combinator.h"

#include <algorithm>

#include "base/match.h"
#include "lower/block_loop.h"
#include "lower/carry.h"
#include "lower/folding.h"
#include "lower/long_rows.h"
#include "lower/neighbours.h"
#include "lower/ordered_stores.h"
#include "lower/private_bins.h"
#include "lower/results.h"
#include "schedule/rewrites/lift.h"
#include "soac/walk.h"
#include "walk/points.h"

namespace fulgurite::lower {

namespace {

using soac::Layout;

class Combinator {
 public:
  Combinator(Launches& launches, const soac::Stm& original)
      : launches_(launches),
        arena_(launches.arena()),
        lifted_(schedule::lift_missing_neutral(arena_, reading_what_it_updates(arena_, original))),
        ordered_(launches, lifted_),
        at_(launches, ordered_.posting()),
        op_(at_.op),
        layout_(at_.layout),
        results_(launches, at_.e, original, lifted_),
        folding_(at_),
        long_rows_(at_),
        bins_(at_) {}

  void run() {
    name_totals();
    ordered_.start(at_);
    kernel::Block phases = at_.e.block([&] {
      results_.fill([&](const soac::Lambda& f, const std::vector<Expr>& shape, std::vector<Var> arrays,
                        Expr if_one) { map_over_places(f, shape, std::move(arrays), if_one); });
      folding_.phases();
      if (ordered_.posts_something()) main();
      long_rows_.phases();
      ordered_.phases(at_);
      last();
      places();
    });
    LaunchNote note{0, {}, {}, at_.policy, {}};
    note.scatter = ordered_.policy();
    results_.launch(std::move(phases), at_.tasks, at_.temporaries, std::move(note));
    std::vector<Var> totals;
    for (const Total& total : totals_) totals.insert(totals.end(), total.arrays.begin(), total.arrays.end());
    results_.bind_scalars(totals, folding_.kept());
  }

 private:
  Expr i64(std::int64_t value) { return arena_.i64(value); }
  void name_totals() {
    for (std::size_t g = 0; g < op_.reductions.size(); ++g) {
      Total& total = totals_.emplace_back();
      total.scan = scan_like(arena_, op_, layout_, g);
      const Expr size = total.scan < 0 ? arena_.max(at_.grid.tasks, i64(1)) : i64(1);
      for (Expr x : op_.reductions[g].neutral) total.arrays.push_back(at_.temporary(x.kind(), size, "total"));
    }
  }

  // ---- phases

  // A phase that computes arrays of elements of their places.
  void map_over_places(const soac::Lambda& f, const std::vector<Expr>& shape, std::vector<Var> arrays,
                       Expr if_one) {
    soac::Stm map{std::move(arrays), soac::Soac{shape, f}, at_.s.where, at_.s.origin};
    const auto& op = std::get<soac::Soac>(map.op);
    const Policy policy = at_.policy_of(op);
    Grid g = tiles_grid(launches_, op, policy);
    at_.phase(arena_.mul(g.tasks, if_one), [&](const Emitter& task) {
      const Emitter e = streaming_from(task, policy);
      block_loop(e, map, tile_of(e, g, policy), policy);
    });
  }

  // Whose stores bypass the cache where the launch touches so much that nothing of it stays there.
  Emitter streaming_from(const Emitter& e, const Policy& policy) {
    soac::Vars mentioned;
    soac::add_mentioned(at_.s, mentioned);
    std::vector<Var> inputs;
    for (Var name : mentioned)
      if (arena_.info(name).type.rank > 0 && launches_.host().has_place(name)) inputs.push_back(name);
    std::sort(inputs.begin(), inputs.end());
    // Results of two calls take turns, and filters keep half of the elements or so.
    const Expr filtered = results_.bytes_filtered();
    Expr touched = arena_.sub(arena_.mul(results_.bytes_written(), i64(2)), filtered);
    for (Var array : inputs) touched = arena_.add(touched, launches_.bytes(array));
    return e.streaming_if(e.lower(arena_.lt(i64(policy.streaming), touched)));
  }

  void main() {
    std::vector<bool> given;  // by a Scan
    for (const Total& total : totals_) given.push_back(total.scan >= 0);
    const soac::Stm s = without_reductions(at_.s, given);
    Expr one_by_one = arena_.sub(i64(1), long_rows_.are_few());
    at_.phase(arena_.mul(at_.grid.tasks, one_by_one), [&](const Emitter& task) {
      const bool touches_much = !results_.arrays().empty() || at_.policy.touch;
      const Emitter e = touches_much ? streaming_from(task, at_.policy) : task;
      const std::vector<Expr> totals =
          depends_on_order(op_) ? in_order(e, s)
                                : block_loop(e, s, tile_of(e, at_.grid, at_.policy), at_.policy).totals;
      std::size_t next = 0;
      for (const Total& total : totals_)
        if (total.scan < 0)
          for (Var part : total.arrays) e.store_plain(part, e.context().task, totals[next++]);
    });
  }

  // The points of a task in their order; what the reductions come to.
  std::vector<Expr> in_order(const Emitter& e, const soac::Stm& s) {
    const Entry entry = folding_.entry(e);
    const Ends ends =
        bins_.empty() ? block_loop(e, s, at_.points_of(e), at_.policy, entry) : bins_.walk(e, s, entry);
    folding_.finish(e, ends);
    Expr is_last = e.lower(arena_.eq(arena_.add(e.context().task, i64(1)), at_.grid.tasks));
    for (const Total& total : totals_)
      if (total.scan >= 0)
        e.if_then(is_last, [&] {
          for (std::size_t k = 0; k < total.arrays.size(); ++k)
            e.store_plain(total.arrays[k], i64(0), ends.scans[static_cast<std::size_t>(total.scan)][k]);
        });
    return ends.totals;
  }

  // The partial results of the tasks, joined in order, neighbours first: the error of a sum grows with the
  // logarithm of their number. In scalar code: they are so few that the time to compile vector code counts
  // more.
  void last() {
    soac::Stm s{{}, soac::Soac{{at_.grid.tasks}, {}}, at_.s.where, at_.s.origin};
    auto& over = std::get<soac::Soac>(s.op);
    std::vector<Var> arrays;
    for (std::size_t g = 0; g < totals_.size(); ++g) {
      if (totals_[g].scan >= 0) continue;
      over.reductions.push_back(op_.reductions[g]);
      arrays.insert(arrays.end(), totals_[g].arrays.begin(), totals_[g].arrays.end());
    }
    if (arrays.empty()) return;
    for (Var array : arrays) s.names.push_back(arena_.fresh({arena_.info(array).type.kind}, "total").var());
    at_.phase(i64(1), [&](const Emitter& e) {
      Expr n = e.lower(at_.grid.tasks);
      join_neighbours(e, over.reductions, arrays, n);
      std::vector<Expr> totals;
      for (const auto& group : start(e, over)) totals.insert(totals.end(), group.begin(), group.end());
      e.if_then(e.lower(arena_.lt(i64(0), n)), [&] {
        for (std::size_t k = 0; k < totals.size(); ++k)
          e.assign(totals[k], e.load_plain(arrays[k], i64(0), "total"));
      });
      for (Expr& total : totals) total = e.snapshot(total, "total");
      finish(e, s, totals);
      for (std::size_t k = 0; k < arrays.size(); ++k)
        e.store_plain(arrays[k], i64(0), e.lower(arena_.name(s.names[k])));
    });
  }

  // element = initial op bins[0][place] op bins[1][place] ...
  void places() {
    for (std::size_t g = 0; g < op_.scatters.size(); ++g) {
      const soac::Scatter& scatter = op_.scatters[g];
      if (scatter.combine.empty()) continue;
      soac::Lambda f = scatter.initial;
      Expr place = i64(0), t = arena_.fresh({Kind::i64}, "t");
      for (std::size_t d = 0; d < scatter.shape.size(); ++d)
        place = arena_.add(arena_.mul(place, scatter.shape[d]), arena_.name(f.params[d]));
      soac::Stm joined{
          {}, soac::Soac{{at_.grid.tasks}, {{t.var()}, {}, {}}, scatter.combine}, at_.s.where, ""};
      auto& inner = std::get<soac::Soac>(joined.op);
      inner.reductions[0].initial = f.results;
      f.results.clear();
      std::vector<Var> arrays;
      inner.body.results = bins_.elements(g, t, place);
      for (Var array : at_.names(layout_.scatters[g])) {
        Expr element = arena_.fresh({arena_.info(array).type.kind}, "element");
        joined.names.push_back(element.var());
        if (!results_.is_original(array)) continue;
        arrays.push_back(array);
        f.results.push_back(element);
        at_.e.set_destination(array, {array, {}});
      }
      f.body.push_back(std::move(joined));
      map_over_places(f, scatter.shape, std::move(arrays), i64(1));
    }
  }

  struct Total {
    int scan = -1;            // whose last value it is
    std::vector<Var> arrays;  // of its components: element 0 is the total; where no Scan has it, element t is
                              // what task t has, until the last phase
  };

  Launches& launches_;
  scalar::Arena& arena_;
  const soac::Stm lifted_;  // the original with neutral elements
  OrderedStores ordered_;
  Frame at_;
  const soac::Soac& op_;
  const Layout& layout_;
  Results results_;
  Folding folding_;
  LongRows long_rows_;
  PrivateBins bins_;
  std::vector<Total> totals_;
};

}  // namespace

void combinator(Launches& launches, const soac::Stm& s) {
  Combinator(launches, s).run();
}

}  // namespace fulgurite::lower
