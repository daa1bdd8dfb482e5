#include "schedule/blocks/decide.h"

#include <fmt/format.h>

#include <algorithm>

#include "schedule/blocks/crosswise.h"
#include "schedule/blocks/rows.h"
#include "schedule/blocks/scans.h"
#include "schedule/blocks/updates.h"
#include "schedule/nest.h"
#include "schedule/phases.h"
#include "schedule/rewrites/operators.h"
#include "schedule/rewrites/slice.h"
#include "schedule/rewrites/updates.h"

namespace fulgurite::schedule {

namespace blocks {

namespace {

using Part = Combine::Part;

class Decision {
 public:
  Decision(const Surroundings& around, const soac::Stm& original)
      : at_(around, original),
        arena_(around.arena),
        op_(at_.op()),
        outputs_(at_.outputs()),
        scans_(at_),
        rows_(at_),
        updates_(at_, scans_) {}

  Launch operator()() {
    fill();
    updates_.clear();
    scans_.add_phases();
    updates_.look_first();
    main();
    rows_.add_phases();
    last();
    updates_.join_places();
    land();
    return std::move(at_.launch());
  }

 private:
  Expr i64(std::int64_t value) { return arena_.i64(value); }

  void fill() {
    schedule::fill(at_.around(), at_.lifted(), [&](soac::Stm computes, const std::optional<Copy>& copy) {
      Phase& phase = at_.add_map("fill", std::move(computes), copy ? copy->fresh : Expr());
      if (!copy) return;
      at_.launch().copies.push_back(*copy);
      phase.why.push_back("nothing is to be done where the array has the memory of the other one");
    });
  }

  // ---- reductions and everything else

  void main() {
    if (const std::vector<Expr> reads = crosswise_reads(at_.around(), op_); !reads.empty())
      return transpose(reads);
    const Windows windows = choose_windows(at_.around(), op_);
    blocks_ = at_.blocks();
    std::optional<Nest> strips;
    if (!windows.all.empty()) {
      strips = nest_over_strips(at_.around(), op_, windows);
      at_.launch().chosen = text_of(windows.strip);
      blocks_ = tasks_of(arena_, {"", {}, *strips, {}});
    } else if (rows_.by_threads().is_constant(0)) {
      return;
    }
    std::vector<bool> given;  // by a Scan
    for (std::size_t g = 0; g < op_.reductions.size(); ++g) given.push_back(name_total(g));
    if (strips) return walk_strips(std::move(*strips));
    for (const Ranks::Partition& p : at_.ranks().partitions)
      for (std::size_t c = 1; c < p.first.size(); ++c)
        at_.launch().given.push_back({p.first[c].var(),
                                      soac::view_of(at_.lifted()).partitions[p.number].offsets,
                                      i64(static_cast<std::int64_t>(c))});
    soac::Stm rest = without_reductions(at_.s(), given);
    Phase& phase = at_.add_main(std::move(rest), rows_.by_threads());
    auto& nest = std::get<Nest>(phase.walk);
    add_partials(nest);
    scans_.go_on(std::get<soac::Soac>(phase.computes.op), nest);
    scans_.end(nest);
    updates_.combine(std::get<soac::Soac>(phase.computes.op), nest);
    explain(phase);
  }

  std::string text_of(const Strip& strip) const {
    const std::string rows = strip.rows == 1 ? "" : fmt::format(" by {} or more", strip.rows);
    return fmt::format("blocks of {} threads, strips of {} points{}, windows of {} elements in shared memory",
                       at_.points().threads, strip.columns, rows, strip.window);
  }

  // Whether a Scan gives the reduction; it has memory for its total, and for what each block has of it.
  bool name_total(std::size_t g) {
    Total& total = totals_.emplace_back();
    const int scan = scan_like(arena_, at_.s(), g);
    if (scan >= 0) {
      total.outputs = scans_.totals(static_cast<std::size_t>(scan));
      return true;
    }
    for (Expr x : op_.reductions[g].neutral) {
      total.outputs.push_back(at_.temporary(x.kind(), i64(1), "total"));
      total.partials.push_back(at_.temporary(x.kind(), blocks_, "partial"));
    }
    return false;
  }

