// Stores of a block into the device's memory which other blocks need not see yet: those that no fence of a
// thread that had seen them has followed. The block that runs sees its own; while others run, memory has what
// was there before. All become visible at the kernel's end.
#pragma once

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "moment.h"
#include "runtime/cuda/driver.h"

namespace fulgurite::runtime::test {

struct LateStore {
  cuda::Address address;
  Moment moment;
  std::uint32_t bytes;
  std::array<std::byte, 16> other;  // what memory has not: the old bytes while shown, the new while hidden
};

class LateStores {
 public:
  // The block runs, and what is stored there next is late.
  void add(cuda::Address address, std::size_t bytes, const Moment& moment);
  // The stores that become visible, with the bytes that were there before.
  using Published = std::vector<LateStore>;
  // A fence: what is ordered before it is visible.
  Published publish(const Moment& fence);
  // An atomic operation or a volatile access: stores of the same bytes cannot be later than it.
  Published publish(cuda::Address address, std::size_t bytes);
  Published publish_all() { return std::exchange(stores_, {}); }

  // Ahead of other blocks' turns, and of this one's.
  void hide();
  void show();
  // Takes over what a block left that has ended and is hidden.
  void append(LateStores& ended);

  std::size_t size() const { return stores_.size(); }

 private:
  static void exchange(LateStore& store);
  template <class IsPublished>
  Published publish_those(IsPublished is_published);

  std::vector<LateStore> stores_;  // in their order
};

}  // namespace fulgurite::runtime::test
