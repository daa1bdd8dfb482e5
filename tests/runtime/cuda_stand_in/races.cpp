#include "races.h"

#include <fmt/format.h>

namespace fulgurite::runtime::test {

bool SharedRaces::is_behind_loads(const Cell& cell, const Moment& moment) {
  if (cell.load.thread == Moment::nobody || cell.load.block_barriers < moment.block_barriers) return true;
  switch (cell.readers) {
    case Readers::one: return is_ordered(cell.load, moment);
    case Readers::one_warp:
      return are_of_one_warp(cell.load, moment) && cell.load.warp_barriers < moment.warp_barriers;
    case Readers::many: return false;
  }
  return false;
}

void SharedRaces::add_load(Cell& cell, const Moment& moment) {
  if (is_behind_loads(cell, moment))
    cell.readers = Readers::one;
  else if (cell.readers != Readers::many)
    cell.readers = are_of_one_warp(cell.load, moment) ? Readers::one_warp : Readers::many;
  cell.load = moment;
}

std::optional<std::string> SharedRaces::add(std::size_t offset, std::size_t bytes, Access access,
                                            const Moment& moment) {
  const bool is_store = access == Access::store || access == Access::strong_store;
  const bool is_strong = access == Access::strong_load || access == Access::strong_store;
  for (std::size_t i = offset; i < offset + bytes; ++i) {
    Cell& cell = cells_[i];
    if (!(is_strong && cell.is_strong) && !is_ordered(cell.store, moment))
      return fmt::format(
          "thread {} {} byte {} of the shared memory, which thread {} stored without a barrier",
          moment.thread, is_store ? "stores" : "loads", i, cell.store.thread);
    if (!is_store) {
      if (!is_strong) add_load(cell, moment);
      continue;
    }
    if (!is_behind_loads(cell, moment))
      return fmt::format(
          "thread {} stores byte {} of the shared memory, which thread {} loaded without a barrier",
          moment.thread, i, cell.load.thread);
    cell.store = moment;
    cell.is_strong = is_strong;
  }
  return std::nullopt;
}

}  // namespace fulgurite::runtime::test
