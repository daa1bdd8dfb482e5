// Printed kernels whose variables are numbered in the order in which they appear.
#pragma once

#include <cctype>
#include <string>
#include <string_view>
#include <unordered_map>

#include "emit/names.h"

namespace fulgurite::testing_replay {

inline bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// Whether printers give the word to variables. Those that a language predefines are no such names.
inline bool is_name(const std::string& word) {
  static std::unordered_map<std::string, bool> known{{"blockIdx", false}, {"threadIdx", false}};
  const auto [found, is_new] = known.try_emplace(word, false);
  if (is_new) found->second = emit::is_legal(word);
  return found->second;
}

/// The text of a kernel in a language of the C family, with `n0`, `n1`... in place of its own names. Words of
/// the language, types, functions and members stay.
inline std::string with_numbered_names(std::string_view text) {
  std::string numbered;
  std::unordered_map<std::string, std::size_t> numbers;
  for (std::size_t at = 0; at < text.size();) {
    if (!is_word(text[at])) {
      numbered += text[at++];
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && is_word(text[end])) ++end;
    const std::string word(text.substr(at, end - at));
    const std::string_view before = text.substr(0, at);
    const bool is_member = before.ends_with('.') || before.ends_with("->");
    const bool is_function = end < text.size() && text[end] == '(';
    const bool is_number = std::isdigit(static_cast<unsigned char>(word.front())) != 0;
    if (is_member || is_function || is_number || !is_name(word))
      numbered += word;
    else
      numbered += "n" + std::to_string(numbers.try_emplace(word, numbers.size()).first->second);
    at = end;
  }
  return numbered;
}

}  // namespace fulgurite::testing_replay
