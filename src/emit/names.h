// Identifiers for printed text: a user's or a pass's name, made legal for every C-family language and unique
// in the translation unit.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace fulgurite::emit {

/// Whether a user may give this name to a function of all languages: an identifier that none of them, nor a
/// prelude of ours, has taken.
bool is_legal(std::string_view name);

class Names {
 public:
  /// An identifier that was not given before: `wanted` if that is legal and free, else with characters
  /// replaced or a number at its end.
  std::string fresh(std::string_view wanted);

 private:
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, int> last_number_;  // of each base name, so that n equal names take n steps
};

}  // namespace fulgurite::emit
