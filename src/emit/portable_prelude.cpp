#include "emit/portable_prelude.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <span>

#include "base/check.h"
#include "base/text.h"
#include "emit/conditions.h"
#include "emit/portable_permute.h"
#include "emit/portable_types.h"
#include "emit/portable_words.h"

namespace fulgurite::emit {
namespace {

using Section = Library::Section;

/// The files of a level: what a folder defines stands for what the later ones do.
struct Folders {
  Library registers;  // by intrinsics: vectors of 16 bytes and more
  Library one;        // scalars
  Library all;
  Library cpu;
};

const Folders& folders(Level level) {
  static const auto read_all = [](Level l) {
    auto* f = new Folders;
    if (l == Level::v4) read(f->registers, "portable/v4/");
    if (l == Level::v2 || l == Level::v3) read(f->registers, "portable/v2_v3/");
    read(f->one, "portable/one/");
    read(f->all, "portable/all/");
    read(f->cpu, "cpu/");
    return f;
  };
  static const std::array<const Folders*, 4> levels = {read_all(Level::generic), read_all(Level::v2),
                                                       read_all(Level::v3), read_all(Level::v4)};
  return *levels[static_cast<std::size_t>(level)];
}

/// The bytes of the widest kind whose vectors a text has: the kinds stand after V( and the like.
int widest_in(std::string_view text) {
  int widest = 1;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && is_part_of_name(text[end])) ++end;
    const std::string_view word = text.substr(i, end - i);
    const bool is_argument = i > 0 && (text[i - 1] == '(' || (i > 1 && text[i - 2] == ',')) &&
                             end < text.size() && (text[end] == ')' || text[end] == ',');
    if (is_argument && is_kind(word)) widest = std::max(widest, bytes_of(word));
    i = std::max(end, i + 1);
  }
  return widest;
}

/// Functions that take vectors of any size, as they only hand them on.
bool is_whole(std::string_view stem) {
  constexpr std::array<std::string_view, 6> stems = {"store_streaming", "fail",     "fail_more",
                                                     "fetch_runs",      "prefetch", "splat_bits"};
  return std::ranges::find(stems, stem) != stems.end();
}

/// How far the address of a part's first element is from that of the vector's.
std::string offset(std::string_view stem, int first) {
  if (stem.starts_with("gather") || stem.starts_with("scatter")) return "";
  if (stem.find("strided") != std::string_view::npos || stem.starts_with("transpose"))
    return fmt::format(" + {} * stride", first);
  if (stem.find("reversed") != std::string_view::npos) return fmt::format(" - {}", first);
  if (stem.ends_with("_every_second")) return fmt::format(" + {}", 2 * first);
  return fmt::format(" + {}", first);
}

struct Parameter {
  std::string type, name;
};
struct Signature {
  std::string result;
  std::vector<Parameter> parameters;
};

