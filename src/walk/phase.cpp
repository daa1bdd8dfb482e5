#include "walk/phase.h"

#include <algorithm>

#include "base/check.h"
#include "soac/outputs.h"
#include "soac/rename.h"

namespace fulgurite::walk {

using schedule::Combine, schedule::Nest, schedule::Skeleton;

const Skeleton& skeleton_of(const schedule::Phase& phase) {
  return std::get<Skeleton>(phase.walk);
}

std::int64_t number_of(const Skeleton& skeleton, std::string_view name) {
  const auto found = std::ranges::find(skeleton.numbers, name, &Skeleton::Number::name);
  FULGURITE_CHECK(found != skeleton.numbers.end(), "the skeleton '{}' has no number '{}'", skeleton.name,
                  name);
  return found->value;
}

namespace {

// Whether the phase stores the initial contents of arrays that the launch scatters to.
bool fills(const schedule::Launch& launch, const schedule::Phase& phase) {
  const auto* op = std::get_if<soac::Soac>(&phase.computes.op);
  if (!op || !op->scatters.empty()) return false;
  const soac::OutputView outputs = soac::view_of(launch.statement);
  return std::ranges::any_of(outputs.scatters, [&](const soac::OutputView::Scattered& scattered) {
    return std::ranges::find_first_of(scattered.arrays, phase.computes.names) != scattered.arrays.end();
  });
}

}  // namespace

void read_in_place(const Emitter& e, const schedule::Launch& launch, const schedule::Phase& phase) {
  if (launch.in_place.empty()) return;
  const bool is_before = fills(launch, phase);
  for (const schedule::InPlace& each : launch.in_place)
    if (!each.where) e.read_in(each.from, is_before ? each.from : each.array);
}

std::vector<Expr> indices_of(const Emitter& e, Expr number, std::span<const Expr> dims) {
  std::vector<Expr> indices(dims.size());
  for (std::size_t d = dims.size(); d-- > 1; number = e.lower(number / dims[d]))
    indices[d] = e.lower(number % dims[d]);
  if (!indices.empty()) indices[0] = number;
  return indices;
}

PartOfRow part_of_row(const Emitter& task, const soac::Soac& map, Expr tiles, Expr tile, Expr columns) {
  const Expr number = task.context().task, row = task.lower(number / tiles);
  const Emitter e = task.at_element(row);
  const soac::Applied at_row = soac::apply(e.arena(), map.body, indices_of(e, row, map.dims));
  const Expr begin = e.lower(number % tiles * tile);
  return {e, at_row.body[0], begin, e.lower(min(begin + tile, columns))};
}

void store_partials(const Emitter& task, const Nest& nest, std::span<const Expr> totals) {
  std::size_t next = 0;
  for (const Combine& combine : nest.combines)
    if (combine.part == Combine::Part::reduction)
      for (Var partial : combine.memory) task.store_plain(partial, task.context().task, totals[next++]);
}

bool has_ends(const Nest& nest) {
  return std::ranges::any_of(nest.combines, [](const Combine& combine) { return !combine.ends.empty(); });
}

void store_ends(const Emitter& task, const Nest& nest, const Running::Groups& ends) {
  for (const Combine& combine : nest.combines)
    for (const Combine::End& end : combine.ends)
      task.store_plain(end.array, task.lower(end.at), ends[combine.which][end.component]);
}

}  // namespace fulgurite::walk
