// What applications of emitted programs have in common, in C and in OpenCL: how they read arguments, and the
// folder in which they are built and run.
#pragma once

#include <fmt/format.h>
#include <fulgurite/emitted.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "../runtime/temporary_directory.h"
#include "base/text.h"
#include "calls_of_emitted.h"

namespace fulgurite::emitted_programs {

// Statements of C that read a call's arguments, and what stands for them in calls.
struct GivenArguments {
  std::string begin, passed, freed;
  std::string sizes;  // a list of the scalars and extents
};

// `array` reads one: its name, rank, and type of elements. `free` is given its name.
inline GivenArguments arguments_of(const EmittedProgram& program, const char* array, const char* free) {
  GivenArguments of;
  std::vector<std::string> sizes;
  std::size_t k = 0;
  const std::vector<detail::ToolValue>& all = program.program().parameters;
  for (std::size_t p = 0; p < all.size(); ++p) {
    const detail::ToolValue& v = all[p];
    if (v.is_constant) continue;
    const std::string type = type_of(v.kind), name = fmt::format("a{}", k++);
    of.passed += name + ", ";
    if (v.rank == 0) {
      of.begin += fmt::format("  {0} {1};\n  take(&{1}, sizeof {1});\n", type, name);
      sizes.push_back(name);
      continue;
    }
    of.begin += fmt::format("  int64_t {0}_size[{1}];\n  ", name, v.rank) +
                fmt::format(fmt::runtime(array), name, v.rank, type);
    of.freed += fmt::format(fmt::runtime(free), name);
    if (p + 1 < all.size() && all[p + 1].position == v.position) continue;  // components have one size
    for (int d = 0; d < v.rank; ++d) {
      const std::string extent = fmt::format("{}_size[{}]", name, d);
      of.passed += extent + ", ";
      sizes.push_back(extent);
    }
  }
  of.sizes = base::join(sizes, ", ", [](const std::string& size) { return size; });
  return of;
}

class ProjectFolder {
 public:
  std::string path() const { return folder_.path().string(); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_.path() / name, std::ios::binary) << text;
  }
  static void expect_runs(const std::string& command) {
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
  }
  // What the application writes that the command runs: the results of all calls, in their order.
  std::vector<std::byte> results_of(const std::vector<std::byte>& calls, const std::string& command) const {
    std::ofstream(folder_.path() / "given", std::ios::binary)
        .write(reinterpret_cast<const char*>(calls.data()), static_cast<std::streamsize>(calls.size()));
    expect_runs(command);
    std::ifstream in(folder_.path() / "wanted", std::ios::binary);
    const std::string read{std::istreambuf_iterator<char>(in), {}};
    std::vector<std::byte> bytes(read.size());
    std::memcpy(bytes.data(), read.data(), read.size());
    return bytes;
  }

 private:
  runtime::test::TemporaryDirectory folder_;
};

}  // namespace fulgurite::emitted_programs
