#include "schedule/blocks/decide.h"

#include <fmt/format.h>

#include <algorithm>

#include "schedule/blocks/crosswise.h"
#include "schedule/blocks/products.h"
#include "schedule/blocks/rows.h"
#include "schedule/blocks/scans.h"
#include "schedule/blocks/updates.h"
#include "schedule/explain.h"
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
        products_(at_),
        rows_(at_, products_.takes_all()),
        updates_(at_, scans_) {}

  Launch operator()() {
    fill();
    updates_.clear();
    scans_.add_phases();
    updates_.look_first();
    main();
    rows_.add_phases();
    products_.add_phases();
    last();
    updates_.join_places();
    land();
    add_reasons(arena_, at_.launch());
    return std::move(at_.launch());
  }

 private:
  Expr i64(std::int64_t value) { return arena_.i64(value); }

  void fill() {
    const auto add = [&](soac::Stm computes, const std::optional<Copy>& copy) {
      Phase& phase = at_.add_map("fill", std::move(computes), copy ? copy->fresh : Expr());
      if (!copy) return;
      at_.launch().copies.push_back(*copy);
      if (phase.guard) phase.why.emplace_back(why_filled);
    };
    schedule::fill(at_.around(), at_.lifted(), at_.launch().in_place, add);
  }

  // ---- reductions and everything else

  void main() {
    if (const Crosswise crosswise = crosswise_reads(at_.around(), op_); !crosswise.reads.empty())
      return transpose(crosswise);
    const Windows windows = choose_windows(at_.around(), op_);
    blocks_ = at_.blocks();
    std::optional<Nest> strips;
    if (!windows.all.empty()) {
      strips = nest_over_strips(at_.around(), op_, windows);
      blocks_ = tasks_of(arena_, {"", {}, *strips, {}});
    } else if (rows_.by_threads().is_constant(0)) {
      return;
    }
    std::vector<bool> given;  // by a Scan
    for (std::size_t g = 0; g < op_.reductions.size(); ++g) given.push_back(name_total(g));
    if (strips) return walk_strips(std::move(*strips), windows.strip);
    for (const Ranks::Partition& p : at_.ranks().partitions)
      for (std::size_t c = 1; c < p.first.size(); ++c)
        at_.launch().given.push_back({p.first[c].var(),
                                      soac::view_of(at_.lifted()).partitions[p.number].offsets,
                                      i64(static_cast<std::int64_t>(c))});
    soac::Stm rest = without_reductions(at_.arena(), at_.s(), given);
    Phase& phase = at_.add_main(std::move(rest), rows_.by_threads());
    auto& nest = std::get<Nest>(phase.walk);
    add_partials(nest);
    scans_.go_on(std::get<soac::Soac>(phase.computes.op), nest);
    scans_.end(nest);
    updates_.combine(std::get<soac::Soac>(phase.computes.op), nest);
    if (at_.looks_back())
      phase.why.emplace_back("tasks: blocks wait for those before them here, so one walk makes the scans");
    if (phase.guard) phase.why.emplace_back(why_version);
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

  void transpose(const Crosswise& crosswise) {
    Phase& phase = at_.add("main", at_.s(), nest_over_tiles(at_.around(), op_, crosswise));
    phase.why = {"tasks: a square of points each, with sides of a warp",
                 "threads: some rows of the square at a time (transpose_threads)"};
  }

  void walk_strips(Nest nest, const Strip& strip) {
    const soac::Stm s = at_.s();
    for (const Stage& stage : nest.stages)
      if (stage.computed)
        at_.launch().computed.push_back({stage.array, *at_.around().element_of(stage.array)});
    Phase& phase = at_.add("main", s, std::move(nest));
    add_partials(std::get<Nest>(phase.walk));
    const char* numbers = strip.rows == 1 ? "strip_points, strip_most_points"
                                          : "strip_columns, strip_least_columns, strip_rows";
    phase.why = {
        fmt::format("tasks: strips of {} points by {} or more, more than they read around ({}, strip_share)",
                    strip.columns, strip.rows, numbers),
        "threads: those of a block walk a strip together (strip_threads)"};
    if (!op_.reductions.empty())
      phase.why.emplace_back("tasks: no more blocks than fill any device (filling_blocks)");
  }

  void last() {
    std::vector<std::vector<Var>> partials;
    for (const Total& total : totals_) partials.push_back(total.partials);
    const auto is_given = [](const std::vector<Var>& some) { return some.empty(); };
    if (std::ranges::all_of(partials, is_given)) return;
    at_.add_walk_by_one("last", schedule::last(arena_, at_.s(), blocks_, partials));
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
  Products products_;
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
