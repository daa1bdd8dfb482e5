#include "emit/cpu_prelude.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "base/check.h"
#include "emit/prelude.h"

namespace fulgurite::emit {
namespace {

constexpr std::array<std::string_view, 11> kinds = {"b1",  "i8",  "i16", "i32", "i64", "u8",
                                                    "u16", "u32", "u64", "f32", "f64"};

bool is_kind(std::string_view word) {
  return std::find(kinds.begin(), kinds.end(), word) != kinds.end();
}

// One function of the prelude for one lane count; `to` is empty except for conversions.
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

struct Library {
  std::map<std::string, std::string_view, std::less<>> fixed;  // types, lanes, end
  std::map<Function, int> defined;                             // -> index into sections
  std::vector<Section> sections;
};

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
  for (auto kind = all.begin() + 1; kind != arrow; ++kind) {
    FULGURITE_CHECK(is_kind(*kind), "prelude section '{}': no kind is called '{}'", all[0], *kind);
    if (arrow == all.end()) {
      FULGURITE_CHECK(library.defined.emplace(Function{all[0], *kind, ""}, index).second,
                      "the prelude defines '{}' of {} twice", all[0], *kind);
      continue;
    }
    for (auto to = arrow + 1; to != all.end(); ++to)
      FULGURITE_CHECK(library.defined.emplace(Function{all[0], *kind, *to}, index).second,
                      "the prelude defines '{}' of {} to {} twice", all[0], *kind, *to);
  }
}

Library read_library() {
  Library library;
  constexpr std::string_view mark = "\n//! ", needs_mark = "\n//! needs ";
  for (const PreludeFile& file : prelude_files()) {
    if (!file.name.starts_with("cpu/")) continue;
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
  return library;
}

// fg_exp_f32_x16 -> {exp, f32} and 16. Names that are not of this form are not the prelude's (fg_context, fg_report ...).
std::optional<std::pair<Function, int>> parse_name(std::string_view name) {
  std::size_t x = name.rfind("_x");
  if (x == std::string_view::npos) return std::nullopt;
  int lanes = 0;
  auto [end, error] = std::from_chars(name.data() + x + 2, name.data() + name.size(), lanes);
  if (error != std::errc{} || end != name.data() + name.size()) return std::nullopt;
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

std::map<int, std::set<Function>> functions_named_in(std::string_view text) {
  std::map<int, std::set<Function>> found;
  auto part_of_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  for (std::size_t i = text.find("fg_"); i != std::string_view::npos; i = text.find("fg_", i)) {
    std::size_t end = i;
    while (end < text.size() && part_of_name(text[end])) ++end;
    if (i == 0 || !part_of_name(text[i - 1]))
      if (auto name = parse_name(text.substr(i, end - i))) found[name->second].insert(name->first);
    i = end;
  }
  return found;
}

class Printer {
 public:
  explicit Printer(const Library& library) : library_(library), text_(library.fixed.at("types")) {
    text_ += library.fixed.at("context");
  }

  void print(int lanes, const std::set<Function>& functions) {
    text_ += fmt::format("#define LANES {}\n", lanes);
    text_ += library_.fixed.at("lanes");
    done_.clear();
    for (const Function& function : functions) print(function);
    text_ += "#undef LANES\n";
  }

  std::string finish() {
    text_ += library_.fixed.at("end");
    return std::move(text_);
  }

 private:
  void print(const Function& function) {
    if (!done_.insert(function).second) return;
    auto actual = [&](const std::string& kind) -> std::string {
      if (kind == "KIND") return function.kind;
      if (kind == "TO") return function.to;
      if (kind == "UNSIGNED") return "u" + function.kind.substr(1);
      return kind;
    };
    const Section& section = section_of(function);
    std::vector<Function> again;
    for (const Need& need : section.needs) {
      Function needed{need.function.stem, actual(need.function.kind), actual(need.function.to)};
      if (need.again)
        again.push_back(needed);
      else
        print(needed);
    }
    text_ += fmt::format("#define KIND {}\n", function.kind);
    if (!function.to.empty()) text_ += fmt::format("#define TO {}\n", function.to);
    for (const Function& needed : again) text_ += section_of(needed).text;
    text_ += section.text;
    text_ += function.to.empty() ? "#undef KIND\n" : "#undef KIND\n#undef TO\n";
  }

  const Section& section_of(const Function& function) const {
    auto found = library_.defined.find(function);
    FULGURITE_CHECK(found != library_.defined.end(), "the CPU prelude has no function '{}' of {} {}",
                    function.stem, function.kind, function.to);
    return library_.sections[static_cast<std::size_t>(found->second)];
  }

  const Library& library_;
  std::string text_;
  std::set<Function> done_;
};

}  // namespace

std::string cpu_prelude(std::string_view kernel_text) {
  static const Library library = read_library();  // immutable: the files are part of this program
  Printer printer(library);
  for (const auto& [lanes, functions] : functions_named_in(kernel_text)) printer.print(lanes, functions);
  return printer.finish();
}

}  // namespace fulgurite::emit
