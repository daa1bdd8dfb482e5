#include "emit/portable_permute.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "base/text.h"

namespace fulgurite::emit {
namespace {

std::string listed(const std::vector<int>& lanes) {
  return base::join(lanes, ", ", [](int l) { return std::to_string(l); });
}

/// Bits of a mask whose lanes are bits: runs of them are shifted to their places together.
std::string permuted_bits(const std::vector<int>& lanes, int n_from) {
  std::string result;
  for (std::size_t begin = 0; begin < lanes.size();) {
    std::size_t end = begin + 1;
    while (end < lanes.size() && lanes[end] == lanes[end - 1] + 1 && lanes[end] % n_from != 0) ++end;
    const std::uint64_t n = end - begin, ones = n == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1;
    const int from = lanes[begin] % n_from;
    result += fmt::format("{}(({} >> {} & {:#x}u) << {})", result.empty() ? "" : " | ",
                          lanes[begin] < n_from ? "low_bits" : "high_bits", from, ones, begin);
    begin = end;
  }
  return result;
}

/// Names parts of both vectors, from 0 on through `low` and then `high`.
std::string part_of_both(const Registers& r, const VectorType& from, int number) {
  const int n = r.parts(from);
  return r.part(number < n ? "low" : "high", from, number % n);
}

std::string permuted_bits_function(const Registers& r, const std::string& name, const VectorType& from,
                                   const VectorType& to, const std::vector<int>& lanes) {
  auto bits = [&](const std::string& v) { return fmt::format("fg_mask_bits_b1_x{}({})", from.lanes, v); };
  std::string text =
      fmt::format("  const u64 low_bits = {}, high_bits = {};\n  (void)low_bits, (void)high_bits;\n",
                  bits("low"), bits("high"));
  const std::string value = permuted_bits(lanes, from.lanes);
  text += to.lanes == 1 ? fmt::format("  return (b1)({});\n", value)
                        : fmt::format("  return fg_bits_mask_b1_x{}({});\n", to.lanes, value);
  (void)r;
  return fmt::format("FG_INLINE {0} {1}({2} low, {2} high) {{\n{3}}}\n", to.name(), name, from.name(), text);
}

}  // namespace

std::vector<int> lanes_named(std::string_view list) {
  std::vector<int> lanes;
  auto next_number = [&] {
    int n = 0;
    while (!list.empty() && list[0] >= '0' && list[0] <= '9')
      n = 10 * n + (list[0] - '0'), list.remove_prefix(1);
    return n;
  };
  auto take = [&](std::string_view word) {
    if (!list.starts_with(word)) return false;
    list.remove_prefix(word.size());
    return true;
  };
  while (!list.empty()) {
    const int first = next_number();
    if (take("n")) {
      lanes.insert(lanes.end(), static_cast<std::size_t>(next_number()), first);
    } else if (take("to")) {
      const int last = next_number(), step = take("by") ? next_number() : 1;
      for (int l = first; first <= last ? l <= last : l >= last; l += first <= last ? step : -step)
        lanes.push_back(l);
    } else {
      lanes.push_back(first);
    }
    FULGURITE_CHECK(list.empty() || take("_"), "a list of lanes goes on with '{}'", list);
  }
  return lanes;
}

std::string permute_function(const Registers& r, const std::string& name, const VectorType& from,
                             const std::vector<int>& lanes) {
  const VectorType to{from.kind, static_cast<int>(lanes.size())};
  if (from.kind == "b1" && r.has_bit_masks()) return permuted_bits_function(r, name, from, to, lanes);
  std::string text = fmt::format("FG_INLINE {0} {1}({2} low, {2} high) {{\n  (void)low, (void)high;\n",
                                 to.name(), name, from.name());
  if (to.lanes == 1) {
    const int width = r.lanes_of_part(from);
    return text +
           fmt::format("  return {}[{}];\n}}\n", part_of_both(r, from, lanes[0] / width), lanes[0] % width);
  }
  text += fmt::format("  {} r;\n", to.name());
  const int width = r.lanes_of_part(from), n_parts = r.parts(to), to_width = to.lanes / n_parts;
  for (int p = 0; p < n_parts; ++p) {
    const auto begin = lanes.begin() + p * to_width;
    const std::vector<int> wanted(begin, begin + to_width);
    std::vector<int> sources;
    for (int l : wanted)
      if (std::ranges::find(sources, l / width) == sources.end()) sources.push_back(l / width);
    if (sources.size() == 1) sources.push_back(sources[0]);
    // The first two parts by one shuffle, each further one by another; lanes still to come are any.
    std::string value = part_of_both(r, from, sources[0]);
    const int padded = std::max(width, to_width);
    int value_width = width;
    for (std::size_t s = 1; s < sources.size(); ++s) {
      const bool is_last = s + 1 == sources.size();
      const bool is_second = s == 1;
      std::vector<int> list;
      for (int i = 0; i < (is_last ? to_width : padded); ++i) {
        const int l = i < to_width ? wanted[static_cast<std::size_t>(i)] : 0, source = l / width,
                  lane = l % width;
        if (i >= to_width)
          list.push_back(0);
        else if (source == sources[s] && source != sources[0])
          list.push_back(value_width + lane);
        else if (is_second)
          list.push_back(source == sources[0] ? lane : 0);
        else
          list.push_back(i);
      }
      FULGURITE_CHECK(is_last || padded == width, "lanes of more than two registers make a larger one in {}",
                      name);
      value = fmt::format("__builtin_shufflevector({}, {}, {})", value, part_of_both(r, from, sources[s]),
                          listed(list));
    }
    text += fmt::format("  {} = {};\n", r.part("r", to, p), value);
  }
  return text + "  return r;\n}\n";
}

std::string pick_function(const Registers& r, const std::string& name, const VectorType& from, int lane) {
  const int width = r.lanes_of_part(from), part = lane / width;
  const std::string of_part = r.part("v", from, part);
  std::string value = fmt::format("{}[{}]", of_part, lane % width);
  if (from.kind == "b1")
    value = r.has_bit_masks() ? fmt::format("{} >> {} & 1", of_part, lane % width) : value + " & 1";
  return fmt::format("FG_INLINE {} {}({} v) {{ return {}; }}\n", from.kind, name, from.name(), value);
}

}  // namespace fulgurite::emit
