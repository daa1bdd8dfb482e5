#include "base/nearest.h"

#include <algorithm>
#include <vector>

namespace fulgurite::base {

namespace {

// How many letters have to be inserted, removed or replaced to make one word of the other.
std::size_t distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  for (std::size_t k = 0; k < row.size(); ++k) row[k] = k;
  for (const char letter : from) {
    std::size_t diagonal = row[0]++;
    for (std::size_t k = 0; k < to.size(); ++k) {
      const std::size_t replaced = diagonal + (letter == to[k] ? 0 : 1);
      diagonal = row[k + 1];
      row[k + 1] = std::min({replaced, diagonal + 1, row[k] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string_view nearest(std::string_view word, std::span<const std::string_view> names) {
  return *std::ranges::min_element(names, {}, [&](std::string_view name) { return distance(word, name); });
}

}  // namespace fulgurite::base
