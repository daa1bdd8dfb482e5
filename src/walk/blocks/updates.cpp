#include "walk/blocks/updates.h"

#include <algorithm>

#include "schedule/nest.h"
#include "schedule/rewrites/operators.h"
#include "schedule/rewrites/slice.h"
#include "schedule/rewrites/steps.h"
#include "soac/outputs.h"

namespace fulgurite::walk::blocks {

using schedule::Combine, schedule::Join, schedule::Nest, schedule::Unit;
using How = Update::How;

namespace {

const Combine::Level* level(const Combine& combine, Unit unit, Join how) {
  const auto is_it = [&](const Combine::Level& l) { return l.unit == unit && l.how == how; };
  const auto found = std::ranges::find_if(combine.levels, is_it);
  return found == combine.levels.end() ? nullptr : &*found;
}

How how_of(const Combine& combine) {
  if (level(combine, Unit::thread, Join::packed)) return How::packed;
  if (level(combine, Unit::grid, Join::bins))
    return level(combine, Unit::thread, Join::atomic) ? How::kept : How::in_order;
  if (level(combine, Unit::grid, Join::atomic)) return How::atomic;
  if (level(combine, Unit::grid, Join::exchange)) return How::exchange;
  return level(combine, Unit::grid, Join::winner) ? How::winner : How::plain;
}

// The bytes of a scatter's bins, whose components lie beside each other.
std::int64_t bytes_in_shared_memory(const Nest& nest, const soac::OutputView::Scattered& scattered) {
  const auto stage = std::ranges::find(nest.stages, scattered.arrays[0], &schedule::Stage::array);
  if (stage == nest.stages.end()) return 0;
  std::int64_t bytes = 0;
  for (Expr value : scattered.values) bytes += static_cast<std::int64_t>(size_of(value.kind()));
  return stage->size * bytes;
}

}  // namespace

std::vector<Update> updates_of(const soac::Stm& s, const Nest& nest) {
  const soac::OutputView outputs = soac::view_of(s);
  std::vector<Update> all(outputs.scatters.size());
  for (std::size_t g = 0; g < all.size(); ++g) {
    const Combine* combine = schedule::combine_of(nest, Combine::Part::scatter, g);
    if (!combine) continue;
    Update& update = all[g];
    update.how = how_of(*combine);
    update.memory = combine->memory;
    if (const auto* packed = level(*combine, Unit::thread, Join::packed))
      update.scan = static_cast<std::size_t>(packed->n);
    if (update.how == How::in_order) update.limits.bytes = bytes_in_shared_memory(nest, outputs.scatters[g]);
    if (update.how != How::atomic && update.how != How::kept) continue;
    update.what = schedule::atomic_of(outputs.scatters[g].to).value();
    update.limits.are_kept = update.how == How::kept;
    update.limits.points = update.limits.are_kept ? 0 : level(*combine, Unit::grid, Join::atomic)->n;
    if (const auto* shared = level(*combine, Unit::thread, Join::atomic)) {
      update.limits.bytes = bytes_in_shared_memory(nest, outputs.scatters[g]);
      update.limits.passes = static_cast<int>(std::max<std::int64_t>(shared->n, 1));
    }
  }
  return all;
}

std::vector<Var> tables_of(const soac::Soac& op, const Nest& nest) {
  std::vector<Var> tables;
  for (std::size_t g = 0; g < op.partitions.size(); ++g)
    tables.push_back(schedule::combine_of(nest, Combine::Part::partition, g)->memory.at(0));
  return tables;
}

bool is_dealt(const Nest& nest, std::size_t partition) {
  return level(*schedule::combine_of(nest, Combine::Part::partition, partition), Unit::thread, Join::packed);
}

// state[0] is the number of the next block; after it each level has an element for each tile.
std::vector<parts::Published> published_by(const soac::Soac& op, const Nest& nest, Expr tasks) {
  std::vector<parts::Published> levels;
  const std::vector<const soac::Stm*> scans = schedule::scans_of(op.body);
  const std::vector<int> level_of_scan = schedule::levels_of(op.body);
  if (!schedule::has_join(nest, Combine::Part::scan, Join::handed_on)) return levels;
  for (int l = 0; l <= std::ranges::max(level_of_scan); ++l) {
    parts::Published& published = levels.emplace_back();
    published.first = 1 + l * tasks;
    for (std::size_t k = 0; k < scans.size(); ++k) {
      if (level_of_scan[k] != l) continue;
      const Combine& combine = *schedule::combine_of(nest, Combine::Part::scan, k);
      const std::span<const Var> memory = combine.memory;
      const std::size_t n = std::get<soac::Scan>(scans[k]->op).operands.size();
      published.totals.emplace_back(memory.begin(), memory.begin() + static_cast<std::ptrdiff_t>(n));
      published.prefixes.emplace_back(memory.begin() + static_cast<std::ptrdiff_t>(n),
                                      memory.begin() + static_cast<std::ptrdiff_t>(2 * n));
      published.state = memory[2 * n];
      published.at_once = static_cast<int>(combine.levels.back().n);
    }
  }
  return levels;
}

Running::Groups entry_of(const Emitter& task, const soac::Soac& op, const Nest& nest) {
  Running::Groups entry;
  const std::vector<const soac::Stm*> scans = schedule::scans_of(op.body);
  for (std::size_t k = 0; k < scans.size(); ++k) {
    const Combine* combine = schedule::combine_of(nest, Combine::Part::scan, k);
    if (!combine || !level(*combine, Unit::grid, Join::carried)) {
      entry.push_back(task.lower(schedule::first_of(*scans[k])));
      continue;
    }
    entry.emplace_back();
    for (Var carry : combine->memory)
      entry.back().push_back(task.load_plain(carry, task.context().task, "so_far"));
  }
  return entry;
}

void update(const Emitter& e, const Update& how, Expr number, std::span<const std::pair<Var, Expr>> elements,
            std::span<const Expr> values) {
  auto store = [&] {
    for (std::size_t k = 0; k < values.size(); ++k)
      e.store_plain(elements[k].first, elements[k].second, values[k]);
  };
  if (how.how == How::plain) return store();
  if (how.how == How::winner) {
    Expr winner = e.load_plain(how.memory[0], elements[0].second, "winner");
    return e.if_then(e.bind(equal(winner, number), "wins"), store);
  }
  for (std::size_t k = 0; k < values.size(); ++k)
    e.atomic({{}, how.what, {elements[k].first, elements[k].second, e.arena().i64(1), {}}, values[k], {}});
}

}  // namespace fulgurite::walk::blocks
