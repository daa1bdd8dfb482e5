#include "lower/gpu/combinator.h"

#include "lower/carry.h"
#include "lower/gpu/rows.h"
#include "lower/gpu/scans.h"
#include "lower/gpu/tiles.h"
#include "lower/gpu/updates.h"
#include "lower/gpu/windows.h"
#include "schedule/rewrites/slice.h"

namespace fulgurite::lower::gpu {

namespace {

using soac::Layout;

class Combinator {
 public:
  Combinator(Launches& launches, const soac::Stm& original, const WindowProducers& producers)
      : at_(launches, original),
        producers_(producers),
        arena_(at_.arena),
        op_(at_.op),
        layout_(at_.layout),
        blocks_(at_.cut.blocks),
        scans_(at_),
        rows_(at_) {}

  void run() {
    kernel::Block phases = at_.e.block([&] {
      choose_updates();
      rank_updates();
      at_.results.fill([&](const soac::Lambda& f, const std::vector<Expr>& shape, std::vector<Var> arrays,
                           Expr if_one) { at_.map(f, shape, std::move(arrays), if_one); });
      prepare_updates();
      scans_.phases();
      for (std::size_t g = 0; g < op_.scatters.size(); ++g) winners(g);
      for (std::size_t g = 0; g < op_.partitions.size(); ++g) count(g);
      main();
      rows_.phases();
      last();
      places();
    });
    LaunchNote note{0, {}, {}, {}, {}};
    note.blocks = rows_.policy().value_or(at_.policy);
    if (strip_) note.blocks->strip = strip_;
    at_.launch(std::move(phases), std::move(note));
    std::vector<Var> totals;
    for (const Total& total : totals_)
      totals.insert(totals.end(), total.outputs.begin(), total.outputs.end());
    at_.results.bind_scalars(totals, at_.all_kept());
  }

 private:
  Expr i64(std::int64_t value) { return arena_.i64(value); }

  // ---- scatters

  void choose_updates() {
    sinks_.scatters.resize(op_.scatters.size());
    for (std::size_t g = 0; g < at_.ranks.n_scatters; ++g) {  // behind them each point has its own place
      const soac::Scatter& scatter = op_.scatters[g];
      const auto names = at_.names(layout_.scatters[g]);
      Update& update = sinks_.scatters[g];
      if (const auto what = atomic_of(scatter)) {
        update.how = Update::How::atomic;
        update.what = *what;
      } else if (!scatter.combine.empty()) {
        update.how = Update::How::in_order;
        const Expr n = arena_.mul(at_.cut.blocks, at_.launches.product(scatter.shape));
        for (Var array : names) update.bins.push_back(at_.temporary(arena_.info(array).type.kind, n, "bins"));
      } else if (scatter.stores_in_any_order()) {
        update.how = Update::How::exchange;
        update.what = kernel::Atomic::What::exchange;
      } else {
        update.how = Update::How::winner;
        update.winners = at_.temporary(Kind::i64, at_.launches.product(scatter.shape), "winners");
      }
    }
  }

  // Where partitions' values go is known by the Scans' numbers.
  void rank_updates() {
    const std::vector<const soac::Stm*> scans = schedule::scans_of(op_.body);
    for (std::size_t g = at_.ranks.n_scatters; g < op_.scatters.size(); ++g) {
      if (!at_.is_dense(g)) continue;
      const Var count = at_.ranks.partitions[g - at_.ranks.n_scatters].counts[0].var();
      sinks_.scatters[g].how = Update::How::ranked;
      while (scans[sinks_.scatters[g].rank]->names[0] != count) ++sinks_.scatters[g].rank;
    }
  }

  void prepare_updates() {
    for (std::size_t g = 0; g < op_.scatters.size(); ++g) {
      const soac::Scatter& scatter = op_.scatters[g];
      if (sinks_.scatters[g].how == Update::How::atomic) {
        const auto made = at_.names(layout_.scatters[g]);
        at_.map(scatter.initial, scatter.shape, {made.begin(), made.end()}, i64(1));
      } else if (sinks_.scatters[g].how == Update::How::winner) {
        at_.fill_with(sinks_.scatters[g].winners, at_.launches.product(scatter.shape), i64(-1));
      }
    }
  }

  // winners[place] = the last point that has the place
  void winners(std::size_t g) {
    if (sinks_.scatters[g].how != Update::How::winner) return;
    const soac::Scatter& scatter = op_.scatters[g];
    const auto given = at_.results_of(layout_.scatters[g]).first(scatter.shape.size());
    std::vector<Expr> wanted(given.begin(), given.end());
    Expr number = i64(0);
    for (std::size_t d = 0; d < op_.dims.size(); ++d)
      number = arena_.add(arena_.mul(number, op_.dims[d]), arena_.name(op_.body.params[d]));
    wanted.push_back(number);
    scatter_apart(sinks_.scatters[g].winners, scatter.shape, integer_max(arena_), kernel::Atomic::What::max,
                  std::move(wanted), [](const Emitter&) {});
  }

