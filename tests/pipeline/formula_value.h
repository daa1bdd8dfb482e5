// The value of a formula as `explain` prints it, "8n + 4*max(n / 2, 1)": what a reader makes of it who knows
// the sizes.
#pragma once

#include <bit>
#include <cctype>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

namespace fulgurite::testing_pipeline {

class FormulaValue {
 public:
  FormulaValue(std::string_view text, const std::map<std::string, std::int64_t>& sizes)
      : text_(text), sizes_(sizes) {}

  /// Throws std::out_of_range for a name that is no size.
  std::int64_t operator()() {
    const std::int64_t value = comparison();
    if (skip(), at_ != text_.size()) throw std::runtime_error("cannot read " + std::string(text_));
    return value;
  }

 private:
  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool takes(std::string_view word) {
    skip();
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  std::int64_t condition() {
    std::int64_t value = comparison();
    for (;;)
      if (takes("&"))
        value &= comparison();
      else if (takes("|"))
        value |= comparison();
      else
        return value;
  }
  std::int64_t comparison() {
    const std::int64_t value = shift();
    if (takes("<=")) return value <= shift();
    if (takes("==")) return value == shift();
    if (takes("!=")) return value != shift();
    if (takes("< ")) return value < shift();
    return value;
  }
  std::int64_t shift() {
    std::int64_t value = sum();
    for (;;)
      if (takes("<<"))
        value <<= sum();
      else if (takes(">>"))
        value >>= sum();
      else
        return value;
  }
  std::int64_t sum() {
    std::int64_t value = product();
    for (;;)
      if (takes("+"))
        value += product();
      else if (takes("-"))
        value -= product();
      else
        return value;
  }
  std::int64_t product() {
    std::int64_t value = factor();
    for (;;) {
      skip();
      if (takes("*"))
        value *= factor();
      else if (takes("/"))
        value /= factor();
      else if (takes("%"))
        value %= factor();
      else if (at_ < text_.size() && (std::isalpha(text_[at_]) || text_[at_] == '('))  // 8n
        value *= factor();
      else
        return value;
    }
  }
  std::int64_t factor() {
    if (takes("-")) return -factor();
    if (takes("(")) return closed(condition());
    if (std::isdigit(text_[at_])) {
      std::int64_t number = 0;
      for (; at_ < text_.size() && std::isdigit(text_[at_]); ++at_) number = 10 * number + (text_[at_] - '0');
      return number;
    }
    std::string name;
    for (; at_ < text_.size() && (std::isalnum(text_[at_]) || text_[at_] == '_'); ++at_) name += text_[at_];
    if (!takes("(")) return sizes_.at(name);
    const std::int64_t first = condition();
    if (name == "i64") return closed(first);
    if (name == "clz") return closed(std::countl_zero(static_cast<std::uint64_t>(first)));
    comma();
    const std::int64_t second = comparison();
    if (name == "min") return closed(std::min(first, second));
    if (name == "max") return closed(std::max(first, second));
    if (name != "select") throw std::runtime_error("cannot compute " + name);
    comma();
    const std::int64_t third = comparison();
    return closed(first != 0 ? second : third);
  }
  void comma() {
    if (!takes(",")) throw std::runtime_error("no comma in " + std::string(text_));
  }
  std::int64_t closed(std::int64_t value) {
    if (!takes(")")) throw std::runtime_error("no bracket in " + std::string(text_));
    return value;
  }

  std::string_view text_;
  const std::map<std::string, std::int64_t>& sizes_;
  std::size_t at_ = 0;
};

}  // namespace fulgurite::testing_pipeline
