// Messages of failures: text with places for the numbers that are known when something fails.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace fulgurite::base {

// The message with every {word} for which text_of(word) gives a text replaced by that.
std::string fill_places(std::string_view message,
                        const std::function<std::optional<std::string>(std::string_view)>& text_of);

// The message with values in place of {0}, {1} ..., unsigned ones in place of {0u}, {1u} ..., ones that may
// be either in place of {0?}, {1?} ...; the position, a number of an element, in place of {at}, or of {2}
// where there are two values; and, where values[1] is an extent, "0..n-1" or "an empty array" in place of
// {range}.
std::string quote(std::string_view message, std::span<const std::int64_t> values, std::int64_t position);

// The number of the value that a place is for, and how to read its 64 bits.
enum class Reading : std::uint8_t { as_signed, as_unsigned, as_either };
struct ValuePlace {
  std::size_t number;
  Reading reading;
};
std::optional<ValuePlace> value_place(std::string_view word);
std::string number_text(std::int64_t value, Reading);

}  // namespace fulgurite::base
