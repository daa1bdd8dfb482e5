#include "memory.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <map>

#include "findings.h"
#include "streams.h"

namespace fulgurite::runtime::test {
namespace {

constexpr std::size_t alignment = 256;
constexpr int fresh = 0xA5;

using Allocations = std::map<Address, Allocation>;  // by their starts
Allocations& allocations() {
  static auto& all = *new Allocations;
  return all;
}
Allocations& pinned() {
  static auto& all = *new Allocations;
  return all;
}

const Allocation* before(const Allocations& all, Address address) {
  const auto above = all.upper_bound(address);
  return above == all.begin() ? nullptr : &std::prev(above)->second;
}

// A kernel's accesses are mostly of a few arrays, in turns.
std::array<const Allocation*, 4> recent{};
std::size_t next_recent = 0;

}  // namespace

const Allocation* allocation_of(Address address) {
  for (const Allocation* a : recent)
    if (a != nullptr && a->has(address, 0)) return a;
  const Allocation* const found = before(allocations(), address);
  if (found == nullptr || !found->has(address, 0)) return nullptr;
  recent[next_recent++ % recent.size()] = found;
  return found;
}

std::string described(Address address, std::size_t bytes) {
  const std::string what = fmt::format("{} bytes at {:#x}", bytes, address);
  if (const Allocation* const a = before(allocations(), address); a != nullptr) {
    const std::size_t offset = address - a->start;
    if (offset < a->bytes + (std::size_t{1} << 20))
      return fmt::format("{}, which is {} bytes behind the start of an allocation of {}", what, offset,
                         a->bytes);
  }
  const auto above = allocations().upper_bound(address);
  if (above != allocations().end() && above->first - address < (std::size_t{1} << 20))
    return fmt::format("{}, which is {} bytes in front of an allocation of {}", what, above->first - address,
                       above->second.bytes);
  return what + ", where there is no allocation";
}

bool is_device_memory(Address address, std::size_t bytes) {
  const Allocation* const a = allocation_of(address);
  return a != nullptr && a->has(address, bytes);
}

bool is_pinned(const void* address, std::size_t bytes) {
  const auto at = reinterpret_cast<Address>(address);
  const Allocation* const a = before(pinned(), at);
  return a != nullptr && a->has(at, bytes);
}

}  // namespace fulgurite::runtime::test

using namespace fulgurite::runtime::test;

EXPORTED Status cuMemAlloc_v2(Address* to, std::size_t bytes) {
  const Lock lock(machine().mutex);
  if (const auto code = refused("cuMemAlloc")) return *code;
  if (bytes == 0) return status::invalid_value;
  if (bytes > machine().memory - machine().used) return value::out_of_memory;
  // A gap follows each, so that no address belongs to two.
  void* const memory = std::aligned_alloc(alignment, (bytes + alignment) / alignment * alignment);
  if (memory == nullptr) return value::out_of_memory;
  std::memset(memory, fresh, bytes);
  machine().used += bytes;
  const auto start = reinterpret_cast<Address>(memory);
  allocations()[start] = {start, bytes};
  note(fmt::format("allocate {}", bytes));
  return make(to, memory);
}
EXPORTED Status cuMemFree_v2(Address address) {
  const Lock lock(machine().mutex);
  if (contexts_here().empty()) return status::invalid_context;
  finish_everything();
  const auto found = allocations().find(address);
  if (found == allocations().end()) return status::invalid_value;
  machine().used -= found->second.bytes;
  note(fmt::format("free {}", found->second.bytes));
  recent = {};
  allocations().erase(found);
  std::free(reinterpret_cast<void*>(address));
  --machine().n_objects;
  return 0;
}
EXPORTED Status cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  const Lock lock(machine().mutex);
  if (const auto code = refused("cuMemGetInfo")) return *code;
  *free = machine().memory - machine().used;
  *total = machine().memory;
  return 0;
}
EXPORTED Status cuMemGetAddressRange_v2(Address* start, std::size_t* bytes, Address address) {
  const Lock lock(machine().mutex);
  if (const auto code = refused("cuMemGetAddressRange")) return *code;
  const Allocation* const a = allocation_of(address);
  if (a == nullptr || !a->has(address, 1)) return status::invalid_value;
  *start = a->start;
  *bytes = a->bytes;
  return 0;
}
EXPORTED Status cuMemHostAlloc(void** to, std::size_t bytes, std::uint32_t) {
  const Lock lock(machine().mutex);
  if (const auto code = refused("cuMemHostAlloc")) return *code;
  auto* const memory = new std::byte[bytes];
  std::memset(memory, fresh, bytes);
  const auto start = reinterpret_cast<Address>(memory);
  pinned()[start] = {start, bytes};
  return make(to, memory);
}
EXPORTED Status cuMemFreeHost(void* memory) {
  const Lock lock(machine().mutex);
  finish_everything();
  pinned().erase(reinterpret_cast<Address>(memory));
  delete[] static_cast<std::byte*>(memory);
  --machine().n_objects;
  return 0;
}
