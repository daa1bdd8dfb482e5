// A list of numbers as the source of all decisions of a generator: a shorter list or smaller numbers give a
// simpler program, so that a property that fails shrinks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace fulgurite::testing {

class Choices {
 public:
  explicit Choices(std::vector<std::uint8_t> numbers) : numbers_(std::move(numbers)) {}
  /// 0 .. n - 1; 0 when the numbers are used up.
  std::size_t below(std::size_t n) { return n == 0 || exhausted() ? 0 : numbers_[next_++] % n; }
  bool one_in(std::size_t n) { return below(n) == n - 1; }
  bool exhausted() const { return next_ >= numbers_.size(); }

 private:
  std::vector<std::uint8_t> numbers_;
  std::size_t next_ = 0;
};

}  // namespace fulgurite::testing