  // A phase that combines values of the points by an operation of memory: places, then the value.
  void scatter_apart(Var array, const std::vector<Expr>& shape, const soac::Reduction& by,
                     kernel::Atomic::What what, std::vector<Expr> results,
                     const std::function<void(const Emitter& task)>& start) {
    soac::Soac op{op_.dims, schedule::slice(arena_, op_.body, std::move(results))};
    op.scatters.push_back({shape, {{}, {}, by.neutral}, {by}});
    const soac::Stm s{{array}, std::move(op), at_.lifted.where, at_.lifted.origin};
    Sinks sinks{{Update{}}, {}};
    sinks.scatters[0].how = Update::How::atomic;
    sinks.scatters[0].what = what;
    at_.walk_all(
        s,
        [&](const Emitter& task) {
          start(task);
          return scans_.entry(task, s);
        },
        sinks, [](const Emitter&, const Block&, const Ends&) {}, i64(1));
  }

  // ---- partitions of many classes

  // How many points of each class each block has, and from that where the block's points of the class go.
  void count(std::size_t g) {
    const Layout::Part& part = layout_.partitions[g];
    const Expr classes = op_.partitions[g].classes, size = arena_.mul(at_.cut.blocks, classes);
    const Var counts = at_.temporary(Kind::i64, size, "counts");
    const Var table = at_.temporary(Kind::i64, size, "table");
    sinks_.tables.push_back(table);
    at_.fill_with(counts, size, i64(0));
    const Expr block = arena_.fresh({Kind::i64}, "block"), of = at_.results_of(part)[0];
    const Expr n_classes = arena_.cast(classes, Kind::u64);
    Expr inside = arena_.lt(arena_.cast(of, Kind::u64), n_classes);
    Expr place = arena_.add(arena_.mul(of, at_.cut.blocks), block);
    const Expr stored_at = arena_.apply(Op::select, {inside, place, i64(-1)});
    scatter_apart(counts, {size}, integer_sum(arena_), kernel::Atomic::What::add, {stored_at, i64(1)},
                  [&](const Emitter& task) { task.bind_name(block.var(), task.context().task); });

    // table[c * blocks + b] = counts[0] + ... + counts[c * blocks + b - 1]
    Expr i = arena_.fresh({Kind::i64}, "i"), before = arena_.fresh({Kind::i64}, "before");
    soac::Soac summing{{size}, {{i.var()}, {}, {before}}};
    const Expr count = arena_.index(arena_.name(counts), std::span(&i, 1));
    summing.body.body.push_back(
        {{before.var()}, soac::Scan{integer_sum(arena_), {count}, false}, at_.lifted.where, ""});
    const soac::Stm sums{{table}, std::move(summing), at_.lifted.where, ""};
    at_.e.set_destination(table, {table, {}});
    const Var offsets = at_.names(part)[1];
    std::size_t number = 0;  // of the original's partition
    while (at_.lifted.names[at_.lifted_layout().partitions[number].name] != at_.names(part)[0]) ++number;
    at_.walk_by_one(
        sums, [&](const Emitter&) { return Entry{{{i64(0)}}, {}, {}}; },
        [&](const Emitter& e, const Block&, const Ends& ends) {
          e.store_plain(offsets, e.lower(classes), ends.scans[0][0]);
          e.store_plain(at_.kept(number), i64(0), ends.scans[0][0]);
        });
    Expr c = arena_.fresh({Kind::i64}, "c"), at = arena_.mul(c, at_.cut.blocks);
    at_.map({{c.var()}, {}, {arena_.index(arena_.name(table), std::span(&at, 1))}}, {classes}, {offsets},
            i64(1));
  }

  // ---- reductions and everything else

  struct Total {
    bool is_scan = false;  // it is the last value of one
    std::vector<Var> partials, outputs;
  };

