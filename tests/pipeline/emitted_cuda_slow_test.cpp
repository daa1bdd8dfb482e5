// Programs emitted as CUDA: the host's part compiled as C++, its kernels run by what stands in for a device;
// results have the bits that the CUDA engine has there. Where nvcc is found, it takes the files without a
// warning.
#include <dlfcn.h>
#include <fmt/format.h>
#include <fulgurite/emitted.h>
#include <fulgurite/fulgurite.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>

#include "../runtime/temporary_directory.h"
#include "cases_to_emit.h"
#include "engine_run.h"

namespace fulgurite {
namespace {

namespace fs = std::filesystem;
using scalar::Kind;
using namespace emitted_programs;
using soac::Value;

struct Given {
  const void* data;
  const std::int64_t* extents;
};
struct Wanted {
  void* data;
  std::int64_t extents[8];
};
// As in fulgurite_c.h.
struct Error {
  int status, line;
  const char* file;
  char text[512];
};
enum { shape_status = 1, index_status = 2 };

// A function that calls the program, for tests.
std::string consumer_of(const detail::ToolProgram& program) {
  std::string begin, arguments, extents, results, prepared, taken;
  std::size_t p = 0, r = 0;
  unsigned last = 0;
  for (const detail::ToolValue& v : program.parameters) {
    if (v.is_constant) continue;
    const std::string name = fmt::format("a{}", p), type = type_of(v.kind);
    begin += v.rank == 0
                 ? fmt::format("  const {0} {1} = scalar<{0}>(given[{2}]);\n", type, name, p)
                 : fmt::format("  const auto {1} = array<{0}, {3}>(given[{2}]);\n", type, name, p, v.rank);
    arguments += name + ", ";
    if (v.rank == 0) extents += (extents.empty() ? "" : ", ") + name;
    if (v.rank > 0 && v.position != last)
      for (int k = 0; k < v.rank; ++k)
        extents += (extents.empty() ? "" : ", ") + fmt::format("{}.size({})", name, k);
    last = v.position;
    ++p;
  }
  const unsigned n_results = program.results.back().position;
  for (const detail::ToolValue& v : program.results) {
    const std::string name = fmt::format("r{}", r), type = type_of(v.kind);
    begin += v.rank == 0 ? fmt::format("  {} {} = 0;\n", type, name)
                         : fmt::format("  gpu_nd<{}, {}> {};\n", type, v.rank, name);
    results += name + ", ";
    if (v.rank > 0)
      prepared += fmt::format("  prepare({}, {}_result{}_capacity({}));\n", name, program.name,
                              n_results == 1 ? "" : std::to_string(v.position - 1), extents);
    taken += fmt::format("  take({}, wanted[{}]);\n", name, r++);
  }
  return fmt::format(
      "extern \"C\" int call_{0}(const Given* given, Wanted* wanted, fg_error* error, int* n_allocations) "
      "{{\n{1}{2}"
      "  const std::int64_t bytes = {0}_workspace({3});\n"
      "  Workspace memory(bytes, error);\n"
      "  const fg_status status = {0}({4}{5}memory.call);\n"
      "  *n_allocations = bytes < 0 ? 0 : memory.n_allocations();\n"
      "  if (status != FG_OK) return status;\n{6}  return FG_OK;\n}}\n",
      program.name, begin, prepared, extents, arguments, results, taken);
}

void write(const fs::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

// The file as C++ of the host: its kernels are functions that do nothing, and their text goes to the
// stand-in.
std::string host_of(const std::string& text, const std::string& name) {
  const std::string space = name + "_kernels", open = "namespace " + space + " {\n",
                    close = "}  // namespace " + space + "\n";
  const std::size_t begin = text.find(open), end = text.find(close);
  std::string kernels = text.substr(begin + open.size(), end - begin - open.size());
  std::string stubs =
      "typedef signed char i8;\ntypedef short i16;\ntypedef int i32;\ntypedef long long i64;\n"
      "typedef unsigned char u8;\ntypedef unsigned short u16;\ntypedef unsigned int u32;\n"
      "typedef unsigned long long u64;\ntypedef bool b1;\ntypedef float f32;\ntypedef double f64;\n";
  const auto keep = [&](const std::string& from, const std::string& to) {
    for (std::size_t at = kernels.find(from); at != kernels.npos; at = kernels.find(from, at + 1))
      stubs += kernels.substr(at, kernels.find(to, at) + to.size() - at);
  };
  keep("struct fg_failure {", "};\n");
  keep("static __device__ const", "};\n");
  static const std::regex kernel(R"(static (__global__ void __launch_bounds__\(\d+\) (\w+)\([^)]*\)) \{)");
  std::string list;
  for (std::sregex_iterator k(kernels.begin(), kernels.end(), kernel), none; k != none; ++k) {
    stubs += "static " + (*k)[1].str() + " {}\n";
    list += fmt::format("{{(const void*){}::{}, \"{}\"}}, ", space, (*k)[2].str(), (*k)[2].str());
  }
  kernels = std::regex_replace(kernels, kernel, "extern \"C\" $1 {");
  // A raw string has at most 64 KiB in some compilers.
  std::string pieces;
  for (std::size_t at = 0; at < kernels.size(); at += 10000)
    pieces += "R\"KERNEL(" + kernels.substr(at, 10000) + ")KERNEL\"\n";
  return text.substr(0, begin + open.size()) +
         "#pragma GCC diagnostic push\n#pragma GCC diagnostic ignored \"-Wunused-parameter\"\n" + stubs +
         "#pragma GCC diagnostic pop\n" + text.substr(end) + "\nstatic const bool is_added = stand_in::add(" +
         pieces + ", {" + list + "});\n";
}

void expect_runs(const std::string& command) {
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
}

class Emitted {
 public:
  explicit Emitted(const std::vector<Case>& cases) {
    const std::string folder = directory_.path().string();
    std::vector<EmittedProgram> programs;
    for (const Case& c : cases) programs.push_back(c.program);
    std::string consumer = "#include \"consumer.h\"\n";
    std::string calls;
    for (const EmittedFile& file : emitted(programs, Target::cuda)) {
      write(directory_.path() / file.name, file.text);
      const fs::path name = file.name;
      if (name.extension() == ".cu")
        write(directory_.path() / (name.stem().string() + ".cpp"), host_of(file.text, name.stem().string()));
    }
    for (const Case& c : cases) {
      consumer += "#include \"" + c.program.program().name + ".cuh\"\n";
      calls += consumer_of(c.program.program());
    }
    write(directory_.path() / "consumer.cpp", consumer + calls);
    const std::string stand_ins = FULGURITE_CUDA_STAND_INS;
    expect_runs(
        fmt::format("cd {0} && ls *.cpp | xargs -P 2 -n 1 g++ -std=c++17 -O0 -fPIC -Wall -Wextra -Werror "
                    "-Wno-unused-function -I {1} -I . -c",
                    folder, FULGURITE_EMITTED_CUDA));
    expect_runs(fmt::format("cd {0} && g++ -shared -o all.so *.o {1}/libcuda.so.1 {1}/libnvrtc.so.12", folder,
                            stand_ins));
    library_ = dlopen((directory_.path() / "all.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library_ == nullptr) throw std::runtime_error(dlerror());
  }

  struct Outcome {
    int status = 0, n_allocations = 0;
    Error error{};
    std::vector<Value> results;
  };
  Outcome operator()(const std::string& name, const std::vector<Value>& arguments,
                     const std::vector<detail::ToolValue>& results) const {
    using Function = int(const Given*, Wanted*, Error*, int*);
    auto* const function = reinterpret_cast<Function*>(dlsym(library_, ("call_" + name).c_str()));
    if (function == nullptr) throw std::runtime_error(dlerror());
    std::vector<Given> given;
    for (const Value& v : arguments) given.push_back({v.bytes.data(), v.shape.data()});
    std::vector<Wanted> wanted(results.size());
    std::vector<std::uint64_t> scalars(results.size());
    for (std::size_t r = 0; r < results.size(); ++r) wanted[r].data = &scalars[r];
    Outcome outcome;
    outcome.status = function(given.data(), wanted.data(), &outcome.error, &outcome.n_allocations);
    if (outcome.status != 0) return outcome;
    for (std::size_t r = 0; r < results.size(); ++r) {
      const auto kind = static_cast<Kind>(results[r].kind);
      Value value{kind, {wanted[r].extents, wanted[r].extents + results[r].rank}, {}};
      std::size_t bytes = scalar::size_of(kind);
      for (const std::int64_t extent : value.shape) bytes *= static_cast<std::size_t>(extent);
      const auto* const data = static_cast<const std::byte*>(wanted[r].data);
      value.bytes.assign(data, data + bytes);
      if (results[r].rank > 0) std::free(wanted[r].data);
      outcome.results.push_back(std::move(value));
    }
    return outcome;
  }

  const fs::path& folder() const { return directory_.path(); }

 private:
  runtime::test::TemporaryDirectory directory_;
  void* library_ = nullptr;  // stays: the stand-in knows its kernels
};

// The results of the program on the engine.
std::vector<Value> of_engine(const EmittedProgram& emitted, std::vector<Value> arguments) {
  const auto traced = emitted.program().trace(emitted.constants());
  Options options;
  options.engine = Engine::cuda;
  return testing_pipeline::run(traced->program(), with_captured(*traced, std::move(arguments)), options);
}

TEST(EmittedCuda, SlowHasTheBitsOfTheEngine) {
  const std::vector<Case> all = cases();
  const Emitted run(all);
  for (const Case& c : all) {
    const detail::ToolProgram& tool = c.program.program();
    SCOPED_TRACE(tool.name);
    const auto traced = tool.trace(c.program.constants());
    soac::Program own = traced->program();
    own.params.resize(own.params.size() - traced->captures().size());
    for (const std::int64_t n : c.sizes) {
      SCOPED_TRACE(n);
      const std::vector<Value> arguments = c.arguments(own, n);
      const Emitted::Outcome outcome = run(tool.name, arguments, tool.results);
      ASSERT_EQ(outcome.status, 0) << outcome.error.text;
      EXPECT_EQ(outcome.n_allocations, 0) << "with a workspace as large as was said";
      const std::vector<Value> expected = of_engine(c.program, arguments);
      ASSERT_EQ(outcome.results.size(), expected.size());
      for (std::size_t r = 0; r < expected.size(); ++r)
        EXPECT_TRUE(same(outcome.results[r], expected[r]))
            << testing::PrintToString(outcome.results[r])
            << "\nengine: " << testing::PrintToString(expected[r]);
    }
  }
}

TEST(EmittedCuda, SlowFailuresTellTheLine) {
  const Emitted run({{{"at", at, {"xs", "places"}}}, {{"saxpy", bench::saxpy, {"alpha", "x", "y"}}}});
  const detail::ToolProgram described = EmittedProgram("at", at).program();
  const std::vector<detail::ToolValue>& results = described.results;
  auto outcome =
      run("at", {soac::array_value<int>({5, 6, 7}), soac::array_value<int>({0, 2, 3, 1, -1})}, results);
  EXPECT_EQ(outcome.status, index_status);
  EXPECT_NE(std::string(outcome.error.text).find("3"), std::string::npos) << outcome.error.text;
  EXPECT_TRUE(std::string(outcome.error.file).ends_with("programs_to_emit.h")) << outcome.error.file;
  EXPECT_GT(outcome.error.line, 0);
  outcome = run("at", {soac::array_value<int>({5, 6, 7}), soac::array_value<int>({0, 2})}, results);
  ASSERT_EQ(outcome.status, 0) << outcome.error.text;
  EXPECT_EQ(soac::elements_of<int>(outcome.results[0]), (std::vector<int>{5, 7}));

  outcome = run("saxpy",
                {soac::scalar_value(2.0f), soac::array_value<float>({1, 2}), soac::array_value<float>({1})},
                results);
  EXPECT_EQ(outcome.status, shape_status);
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + part.size())) ++n;
  return n;
}

TEST(EmittedCuda, SlowTextIsThatOfThePapers) {
  const std::vector<EmittedProgram> programs = {{"forward_difference", bench::forward_difference, {"x"}},
                                                {"moving_average", bench::moving_average},
                                                {"jacobi", bench::jacobi, {"u"}}};
  for (const EmittedFile& file : emitted(programs, Target::cuda)) {
    if (!file.name.ends_with(".cu")) continue;
    SCOPED_TRACE(file.name);
    const std::size_t begin = file.text.find("static __global__"), end = file.text.find("\n}\n", begin);
    ASSERT_NE(begin, file.text.npos);
    const std::string kernel = file.text.substr(begin, end - begin);
    EXPECT_EQ(count(file.text, "static __global__"), 1U);
    EXPECT_EQ(count(file.text, "; fused in: "), 1U);
    EXPECT_EQ(count(kernel, "__shared__"), 1U);
    // What is computed comes from the window alone, and without a look where the neighbour is.
    const std::string computed = kernel.substr(kernel.find("__syncthreads();"));
    EXPECT_EQ(count(computed, "= x[") + count(computed, "= u["), 0U) << computed;
    // A thread's first point wraps around its line of memory; in a strip of a matrix a thread keeps
    // the row and the column of its point, both of which change where a row ends.
    const bool is_matrix = file.name == "jacobi.cu";
    EXPECT_EQ(count(computed, " ? "), is_matrix ? 3U : 1U) << computed;
    EXPECT_EQ(count(computed, "if ("), is_matrix ? 1U : 0U) << computed;
  }
}

TEST(EmittedCuda, SlowNvccTakesTheFiles) {
  if (std::system("nvcc --version > /dev/null 2>&1") != 0) GTEST_SKIP() << "there is no nvcc";
  const runtime::test::TemporaryDirectory directory;
  std::vector<EmittedProgram> programs;
  for (const Case& c : cases()) programs.push_back(c.program);
  for (const EmittedFile& file : emitted(programs, Target::cuda))
    write(directory.path() / file.name, file.text);
  expect_runs(
      fmt::format("cd {} && ls *.cu | xargs -P 2 -n 1 nvcc -std=c++17 -arch=sm_90 -ptx "
                  "-Werror all-warnings",
                  directory.path().string()));
}

}  // namespace
}  // namespace fulgurite
