#include "emit/prelude_sections.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "base/check.h"
#include "emit/prelude.h"

namespace fulgurite::emit {

struct PreludeLibrary::Content {
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

namespace {

using Library = PreludeLibrary::Content;
using Function = Library::Function;
using Need = Library::Need;
using Section = Library::Section;

constexpr std::array<std::string_view, 11> kinds = {"b1",  "i8",  "i16", "i32", "i64", "u8",
                                                    "u16", "u32", "u64", "f32", "f64"};

bool part_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

bool is_kind(std::string_view word) {
  return std::find(kinds.begin(), kinds.end(), word) != kinds.end();
}

constexpr std::string_view of_shared = "_shared";

// Words of a section's stem (atomic_add_shared), which may stand for several.
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

// fg_exp_f32_x16 -> {exp, f32} and 16; without lanes in names fg_exp_f32 -> {exp, f32} and 1. Names that are
// not of this form are not the prelude's (fg_context, fg_report ...).
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
    while (end < text.size() && part_of_name(text[end])) ++end;
    if (i == 0 || !part_of_name(text[i - 1]))
      if (auto name = parse_name(text.substr(i, end - i), has_lanes)) found[name->second].insert(name->first);
    i = end;
  }
  return found;
}

constexpr std::array<std::string_view, 7> lane_counts = {"1", "2", "4", "8", "16", "32", "64"};

// Definitions of the vector types that the texts name, f32x16 or, of some count of lanes, FG_VECTOR(f32, ..):
// a compiler takes longer for those of all kinds and counts than for many a kernel.
std::string vector_types(std::initializer_list<std::string_view> texts) {
  std::set<std::pair<std::string_view, std::string_view>> named;  // kind, lanes
  auto add = [&](std::string_view word, bool any_count) {
    const std::string_view kind = word.substr(0, word.find('x'));
    if (!is_kind(kind)) return;
    for (std::string_view lanes : lane_counts)
      if (any_count || word.substr(kind.size()) == fmt::format("x{}", lanes)) named.emplace(kind, lanes);
  };
  constexpr std::string_view macro = "FG_VECTOR";
  for (std::string_view text : texts) {
    for (std::size_t i = 0; i < text.size();) {
      std::size_t end = i;
      while (end < text.size() && part_of_name(text[end])) ++end;
      const std::string_view word = text.substr(i, end - i);
      if (word == macro) {
        const std::size_t kind = end + 1;  // behind the parenthesis
        add(text.substr(kind, text.find_first_of(",)", kind) - kind), true);
      } else if (!word.empty() && std::isalpha(static_cast<unsigned char>(word[0]))) {
        add(word, false);
      }
      i = std::max(end, i + 1);
    }
  }
  std::string result;
  for (const auto& [kind, lanes] : named)
    result += lanes == "1" ? fmt::format("typedef {0} {0}x1;\n", kind)
                           : fmt::format("FG_TYPE({}, {});\n", kind, lanes);
  return result;
}

// The words of a section that stand for its kinds and lanes, replaced here and not by macros: every expansion
// of a macro costs the compiler about a microsecond, a function has hundreds of them, and what is printed
// should be readable.
class Words {
 public:
  Words(const Function& function, int lanes, bool has_lanes)
      : function_(function), lanes_(lanes), suffix_(has_lanes ? fmt::format("_x{}", lanes) : "") {}

  std::string expand(std::string_view text) const {
    std::string result;
    result.reserve(text.size() + text.size() / 2);
    for (std::size_t i = 0; i < text.size();) {
      if (!part_of_name(text[i])) {
        result += text[i++];
        continue;
      }
      std::size_t end = i;
      while (end < text.size() && part_of_name(text[end])) ++end;
      std::string_view word = text.substr(i, end - i);
      i = end;
      if (end < text.size() && text[end] == '(') {
        std::vector<std::string> arguments;
        std::size_t after = parse_arguments(text, end, arguments);
        if (auto replaced = call(word, arguments)) {
          result += *replaced;
          i = after;
          continue;
        }
      }
      result += name(word);
    }
    return result;
  }

 private:
  std::string name(std::string_view word) const {
    if (word == "KIND") return function_.kind;
    if (word == "TO" && !function_.to.empty()) return function_.to;
    if (word == "LANES") return std::to_string(lanes_);
    if (word == "HALF") return std::to_string(lanes_ / 2);
    if (auto part = word_of_stem(word, function_.stem)) return *part;
    return std::string(word);
  }

  // "16 - 1"
  static int sum(std::string_view text) {
    int total = 0, sign = 1;
    for (const std::string& word : words(text)) {
      int number = 0;
      if (std::from_chars(word.data(), word.data() + word.size(), number).ec == std::errc{})
        total += sign * number;
      sign = word == "-" ? -1 : 1;
    }
    return total;
  }

  static std::string list(int first, int step, int n) {
    std::string numbers;
    for (int k = 0; k < n; ++k) numbers += (k == 0 ? "" : ", ") + std::to_string(first + k * step);
    return numbers;
  }

  // From the opening parenthesis on; gives the place behind the closing one.
  std::size_t parse_arguments(std::string_view text, std::size_t open,
                              std::vector<std::string>& arguments) const {
    int depth = 0;
    std::size_t begin = open + 1;
    for (std::size_t i = open; i < text.size(); ++i) {
      if (text[i] == '(') ++depth;
      bool last = text[i] == ')' && --depth == 0;
      if (last || (text[i] == ',' && depth == 1)) {
        while (text[begin] == ' ') ++begin;
        arguments.push_back(expand(text.substr(begin, i - begin)));
        begin = i + 1;
      }
      if (last) return i + 1;
    }
    return text.size();
  }