  void add_partials(Nest& nest) {
    std::size_t next = 0;
    for (const Total& total : totals_)
      if (!total.partials.empty())
        add_grid_level(nest, Part::reduction, next++, Join::partials, total.partials);
  }

  void transpose(std::span<const Expr> reads) {
    Phase& phase = at_.add("main", at_.s(), nest_over_tiles(at_.around(), op_, reads));
    phase.why.push_back(
        "neighbours on the last axis but one are neighbours in memory where they are read, and those on the "
        "last "
        "where they are stored: a tile in shared memory turns them");
  }

  void walk_strips(Nest nest) {
    const soac::Stm s = at_.s();
    for (const Stage& stage : nest.stages)
      if (stage.computed)
        at_.launch().computed.push_back({stage.array, *at_.around().element_of(stage.array)});
    Phase& phase = at_.add("main", s, std::move(nest));
    add_partials(std::get<Nest>(phase.walk));
    phase.why.push_back(
        "points read around themselves: what a block's points read is brought to shared memory once");
  }

  void explain(Phase& phase) const {
    const auto& nest = std::get<Nest>(phase.walk);
    const Points& points = at_.points();
    if (at_.looks_back())
      phase.why.push_back("blocks wait for those before them on this device: one walk makes the Scans");
    if (goes_by_tiles(op_))
      phase.why.push_back(fmt::format(
          "what depends on the order of the points goes tile by tile: {} points lie in shared memory",
          points.tile()));
    if (size_by(nest, Unit::registers, 1) > 1 && !goes_by_tiles(op_))
      phase.why.push_back("a thread takes so many neighbours that it moves 16 bytes at a time");
    if (points.are_resident)
      phase.why.push_back("as many blocks as run at once: the results are the same however many there are");
    else if (points.most_blocks > 0)
      phase.why.push_back(fmt::format("at most {} blocks: they fill the device, and {}", points.most_blocks,
                                      makes_arrays(op_) ? "each has memory for the arrays of its points"
                                                        : "each has a result of its own"));
    if (updates_.has_bins())
      phase.why.push_back("an operator that is no operation of memory: each block has bins of its own");
  }

  void last() {
    std::vector<std::vector<Var>> partials;
    for (const Total& total : totals_) partials.push_back(total.partials);
    const auto is_given = [](const std::vector<Var>& some) { return some.empty(); };
    if (std::ranges::all_of(partials, is_given)) return;
    Phase& phase = at_.add_walk_by_one("last", schedule::last(arena_, at_.s(), blocks_, partials));
    phase.why.push_back("one block: there is one value for each block of the main phase");
  }

  // Where the scalars are that the statement binds.
  void land() {
    std::vector<Landing>& scalars = at_.launch().scalars;
    for (std::size_t g = 0; g < totals_.size(); ++g)
      for (std::size_t k = 0; k < totals_[g].outputs.size(); ++k)
        scalars.push_back({outputs_.reductions[g].names[k], totals_[g].outputs[k]});
    const soac::OutputView whole = soac::view_of(at_.lifted());
    for (std::size_t g = 0; g < whole.partitions.size(); ++g)
      scalars.push_back({whole.partitions[g].kept, at_.kept(g)});
  }

  struct Total {
    std::vector<Var> partials, outputs;  // of each component; no partials: it is the last value of a Scan
  };

  Frame at_;
  scalar::Arena& arena_;
  const soac::Soac& op_;
  const soac::OutputView& outputs_;
  Scans scans_;
  Rows rows_;
  Updates updates_;
  Expr blocks_;                // of the main phase
  std::vector<Total> totals_;  // of each reduction
};

}  // namespace

}  // namespace blocks

Launch decide_blocks(const Surroundings& around, const soac::Stm& s) {
  return blocks::Decision(around, s)();
}

}  // namespace fulgurite::schedule
