#include "emitted_together.h"

#include <fmt/format.h>

#include <map>

namespace fulgurite {
namespace {

constexpr const char* common_headers = "what all functions share";

class Declared {
 public:
  void add(const std::string& name, const std::string& owner) {
    const auto [at, is_new] = owners_.emplace(name, owner);
    if (!is_new)
      throw TraceError(
          fmt::format("'{}' would be declared twice, of {} and of {}: give one of them, or its parameter or "
                      "result, another name",
                      name, at->second, owner));
  }

 private:
  std::map<std::string, std::string> owners_;
};

// Also what one of the targets alone declares: a program has the same names in all of them.
void add(Declared& declared, const EmittedProgram& emitted) {
  const detail::ToolProgram& program = emitted.program();
  const std::string owner = "function " + program.name;
  for (const char* end : {"", "_workspace", "_v2", "_v3", "_v4", "_generic", "_cl", "_cl_program",
                          "_cl_create", "_cl_destroy", "_cl_workspace"})
    declared.add(program.name + end, owner);
  const std::size_t n_results = program.results.empty() ? 0 : program.results.back().position;
  for (const detail::ToolValue& value : program.results) {
    if (value.rank == 0 || (&value != program.results.data() && (&value)[-1].position == value.position))
      continue;
    const std::size_t r = value.position - 1;
    const std::string name = r < emitted.results().size() ? emitted.results()[r].name
                             : n_results == 1             ? "result"
                                                          : fmt::format("result{}", r);
    declared.add(fmt::format("{}_{}_capacity", program.name, name), owner);
  }
  for (const auto* names : {&emitted.parameters(), &emitted.results()})
    for (const EmittedName& name : *names)
      if (!name.components.empty())
        for (const char* end : {"", "_split", "_join"})
          declared.add(fmt::format("{}_{}{}", program.name, name.name, end), owner);
}

}  // namespace

void check_together(const std::vector<EmittedProgram>& programs) {
  Declared declared;
  for (const char* header : {"fulgurite_c", "fulgurite_cuda", "fulgurite_opencl"})
    declared.add(header, common_headers);
  for (const EmittedProgram& program : programs) add(declared, program);
}

}  // namespace fulgurite
