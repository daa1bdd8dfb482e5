// include/fulgurite/mpi.h on the device of the engine mpi.
#include <fulgurite/mpi.h>

#include <fmt/format.h>

#include <cstring>
#include <numeric>

#include "plan/device_copies.h"
#include "runtime/mpi/device.h"

namespace fulgurite::mpi {

using runtime::mpi::Bytes, runtime::mpi::Intervals, runtime::mpi::MpiDevice, runtime::mpi::Ranks;

int rank() {
  return Ranks::world().rank();
}
int n_ranks() {
  return Ranks::world().size();
}

namespace detail {
namespace {

// Where the elements are on the device; null: they are on the host alone.
const std::byte* on_device(MpiDevice& device, const Elements& elements) {
  const std::optional<runtime::Memory> memory = elements.storage()->copies().known_on(device);
  return memory ? static_cast<const std::byte*>(memory->data) : nullptr;
}

}  // namespace

void use(const void* communicator, std::size_t bytes) {
  Ranks::use(communicator, bytes);
}

std::vector<Piece> local(const Elements& elements, std::size_t bytes) {
  MpiDevice& device = MpiDevice::shared();
  const std::byte* data = on_device(device, elements);
  Intervals part;
  if (data != nullptr) {
    part = device.own_part(data) & Intervals(0, static_cast<std::int64_t>(bytes));
  } else if (device.rank() == 0) {
    data = static_cast<const std::byte*>(elements.get());
    part = Intervals(0, static_cast<std::int64_t>(bytes));
  }
  std::vector<Piece> pieces;
  for (const Bytes& b : part.all())
    pieces.push_back({b.begin, data + b.begin, static_cast<std::size_t>(b.end - b.begin)});
  return pieces;
}

bool is_local(const Elements& elements, std::size_t bytes) {
  if (elements.at_hand() != nullptr || elements.storage()->known_on_host() != nullptr) return true;
  MpiDevice& device = MpiDevice::shared();
  const std::byte* data = on_device(device, elements);
  return data != nullptr && device.has_all(data, bytes);
}

Elements adopt(const void* block, std::size_t bytes, std::size_t element_bytes, std::int64_t* n_elements) {
  MpiDevice& device = MpiDevice::shared();
  device.agree(fmt::format("adopt_block of elements of {} bytes", element_bytes));
  std::vector<std::int64_t> of_ranks(static_cast<std::size_t>(device.ranks().size()));
  of_ranks[static_cast<std::size_t>(device.rank())] = static_cast<std::int64_t>(bytes);
  device.ranks().reduce(of_ranks, fg_mpi_sum);
  const std::int64_t total = std::accumulate(of_ranks.begin(), of_ranks.end(), std::int64_t{0});
  *n_elements = total / static_cast<std::int64_t>(element_bytes);
  const runtime::Memory memory = fulgurite::detail::allocate_on(device, static_cast<std::size_t>(total));
  device.place_blocks(memory, of_ranks);
  const std::int64_t before =
      std::accumulate(of_ranks.begin(), of_ranks.begin() + device.rank(), std::int64_t{0});
  if (bytes > 0) std::memcpy(static_cast<std::byte*>(memory.data) + before, block, bytes);
  return fulgurite::detail::storage_on(device, memory, static_cast<std::size_t>(total));
}

}  // namespace detail
}  // namespace fulgurite::mpi
