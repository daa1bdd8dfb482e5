#include "emit/prelude_library.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "base/check.h"
#include "emit/prelude.h"

namespace fulgurite::emit {
namespace {

using Need = Library::Need;
using Section = Library::Section;

constexpr std::array<std::string_view, 11> kinds = {"b1",  "i8",  "i16", "i32", "i64", "u8",
                                                    "u16", "u32", "u64", "f32", "f64"};
constexpr std::string_view of_shared = "_shared";

}  // namespace

bool is_kind(std::string_view word) {
  return std::find(kinds.begin(), kinds.end(), word) != kinds.end();
}

std::optional<std::string> word_of_stem(std::string_view word, std::string_view stem) {
  const bool is_shared = stem.ends_with(of_shared);
  if (word == "STEM") return std::string(stem);
  if (word == "SPACE") return is_shared ? "FG_SHARED" : "FG_GLOBAL";
  if (word == "SWAP") return fmt::format("atomic_compare_exchange{}", is_shared ? of_shared : "");
  if (word != "WHAT") return std::nullopt;
  stem.remove_suffix(is_shared ? of_shared.size() : 0);
  return std::string(stem.substr(std::min(stem.size(), stem.find('_') + 1)));
}

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> found;
  for (std::size_t i = 0; i < text.size();) {
    if (std::isspace(static_cast<unsigned char>(text[i])) || text[i] == ',') {
      ++i;
      continue;
    }
    if (text[i] == '>') {
      found.emplace_back(">");
      ++i;
      continue;
    }
    std::size_t end = text.find_first_of(" \t,>", i);
    found.emplace_back(text.substr(i, end - i));
    i = std::min(end, text.size());
  }
  return found;
}

namespace {

// "[again] stem kind[>kind]", repeated.
std::vector<Need> parse_needs(std::string_view line) {
  std::vector<Need> needs;
  std::vector<std::string> all = words(line);
  for (std::size_t i = 0; i < all.size();) {
    bool again = all[i] == "again";
    i += again;
    FULGURITE_CHECK(i + 1 < all.size(), "a prelude section needs '{}': a stem and a kind are expected", line);
    Need need{{all[i], all[i + 1], ""}, again};
    i += 2;
    if (i + 1 < all.size() && all[i] == ">") {
      need.function.to = all[i + 1];
      i += 2;
    }
    needs.push_back(need);
  }
  return needs;
}

void parse_section(Library& library, std::string_view heading, std::string_view text) {
  std::vector<std::string> all = words(heading);
  FULGURITE_CHECK(!all.empty(), "a prelude section without a name");
  if (all.size() == 1) {
    library.fixed.emplace(all[0], text);
    return;
  }
  Section section;
  constexpr std::string_view needs = "//! needs ";
  if (text.starts_with(needs)) {
    std::size_t end = text.find('\n');
    section.needs = parse_needs(text.substr(needs.size(), end - needs.size()));
    text.remove_prefix(end + 1);
  }
  section.text = text;
  int index = static_cast<int>(library.sections.size());
  library.sections.push_back(section);
  auto arrow = std::find(all.begin(), all.end(), ">");
  auto kinds_begin = std::find_if(all.begin() + 1, arrow, [](const std::string& w) { return is_kind(w); });
  FULGURITE_CHECK(kinds_begin != arrow, "prelude section '{}' is of no kind", all[0]);
  for (auto stem = all.begin(); stem != kinds_begin; ++stem)
    for (auto kind = kinds_begin; kind != arrow; ++kind) {
      FULGURITE_CHECK(is_kind(*kind), "prelude section '{}': no kind is called '{}'", *stem, *kind);
      if (arrow == all.end()) {
        FULGURITE_CHECK(library.defined.emplace(Function{*stem, *kind, ""}, index).second,
                        "the prelude defines '{}' of {} twice", *stem, *kind);
        continue;
      }
      for (auto to = arrow + 1; to != all.end(); ++to)
        FULGURITE_CHECK(library.defined.emplace(Function{*stem, *kind, *to}, index).second,
                        "the prelude defines '{}' of {} to {} twice", *stem, *kind, *to);
    }
}

}  // namespace

void read(Library& library, std::string_view folder) {
  constexpr std::string_view mark = "\n//! ", needs_mark = "\n//! needs ";
  for (const PreludeFile& file : prelude_files()) {
    if (!file.name.starts_with(folder)) continue;
    std::size_t mark_at = file.text.find(mark);
    while (mark_at != std::string_view::npos) {
      std::size_t heading = mark_at + mark.size();
      std::size_t text = file.text.find('\n', heading) + 1;
      mark_at = file.text.find(mark, text - 1);
      if (mark_at != std::string_view::npos && file.text.substr(mark_at).starts_with(needs_mark))
        mark_at = file.text.find(mark, mark_at + 1);
      std::size_t end = mark_at == std::string_view::npos ? file.text.size() : mark_at + 1;
      parse_section(library, file.text.substr(heading, text - 1 - heading),
                    file.text.substr(text, end - text));
    }
  }
}

std::optional<std::pair<Function, int>> parse_name(std::string_view name, bool has_lanes) {
  int lanes = 1;
  std::size_t x = has_lanes ? name.rfind("_x") : name.size();
  if (x == std::string_view::npos) return std::nullopt;
  if (has_lanes) {
    auto [end, error] = std::from_chars(name.data() + x + 2, name.data() + name.size(), lanes);
    if (error != std::errc{} || end != name.data() + name.size()) return std::nullopt;
  }
  name = name.substr(3, x - 3);
  std::size_t last = name.rfind('_');
  if (last == std::string_view::npos || !is_kind(name.substr(last + 1))) return std::nullopt;
  Function function{std::string(name.substr(0, last)), std::string(name.substr(last + 1)), ""};
  std::size_t before = function.stem.rfind('_');
  if (before != std::string::npos && is_kind(std::string_view(function.stem).substr(before + 1))) {
    function.to = function.kind;
    function.kind = function.stem.substr(before + 1);
    function.stem.resize(before);
  }
  return std::pair{function, lanes};
}

std::map<int, std::set<Function>> functions_named_in(std::string_view text, bool has_lanes) {
  std::map<int, std::set<Function>> found;
  for (std::size_t i = text.find("fg_"); i != std::string_view::npos; i = text.find("fg_", i)) {
    std::size_t end = i;
    while (end < text.size() && is_part_of_name(text[end])) ++end;
    if (i == 0 || !is_part_of_name(text[i - 1]))
      if (auto name = parse_name(text.substr(i, end - i), has_lanes)) found[name->second].insert(name->first);
    i = end;
  }
  return found;
}

}  // namespace fulgurite::emit