  std::string vector(const std::string& kind) const { return fmt::format("{}x{}", kind, lanes_); }

  static std::string integer_of(const std::string& kind, char sign) { return sign + kind.substr(1); }

  std::optional<std::string> call(std::string_view word, const std::vector<std::string>& a) const {
    if (word == "ANY") return lanes_ == 1 ? "(" + a[0] + ")" : "(__builtin_reduce_or(" + a[0] + ") != 0)";
    if (word == "LANE") return lanes_ == 1 ? a[0] : a[0] + "[" + a[1] + "]";
    if (word == "TO_B1")
      return lanes_ == 1 ? "((b1)(" + a[0] + "))"
                         : "__builtin_convertvector(" + a[0] + ", " + vector("b1") + ")";
    if (word == "FN" && a.size() == 2) return fmt::format("fg_{}_{}{}", a[0], a[1], suffix_);
    if (word == "FN2" && a.size() == 3) return fmt::format("fg_{}_{}_{}{}", a[0], a[1], a[2], suffix_);
    if (word == "JOIN" && a.size() == 2) return a[0] + a[1];
    if (word == "LIST") return list(sum(a[0]), sum(a[1]), sum(a[2]));
    if (a.empty() || !is_kind(a[0])) return std::nullopt;
    const std::string& kind = a[0];
    if (word == "MATH") return function_.stem + (kind == "f32" ? "f" : "");
    if (word == "V") return vector(kind);
    if (word == "HALF_V") return lanes_ == 2 ? kind : fmt::format("{}x{}", kind, lanes_ / 2);
    if (word == "M") return vector(integer_of(kind, 'i'));
    if (word == "INT") return integer_of(kind, 'i');
    if (word == "UINT") return integer_of(kind, 'u');
    if (word == "WRAP") {
      std::string wide = integer_of(kind, 'u');
      return lanes_ > 1                      ? vector(wide)
             : wide == "u8" || wide == "u16" ? "u32"
                                             : wide;  // narrow scalars would become int
    }
    if (word == "S") return fmt::format("(({})({}))", vector(kind), a[1]);
    if (word == "BITS") return fmt::format("__builtin_bit_cast({}, {})", vector(kind), a[1]);
    if (word == "CAST")
      return lanes_ == 1 ? fmt::format("(({})({}))", kind, a[1])
                         : fmt::format("__builtin_convertvector({}, {})", a[1], vector(kind));
    if (word == "MASK") {
      std::string type = vector(integer_of(kind, 'i'));
      return lanes_ == 1 ? fmt::format("(({})({}))", type, a[1])
                         : fmt::format("(__builtin_convertvector({}, {}) != 0)", a[1], type);
    }
    return std::nullopt;
  }

  const Function& function_;
  int lanes_;
  std::string suffix_;  // of names
};

class Printer {
 public:
  explicit Printer(const Library& library) : library_(library) {}

  void print(int lanes, const std::set<Function>& functions) {
    lanes_ = lanes;
    done_.clear();
    for (const Function& function : functions) print(function);
  }

  /// Types first, and what the kernel or a function of its names by the section's own word.
  std::string finish(std::string_view kernel_text) {
    std::string result(library_.fixed.at("types"));
    if (library_.has_lanes) result += vector_types({kernel_text, text_});
    for (const auto& [word, text] : library_.fixed) {
      const bool is_named =
          text_.find(word) != std::string::npos || kernel_text.find(word) != std::string::npos;
      if (word != "types" && word != "end" && is_named) result += text;
    }
    return result + text_ + std::string(library_.fixed.at("end"));
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
    auto actual_stem = [&](const std::string& stem) {
      return word_of_stem(stem, function.stem).value_or(stem);
    };
    const Section& section = section_of(function);
    std::vector<Function> again;
    for (const Need& need : section.needs) {
      Function needed{actual_stem(need.function.stem), actual(need.function.kind), actual(need.function.to)};
      if (need.again)
        again.push_back(needed);
      else
        print(needed);
    }
    Words words(function, lanes_, library_.has_lanes);
    for (const Function& needed : again) text_ += words.expand(section_of(needed).text);
    text_ += words.expand(section.text);
  }

  const Section& section_of(const Function& function) const {
    auto found = library_.defined.find(function);
    FULGURITE_CHECK(found != library_.defined.end(), "the prelude has no function '{}' of {} {}",
                    function.stem, function.kind, function.to);
    return library_.sections[static_cast<std::size_t>(found->second)];
  }

  const Library& library_;
  std::string text_;
  std::set<Function> done_;
  int lanes_ = 0;
};

}  // namespace

PreludeLibrary::PreludeLibrary(std::initializer_list<std::string_view> folders, LanesInNames lanes)
    : content_(std::make_unique<Content>()) {
  content_->has_lanes = lanes == LanesInNames::yes;
  for (std::string_view folder : folders) read(*content_, folder);
}

PreludeLibrary::~PreludeLibrary() = default;

std::string PreludeLibrary::needed_by(std::string_view kernel_text) const {
  Printer printer(*content_);
  for (const auto& [lanes, functions] : functions_named_in(kernel_text, content_->has_lanes))
    printer.print(lanes, functions);
  return printer.finish(kernel_text);
}

}  // namespace fulgurite::emit
