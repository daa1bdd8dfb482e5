// The error of a site, as the user's line meets it.
#pragma once

#include <fulgurite/error.h>

#include <cstdint>
#include <span>
#include <string>

namespace fulgurite::plan {

/// The message of the operation at a site when it fails. The message quotes values (base/quote.h): of a Check
/// its operands; of an index the index and the extent; and the position, the number of the failing element.
struct SiteText {
  enum class Error : std::uint8_t { shape, index, arithmetic, argument, memory };
  Error error = Error::index;
  Where where;
  std::string message;
};
[[noreturn]] void raise(const SiteText&, std::span<const std::int64_t> values, std::int64_t position = 0);

}  // namespace fulgurite::plan
