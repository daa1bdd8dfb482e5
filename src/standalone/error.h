// Errors of the static run time: a code and a text in the caller's fg_runtime_error, without exceptions.
#pragma once

#include <fulgurite_runtime.h>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace fulgurite::standalone {

// Text in a buffer of the caller's, cut off where that ends; always ends in a zero.
class Text {
 public:
  Text(char* buffer, std::size_t size) : at_(buffer), end_(buffer + size - 1) { *at_ = 0; }
  Text& operator<<(std::string_view text) {
    for (const char c : text)
      if (at_ < end_) *at_++ = c;
    *at_ = 0;
    return *this;
  }
  Text& operator<<(std::int64_t number);
  Text& number(std::uint64_t number);

 private:
  char* at_;
  char* const end_;
};

// What an operation of the program says when it fails, as in the bundle.
struct Site {
  std::uint32_t error, line;  // plan::SiteText::Error
  std::string_view file, message;
};

// error may be null. Return the status.
template <class... Parts>
fg_runtime_status fail(fg_runtime_error* error, fg_runtime_status status, const Parts&... parts) {
  if (error == nullptr) return status;
  error->status = status;
  error->line = 0;
  error->file[0] = 0;
  Text text(error->message, sizeof error->message);
  (text << ... << parts);
  return status;
}
// The site's message with the values that it quotes (base/quote.h).
fg_runtime_status fail_at(fg_runtime_error* error, const Site&, const std::int64_t* values,
                          std::size_t n_values, std::int64_t position);

}  // namespace fulgurite::standalone
