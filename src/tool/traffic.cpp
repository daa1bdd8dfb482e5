#include "tool/traffic.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>

#include "base/match.h"
#include "kernel/traverse.h"
#include "soac/outputs.h"
#include "soac/walk.h"
#include "tool/footprint.h"
#include "tool/samples.h"
#include "tool/versions.h"
#include "tool/work.h"

namespace fulgurite::tool {

using base::as;
using scalar::Op;
using soac::Expr;
using soac::Var;

namespace {

struct Phase {
  std::set<Var> reads, stores, exchanges;  // buffers; exchanges: what is read is what is stored
  Expr tasks;
};

std::vector<Phase> phases_of(const lower::LaunchSource& source, const kernel::Kernel& kernel) {
  std::vector<Phase> phases;
  for (const kernel::Stm& s : kernel.body) {
    const kernel::Names names = kernel::names_of({s});
    Phase phase{names.reads, names.stores, {}, source.tasks.at(phases.size())};
    kernel::for_each_stm({s}, [&](const kernel::Stm& inner) {
      if (const auto* atomic = as<kernel::Atomic>(inner.op)) phase.exchanges.insert(atomic->at.buffer);
    });
    phase.stores.insert(phase.exchanges.begin(), phase.exchanges.end());
    phase.reads.insert(phase.exchanges.begin(), phase.exchanges.end());
    phases.push_back(std::move(phase));
  }
  return phases;
}

// With the names that the kernel has for them, which may be from an earlier launch of the same text.
std::vector<lower::LaunchSource::Buffer> buffers_of(const lower::LaunchSource& source,
                                                    const kernel::Kernel& kernel) {
  std::vector<lower::LaunchSource::Buffer> buffers = source.buffers;
  std::size_t next = 0;
  for (const kernel::Param& p : kernel.params)
    if (p.role != kernel::Param::Role::scalar && next < buffers.size()) buffers[next++].param = p.name;
  return buffers;
}

class Counting {
 public:
  Counting(scalar::Arena& arena, const soac::EqualSizes& sizes, const std::unordered_map<Var, Expr>& computed,
           const lower::LaunchSource& source, const schedule::Launch* launch, const kernel::Kernel& kernel)
      : arena_(arena),
        sizes_(sizes),
        computed_(computed),
        source_(source),
        launch_(launch),
        phases_(phases_of(source, kernel)),
        buffers_(buffers_of(source, kernel)),
        footprints_(arena, sizes, source.stm) {}

  Traffic operator()() {
    Traffic traffic;
    for (const auto& copy : source_.copies)
      traffic.copies.push_back({copy.array, copy.from, copy.place, bytes(copy.array, whole(copy.array))});
    for (const auto& buffer : buffers_) {
      if (std::ranges::find(source_.own, buffer.array) != source_.own.end())
        traffic.own.push_back(own(buffer));
      else
        traffic.arrays.push_back(array(buffer));
    }
    return traffic;
  }

 private:
  Expr i64(std::int64_t value) { return arena_.i64(value); }
  Expr whole(Var array) {
    Expr all = i64(1);
    for (Expr extent : arena_.info(array).shape)
      all = all * sizes_.canonical(scalar::substitute(arena_, extent, computed_));
    return all;
  }
  Expr bytes(Var array, Expr elements) {
    return elements * static_cast<std::int64_t>(size_of(arena_.info(array).type.kind));
  }

  // Whether the phase copies an array into memory that is new.
  bool copies(const Phase& phase) const {
    return std::ranges::any_of(
        source_.copies, [&](const auto& copy) { return scalar::mentions(phase.tasks, copy.fresh.var()); });
  }

  bool may_run(std::size_t p, int sample) const { return sampled(phases_[p].tasks, sample).value_or(1) > 0; }

  // Whether a later phase joins what this one leaves in private memory, and stores the buffer in its place.
  bool is_joined(std::size_t p, Var buffer, int sample) const {
    const auto is_left = [&](const lower::LaunchSource::Buffer& own, const Phase& later) {
      return std::ranges::find(source_.own, own.array) != source_.own.end() &&
             phases_[p].stores.contains(own.param) && later.reads.contains(own.param);
    };
    for (std::size_t q = p + 1; q < phases_.size(); ++q)
      if (phases_[q].stores.contains(buffer) && may_run(q, sample) &&
          std::ranges::any_of(buffers_, [&](const auto& own) { return is_left(own, phases_[q]); }))
        return true;
    return false;
  }

  // The sum over the phases of what each moves. Phases that sizes decide about stand for each other where one
  // of them always runs; `is_spared` says of a phase in a sample that it runs and moves nothing.
  template <class Of>
  Expr over_phases(const Of& moved_by, const std::function<bool(std::size_t, int)>& is_spared = {}) {
    Expr sum = i64(0);
    std::vector<std::pair<std::size_t, Expr>> sometimes;
    for (std::size_t p = 0; p < phases_.size(); ++p) {
      if (copies(phases_[p]) || phases_[p].tasks.is_constant(0)) continue;
      const Expr moved = moved_by(p);
      if (!moved || moved.is_constant(0)) continue;
      int n_runs = 0, n_known = 0;
      for (int sample = 0; sample < n_samples; ++sample)
        if (const auto n = sampled(phases_[p].tasks, sample))
          ++n_known, n_runs += *n > 0 && !(is_spared && is_spared(p, sample));
      if (n_runs == n_known)
        sum = sum + moved;
      else if (n_runs > 0)
        sometimes.emplace_back(p, moved);
    }
    return sum + alternatives(sometimes, is_spared);
  }

