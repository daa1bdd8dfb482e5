#include "ahead/structs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <vector>

#include "ahead/signature.h"
#include "emit/names.h"

namespace fulgurite::ahead {
namespace {

// The struct, or a struct of the application's with at least these members.
std::string type_text(const std::string& type, const Value& value) {
  std::string fields, macro = type + "_STRUCT";
  for (std::size_t c = 0; c < value.kinds.size(); ++c)
    fields += fmt::format("  {} {};\n", c_type(value.kinds[c]), value.components[c]);
  for (char& c : macro) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return fmt::format(
      "\n/* An element of {0}. A type of yours with these members takes its place where you define {2} as "
      "that type. */\n"
      "#ifdef {2}\ntypedef {2} {1};\n#else\ntypedef struct {1} {{\n{3}}} {1};\n#endif\n",
      value.name, type, macro, fields);
}

std::string converters_text(const std::string& type, const Value& value) {
  std::string constant_arrays, arrays, splits, joins;
  for (std::size_t c = 0; c < value.kinds.size(); ++c) {
    const std::string kind = c_type(value.kinds[c]), field = value.components[c];
    const std::string array = component_name(value, c);
    constant_arrays += fmt::format("const {}* {}, ", kind, array);
    arrays += fmt::format(", {}* {}", kind, array);
    splits += fmt::format("    {}[i] = structs[i].{};\n", array, field);
    joins += fmt::format("    structs[i].{} = {}[i];\n", field, array);
  }
  return fmt::format(
      "/* n elements as one array for each member, and back. */\n"
      "static inline void {0}_split(const {0}* structs, int64_t n{1}) {{\n"
      "  for (int64_t i = 0; i < n; ++i) {{\n{2}  }}\n}}\n"
      "static inline void {0}_join({3}int64_t n, {0}* structs) {{\n"
      "  for (int64_t i = 0; i < n; ++i) {{\n{4}  }}\n}}\n",
      type, arrays, splits, constant_arrays, joins);
}

}  // namespace

bool has_struct(const Value& value) {
  return value.rank > 0 && value.kinds.size() > 1 && std::ranges::all_of(value.components, emit::is_legal);
}

std::string struct_name(const Program& program, const Value& value) {
  return program.name + "_" + value.name;
}

std::string structs_text(const Program& program) {
  std::string text;
  std::vector<const Value*> known;
  for (const auto* values : {&program.parameters, &program.results})
    for (const Value& value : *values) {
      if (!has_struct(value)) continue;
      const std::string type = struct_name(program, value);
      const auto same = std::ranges::find_if(known, [&](const Value* other) {
        return other->kinds == value.kinds && other->components == value.components;
      });
      text += same == known.end() ? type_text(type, value)
                                  : fmt::format("\ntypedef {} {};\n", struct_name(program, **same), type);
      text += converters_text(type, value);
      known.push_back(&value);
    }
  return text;
}

}  // namespace fulgurite::ahead
