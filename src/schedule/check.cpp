#include "schedule/check.h"

#include <fmt/format.h>
#include <fulgurite/error.h>

#include <algorithm>
#include <bit>
#include <set>

#include "base/match.h"
#include "schedule/check_joins.h"
#include "schedule/check_stages.h"
#include "schedule/check_tiles.h"
#include "schedule/nest.h"
#include "schedule/rewrites/segments_in_turn.h"
#include "schedule/rewrites/thresholds.h"
#include "soac/check.h"
#include "soac/count.h"
#include "soac/symmetry.h"
#include "soac/walk.h"

namespace fulgurite::schedule {

namespace {

bool is_power_of_two(std::int64_t n) {
  return n > 0 && std::has_single_bit(static_cast<std::uint64_t>(n));
}
class Checker {
 public:
  Checker(const soac::Program& program, const Launch& launch) : program_(program), launch_(launch) {}

  std::vector<std::string> operator()() {
    std::set<std::string> names;
    for (const Phase& phase : launch_.phases) {
      where_ = fmt::format("phase '{}'", phase.name);
      require(names.insert(phase.name).second, "has the name of an earlier phase");
      computes(phase.computes);
      if (phase.guard) require(phase.guard.type() == scalar::Type{}, "has a guard that is not an i64");
      base::match(
          phase.walk,
          [&](const Nest& each) {
            const bool is_soac = std::holds_alternative<soac::Soac>(phase.computes.op);
            require(is_soac, "walks what is no Soac by a nest");
            if (is_soac) nest(each, phase.computes);
          },
          [&](const Skeleton& each) {
            require(!each.name.empty(), "is walked by a skeleton without a name");
            require(bool(each.tasks), "is walked by a skeleton without a number of tasks");
          });
    }
    where_ = "the launch";
    for (const Reshaped& each : launch_.reshaped)
      require(is_copy(each.of), "reshapes an array that it does not make");
    for (const Landing& landing : launch_.scalars)
      require(is_memory(landing.array), "takes a scalar from an array that is not its memory");
    return std::move(faults_);
  }

 private:
  void require(bool holds, std::string_view otherwise) {
    if (!holds) faults_.push_back(fmt::format("{} {}", where_, otherwise));
  }

  void computes(const soac::Stm& stm) {
    require(std::holds_alternative<soac::Soac>(stm.op) || std::holds_alternative<soac::Sort>(stm.op),
            "computes no Soac and no Sort");
    soac::Program alone;
    alone.arena = program_.arena;
    alone.sites = program_.sites;
    alone.body.push_back(stm);
    try {
      soac::check_in_scope(alone, "decide");
    } catch (const Error& error) {
      faults_.push_back(fmt::format("{} computes what is no legal statement: {}", where_, error.what()));
    }
  }

  void nest(const Nest& nest, const soac::Stm& walked) {
    const auto& op = std::get<soac::Soac>(walked.op);
    axes(nest, op, 0);
    const soac::Soac* combined = &op;
    if (const std::size_t number = number_of_combined(nest)) {
      const soac::Stm* found = soac_inside(walked, number);
      require(found != nullptr, "has an axis of a Soac that the body does not have");
      if (!found) return;
      combined = &std::get<soac::Soac>(found->op);
      axes(nest, *combined, number);
    }
    for (std::size_t c = 0; c < nest.cuts.size(); ++c) cut(nest, c);
    if (combined == &op) rows_together(nest, op);
    for (const Stage& stage : nest.stages)
      require(stage.at < nest.cuts.size() && stage.size > 0,
              "has a stage outside of its cuts, or of no elements");
    for (const std::string& fault : combined == &op ? faults_of_stages(*program_.arena, launch_, nest, op)
                                                    : faults_of_tiles(*program_.arena, nest, *combined))
      require(false, fault);
    for (const Combine& each : nest.combines) combine(nest, *combined, each);
    splits(nest, op);
    segments(nest, op);
    const std::string around = where_;
    for (const Inner& inner : nest.inner) {
      where_ = fmt::format("{}, inner nest {},", around, inner.number);
      inner_nest(inner, walked);
      where_ = around;
    }
  }

