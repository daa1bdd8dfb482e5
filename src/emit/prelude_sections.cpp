#include "emit/prelude_sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/check.h"
#include "emit/prelude_library.h"
#include "emit/prelude_words.h"

namespace fulgurite::emit {

struct PreludeLibrary::Content : Library {};

namespace {

using Need = Library::Need;
using Section = Library::Section;

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
      while (end < text.size() && is_part_of_name(text[end])) ++end;
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
class SectionPrinter {
 public:
  explicit SectionPrinter(const Library& library) : library_(library) {}

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
  SectionPrinter printer(*content_);
  for (const auto& [lanes, functions] : functions_named_in(kernel_text, content_->has_lanes))
    printer.print(lanes, functions);
  return printer.finish(kernel_text);
}

}  // namespace fulgurite::emit
