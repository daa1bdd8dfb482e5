#include "emit/portable_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "emit/portable_words.h"

namespace fulgurite::emit {

std::optional<VectorType> vector_type(std::string_view word) {
  const std::size_t x = word.find('x');
  if (x == std::string_view::npos || !is_kind(word.substr(0, x))) return std::nullopt;
  int lanes = 0;
  const auto [end, error] = std::from_chars(word.data() + x + 1, word.data() + word.size(), lanes);
  if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return VectorType{std::string(word.substr(0, x)), lanes};
}

int Registers::most_lanes(std::string_view kind) const {
  return bytes_ / bytes_of(kind);
}

std::string Registers::part(const std::string& v, const VectorType& t, int number) const {
  return parts(t) == 1 ? v : fmt::format("{}.p{}", v, number);
}

std::string Registers::definition(const VectorType& t) const {
  const std::string name = t.name();
  if (t.lanes == 1) return fmt::format("typedef {} {}x1;\n", t.kind, t.kind);
  if (const int n = parts(t); n > 1) {
    std::string members;
    for (int p = 0; p < n; ++p) members += fmt::format("{}p{}", p == 0 ? " " : ", ", p);
    return fmt::format("typedef struct {{ {}{}; }} {};\n", VectorType{t.kind, t.lanes / n}.name(), members,
                       name);
  }
  if (t.kind == "b1" && has_bit_masks())
    return fmt::format("typedef {} {};\n", t.lanes <= 8 ? "u8" : "u16", name);
  const std::string element = t.kind == "b1" ? "i32" : t.kind;
  return fmt::format("typedef {} {} __attribute__((vector_size({})));\n", element, name,
                     t.lanes * bytes_of(t.kind));
}

std::string Registers::definitions(std::string_view text) const {
  std::set<VectorType> named;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && is_part_of_name(text[end])) ++end;
    const std::string_view word = text.substr(i, end - i);
    if (const auto type = vector_type(word)) {
      named.insert(*type);
      named.insert({type->kind, lanes_of_part(*type)});
    }
    i = std::max(end, i + 1);
  }
  std::string result;
  for (const VectorType& t : named)
    if (parts(t) == 1) result += definition(t);
  for (const VectorType& t : named)
    if (parts(t) > 1) result += definition(t);
  return result;
}

}  // namespace fulgurite::emit