  // What a walk makes of the statement around it is not known here.
  void inner_nest(const Inner& inner, const soac::Stm& around) {
    if (inner.number == 0) {
      for (std::size_t c = 0; c < inner.nest.cuts.size(); ++c) cut(inner.nest, c);
      return;
    }
    const soac::Stm* found = soac_inside(around, inner.number);
    require(found != nullptr, "is of a Soac that the body does not have");
    if (found) nest(inner.nest, *found);
  }

  // Checks the axes of the Soac itself, or of the inner one with this number.
  void axes(const Nest& nest, const soac::Soac& op, std::size_t number) {
    std::size_t next = 0;
    for (const Axis& axis : nest.axes) {
      if (axis.of != number) continue;
      require(axis.first == next && (axis.count > 0 || op.dims.empty()),
              "does not walk each axis of its space once");
      require(axis.extent && axis.extent.type() == scalar::Type{}, "has an axis whose extent is not an i64");
      require(!axis.mirrored || soac::is_symmetric(*program_.arena, op),
              "mirrors results that are not symmetric");
      next = axis.first + axis.count;
    }
    require(next == op.dims.size(), "does not walk each axis of its space once");
  }

  void cut(const Nest& nest, std::size_t number) {
    const Cut& cut = nest.cuts[number];
    require(cut.axis < nest.axes.size(), "cuts an axis that it does not have");
    const auto size = constant(cut.size);
    require(cut.size && (!size || *size > 0), "has a cut into pieces of no points");
    const bool by_hardware = cut.unit == Unit::lane || cut.unit == Unit::thread;
    if (by_hardware) require(size && is_power_of_two(*size), "has lanes or threads that are no power of two");
    if (cut.tail == Tail::apart || cut.tail == Tail::overlap)
      require(cut.rest > 0 && size && cut.rest <= *size,
              "has a remainder in pieces larger than the cut's own");
    for (std::size_t before = 0; before < number; ++before) {
      const Cut& outer = nest.cuts[before];
      if (outer.axis != cut.axis) continue;
      const auto outer_size = constant(outer.size);
      if (!size || !outer_size) continue;
      // Lanes and threads that get no point of a small piece do nothing, nor do runs of lanes.
      const bool may_be_idle = by_hardware || cut.unit == Unit::registers || folds_runs(nest);
      require(*size <= *outer_size || may_be_idle,
              "cuts an axis into pieces larger than those of the cut around it");
      require(cut.tail != Tail::exact || *outer_size % *size == 0, "says that pieces are full which are not");
    }
    const bool is_outer = cut.unit == Unit::grid || cut.unit == Unit::turn;
    for (std::size_t before = 0; is_outer && before < number; ++before) {
      const Unit unit = nest.cuts[before].unit;
      require(unit == Unit::grid || unit == Unit::turn,
              "makes tasks of the pieces of a loop inside of a task");
    }
  }

  static bool folds_runs(const Nest& nest) {
    return std::ranges::any_of(nest.combines, [](const Combine& combine) {
      return std::ranges::any_of(combine.levels,
                                 [](const Combine::Level& level) { return level.how == Join::runs; });
    });
  }

  // Lanes that take several rows one after the other have nothing to combine points in.
  void rows_together(const Nest& nest, const soac::Soac& op) {
    for (const Cut& cut : nest.cuts)
      require(cut.unit != Unit::registers || cut.axis + 1 >= nest.axes.size() || soac::is_map(op),
              "takes rows together whose points are combined");
  }

