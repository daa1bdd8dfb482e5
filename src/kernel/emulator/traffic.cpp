#include "kernel/emulator/traffic.h"

#include <algorithm>
#include <array>

namespace fulgurite::kernel::emulator {

Sectors sectors(std::span<std::int64_t> places, std::int64_t size) {
  if (places.empty()) return {};
  if (!std::is_sorted(places.begin(), places.end())) std::sort(places.begin(), places.end());
  Sectors result;
  std::int64_t last = -1, bytes = 0, before = -1;
  for (const std::int64_t p : places) {
    if (p == before) continue;
    before = p;
    bytes += size;
    // An element lies in one sector: its place is a multiple of its size.
    if (p / sector_bytes != last) ++result.touched;
    last = p / sector_bytes;
  }
  result.least = (bytes + sector_bytes - 1) / sector_bytes;
  return result;
}

namespace {

constexpr std::int64_t n_banks = 32;

std::int64_t conflicts_at_once(std::span<const std::int64_t> places, std::int64_t size) {
  const auto [first, last] = std::minmax_element(places.begin(), places.end());
  // Neighbouring words are in banks of their own.
  if ((*last + size - 1) / 4 - *first / 4 < n_banks) return 0;
  std::array<std::int64_t, n_banks> words = {};  // the first of each bank
  std::array<std::int64_t, n_banks> n_words = {};
  std::array<std::int64_t, 2 * n_banks> others = {};  // words beside the first of their bank
  std::size_t n_others = 0;
  const auto touch = [&](std::int64_t word) {
    const auto bank = static_cast<std::size_t>(word % n_banks);
    if (n_words[bank] > 0) {
      if (words[bank] == word) return;
      const auto end = others.begin() + static_cast<std::ptrdiff_t>(n_others);
      if (std::find(others.begin(), end, word) != end) return;
      others[n_others++] = word;
    } else {
      words[bank] = word;
    }
    ++n_words[bank];
  };
  for (const std::int64_t p : places)
    for (std::int64_t word = p / 4; word * 4 < p + size; ++word) touch(word);
  return std::max<std::int64_t>(*std::max_element(n_words.begin(), n_words.end()), 1) - 1;
}

}  // namespace

std::int64_t bank_conflicts(std::span<const std::int64_t> places, std::int64_t size) {
  std::int64_t conflicts = 0;
  const std::size_t at_once = size == 8 ? 16 : 32;
  for (std::size_t first = 0; first < places.size(); first += at_once)
    conflicts += conflicts_at_once(places.subspan(first, std::min(at_once, places.size() - first)), size);
  return conflicts;
}

}  // namespace fulgurite::kernel::emulator
