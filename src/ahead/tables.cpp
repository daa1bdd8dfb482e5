#include "ahead/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "ahead/sections.h"
#include "ahead/signature.h"
#include "base/text.h"
#include "emit/host_prelude.h"
#include "emit/prelude.h"
#include "scalar/value.h"

namespace fulgurite::ahead {

std::string captured_text(const Program& program, std::string_view storage) {
  std::string text;
  for (std::size_t k = 0; k < program.captured.size(); ++k) {
    const Captured& array = program.captured[k];
    const std::size_t bytes = scalar::size_of(array.kind), n = array.elements.size() / bytes;
    text += fmt::format(
        "{} {} captured{}[{}] = {{", storage,
        emit::host.types[static_cast<std::size_t>(array.kind == Kind::boolean ? Kind::u8 : array.kind)], k,
        std::max<std::size_t>(n, 1));
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

std::string run_time_for(std::string_view program, std::string_view file) {
  std::string all;
  for (const std::string_view name : {std::string_view("host/failures.c"), file}) {
    const std::string_view text = emit::prelude(name);
    all += text.substr(text.find("//! "));
  }
  return sections_for(program, all);
}

}  // namespace fulgurite::ahead
