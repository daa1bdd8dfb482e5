#include "emit/prelude_words.h"

#include <algorithm>
#include <charconv>

namespace fulgurite::emit {

std::string Words::expand(std::string_view text) const {
  std::string result;
  result.reserve(text.size() + text.size() / 2);
  for (std::size_t i = 0; i < text.size();) {
    if (!is_part_of_name(text[i])) {
      result += text[i++];
      continue;
    }
    std::size_t end = i;
    while (end < text.size() && is_part_of_name(text[end])) ++end;
    std::string_view word = text.substr(i, end - i);
    i = end;
    if (end < text.size() && text[end] == '(') {
      std::vector<std::string> arguments;
      std::size_t after = parse_arguments(text, end, arguments);
      if (auto replaced = call(word, arguments)) {
        result += *replaced;
        i = after;
        continue;
      }
    }
    result += name(word);
  }
  return result;
}

std::string Words::name(std::string_view word) const {
  if (word == "KIND") return function_.kind;
  if (word == "TO" && !function_.to.empty()) return function_.to;
  if (word == "LANES") return std::to_string(lanes_);
  if (word == "HALF") return std::to_string(lanes_ / 2);
  if (auto part = word_of_stem(word, function_.stem)) return *part;
  return std::string(word);
}

int Words::sum(std::string_view text) {
  int total = 0, sign = 1;
  for (const std::string& word : words(text)) {
    int number = 0;
    if (std::from_chars(word.data(), word.data() + word.size(), number).ec == std::errc{})
      total += sign * number;
    sign = word == "-" ? -1 : 1;
  }
  return total;
}

std::string Words::list(int first, int step, int n) {
  std::string numbers;
  for (int k = 0; k < n; ++k) numbers += (k == 0 ? "" : ", ") + std::to_string(first + k * step);
  return numbers;
}

std::string Words::list_of_pairs(int first, int n) {
  std::string text;
  for (int i = first; i < first + n; ++i) text += fmt::format("{}{}, {}", text.empty() ? "" : ", ", i, i);
  return text;
}

std::size_t Words::parse_arguments(std::string_view text, std::size_t open,
                                   std::vector<std::string>& arguments) const {
  int depth = 0;
  std::size_t begin = open + 1;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    bool last = text[i] == ')' && --depth == 0;
    if (last || (text[i] == ',' && depth == 1)) {
      while (text[begin] == ' ') ++begin;
      arguments.push_back(expand(text.substr(begin, i - begin)));
      begin = i + 1;
    }
    if (last) return i + 1;
  }
  return text.size();
}

std::optional<std::string> Words::call(std::string_view word, const std::vector<std::string>& a) const {
  if (word == "ANY") return lanes_ == 1 ? "(" + a[1] + ")" : "(__builtin_reduce_or(" + a[1] + ") != 0)";
  if (word == "NOT") return "!" + a[0];
  if (word == "CHOOSE") return a[1] + " ? " + a[2] + " : " + a[3];
  if (word == "ELEMENTWISE") return "__builtin_elementwise_" + a[0] + "(" + a[2] + ")";
  if (word == "LANE") return lanes_ == 1 ? a[0] : a[0] + "[" + a[1] + "]";
  if (word == "TO_B1")
    return lanes_ == 1 ? "((b1)(" + a[0] + "))"
                       : "__builtin_convertvector(" + a[0] + ", " + vector("b1") + ")";
  if (word == "FN" && a.size() == 2) return fmt::format("fg_{}_{}{}", a[0], a[1], suffix_);
  if (word == "FN2" && a.size() == 3) return fmt::format("fg_{}_{}_{}{}", a[0], a[1], a[2], suffix_);
  if (word == "JOIN" && a.size() == 2) return a[0] + a[1];
  if (word == "LIST") return list(sum(a[0]), sum(a[1]), sum(a[2]));
  if (word == "TWICE") return list_of_pairs(sum(a[0]), sum(a[1]));
  if (a.empty() || !is_kind(a[0])) return std::nullopt;
  const std::string& kind = a[0];
  if (word == "MATH") return function_.stem + (kind == "f32" ? "f" : "");
  if (word == "V") return vector(kind);
  if (word == "HALF_V") return lanes_ == 2 ? kind : fmt::format("{}x{}", kind, lanes_ / 2);
  if (word == "M") return vector(integer_of(kind, 'i'));
  if (word == "INT") return integer_of(kind, 'i');
  if (word == "UINT") return integer_of(kind, 'u');
  if (word == "WRAP") {
    std::string wide = integer_of(kind, 'u');
    return lanes_ > 1                      ? vector(wide)
           : wide == "u8" || wide == "u16" ? "u32"
                                           : wide;  // narrow scalars would become int
  }
  if (word == "S") return fmt::format("(({})({}))", vector(kind), a[1]);
  if (word == "BITS") return fmt::format("__builtin_bit_cast({}, {})", vector(kind), a[1]);
  if (word == "CAST")
    return lanes_ == 1 ? fmt::format("(({})({}))", kind, a[1])
                       : fmt::format("__builtin_convertvector({}, {})", a[1], vector(kind));
  if (word == "MASK") {
    std::string type = vector(integer_of(kind, 'i'));
    return lanes_ == 1 ? fmt::format("(({})({}))", type, a[1])
                       : fmt::format("(__builtin_convertvector({}, {}) != 0)", a[1], type);
  }
  return std::nullopt;
}

}  // namespace fulgurite::emit
