#include "emit/conditions.h"

#include <cctype>
#include <vector>

#include "emit/prelude_library.h"

namespace fulgurite::emit {
namespace {

/// The part of C's expressions that sections use: || && comparisons + - * / % ! parentheses, numbers, defined
/// NAME.
class Condition {
 public:
  Condition(std::string_view text, const NumberOf& number_of) : text_(text), number_of_(number_of) {}

  std::optional<bool> operator()() {
    const long value = either();
    return is_known_ ? std::optional(value != 0) : std::nullopt;
  }

 private:
  bool take(std::string_view token) {
    skip();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  void skip() {
    while (at_ < text_.size() && (std::isspace(static_cast<unsigned char>(text_[at_])) || text_[at_] == '\\'))
      ++at_;
  }
  long either() {
    long value = both();
    while (take("||")) value = static_cast<long>((both() != 0) | (value != 0));
    return value;
  }
  long both() {
    long value = relation();
    while (take("&&")) value = static_cast<long>((relation() != 0) & (value != 0));
    return value;
  }
  long relation() {
    const long left = sum();
    if (take("==")) return left == sum();
    if (take("!=")) return left != sum();
    if (take("<=")) return left <= sum();
    if (take(">=")) return left >= sum();
    if (take("<")) return left < sum();
    if (take(">")) return left > sum();
    return left;
  }
  long sum() {
    long value = product();
    for (;;) {
      if (take("+"))
        value += product();
      else if (take("-"))
        value -= product();
      else
        return value;
    }
  }
  long product() {
    long value = unary();
    while (take("*")) value *= unary();
    return value;
  }
  long unary() {
    if (take("!")) return unary() == 0;
    if (take("(")) {
      const long value = either();
      take(")");
      return value;
    }
    const std::string_view name = word();
    if (name == "defined") {
      const bool has_parentheses = take("(");
      const std::string_view what = word();
      if (has_parentheses) take(")");
      return number_of_(what) ? number(what) : unknown(what);
    }
    return number(name);
  }
  std::string_view word() {
    skip();
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_part_of_name(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  long number(std::string_view name) {
    if (!name.empty() && std::isdigit(static_cast<unsigned char>(name[0])))
      return std::stol(std::string(name));
    const std::optional<long> value = number_of_(name);
    return value ? *value : unknown(name);
  }
  long unknown(std::string_view) {
    is_known_ = false;
    return 0;
  }

  std::string_view text_;
  const NumberOf& number_of_;
  std::size_t at_ = 0;
  bool is_known_ = true;
};

/// One #if: whether we decide, a branch has been taken, lines are printed now.
struct Choice {
  bool is_ours, is_taken, prints;
};

}  // namespace

std::string decide_conditions(std::string_view text, const NumberOf& number_of) {
  std::string result;
  std::vector<Choice> open;
  auto prints = [&] {
    for (const Choice& one : open)
      if (!one.prints) return false;
    return true;
  };
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = text.find('\n', begin);
    while (end != std::string_view::npos && end > begin && text[end - 1] == '\\')
      end = text.find('\n', end + 1);
    end = end == std::string_view::npos ? text.size() : end + 1;
    const std::string_view line = text.substr(begin, end - begin);
    begin = end;
    auto after = [&](std::string_view directive) { return line.substr(directive.size()); };
    if (line.starts_with("#if")) {
      std::optional<bool> holds;
      if (prints()) {
        if (line.starts_with("#ifdef "))
          holds = Condition("defined " + std::string(after("#ifdef ")), number_of)();
        else if (line.starts_with("#if "))
          holds = Condition(after("#if "), number_of)();
      }
      open.push_back({holds.has_value(), holds.value_or(true), holds.value_or(true)});
      if (!holds && prints()) result += line;
    } else if (!open.empty() && (line.starts_with("#elif ") || line.starts_with("#else"))) {
      Choice& last = open.back();
      if (!last.is_ours) {
        if (prints()) result += line;
        continue;
      }
      last.prints = !last.is_taken &&
                    (line.starts_with("#else") || Condition(after("#elif "), number_of)().value_or(false));
      last.is_taken = last.is_taken || last.prints;
    } else if (!open.empty() && line.starts_with("#endif")) {
      const bool is_ours = open.back().is_ours;
      open.back().prints = true;
      if (!is_ours && prints()) result += line;
      open.pop_back();
    } else if (prints()) {
      result += line;
    }
  }
  return result;
}

}  // namespace fulgurite::emit