  Expr alternatives(const std::vector<std::pair<std::size_t, Expr>>& sometimes,
                    const std::function<bool(std::size_t, int)>& is_spared) {
    if (sometimes.empty()) return i64(0);
    std::vector<Expr> sums;  // of what runs in each sample
    for (int sample = 0; sample < n_samples; ++sample) {
      sums.push_back(i64(0));
      for (const auto& [p, moved] : sometimes)
        if (may_run(p, sample) && !(is_spared && is_spared(p, sample))) sums.back() = sums.back() + moved;
    }
    if (std::ranges::all_of(sums, [&](Expr sum) { return sum == sums[0]; })) return sums[0];
    // As if the versions ran that move most.
    is_at_most_ = true;
    return std::accumulate(sums.begin(), sums.end(), i64(0), [&](Expr a, Expr b) { return larger(a, b); });
  }

  Traffic::Own own(const lower::LaunchSource::Buffer& buffer) {
    const Expr all = bytes(buffer.array, whole(buffer.array));
    const auto moved = [&](bool stores) {
      return over_phases([&](std::size_t p) {
        return (stores ? phases_[p].stores : phases_[p].reads).contains(buffer.param) ? all : Expr();
      });
    };
    return {buffer.array, all, moved(false), moved(true)};
  }

  Traffic::Array array(const lower::LaunchSource::Buffer& buffer) {
    Traffic::Array result{buffer.array, {}, {}};
    const Expr all = whole(buffer.array);
    const auto part = footprints_.of(buffer.array);
    const Stored stored = stored_to(buffer.array, all);
    if (part) {
      result.times = part->times;
      const Expr staged = part->times && launch_ ? times_staged(*launch_, arena_, buffer.array) : Expr();
      if (staged) result.times = sizes_.canonical(scalar::substitute(arena_, staged, computed_));
      result.often = part->often;
    }
    const Expr read = part ? smaller(part->elements, all) : stored.is_scatter ? stored.elements : all;
    is_at_most_ = false;
    result.read = bytes(buffer.array, over_phases([&](std::size_t p) {
                          if (!phases_[p].reads.contains(buffer.param)) return Expr();
                          if (!phases_[p].exchanges.contains(buffer.param)) return read;
                          return smaller(part ? read + stored.elements : stored.elements, all);
                        }));
    result.reads_at_most = is_at_most_ || (part && part->at_most) || (!part && stored.at_most);
    result.passes =
        over_phases([&](std::size_t p) { return phases_[p].reads.contains(buffer.param) ? i64(1) : Expr(); });
    bool is_first = true;
    is_at_most_ = false;
    const auto stored_by = [&](std::size_t p) {
      if (!phases_[p].stores.contains(buffer.param)) return Expr();
      const bool fills = stored.is_filled && is_first;
      is_first = false;
      result.writes_at_most |= !fills && stored.at_most;
      return fills ? all : stored.elements;
    };
    result.written = bytes(buffer.array, over_phases(stored_by, [&](std::size_t p, int sample) {
                             return is_joined(p, buffer.param, sample);
                           }));
    result.writes_at_most |= is_at_most_;
    return result;
  }

  // What a phase stores of an array: of a scatter the first phase stores what it holds before, unless it
  // begins as a copy.
  struct Stored {
    Expr elements;
    bool is_scatter = false, is_filled = false, at_most = false;
  };
  Stored stored_to(Var array, Expr all) {
    if (!as<soac::Soac>(source_.stm.op)) return {all};
    const soac::OutputView outputs = soac::view_of(source_.stm);
    const auto is_in = [&](std::span<const Var> arrays) {
      return std::ranges::find(arrays, array) != arrays.end();
    };
    for (const soac::OutputView::Scattered& scattered : outputs.scatters) {
      if (!is_in(scattered.arrays)) continue;
      const bool is_copy =
          std::ranges::find(source_.copies, array, &lower::LaunchSource::Copy::array) != source_.copies.end();
      return {smaller(footprints_.points(), all), true, !is_copy, !scattered.to.stores_in_any_order()};
    }
    for (const soac::OutputView::Partitioned& p : outputs.partitions)
      if (is_in(p.arrays)) return {footprints_.points(), false, false, true};
    return {all};
  }

  scalar::Arena& arena_;
  const soac::EqualSizes& sizes_;
  const std::unordered_map<Var, Expr>& computed_;
  bool is_at_most_ = false;  // what over_phases found last
  const lower::LaunchSource& source_;
  const schedule::Launch* const launch_;
  const std::vector<Phase> phases_;
  const std::vector<lower::LaunchSource::Buffer> buffers_;
  const Footprints footprints_;
};

}  // namespace

TrafficOfLaunches::TrafficOfLaunches(const soac::Program& program, const lower::Lowered& lowered)
    : arena_(*program.arena),
      sizes_(program),
      computed_(lowered.computed.begin(), lowered.computed.end()),
      kernels_(lowered.kernels) {}

Traffic TrafficOfLaunches::operator()(const lower::LaunchNote& note) const {
  Traffic traffic = Counting(arena_, sizes_, computed_, *note.source, note.launch.get(),
                             kernels_.at(static_cast<std::size_t>(note.kernel)))();
  if (const auto operations = operations_of(arena_, sizes_, note.source->stm))
    traffic.operations = scalar::substitute(arena_, *operations, computed_);
  return traffic;
}

}  // namespace fulgurite::tool
