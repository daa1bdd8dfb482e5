// The sections of a prelude (their rules: prelude/cpu/types.c) as they are read from its files, and the names
// by which texts ask for them.
#pragma once

#include <cctype>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fulgurite::emit {

/// What the files of a prelude hold.
struct Library {
  /// One function of the prelude for one lane count; `to` is empty except for conversions.
  struct Function {
    std::string stem, kind, to;
    friend auto operator<=>(const Function&, const Function&) = default;
  };
  struct Need {
    Function function;  // in the section's own words: KIND, TO, UNSIGNED
    bool again;         // macros of the section's own kind: printed in front of every section that needs them
  };
  struct Section {
    std::string_view text;  // without the lines that start with "//!"
    std::vector<Need> needs;
  };

  std::map<std::string, std::string_view, std::less<>> fixed;  // types, end, and what has its word for a name
  std::map<Function, int> defined;                             // -> index into sections
  std::vector<Section> sections;
  bool has_lanes = true;  // in the names of functions
};

using Function = Library::Function;

inline bool is_part_of_name(char letter) {
  return std::isalnum(static_cast<unsigned char>(letter)) || letter == '_';
}
bool is_kind(std::string_view word);

/// Words of a section's stem (atomic_add_shared), which may stand for several.
std::optional<std::string> word_of_stem(std::string_view word, std::string_view stem);

/// Split at blanks, commas and ">", which stays.
std::vector<std::string> words(std::string_view text);

/// Adds the sections of all files whose names begin so.
void read(Library&, std::string_view folder);

/// The prelude's functions that a text names, by their lanes.
std::map<int, std::set<Function>> functions_named_in(std::string_view text, bool has_lanes);

/// fg_exp_f32_x16 -> {exp, f32} and 16; without lanes in names fg_exp_f32 -> {exp, f32} and 1. Names that are
/// not of this form are not the prelude's (fg_context, fg_report ...).
std::optional<std::pair<Function, int>> parse_name(std::string_view name, bool has_lanes);

}  // namespace fulgurite::emit
