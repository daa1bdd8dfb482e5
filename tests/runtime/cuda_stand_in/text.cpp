#include "text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <regex>
#include <sstream>
#include <stdexcept>
#include <vector>

namespace fulgurite::runtime::test {
namespace {

struct Entry {
  std::string name, threads;
  std::vector<std::string> types, shared;  // of the parameters; of the declarations of shared memory

  // Where the next declaration begins, as a constant expression.
  std::string room() const { return shared.empty() ? "0u" : fmt::format("{}", fmt::join(shared, " + ")); }
};

// "const i32* x, i64 n" to "const i32*" and "i64".
std::vector<std::string> types_of(const std::string& parameters) {
  std::vector<std::string> types;
  std::istringstream list(parameters);
  for (std::string parameter; std::getline(list, parameter, ',');) {
    const std::size_t end = parameter.find_last_of(" *");
    const std::size_t type_end = parameter.find_last_not_of(' ', end);
    types.push_back(parameter.substr(0, type_end + 1));
  }
  return types;
}

// `extern __shared__ unsigned char shared[];`, `__shared__ unsigned char shared[2048];`, `__shared__ f32 v;`
std::string declaration(const std::string& line, std::vector<Entry>& entries) {
  static const std::regex at_launch(R"(extern __shared__ (?:__align__\(16\) )?([\w ]+?) (\w+)\[\];)"),
      array(R"(__shared__ (?:__align__\(16\) )?([\w ]+?) (\w+)\[(\d+)\];)"),
      variable(R"(__shared__ (?:__align__\(16\) )?([\w ]+?) (\w+);)");
  std::smatch m;
  if (std::regex_search(line, m, at_launch))
    return fmt::format("{1}* const {2} = ({1}*)fg_shared_at_launch();{0}", m.suffix().str(), m[1].str(),
                       m[2].str());
  if (entries.empty()) throw std::runtime_error("shared memory outside of a kernel: " + line);
  Entry& entry = entries.back();
  const std::string room = entry.room();
  if (std::regex_search(line, m, array)) {
    entry.shared.push_back(fmt::format("fg_room(sizeof({}[{}]))", m[1].str(), m[3].str()));
    return fmt::format("{0}{2}* const {3} = ({2}*)fg_shared({4});{1}", m.prefix().str(), m.suffix().str(),
                       m[1].str(), m[2].str(), room);
  }
  if (std::regex_search(line, m, variable)) {
    entry.shared.push_back(fmt::format("fg_room(sizeof({}))", m[1].str()));
    return fmt::format("{0}{2}& {3} = *({2}*)fg_shared({4});{1}", m.prefix().str(), m.suffix().str(),
                       m[1].str(), m[2].str(), room);
  }
  throw std::runtime_error("shared memory that the stand-in for NVRTC does not know: " + line);
}

std::string table(const std::vector<Entry>& entries) {
  std::string functions, list;
  for (const Entry& entry : entries) {
    std::vector<std::string> arguments, parameters;
    for (std::size_t i = 0; i < entry.types.size(); ++i) {
      arguments.push_back(fmt::format("*({}*)arguments[{}]", entry.types[i], i));
      parameters.push_back(fmt::format("fg_parameter<{}>::of, ", entry.types[i]));
    }
    functions += fmt::format(
        "static FG_UNSEEN void fg_call_{0}(void** arguments) {{ {0}({1}); }}\n"
        "static const KernelParameter fg_parameters_{0}[] = {{{2}{{}}}};\n",
        entry.name, fmt::join(arguments, ", "), fmt::join(parameters, ""));
    list += fmt::format("  {{\"{0}\", fg_call_{0}, {1}, {2}, {3}, fg_parameters_{0}}},\n", entry.name,
                        entry.threads, entry.room(), entry.types.size());
  }
  return fmt::format(
      "using namespace fulgurite::runtime::test;\n{}"
      "extern \"C\" __attribute__((visibility(\"default\"))) const KernelEntry fg_entries[];\n"
      "const KernelEntry fg_entries[] = {{\n{}  {{}}}};\n",
      functions, list);
}

}  // namespace

std::string as_host_text(const std::string& cuda_text) {
  static const std::regex entry_point(
      R"(extern "C" __global__ void __launch_bounds__\((\d+)\) (\w+)\(([^)]*)\) \{)");
  std::vector<Entry> entries;
  std::string text = "#line 1\n";
  std::istringstream lines(cuda_text);
  for (std::string line; std::getline(lines, line);) {
    std::smatch m;
    if (std::regex_search(line, m, entry_point)) entries.push_back({m[2], m[1], types_of(m[3]), {}});
    text += (line.find("__shared__") == line.npos ? line : declaration(line, entries)) + "\n";
  }
  return text + table(entries);
}

int drop_statement(std::string& text, const std::string& statement, int number) {
  int n = 0;
  std::size_t drop = text.npos;
  for (std::size_t at = text.find(statement); at != text.npos; at = text.find(statement, at + 1))
    if (n++ == number) drop = at;
  if (drop != text.npos) text.replace(drop, statement.size(), ";");
  return n;
}

}  // namespace fulgurite::runtime::test