/// "FG_INLINE f32x8 fg_exp_f32_x8(f32x8 x) {"
Signature parse_signature(std::string_view text, const std::string& name) {
  const std::size_t at = text.find(" " + name + "(");
  FULGURITE_CHECK(at != std::string_view::npos, "the prelude has no function '{}' that calls others", name);
  const std::size_t line = text.rfind('\n', at) + 1, open = at + name.size() + 1,
                    close = text.find(')', open);
  constexpr std::string_view mark = "FG_INLINE ";
  Signature s{std::string(text.substr(line + mark.size(), at - line - mark.size())), {}};
  std::string_view list = text.substr(open + 1, close - open - 1);
  while (!list.empty() && list != "void") {
    const std::size_t comma = std::min(list.find(','), list.size());
    std::string_view one = list.substr(0, comma);
    while (one.starts_with(' ')) one.remove_prefix(1);
    const std::size_t space = one.rfind(' ');
    s.parameters.push_back({std::string(one.substr(0, space)), std::string(one.substr(space + 1))});
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return s;
}

class PortablePrinter {
 public:
  explicit PortablePrinter(Level level) : folders_(folders(level)), registers_(level) {}

  void require_all_of(std::string_view text) {
    for (const auto& [lanes, functions] : functions_named_in(text, true))
      for (const Function& f : functions) require(f, lanes);
  }
  std::string finish(std::string_view phases) const {
    std::string fixed;
    for (const Library* library : {&folders_.all, &folders_.cpu})
      for (const auto& [word, text] : library->fixed) {
        const bool is_type =
            word == "types" || word == "end" || (library == &folders_.cpu && word == "context");
        if (is_type || word == "context" || word == "x86" || word == "fg_touch_text") continue;
        const bool is_named =
            text_.find(word) != std::string::npos || phases.find(word) != std::string_view::npos;
        if (is_named && (library == &folders_.all || !folders_.all.fixed.contains(word))) fixed += text;
      }
    const std::string body = fixed + text_;
    return registers_.definitions(body + std::string(phases)) + body;
  }

 private:
  void require(const Function& f, int lanes) {
    if (!done_.insert({f, lanes}).second) return;
    if (f.stem.starts_with("permute_")) return permute(f, lanes);
    if (f.stem.starts_with("pick_")) return pick(f, lanes);
    const Section* section = find(f, lanes);
    FULGURITE_CHECK(section != nullptr, "the prelude has no function '{}' of {} {} x{} in portable C", f.stem,
                    f.kind, f.to, lanes);
    // The part of a mask of bits in one register is one integer, however wide that is.
    const int most = is_whole(f.stem) ? lanes
                     : f.stem == "mask_bits" && registers_.has_bit_masks()
                         ? registers_.lanes_of_part({"b1", lanes})
                         : registers_.bytes() / widest_of(*section, f);
    if (f.stem == "lane" && lanes > 1) return lane_numbers(f, lanes);
    if (lanes > most) return by_parts(f, lanes, std::max(most, 1));
    for (const Library::Need& need : section->needs) {
      auto actual = [&](const std::string& kind) -> std::string {
        if (kind == "KIND") return f.kind;
        if (kind == "TO") return f.to;
        if (kind == "UNSIGNED") return "u" + f.kind.substr(1);
        return kind;
      };
      if (need.again || need.function.stem == "part_names_" || need.function.stem == "shares_") continue;
      const Function needed{word_of_stem(need.function.stem, f.stem).value_or(need.function.stem),
                            actual(need.function.kind), actual(need.function.to)};
      // Constants and what else is no function of its own name, which is printed where it is called.
      const Section* s = find(needed, lanes);
      if (s != nullptr && s->text.find("FN(" + need.function.stem) == std::string_view::npos)
        once(*s, needed, lanes);
    }
    print(expanded(*section, f, lanes));
  }

  static std::string name_of(const Function& f, int lanes) {
    return fmt::format("fg_{}_{}{}_x{}", f.stem, f.kind, f.to.empty() ? "" : "_" + f.to, lanes);
  }
  /// After all functions that it calls.
  void print(const std::string& text) {
    for (const auto& [lanes, functions] : functions_named_in(text, true))
      for (const Function& f : functions)
        if (!defines(text, name_of(f, lanes))) require(f, lanes);
    text_ += text;
  }
  static bool defines(std::string_view text, const std::string& name) {
    const std::size_t at = text.find(" " + name + "(");
    if (at == std::string_view::npos) return false;
    const std::string_view line = text.substr(text.rfind('\n', at) + 1);
    if (line.find('(') != at + 1 + name.size() - static_cast<std::size_t>(line.data() - text.data()))
      return false;  // a call
    return line.starts_with("FG_INLINE") || line.starts_with("FG_OUT_OF_LINE");
  }
  void once(const Section& section, const Function& f, int lanes) {
    if (!once_.insert(section.text.data()).second) return;
    print(expanded(section, f, lanes));
  }

  /// The bytes of the largest element whose vectors a function has, and those that it calls by its side: such
  /// helpers (log_split_) may take addresses of vectors, which cannot be in parts.
  int widest_of(const Section& section, const Function& f) const {
    int widest = std::max(bytes_of(f.kind), f.to.empty() ? 1 : bytes_of(f.to));
    widest = std::max(widest, widest_in(decide_conditions(
                                  section.text, [&](std::string_view name) { return number_of(name, f); })));
    for (const Library::Need& need : section.needs) {
      if (!need.function.stem.ends_with("_") || need.function.kind == "b1") continue;
      const Function needed{need.function.stem, need.function.kind == "KIND" ? f.kind : need.function.kind,
                            ""};
      if (const Section* s = find(needed, 2)) widest = std::max(widest, widest_of(*s, needed));
    }
    return widest;
  }

  const Section* find(const Function& f, int lanes) const {
    auto in = [&](const Library& library) -> const Section* {
      const auto found = library.defined.find(f);
      return found == library.defined.end() ? nullptr
                                            : &library.sections[static_cast<std::size_t>(found->second)];
    };
    if (lanes == 1) {
      const Section* s = in(folders_.one);
      return s ? s : in(folders_.cpu);
    }
    if (const Section* s = in(folders_.registers)) {
      const int most = registers_.bytes() / widest_of(*s, f);
      if (std::min(lanes, most) * bytes_of(f.kind) >= 16) return s;
    }
    const Section* s = in(folders_.all);
    return s ? s : in(folders_.cpu);
  }

  std::string expanded(const Section& section, const Function& f, int lanes) const {
    std::string text = PortableWords(f, lanes, registers_.level()).expand(section.text);
    text = decide_conditions(text, [&](std::string_view name) { return number_of(name, f); });
    constexpr std::string_view out_of_line = "static __attribute__((noinline, cold, unused))";
    for (std::size_t at; (at = text.find(out_of_line)) != std::string::npos;)
      text.replace(at, out_of_line.size(), "FG_OUT_OF_LINE");
    return text;
  }
  std::optional<long> number_of(std::string_view name, const Function& f) const {
    const Level level = registers_.level();
    const bool is_v3 = level == Level::v3 || level == Level::v4;
    if (name == "FG_PART" || name == "FG_ARM_FMA" || name == "__ARM_FEATURE_FMA") return 0;
    if (name == "FG_BYTES") return bytes_of(f.kind);
    if (name == "FG_FMA" || name == "__FMA__" || name == "FG_AVX2") return is_v3 ? 1 : 0;
    if (name == "FG_SSSE3" || name == "FG_X86") return level != Level::generic ? 1 : 0;
    if (name.starts_with("FG_AVX512")) return level == Level::v4 && name != "FG_AVX512VBMI2" ? 1 : 0;
    return std::nullopt;
  }

  void permute(const Function& f, int lanes) {
    const std::vector<int> list =
        lanes_named(std::string_view(f.stem).substr(std::string_view("permute_").size()));
    print(permute_function(registers_, name_of(f, lanes), {f.kind, lanes}, list));
  }
  void pick(const Function& f, int lanes) {
    const int lane = std::stoi(f.stem.substr(std::string_view("pick_").size()));
    print(pick_function(registers_, name_of(f, lanes), {f.kind, lanes}, lane));
  }
  void lane_numbers(const Function& f, int lanes) {
    const VectorType type{f.kind, lanes};
    const int width = registers_.lanes_of_part(type);
    std::string text =
        fmt::format("FG_INLINE {} {}(void) {{\n  {} r;\n", type.name(), name_of(f, lanes), type.name());
    for (int p = 0; p < registers_.parts(type); ++p) {
      std::string numbers;
      for (int l = 0; l < width; ++l) numbers += fmt::format("{}{}", l == 0 ? "" : ", ", p * width + l);
      text += fmt::format("  {} = ({}){{{}}};\n", registers_.part("r", type, p),
                          VectorType{f.kind, width}.name(), numbers);
    }
    print(text + "  return r;\n}\n");
  }

  /// Lanes [first, first + n) of v as an expression; asks for the functions that it takes.
  std::string slice(const std::string& v, const VectorType& t, int first, int n) {
    const int width = registers_.lanes_of_part(t);
    const std::string part = registers_.part(v, t, first / width);
    if (n == width) return part;
    FULGURITE_CHECK(n < width, "lanes of {} lie in several registers", t.name());
    const int low = first % width;
    if (t.kind == "b1" && registers_.has_bit_masks()) {
      const std::string shifted = low == 0 ? part : fmt::format("({} >> {})", part, low);
      return fmt::format("({})({} & {:#x})", VectorType{"b1", n}.name(), shifted, (1 << n) - 1);
    }
    return fmt::format("fg_permute_{}to{}_{}_x{}({}, {})", low, low + n - 1, t.kind, width, part, part);
  }
  std::string join(std::span<const std::string> pieces, const VectorType& piece) {
    if (pieces.size() == 1) return pieces[0];
    const std::size_t half = pieces.size() / 2;
    const VectorType of_half{piece.kind, piece.lanes * static_cast<int>(half)};
    const std::string low = join(pieces.first(half), piece), high = join(pieces.subspan(half), piece);
    if (piece.kind == "b1" && registers_.has_bit_masks())
      return fmt::format("({})({} | {} << {})", VectorType{"b1", 2 * of_half.lanes}.name(), low, high,
                         of_half.lanes);
    return fmt::format("fg_permute_0to{}_{}_x{}({}, {})", 2 * of_half.lanes - 1, piece.kind, of_half.lanes,
                       low, high);
  }

  /// The function of each part.
  void by_parts(const Function& f, int lanes, int width) {
    require(f, width);
    const std::string name = name_of(f, width);
    const Signature s = parse_signature(expanded(*find(f, width), f, width), name);
    auto widened = [&](const std::string& type) {
      const auto t = vector_type(type);
      return t && t->lanes == width ? VectorType{t->kind, lanes}.name() : type;
    };
    std::string parameters;
    for (const Parameter& p : s.parameters)
      parameters += fmt::format("{}{} {}", parameters.empty() ? "" : ", ", widened(p.type), p.name);
    std::string text = fmt::format("FG_INLINE {} {}({}) {{\n", widened(s.result), name_of(f, lanes),
                                   parameters.empty() ? "void" : parameters);
    std::vector<std::string> calls;
    for (int first = 0; first < lanes; first += width) {
      std::string arguments;
      for (const Parameter& p : s.parameters) {
        const auto t = vector_type(p.type);
        const bool is_address = p.type.ends_with('*') && f.stem != "pack";
        const bool is_tile = p.name == "tile";
        std::string argument = p.name;
        if (t)
          argument = slice(p.name, {t->kind, lanes}, first, width);
        else if (f.stem == "bits_mask" && first > 0)
          argument += fmt::format(" >> {}", first);
        else if (is_address && first > 0)
          argument += is_tile ? fmt::format(" + {}", first) : offset(f.stem, first);
        arguments += (arguments.empty() ? "" : ", ") + argument;
      }
      calls.push_back(fmt::format("{}({})", name, arguments));
    }
    text += body_of_parts(f, s, calls, lanes, width) + "}\n";
    print(text);
  }

  std::string body_of_parts(const Function& f, const Signature& s, const std::vector<std::string>& calls,
                            int lanes, int width) {
    std::string text;
    if (s.result == "void") {
      for (const std::string& one : calls) text += "  " + one + ";\n";
      return text;
    }
    if (f.stem == "pack") {
      for (const std::string& one : calls) text += "  p = " + one + ";\n";
      return text + "  return p;\n";
    }
    const auto piece = vector_type(s.result);
    if (f.stem == "mask_bits") {
      std::string bits = calls[0];
      for (std::size_t k = 1; k < calls.size(); ++k)
        bits += fmt::format(" | {} << {}", calls[k], static_cast<int>(k) * width);
      return "  return " + bits + ";\n";
    }
    if (!piece) {
      const std::string_view sign = f.stem == "any" ? " || " : f.stem == "all" ? " && " : " + ";
      return "  return " + base::join(calls, sign, [](const std::string& one) { return one; }) + ";\n";
    }
    const VectorType to{piece->kind, lanes};
    const int of_part = registers_.lanes_of_part(to) / width;
    text += fmt::format("  {} r;\n", to.name());
    for (int p = 0; p < registers_.parts(to); ++p) {
      const auto begin = static_cast<std::size_t>(p * of_part);
      const std::span pieces(calls.data() + begin, static_cast<std::size_t>(of_part));
      text += fmt::format("  {} = {};\n", registers_.part("r", to, p), join(pieces, *piece));
    }
    return text + "  return r;\n";
  }

  const Folders& folders_;
  Registers registers_;
  std::set<std::pair<Function, int>> done_;
  std::set<const char*> once_;
  std::string text_;
};

std::string_view fixed(const Library& library, std::string_view word) {
  const auto found = library.fixed.find(word);
  FULGURITE_CHECK(found != library.fixed.end(), "the prelude has no section '{}'", word);
  return found->second;
}

}  // namespace

std::string portable_prelude(std::string_view phases, Level level) {
  const Folders& f = folders(level);
  PortablePrinter printer(level);
  printer.require_all_of(phases);
  std::string target(fixed(f.all, fmt::format("target_{}", name_of(level))));
  return std::string(fixed(f.all, "opening")) + target + std::string(fixed(f.all, "types")) +
         std::string(fixed(f.cpu, "context")) + printer.finish(phases);
}

const std::string_view portable_end =
    "#if defined __clang__\n#pragma clang diagnostic pop\n#else\n#pragma GCC diagnostic pop\n#pragma GCC "
    "pop_options\n"
    "#endif\n";

}  // namespace fulgurite::emit
