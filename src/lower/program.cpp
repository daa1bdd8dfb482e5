#include <algorithm>
#include <limits>

#include "base/check.h"
#include "base/match.h"
#include "lower/call.h"
#include "lower/control_flow.h"
#include "lower/initials.h"
#include "lower/launch.h"
#include "lower/scalar_kernels.h"
#include "lower/sort.h"
#include "plan/invariants.h"
#include "plan/memory.h"
#include "schedule/rewrites/few_points.h"
#include "schedule/rewrites/fission.h"
#include "schedule/rewrites/levels.h"
#include "schedule/rewrites/networks.h"
#include "schedule/rewrites/radix.h"
#include "schedule/rewrites/ragged_scan.h"
#include "schedule/rewrites/segments.h"
#include "schedule/rewrites/segments_in_turn.h"
#include "soac/room.h"

namespace fulgurite::lower {

namespace {

class ProgramLowering {
 public:
  ProgramLowering(soac::Program program, const Options& options)
      : program_(soac::with_room_sites(guard_initials(std::move(program)))),
        launches_(program_, options),
        lowered_(launches_.lowered()),
        host_(launches_.host()) {
    if (!launches_.has_blocks()) return;
    producers_ = schedule::window_producers(program_, launches_.device(), {options.lanes, options.blocks});
    for (const auto& [array, producer] : producers_) lowered_.in_windows.emplace_back(array, producer.reader);
    std::ranges::sort(lowered_.in_windows);
  }

  Lowered run() {
    plan::Plan& plan = lowered_.plan;
    plan.name = program_.name;
    for (Var param : program_.params) parameter(param);
    body(program_.body);
    for (Expr result : program_.results) {
      scalar::Type type = result.type();
      if (type.rank > 0)
        plan.results.push_back({type.kind, type.rank, -1, host_.place(result.var())});
      else
        plan.results.push_back({type.kind, 0, value_of(launches_, result), -1});
    }
    lowered_.plan = plan::release_after_last_use(plan::hoist_invariants(std::move(plan)));
    return std::move(lowered_);
  }

 private:
  void parameter(Var param) {
    const scalar::VarInfo& info = program_.arena->info(param);
    plan::Param entry{info.type.kind, info.type.rank, lowered_.plan.n_slots, -1};
    if (info.type.rank == 0) {
      host_.bind(param, host_.fresh_slot());
    } else {
      for (Expr extent : info.shape) {
        const plan::Slot slot = host_.fresh_slot();
        if (extent.is_name()) host_.bind(extent.var(), slot);
      }
      host_.bind_place(param, entry.place = host_.fresh_place());
    }
    lowered_.plan.params.push_back(entry);
  }

  void body(const std::vector<soac::Stm>& statements) {
    const LowerBody lower_body = [this](const std::vector<soac::Stm>& inner) { body(inner); };
    for (const soac::Stm& s : statements) {
      launches_.set_line(s.where);
      base::match(
          s.op,
          [&](const soac::Soac&) {
            if (!producers_.contains(s.names[0])) launch(launches_, s, producers_);
          },
          [](const soac::Scan&) { FULGURITE_CHECK(false, "a Scan outside a Soac"); },
          [&](const soac::Sort& op) { sort(launches_, s, op, lower_body); },
          [&](const soac::If& op) { branch(launches_, s, op, lower_body); },
          [&](const soac::Loop& op) { loop(launches_, s, op, lower_body); },
          [&](const soac::Check& op) { check(op); }, [&](const soac::Call& op) { call(launches_, s, op); },
          [&](const soac::Let& op) { host_.bind(s.names[0], value_of(launches_, op.value)); });
    }
  }

  void check(const soac::Check& op) {
    if (!launches_.options().checks) return;
    const plan::Slot condition = value_of(launches_, op.condition);
    std::vector<plan::Slot> operands;
    for (Expr e : op.operands) operands.push_back(value_of(launches_, e));
    host_.append(plan::Check{condition, op.site, std::move(operands)});
  }

  const soac::Program program_;
  Launches launches_;
  Lowered& lowered_;
  Host& host_;
  schedule::WindowProducers producers_;
};

}  // namespace

Lowered lower(const soac::Program& program, const Options& options) {
  const auto lowered = [&](const soac::Program& scheduled) {
    return ProgramLowering(scheduled, options).run();
  };
  if (options.schedule == Schedule::blocks) {
    const soac::Program sorted = schedule::sort_inside_by_digits(schedule::without_segments(program));
    const soac::Program divided = schedule::fission(sorted, options.blocks);
    return lowered(schedule::scan_long_rows(divided, options.blocks));
  }
  if (options.is_shared_by_ranks) {
    // A rank has no rows to mirror but those that it computes. To sort row by row, every rank would have to
    // know where all rows begin.
    Options by_ranks = options;
    by_ranks.lanes.mirror_depth = std::numeric_limits<std::int64_t>::max();
    return ProgramLowering(schedule::split_levels(schedule::without_segments(program)), by_ranks).run();
  }
  soac::Program changed = schedule::without_segments_inside(program);
  changed = schedule::sort_few_points(changed, options.lanes);
  changed = schedule::walk_segments_in_turn(changed, options.lanes);
  changed = schedule::sort_by_networks(changed, options.target.vector_bytes, options.lanes);
  return lowered(schedule::split_levels(changed));
}

}  // namespace fulgurite::lower
