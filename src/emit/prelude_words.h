// The words in which sections of a prelude are written, in the C that one dialect has for them.
#pragma once

#include <fmt/format.h>

#include "emit/prelude_library.h"

namespace fulgurite::emit {

// The words of a section that stand for its kinds and lanes, replaced here and not by macros: every expansion
// of a macro costs the compiler about a microsecond, a function has hundreds of them, and what is printed
// should be readable.
class Words {
 public:
  Words(const Function& function, int lanes, bool has_lanes)
      : function_(function), lanes_(lanes), suffix_(has_lanes ? fmt::format("_x{}", lanes) : "") {}

  virtual ~Words() = default;

  std::string expand(std::string_view text) const;

 protected:
  virtual std::string name(std::string_view word) const;

  // "16 - 1"
  static int sum(std::string_view text);

  static std::string list(int first, int step, int n);
  static std::string list_of_pairs(int first, int n);

  // From the opening parenthesis on; gives the place behind the closing one.
  std::size_t parse_arguments(std::string_view text, std::size_t open,
                              std::vector<std::string>& arguments) const;

  std::string vector(const std::string& kind) const { return fmt::format("{}x{}", kind, lanes_); }

  static std::string integer_of(const std::string& kind, char sign) { return sign + kind.substr(1); }

  virtual std::optional<std::string> call(std::string_view word, const std::vector<std::string>& a) const;

  Function function_;
  int lanes_;
  std::string suffix_;  // of names
};

}  // namespace fulgurite::emit