  static std::size_t n_outputs(const soac::Soac& op, Combine::Part part) {
    switch (part) {
      case Combine::Part::reduction: return op.reductions.size();
      case Combine::Part::scatter: return op.scatters.size();
      case Combine::Part::partition: return op.partitions.size();
      case Combine::Part::scan:
        return static_cast<std::size_t>(std::ranges::count_if(
            op.body.body, [](const soac::Stm& s) { return std::holds_alternative<soac::Scan>(s.op); }));
    }
    return 0;
  }

  void combine(const Nest& nest, const soac::Soac& op, const Combine& combine) {
    if (combine.which >= n_outputs(op, combine.part))
      return require(false, "combines an output that is not there");
    for (const std::string& fault : faults_of_joins(*program_.arena, nest, op, combine))
      require(false, fault);
    for (Var array : combine.memory)
      require(is_memory(array) || is_copy(array), "combines in an array that is not the launch's memory");
  }

  void splits(const Nest& nest, const soac::Soac& op) {
    if (nest.splits.empty()) return;
    Indices indices(*program_.arena, op);
    for (const Split& split : nest.splits)
      require(indices.threshold_of(split.condition).has_value(),
              "splits by what is no comparison of an index with what does not depend on the point");
  }

  void segments(const Nest& nest, const soac::Soac& op) {
    const soac::Stm* scan = scan_of_segments(op.body);
    const Expr told = scan ? std::get<soac::Scan>(scan->op).segments : Expr();
    for (const Axis& axis : nest.axes)
      require(!axis.segments || axis.segments == told, "walks segments whose numbers no point asks for");
    require(!scan || (nest.axes.size() == 1 && nest.axes[0].segments),
            "does not walk the segments whose numbers its points ask for");
  }

  bool is_memory(Var array) const { return std::ranges::find(launch_.memory, array) != launch_.memory.end(); }
  bool is_copy(Var array) const {
    return std::ranges::find(launch_.statement.names, array) != launch_.statement.names.end();
  }

  const soac::Program& program_;
  const Launch& launch_;
  std::string where_;
  std::vector<std::string> faults_;
};

}  // namespace

std::vector<std::string> faults_of(const soac::Program& program, const Launch& launch) {
  return Checker(program, launch)();
}

void check(const soac::Program& program, const Launch& launch, std::string_view after) {
  const std::vector<std::string> faults = faults_of(program, launch);
  if (!faults.empty())
    throw InternalError(fmt::format("after {}: schedule of '{}': {}", after, launch.name, faults[0]));
}

namespace {

// What decides the number of tasks of a walk, if the tasks have memory.
struct Tasks {
  std::vector<Cut> cuts;
  std::vector<Skeleton> skeletons;
  bool have_memory = false;
  bool operator==(const Tasks&) const = default;

  void add(const Nest& nest) {
    for (const Cut& cut : nest.cuts)
      if (cut.unit == Unit::grid || cut.unit == Unit::turn) cuts.push_back(cut);
    for (const Combine& combine : nest.combines) have_memory |= !combine.memory.empty();
    for (const Inner& inner : nest.inner) add(inner.nest);
  }
  void add(const Skeleton& skeleton) {
    skeletons.push_back(skeleton);
    have_memory |= !skeleton.memory.empty();
  }
};

}  // namespace

void check_tasks(const Launch& decided, const Launch& edited, std::string_view after) {
  const std::size_t n = std::min(decided.phases.size(), edited.phases.size());
  for (std::size_t p = 0; p < n; ++p) {
    Tasks before, now;
    std::visit([&](const auto& walk) { before.add(walk); }, decided.phases[p].walk);
    std::visit([&](const auto& walk) { now.add(walk); }, edited.phases[p].walk);
    if ((before.have_memory || now.have_memory) && before != now)
      throw InternalError(fmt::format(
          "after {}: schedule of '{}': the tasks of phase '{}' leave something in memory, which has room for "
          "as many tasks as were decided: change the policy's number instead",
          after, edited.name, edited.phases[p].name));
  }
}

}  // namespace fulgurite::schedule
