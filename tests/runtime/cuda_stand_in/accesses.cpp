#include "accesses.h"

#include <fmt/format.h>

#include <bit>

#include "findings.h"
#include "grid.h"
#include "memory.h"

namespace fulgurite::runtime::test {
namespace {

enum class Place { shared, global, own };

const char* verb(Access access) {
  switch (access) {
    case Access::load: return "loads";
    case Access::store: return "stores";
    case Access::strong_load: return "loads a volatile variable of";
    case Access::strong_store: return "changes a volatile or atomic variable of";
  }
  return "";
}

bool is_store(Access access) {
  return access == Access::store || access == Access::strong_store;
}

// A device moves 1, 2, 4, 8 or 16 bytes at a time, from an address that is a multiple of their number.
void check_alignment(Address address, std::size_t bytes, Access access) {
  if (bytes <= 16 && std::has_single_bit(bytes) && address % bytes != 0)
    Grid::fail(
        fmt::format("{} {} bytes at {:#x}, which is no multiple of them", verb(access), bytes, address),
        status::misaligned_address);
}

Place place_of(Address address, std::size_t bytes, Access access) {
  constexpr std::size_t behind = std::size_t{1} << 16;  // what is meant to be shared, no doubt
  Grid& grid = Grid::running();
  const std::size_t shared_bytes = grid.block().shared_bytes(),
                    offset = address - reinterpret_cast<Address>(grid.block().shared());
  if (offset < shared_bytes && bytes <= shared_bytes - offset) return Place::shared;
  if (grid.thread().fiber.has(address)) return Place::own;
  if (is_device_memory(address, bytes)) return Place::global;
  if (!is_store(access) && grid.code().has(address)) return Place::own;
  Grid::fail(offset < shared_bytes + behind ? fmt::format("{} {} bytes at {} of the {} that its block shares",
                                                          verb(access), bytes, offset, shared_bytes)
                                            : fmt::format("{} {}", verb(access), described(address, bytes)),
             status::illegal_address);
}

void access(const void* pointer, std::size_t bytes, Access access) {
  const auto address = reinterpret_cast<Address>(pointer);
  Grid& grid = Grid::running();
  const Place place = place_of(address, bytes, access);
  if (place == Place::own) return;
  check_alignment(address, bytes, access);
  Block& block = grid.block();
  const bool is_strong = access == Access::strong_load || access == Access::strong_store;
  if (is_strong)
    grid.yield();
  else
    grid.perhaps_yield();
  const Moment moment = block.moment(grid.thread());
  if (place == Place::shared) {
    const std::size_t offset = address - reinterpret_cast<Address>(block.shared());
    if (const auto race = block.races.add(offset, bytes, access, moment)) Grid::fail("races: " + *race);
    return;
  }
  if (access == Access::load) return;
  block.stale.refresh(address, bytes);
  if (access == Access::store) {
    block.stores.add(address, bytes, moment);
  } else if (access == Access::strong_store) {
    grid.tell_others(block.stores.publish(address, bytes));
    grid.tell_others(address, static_cast<const std::byte*>(pointer), bytes);
  }
}

const KernelHost answers{
    .thread = []() -> KernelIndex { return {Grid::running().thread().number, 0, 0}; },
    .block = []() -> KernelIndex { return {Grid::running().block().number(), 0, 0}; },
    .shared =
        [](unsigned offset) {
          return reinterpret_cast<unsigned char*>(Grid::running().block().shared() + offset);
        },
    .shared_at_launch =
        [] {
          Grid& grid = Grid::running();
          return reinterpret_cast<unsigned char*>(grid.block().shared() + grid.static_bytes());
        },
    .load = [](const void* p, unsigned long bytes,
               bool is_strong) { access(p, bytes, is_strong ? Access::strong_load : Access::load); },
    .store = [](void* p, unsigned long bytes,
                bool is_strong) { access(p, bytes, is_strong ? Access::strong_store : Access::store); },
    .atomic = [](void* p, unsigned long bytes) { access(p, bytes, Access::strong_store); },
    .block_barrier = [](int line) { Grid::running().block().wait_for_block(Grid::running().thread(), line); },
    .warp_barrier =
        [](unsigned mask, int line) {
          Grid::running().block().wait_for_warp(Grid::running().thread(), mask, line);
        },
    .fence =
        [] {
          Grid& grid = Grid::running();
          grid.tell_others(grid.block().stores.publish(grid.block().moment(grid.thread())));
          grid.block().stale.refresh();
          grid.yield();
        },
    .shuffle = [](unsigned mask, unsigned long long value, int from, int width,
                  int line) -> unsigned long long {
      return Grid::running().block().shuffle(Grid::running().thread(), mask, value, from, width, line);
    }};

}  // namespace

const KernelHost& kernel_host() {
  return answers;
}

}  // namespace fulgurite::runtime::test
