#include "base/quote.h"

#include <fmt/format.h>

#include <charconv>

namespace fulgurite::base {

std::string fill_places(std::string_view message,
                        const std::function<std::optional<std::string>(std::string_view)>& text_of) {
  std::string filled;
  while (!message.empty()) {
    const std::size_t begin = message.find('{'), end = message.find('}', begin);
    if (end == message.npos) break;
    filled += message.substr(0, begin);
    if (const auto text = text_of(message.substr(begin + 1, end - begin - 1))) {
      filled += *text;
      message.remove_prefix(end + 1);
    } else {  // a brace of the user's
      filled += '{';
      message.remove_prefix(begin + 1);
    }
  }
  return filled += message;
}

std::optional<ValuePlace> value_place(std::string_view word) {
  const bool is_unsigned = word.ends_with('u');
  if (is_unsigned) word.remove_suffix(1);
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return ValuePlace{number, is_unsigned};
}

std::string number_text(std::int64_t value, bool is_unsigned) {
  return is_unsigned ? fmt::format("{}", static_cast<std::uint64_t>(value)) : fmt::format("{}", value);
}

std::string quote(std::string_view message, std::span<const std::int64_t> values, std::int64_t position) {
  return fill_places(message, [&](std::string_view word) -> std::optional<std::string> {
    if (word == "at") return fmt::format("{}", position);
    if (word == "range" && values.size() > 1)
      return values[1] > 0 ? fmt::format("0..{}", values[1] - 1) : "an empty array";
    const auto place = value_place(word);
    if (!place) return std::nullopt;
    if (values.size() == 2 && place->number == 2) return fmt::format("{}", position);
    if (place->number >= values.size()) return std::nullopt;
    return number_text(values[place->number], place->is_unsigned);
  });
}

}  // namespace fulgurite::base
