#include "ahead/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>

#include "ahead/sections.h"
#include "ahead/signature.h"
#include "ahead/sizes.h"
#include "base/text.h"
#include "emit/host_prelude.h"
#include "emit/prelude.h"
#include "scalar/value.h"

namespace fulgurite::ahead {

std::string captured_text(const Program& program, std::string_view storage, std::string_view name) {
  std::string text;
  for (std::size_t k = 0; k < program.captured.size(); ++k) {
    const Captured& array = program.captured[k];
    const std::size_t bytes = scalar::size_of(array.kind), n = array.elements.size() / bytes;
    text += fmt::format(
        "{} {} {}{}[{}] = {{", storage,
        emit::host.types[static_cast<std::size_t>(array.kind == Kind::boolean ? Kind::u8 : array.kind)], name,
        k, std::max<std::size_t>(n, 1));
    for (std::size_t i = 0; i < n; ++i) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, array.elements.data() + i * bytes, bytes);
      if (scalar::is_integer(array.kind) && scalar::is_signed(array.kind)) {
        const int shift = static_cast<int>(64 - 8 * bytes);
        bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(bits << shift) >> shift);
      }
      if (i % 16 == 0) text += "\n  ";
      text +=
          emit::literal(emit::host, array.kind == Kind::boolean ? Kind::u8 : array.kind, bits, false).text +
          ", ";
    }
    text += n == 0 ? "0};\n" : "\n};\n";
  }
  return text.empty() ? text : text + "\n";
}

std::string sites_text(const Program& program) {
  constexpr const char* status[] = {"FG_SHAPE", "FG_INDEX", "FG_ARITHMETIC", "FG_ARGUMENT", "FG_MEMORY"};
  std::string text = "static const fg_site sites[] = {\n";
  for (const plan::SiteText& site : program.sites)
    text += fmt::format("  {{{}, {}, {}, {}}},\n", status[static_cast<std::size_t>(site.error)],
                        site.where.line, quoted(site.where.file), quoted(site.message));
  return text + "};\n\n";
}

bool kernels_fail(const Program& program) {
  return std::ranges::any_of(program.plan.kernels, [](const plan::KernelText& k) { return k.can_fail; });
}

std::string kernels_text(const Program& program) {
  std::string text;
  std::vector<std::string> printed;
  for (const KernelText& kernel : program.kernels) {
    if (std::ranges::find(printed, kernel.name) != printed.end()) continue;
    printed.push_back(kernel.name);
    text += "// " + kernel.comment + "\n" + kernel.phases + "\n";
  }
  return text;
}

std::string function_text(const std::string& name, const std::vector<std::string>& parameters,
                          bool with_call) {
  std::string all = base::join(parameters, ", ", [](const std::string& p) { return p; });
  if (with_call) all += all.empty() ? "const fg_call* call" : ", const fg_call* call";
  if (all.empty()) all = "void";
  return name + "(" + all + ")";
}

std::string guard_of(const Program& program) {
  std::string guard = program.name;
  for (char& c : guard) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return guard;
}

std::string capacity_declarations(const Program& program) {
  std::string text;
  for (const Value& value : program.results) {
    if (value.rank == 0) continue;
    text += fmt::format(
        "\n/* How many elements {0} can have, which is how large the memory for it has to be; -1: only the "
        "call itself finds out,\n"
        "   and returns FG_CAPACITY with the extents where that is too small. */\n",
        value.name);
    text += "int64_t " +
            function_text(program.name + "_" + value.name + "_capacity", size_declarations(program), false) +
            ";\n";
  }
  return text;
}

std::string capacity_functions(const Program& program) {
  std::string text;
  for (std::size_t r = 0, first = 0; r < program.results.size(); first += program.results[r++].kinds.size()) {
    const Value& value = program.results[r];
    if (value.rank == 0) continue;
    text += "\nint64_t " +
            function_text(program.name + "_" + value.name + "_capacity", size_declarations(program), false) +
            " {\n" + capacity_text(program, first) + "}\n";
  }
  return text;
}

std::string extents_refused(const Program& program) {
  std::string refused;
  for (const Value& value : program.parameters)
    for (const std::string& extent : extent_names(value))
      refused += fmt::format("{}{} < 0 || {} > (int64_t)1 << 46", refused.empty() ? "" : " ||\n      ",
                             extent, extent);
  if (refused.empty()) return refused;
  return "  if (" + refused +
         ") {\n    const fg_error error = {FG_ARGUMENT, 0, \"\", \"an extent is negative, or larger than any "
         "memory\"};\n    if (call && call->error) *call->error = error;\n    return FG_ARGUMENT;\n  }\n";
}

std::string room_function(std::string_view program, std::string_view bytes) {
  if (!mentions(program, "fg_room")) return {};
  return fmt::format(
      "// Bytes that an array with this many elements takes.\n"
      "FG_INLINE i64 fg_room(i64 elements, i64 bytes) {{ return {}; }}\n\n",
      bytes);
}

std::string run_time_for(std::string_view program, std::string_view file) {
  std::string all;
  for (const std::string_view name : {std::string_view("host/failures.c"), file}) {
    const std::string_view text = emit::prelude(name);
    all += text.substr(text.find("//! "));
  }
  return sections_for(program, all);
}

}  // namespace fulgurite::ahead