  void main() {
    const Target& target = at_.launches.options().target;
    const std::vector<Expr> crosswise = crosswise_reads(arena_, op_, target);
    if (!crosswise.empty()) return map_by_tiles(at_, crosswise);
    const Windows windows = windows_of(arena_, op_, target);
    if (!windows.all.empty()) {
      strip_ = windows.strip;
      blocks_ = blocks_of(at_, windows.strip);
    } else if (rows_.by_threads().is_constant(0)) {
      return;
    }
    std::vector<bool> given;  // by a Scan
    for (std::size_t g = 0; g < op_.reductions.size(); ++g) {
      Total& total = totals_.emplace_back();
      const int scan = scan_like(arena_, op_, layout_, g);
      total.is_scan = scan >= 0;
      given.push_back(total.is_scan);
      if (total.is_scan) {
        total.outputs = scans_.totals(static_cast<std::size_t>(scan));
        continue;
      }
      for (Expr x : op_.reductions[g].neutral) {
        total.outputs.push_back(at_.temporary(x.kind(), i64(1), "total"));
        total.partials.push_back(at_.temporary(x.kind(), blocks_, "partial"));
      }
    }
    const Frame::Finish finish = [&](const Emitter& e, const Block& block, const Ends& ends) {
      scans_.finish(e, block, ends);
      std::size_t next = 0;
      for (const Total& total : totals_)
        for (Var partial : total.partials) e.store_plain(partial, block.task, ends.totals[next++]);
    };
    if (strip_) return walk_strips(at_, windows, producers_, finish);
    const soac::Stm s = without_reductions(at_.s, given);
    sinks_.published = scans_.published();
    at_.walk_all(
        s,
        [&](const Emitter& task) {
          for (const Ranks::Partition& p : at_.ranks.partitions) bind_first(task, p);
          return scans_.entry(task, s);
        },
        sinks_, finish, rows_.by_threads());
  }

  void bind_first(const Emitter& e, const Ranks::Partition& p) {
    const Var offsets = at_.lifted.names[at_.lifted_layout().partitions[p.number].name + 1];
    for (std::size_t c = 1; c < p.first.size(); ++c)
      e.bind_name(p.first[c].var(), e.load_plain(offsets, i64(static_cast<std::int64_t>(c)), "first"));
  }

  void last() {
    Expr b = arena_.fresh({Kind::i64}, "b");
    soac::Soac over{{blocks_}, {{b.var()}, {}, {}}};
    std::vector<Var> outputs;
    for (std::size_t g = 0; g < totals_.size(); ++g) {
      if (totals_[g].is_scan) continue;
      over.reductions.push_back(op_.reductions[g]);
      for (Var partial : totals_[g].partials)
        over.body.results.push_back(arena_.index(arena_.name(partial), std::span(&b, 1)));
      outputs.insert(outputs.end(), totals_[g].outputs.begin(), totals_[g].outputs.end());
    }
    if (outputs.empty()) return;
    soac::Stm s{{}, std::move(over), at_.lifted.where, at_.lifted.origin};
    for (Var output : outputs)
      s.names.push_back(arena_.fresh({arena_.info(output).type.kind}, "total").var());
    at_.walk_by_one(
        s, [](const Emitter&) { return Entry{}; },
        [&](const Emitter& e, const Block&, const Ends& ends) {
          e.par(kernel::Level::block, i64(1), "t", [&](Expr) {
            finish(e, s, ends.totals);
            for (std::size_t k = 0; k < outputs.size(); ++k)
              e.store_plain(outputs[k], i64(0), e.lower(arena_.name(s.names[k])));
          });
        });
  }

  // element = initial op bins[0][place] op bins[1][place] ...
  void places() {
    for (std::size_t g = 0; g < op_.scatters.size(); ++g) {
      if (sinks_.scatters[g].how != Update::How::in_order) continue;
      const soac::Scatter& scatter = op_.scatters[g];
      soac::Lambda f = scatter.initial;
      Expr place = i64(0), b = arena_.fresh({Kind::i64}, "b");
      for (std::size_t d = 0; d < scatter.shape.size(); ++d)
        place = arena_.add(arena_.mul(place, scatter.shape[d]), arena_.name(f.params[d]));
      soac::Stm joined{
          {}, soac::Soac{{at_.cut.blocks}, {{b.var()}, {}, {}}, scatter.combine}, at_.lifted.where, ""};
      auto& inner = std::get<soac::Soac>(joined.op);
      inner.reductions[0].initial = f.results;
      f.results.clear();
      std::vector<Var> arrays;
      Expr at = arena_.add(arena_.mul(b, at_.launches.product(scatter.shape)), place);
      for (Var bins : sinks_.scatters[g].bins)
        inner.body.results.push_back(arena_.index(arena_.name(bins), std::span(&at, 1)));
      for (Var array : at_.names(layout_.scatters[g])) {
        Expr element = arena_.fresh({arena_.info(array).type.kind}, "element");
        joined.names.push_back(element.var());
        if (!at_.results.is_original(array)) continue;
        arrays.push_back(array);
        f.results.push_back(element);
      }
      f.body.push_back(std::move(joined));
      at_.map(f, scatter.shape, std::move(arrays), i64(1));
    }
  }

  Frame at_;
  const WindowProducers& producers_;
  scalar::Arena& arena_;
  const soac::Soac& op_;
  const Layout& layout_;
  Expr blocks_;  // of the main phase
  Scans scans_;
  Rows rows_;
  Sinks sinks_;
  std::vector<Total> totals_;
  std::optional<Strip> strip_;
};

}  // namespace

void combinator(Launches& launches, const soac::Stm& s, const WindowProducers& producers) {
  Combinator(launches, s, producers).run();
}

}  // namespace fulgurite::lower::gpu
