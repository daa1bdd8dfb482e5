// Arguments as ranks have them of earlier calls: each rank has a part, and wrong elements in place of what
// others have.
#pragma once

#include <fulgurite/executable.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <vector>

#include "../soac/values.h"
#include "plan/device_copies.h"
#include "runtime/mpi/device.h"

namespace fulgurite::testing_pipeline {

class ArgumentsInParts {
 public:
  /// The array of the view, which all ranks have, cut at places that the seed says.
  void give(detail::ArgumentView& view, const soac::Value& array, std::uint64_t seed) {
    auto& device = runtime::mpi::MpiDevice::shared();
    const auto n_ranks = static_cast<std::uint64_t>(device.ranks().size());
    const std::size_t bytes = array.bytes.size();
    if (n_ranks == 1 || bytes == 0) return;
    const std::size_t element = scalar::size_of(array.kind), n = bytes / element;
    std::vector<std::size_t> ends;
    for (std::uint64_t r = 0; r + 1 < n_ranks; ++r) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      ends.push_back(static_cast<std::size_t>(seed >> 33) % (n + 1));
    }
    ends.push_back(n);
    std::ranges::sort(ends);
    std::vector<std::int64_t> of_ranks;
    for (std::size_t r = 0; r < n_ranks; ++r)
      of_ranks.push_back(static_cast<std::int64_t>((ends[r] - (r == 0 ? 0 : ends[r - 1])) * element));

    const runtime::Memory memory = detail::allocate_on(device, bytes);
    device.place_blocks(memory, of_ranks);
    const auto own = static_cast<std::size_t>(device.rank());
    const std::size_t begin = (own == 0 ? 0 : ends[own - 1]) * element, end = ends[own] * element;
    std::memset(memory.data, wrong, bytes);
    std::memcpy(static_cast<std::byte*>(memory.data) + begin, array.bytes.data() + begin, end - begin);
    kept_.push_back(detail::storage_on(device, memory, bytes));
    view.data = nullptr;
    view.storage = kept_.back().get();
  }

 private:
  static constexpr int wrong = 0x5a;
  std::vector<std::shared_ptr<const detail::Storage>> kept_;
};

}  // namespace fulgurite::testing_pipeline
