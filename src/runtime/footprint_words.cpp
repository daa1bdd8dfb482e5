// Footprints as the numbers that a plan keeps, and back.
#include <cstddef>

#include "base/check.h"
#include "runtime/footprint.h"

namespace fulgurite::runtime {

std::vector<std::int64_t> Footprints::words() const {
  std::vector<std::int64_t> to;
  const auto list = [&](const auto& values) {
    to.push_back(static_cast<std::int64_t>(values.size()));
    to.insert(to.end(), values.begin(), values.end());
  };
  list(element_bytes);
  to.push_back(static_cast<std::int64_t>(own.size()));
  for (const OwnArray& array : own) to.insert(to.end(), {array.tasks_of, array.elements_of, array.per});
  to.push_back(static_cast<std::int64_t>(phases.size()));
  for (const PhaseFootprint& phase : phases) {
    to.insert(to.end(), {phase.tasks_of, phase.is_divisible, phase.can_fail, phase.is_inspector,
                         static_cast<std::int64_t>(phase.marks.size()),
                         static_cast<std::int64_t>(phase.formulas.size()),
                         static_cast<std::int64_t>(phase.touches.size())});
    list(phase.loops);
    for (const Marks& m : phase.marks) to.insert(to.end(), {m.buffer, m.marks});
    for (const Formula& f : phase.formulas)
      to.insert(to.end(), {static_cast<std::int64_t>(f.op), f.a, f.b, f.c, f.value});
    for (const Touch& t : phase.touches)
      to.insert(to.end(), {t.buffer, t.stores, t.at, t.condition, t.loop, t.is_marked});
  }
  return to;
}

Footprints Footprints::of_words(std::span<const std::int64_t> from) {
  std::size_t at = 0;
  const auto next = [&] {
    FULGURITE_CHECK(at < from.size(), "a footprint of {} words ends too early", from.size());
    return from[at++];
  };
  const auto small = [&](std::int64_t least, std::int64_t below) {
    const std::int64_t value = next();
    FULGURITE_CHECK(value >= least && value < below, "{} stands in a footprint where {} to {} may", value,
                    least, below - 1);
    return static_cast<std::int32_t>(value);
  };
  const auto count = [&] {
    return static_cast<std::size_t>(small(0, static_cast<std::int64_t>(from.size()) + 1));
  };
  Footprints all;
  all.element_bytes.resize(count());
  for (std::int32_t& bytes : all.element_bytes) bytes = small(1, 17);
  const auto n_buffers = static_cast<std::int64_t>(all.element_bytes.size());
  all.own.resize(count());
  for (OwnArray& array : all.own) {
    array.tasks_of = small(-1, INT32_MAX);
    array.elements_of = small(array.tasks_of < 0 ? 0 : -1, n_buffers);
    array.per = small(1, INT32_MAX);
  }
  all.phases.resize(count());
  for (PhaseFootprint& phase : all.phases) {
    phase.tasks_of = small(-1, INT32_MAX);
    phase.is_divisible = small(0, 2) != 0;
    phase.can_fail = small(0, 2) != 0;
    phase.is_inspector = small(0, 2) != 0;
    phase.marks.resize(count());
    phase.formulas.resize(count());
    phase.touches.resize(count());
    phase.loops.resize(count());
    for (std::int32_t& step : phase.loops) step = small(0, static_cast<std::int64_t>(phase.formulas.size()));
    for (Marks& m : phase.marks) {
      m.buffer = small(0, n_buffers);
      m.marks = small(0, n_buffers);
    }
    std::int64_t before = 0;
    for (Formula& f : phase.formulas) {
      f.op = static_cast<Formula::Op>(small(0, static_cast<std::int64_t>(Formula::Op::leading_zeros) + 1));
      f.a = small(-1, before);
      f.b = small(-1, before);
      f.c = small(-1, before);
      f.value = next();
      ++before;
    }
    for (Touch& t : phase.touches) {
      t.buffer = small(0, n_buffers);
      t.stores = small(0, 2) != 0;
      t.at = small(0, before);
      t.condition = small(-1, before);
      t.loop = small(-1, static_cast<std::int64_t>(phase.loops.size()));
      t.is_marked = small(0, 2) != 0;
    }
  }
  FULGURITE_CHECK(at == from.size(), "a footprint has {} words after its end", from.size() - at);
  return all;
}

}  // namespace fulgurite::runtime
