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
  const Reading reading = word.ends_with('u')   ? Reading::as_unsigned
                          : word.ends_with('?') ? Reading::as_either
                                                : Reading::as_signed;
  if (reading != Reading::as_signed) word.remove_suffix(1);
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return ValuePlace{number, reading};
}

std::string number_text(std::int64_t value, Reading reading) {
  if (value >= 0 || reading == Reading::as_signed) return fmt::format("{}", value);
  const std::string number = fmt::format("{}", static_cast<std::uint64_t>(value));
  return reading == Reading::as_unsigned ? number : fmt::format("{} (or {} if it is signed)", number, value);
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
    return number_text(values[place->number], place->reading);
  });
}

}  // namespace fulgurite::base
