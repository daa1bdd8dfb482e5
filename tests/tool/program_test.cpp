// FULGURITE_MAIN as a user meets it: an executable (example_program.cpp) run as a process of its own.
#include <fulgurite/main.h>
#include <fulgurite/npy.h>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>

#include "../runtime/temporary_directory.h"

namespace fg = fulgurite;
namespace fs = std::filesystem;

namespace {

struct Outcome {
  int status = -1;
  std::string out, err;
};

class ToolProgram : public testing::Test {
 protected:
  void SetUp() override {
    std::vector<float> x(1000), y(1000);
    std::iota(x.begin(), x.end(), 0.0f);
    fg::write_npy(path("x.npy"), fg::Array<float, 1>(x));
    fg::write_npy(path("y.npy"), fg::Array<float, 1>(y));
    fg::write_npy(path("short.npy"), fg::Array<float, 1>(std::vector<float>(999)));
    fg::write_npy(path("i.npy"), fg::Array<int, 1>({3, -1, 2, 5}));
    fg::write_npy(path("u.npy"), fg::Array<fg::u8, 1>({1, 255}));
    fg::write_npy(path("m.npy"), fg::Array<float, 2>({0, 1, 2, 3, 4, 5}, {2, 3}));
  }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  Outcome call(const std::string& words, const std::string& environment = "") const {
    const std::string command = "cd '" + folder_.string() + "' && " + environment + " '" +
                                FULGURITE_TEST_PROGRAM + "' " + words + " >out.txt 2>err.txt </dev/null";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text_of("out.txt"), text_of("err.txt")};
  }
  std::string text_of(const std::string& name) const {
    std::ifstream file(path(name));
    return {std::istreambuf_iterator<char>(file), {}};
  }

  const fulgurite::runtime::test::TemporaryDirectory directory_;
  const fs::path& folder_ = directory_.path();
};

#define EXPECT_SAYS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)
#define EXPECT_FAILS(outcome, wanted, part) \
  do {                                      \
    const Outcome failed = (outcome);       \
    EXPECT_EQ(failed.status, wanted);       \
    EXPECT_EQ(failed.out, "");              \
    EXPECT_SAYS(failed.err, part);          \
  } while (false)

TEST_F(ToolProgram, ListShowsSignatures) {
  const Outcome list = call("list");
  EXPECT_EQ(list.status, 0);
  EXPECT_SAYS(list.out, "saxpy(f32, f32[], f32[]) -> f32[]\nrmse(f32[], f32[]) -> f32\n");
  EXPECT_SAYS(list.out, "total_and_squares(i32[]) -> i32, i32[]\n");
  EXPECT_SAYS(list.out, "power(base: f32[], exponent: constant i32) -> f32[]\n");
  EXPECT_SAYS(list.out, "row_sums(f32[,]) -> f32[]\n");
}

TEST_F(ToolProgram, HelpOfAProgramSaysWhatItTakes) {
  const Outcome help = call("run power --help");
  EXPECT_EQ(help.status, 0);
  EXPECT_SAYS(help.out, "power(base: f32[], exponent: constant i32) -> f32[]\n");
  EXPECT_SAYS(help.out, "argument 1 (base): f32[], a .npy file of f32, 1 axis\n");
  EXPECT_SAYS(help.out,
              "argument 2 (exponent): constant i32, a number of i32; the program is traced with its");
  EXPECT_SAYS(help.out, "result 1: f32[], a .npy file of f32, 1 axis\n");
  EXPECT_SAYS(call("run row_sums --help").out, "argument 1: f32[,], a .npy file of f32, 2 axes\n");
  EXPECT_SAYS(call("run --help").out, "NAME --help: what that program takes and gives");
  EXPECT_FAILS(call("run blur --help"), 2, "there is no program 'blur'");
}

TEST_F(ToolProgram, HelpIsText) {
  for (const char* command : {"run", "explain", "list", "devices", "bundle", "cache", "bisect", "emit"}) {
    const Outcome help = call(std::string(command) + " --help");
    EXPECT_EQ(help.status, 0) << command;
    for (const char c : help.out)
      EXPECT_TRUE(c == '\n' || (c >= ' ' && c < 127)) << command << ": " << int(c);
  }
}

TEST_F(ToolProgram, NamesOfParametersAreShown) {
  const Outcome explained = call("explain any_positive");
  EXPECT_SAYS(explained.out, "wanted");
  EXPECT_SAYS(explained.out, "xs");
  EXPECT_SAYS(call("explain any_positive --parameters flag,values").out, "values");
  EXPECT_SAYS(call("explain power 3").out, "base");
}

TEST_F(ToolProgram, TwoDashesEndTheOptions) {
  EXPECT_EQ(call("run rmse -- x.npy y.npy").status, 0);
  EXPECT_EQ(call("run --time rmse -- x.npy y.npy").status, 0);
}

TEST_F(ToolProgram, OutputThatCannotBeWrittenIsAnError) {
  for (const char* words : {"list", "run rmse x.npy y.npy", "explain rmse"}) {
    EXPECT_EQ(call(std::string(words) + " >/dev/full 2>full.txt; echo $?").out, "1\n") << words;
    EXPECT_SAYS(text_of("full.txt"), "the standard output cannot be written: No space left on device");
  }
}

TEST_F(ToolProgram, DumpsArePrintedOfProgramsInTheCacheToo) {
  const std::string cache = "FULGURITE_CACHE='" + path("cache") + "'";
  EXPECT_EQ(call("run rmse x.npy y.npy", cache).status, 0);
  const Outcome again = call("run rmse x.npy y.npy", cache + " FULGURITE_DUMP=fuse,plan");
  EXPECT_SAYS(again.err, "---- fuse");
  EXPECT_SAYS(again.err, "---- plan");
}

TEST_F(ToolProgram, BundleIsWhatTheEnvironmentNames) {
  EXPECT_EQ(call("bundle rmse saxpy -o programs.fgb --cpu x86-64-v2 --no-opencl").status, 0);
  EXPECT_EQ(call("run rmse x.npy y.npy", "FULGURITE_BUNDLE=programs.fgb").status, 0);
  EXPECT_FAILS(call("bundle blur -o programs.fgb"), 2, "there is no program 'blur'");
  EXPECT_FAILS(call("bundle rmse -o b.fgb --cpu native"), 1,
               "'native' is no level that bundles are compiled for");
  EXPECT_FAILS(call("bundle rmse"), 2, "--output is required");
}

TEST_F(ToolProgram, NamesOfTheMacro) {
  EXPECT_EQ(fg::detail::tool_names("f, ns::g ,\n  &h"), (std::vector<std::string>{"f", "g", "h"}));
}

TEST_F(ToolProgram, RunsOnFiles) {
  for (const char* engine : {"", " --engine cpu", " --engine interpreter", " --no-fuse", " --repeat 3"}) {
    const Outcome run = call(std::string("run saxpy 2.5 x.npy x.npy -o out.npy") + engine);
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(run.err, "");
    EXPECT_EQ(run.out, "saxpy: f32[1000]: 0 3.5 7 10.5 14 17.5 21 24.5 ... -> out.npy\n");
    const auto out = fg::read_npy<float>(path("out.npy"));
    for (std::int64_t i = 0; i < 1000; ++i) ASSERT_EQ(out[i], 3.5f * static_cast<float>(i));
    fs::remove(path("out.npy"));
  }
}

TEST_F(ToolProgram, PrintsScalarsAndSeveralResults) {
  EXPECT_EQ(call("run rmse x.npy x.npy").out, "rmse: f32 0\n");
  EXPECT_EQ(call("run total_and_squares i.npy").out,
            "total_and_squares result 1: i32 9\ntotal_and_squares result 2: i32[4]: 9 1 4 25\n");
  EXPECT_EQ(call("run total_and_squares i.npy -o t.npy -o s.npy").status, 0);
  EXPECT_EQ(fg::to_string(fg::read_npy(path("t.npy"))), "i32");
  EXPECT_EQ(fg::read_npy<int>(path("s.npy")).to_vector(), (std::vector<int>{9, 1, 4, 25}));
  EXPECT_EQ(call("run any_positive false i.npy").out, "any_positive: i32 0\n");
  EXPECT_EQ(call("run row_sums m.npy").out, "row_sums: f32[2]: 3 12\n");
}

TEST_F(ToolProgram, ScalarsAndConstants) {
  EXPECT_EQ(call("run brighter 2 u.npy").out, "brighter: u8[2]: 3 1\n");
  EXPECT_EQ(call("run brighter 0x10 u.npy").out, "brighter: u8[2]: 17 15\n");
  EXPECT_SAYS(call("run power x.npy 3").out, "power: f32[1000]: 0 1 8 27 64");
  EXPECT_SAYS(call("run saxpy -1 x.npy y.npy").out, "0 -1 -2 -3");
  fg::write_npy(path("alpha.npy"),
                fg::AnyArray{fg::detail::Kind::f32, {}, std::make_shared<const float>(2.0f)});
  EXPECT_SAYS(call("run saxpy alpha.npy x.npy y.npy").out, "0 2 4 6");
}

TEST_F(ToolProgram, TimeShowsEveryStage) {
  const Outcome run = call("run saxpy 2 x.npy y.npy --time --repeat 5");
  for (const char* part :
       {"\nread ", "\ncompile ", "(kernels compiled: ", "\nrun ", "(median of 5", "0.012 MB moved"})
    EXPECT_SAYS(run.out, part);
}

TEST_F(ToolProgram, RefusesBadArguments) {
  EXPECT_FAILS(call("run brighter 300 u.npy"), 1,
               "fulgurite::FormatError: argument 1 of brighter is u8: 300 is outside u8 (0 to 255)");
  EXPECT_FAILS(call("run brighter -1 u.npy"), 1, "-1 is outside u8");
  EXPECT_FAILS(call("run brighter 1.5 u.npy"), 1, "'1.5' is not a u8: write as in 42");
  EXPECT_FAILS(call("run saxpy 1e50 x.npy y.npy"), 1, "1e50 is outside f32");
  EXPECT_FAILS(call("run saxpy two x.npy y.npy"), 1, "'two' is not a f32: write as in 2.5");
  EXPECT_FAILS(call("run any_positive maybe i.npy"), 1, "'maybe' is not a bool: write true or false");
  EXPECT_FAILS(call("run power x.npy 99999999999"), 1,
               "argument 2 of power is constant i32: 99999999999 is outside i32");
  EXPECT_FAILS(call("run rmse x.npy 2.5"), 1,
               "argument 2 of rmse is an array f32[]: give the name of a .npy file, not '2.5'");
  EXPECT_FAILS(
      call("run rmse x.npy i.npy"), 1,
      "argument 2 of rmse is f32[], but i.npy holds i32[4]: convert it in NumPy with a.astype('<f4')");
  EXPECT_FAILS(call("run rmse x.npy m.npy"), 1, "but m.npy holds f32[2, 3]: give one with 1 axis");
  EXPECT_FAILS(call("run rmse x.npy none.npy"), 1, "none.npy cannot be read: No such file or directory");
  EXPECT_FAILS(call("run rmse x.npy ."), 1, ". is a directory");
  EXPECT_FAILS(call("run rmse x.npy short.npy"), 1,
               "fulgurite::ShapeError: elementwise '-' needs equal shapes");
  EXPECT_FAILS(call("run rmse x.npy short.npy --engine interpreter"), 1, "example_program.cpp:");
  EXPECT_FAILS(call("run rmse x.npy y.npy -o none/out.npy"), 1, "none/out.npy cannot be written");
  EXPECT_FAILS(call("run rmse x.npy y.npy --engine opencl", "OCL_ICD_VENDORS=/no/such/folder"), 1,
               "fulgurite::DeviceError");
  EXPECT_FAILS(call("run rmse x.npy y.npy", "FULGURITE_ENGINE=abacus"), 1, "FULGURITE_ENGINE is 'abacus'");
  EXPECT_EQ(call("run rmse x.npy y.npy --engine cpu", "FULGURITE_ENGINE=abacus").status, 0);
  std::ofstream(path("bad.npy")) << "not an array";
  EXPECT_FAILS(call("run rmse bad.npy y.npy"), 1, "bad.npy is not a .npy file");
}

TEST_F(ToolProgram, RefusesBadUsage) {
  EXPECT_FAILS(call(""), 2, "subcommand is required");
  EXPECT_FAILS(call("fly"), 2,
               "there is no command 'fly'; there are run, explain, list, devices, bundle, cache");
  EXPECT_FAILS(call("run"), 2, "NAME is required");
  EXPECT_FAILS(call("run cube x.npy"), 2, "there is no program 'cube'; there are saxpy, rmse");
  EXPECT_FAILS(call("run rmse x.npy"), 2, "rmse takes 2 arguments, 1 given: rmse(f32[], f32[]) -> f32");
  EXPECT_FAILS(call("run rmse x.npy y.npy y.npy"), 2, "3 given");
  EXPECT_FAILS(call("run rmse x.npy y.npy --engine abacus"), 2, "abacus not in");
  EXPECT_FAILS(call("run rmse x.npy y.npy --repeat 0"), 2, "--repeat");
  EXPECT_FAILS(call("run rmse x.npy y.npy -o a.npy -o b.npy"), 2, "rmse has 1 result: give -o 1 times");
  EXPECT_FAILS(call("explain power"), 2, "power has 1 constant, 0 given");
  EXPECT_FAILS(call("cache --clear --list"), 2, "");
}

// docs/cluster.md shows it.
TEST_F(ToolProgram, ExplainsRanksThatAreNotThere) {
  const Outcome told = call("explain centred 100000000 --ranks 1024 --network 100Gb,2us", "FULGURITE_CACHE=");
  EXPECT_EQ(told.status, 0) << told.err;
  std::ifstream page(FULGURITE_TEST_DATA "/../../docs/cluster.md");
  const std::string shown{std::istreambuf_iterator<char>(page), {}};
  const std::size_t begin = told.out.find("1024 ranks of ");
  ASSERT_NE(begin, std::string::npos) << told.out;
  EXPECT_SAYS(shown, told.out.substr(begin));
  EXPECT_FAILS(call("explain centred --ranks 4"), 2,
               "depends on all arguments, and there are 0 instead of 1");
  EXPECT_FAILS(call("explain centred 100 --ranks 4 --network slow"), 1, "'slow' is no network");
}

TEST_F(ToolProgram, ProfileIsATraceOfEvents) {
  const Outcome run = call("run centred x.npy --repeat 2 --profile trace.json", "FULGURITE_CACHE=");
  EXPECT_EQ(run.status, 0) << run.err;
  std::ifstream file(path("trace.json"));
  const nlohmann::json trace = nlohmann::json::parse(file);
  std::map<std::string, int> n_of;
  for (const nlohmann::json& event : trace.at("traceEvents")) {
    if (event.at("ph") == "M") continue;  // names of threads
    EXPECT_EQ(event.at("ph"), "X");
    EXPECT_GE(event.at("ts").get<double>(), 0);
    EXPECT_GE(event.at("dur").get<double>(), 0);
    ++n_of[event.at("cat")];
    if (event.at("cat") != "kernel") continue;
    const nlohmann::json& args = event.at("args");
    EXPECT_EQ(fs::path(args.at("file").get<std::string>()).filename(), "example_program.cpp");
    EXPECT_GT(args.at("line").get<int>(), 0);
    EXPECT_GE(args.at("bytes_read").get<int>(), 4000);
    EXPECT_GT(args.at("gigabytes_per_second").get<double>(), 0);
  }
  EXPECT_EQ(n_of["trace"], 1);
  EXPECT_GE(n_of["pass"], 6);
  EXPECT_GE(n_of["compile"], 1);
  EXPECT_GE(n_of["kernel"], 2);
  EXPECT_EQ(n_of["kernel"] % 2, 0) << "two runs";
  EXPECT_FAILS(call("run centred x.npy --profile none/trace.json"), 1, "none/trace.json cannot be written");
}

TEST_F(ToolProgram, HelpIsEverywhere) {
  for (const char* words : {"--help", "run --help", "explain --help", "cache --help", "bundle --help",
                            "devices --help", "list --help"}) {
    const Outcome help = call(words);
    EXPECT_EQ(help.status, 0) << words;
    EXPECT_SAYS(help.out, "--help");
  }
}

TEST_F(ToolProgram, DevicesShowsTheProcessorAndOpenCl) {
  // PoCL leaves the user's cache alone, and understands a machine without /sys.
  std::string environment = "POCL_CACHE_DIR='" + path("pocl") + "'";
  if (!fs::exists("/sys/devices")) environment += " HWLOC_SYNTHETIC='NUMANode:1(memory=4GB) core:2 pu:1'";
  const Outcome devices = call("devices", environment);
  EXPECT_EQ(devices.status, 0);
  EXPECT_SAYS(devices.out, "cpu ");
  EXPECT_SAYS(devices.out, "last-level cache");
  EXPECT_SAYS(devices.out, "interpreter");
  const bool has_opencl = devices.out.find("opencl 0") != std::string::npos;
  EXPECT_SAYS(devices.out, has_opencl ? " compute units, " : "opencl       none: ");
  const Outcome without = call("devices", environment + " OCL_ICD_VENDORS=/no/such/folder");
  EXPECT_EQ(without.status, 0);
  EXPECT_SAYS(without.out, "cpu ");
  EXPECT_SAYS(without.out, "install");
}

// As on a machine with CUDA devices, which libraries that stand in for the driver and NVRTC pretend to be.
// Where the real NVRTC is found, it compiles the kernels, and none runs.
TEST_F(ToolProgram, RunsOnCuda) {
  for (const char* library : {"libcuda.so.1", "libnvrtc.so.12"})
    fs::create_symlink(FULGURITE_CUDA_STAND_IN, path(library));
  const std::string libraries = "LD_LIBRARY_PATH='" + path("") + "' OCL_ICD_VENDORS=/no/such/folder";
  const Outcome devices = call("devices", libraries);
  EXPECT_EQ(devices.status, 0);
  EXPECT_SAYS(devices.out, "cuda 0       Stand-in GPU 1\n");
  EXPECT_SAYS(devices.out, "cuda 1       Other GPU 2\n");
  EXPECT_SAYS(devices.out,
              "3 multiprocessors, 2.0 GiB memory, compute capability 9.0; driver for CUDA 12.4, NVRTC 12.4");
  EXPECT_FAILS(call("run rmse x.npy y.npy --engine cuda", libraries + " FULGURITE_CUDA_DEVICE=abacus"), 1,
               "FULGURITE_CUDA_DEVICE is 'abacus'");
  const auto expect_runs = [&](const std::string& environment) {
    for (const char* words :
         {"run saxpy 2.5 x.npy x.npy", "run rmse x.npy y.npy", "run total_and_squares i.npy",
          "run row_sums m.npy", "run centred x.npy", "run any_positive true i.npy"}) {
      const Outcome run = call(std::string(words) + " --engine cuda", environment);
      EXPECT_EQ(run.status, 0) << words << "\n" << run.err;
    }
    EXPECT_SAYS(
        call("explain rmse --engine cuda", environment).out,
        "occupancy   1536 of 2048 threads of a multiprocessor: 6 blocks of 256, 40 registers and 0 bytes a "
        "thread, ");
  };
  expect_runs(libraries + " FULGURITE_CACHE=");
  fs::remove(path("libnvrtc.so.12"));
  if (call("devices", libraries).out.find(", NVRTC ") != std::string::npos) expect_runs(libraries);
}

TEST_F(ToolProgram, AFreshProcessCompilesNothingThatIsInTheCache) {
  for (const char* library : {"libcuda.so.1", "libnvrtc.so.12"})
    fs::create_symlink(FULGURITE_CUDA_STAND_IN, path(library));
  std::string environment = "FULGURITE_CACHE='" + path("cache") + "' POCL_CACHE_DIR='" + path("pocl") +
                            "' LD_LIBRARY_PATH='" + path("") + "'";
  if (!fs::exists("/sys/devices")) environment += " HWLOC_SYNTHETIC='NUMANode:1(memory=4GB) core:2 pu:1'";
  for (const std::string engine : {"cpu", "cuda", "opencl"}) {
    SCOPED_TRACE(engine);
    const std::string words = "run centred x.npy --time --engine " + engine;
    const Outcome first = call(words, environment), second = call(words, environment);
    if (engine == "opencl" && first.status == 1) continue;  // there is no device
    EXPECT_EQ(first.out.find("kernels compiled: 0,"), std::string::npos) << first.out << first.err;
    EXPECT_SAYS(second.out, "kernels compiled: 0, from the cache: ");
    EXPECT_EQ(second.out.find("from the cache: 0"), std::string::npos) << second.out;
  }
}

TEST_F(ToolProgram, CacheIsShownVerifiedCleared) {
  const std::string cache = "FULGURITE_CACHE='" + path("cache") + "'";
  EXPECT_SAYS(call("cache", cache).out, "0 programs, 0 kernels");
  ASSERT_EQ(call("run rmse x.npy y.npy", cache).status, 0);
  EXPECT_SAYS(call("cache", cache).out, "1 programs, 1 kernels");
  const std::string list = call("cache --list", cache).out;
  EXPECT_SAYS(list, "\nprogram ");
  EXPECT_SAYS(call("cache --verify", cache).out, "2 entries, 0 damaged");
  for (const auto& entry : fs::recursive_directory_iterator(path("cache")))
    if (entry.is_regular_file() && entry.file_size() > 0)
      fs::resize_file(entry.path(), entry.file_size() - 1);
  EXPECT_SAYS(call("cache --verify", cache).out, "2 damaged and removed");
  ASSERT_EQ(call("run rmse x.npy y.npy", cache).status, 0);
  EXPECT_SAYS(call("cache --clear", cache).out, "2 files removed");
  EXPECT_SAYS(call("cache", cache).out, "0 programs, 0 kernels");
  EXPECT_SAYS(call("cache", "FULGURITE_CACHE=").out, "no cache on disk");
}

TEST_F(ToolProgram, ExplainTellsWhatFused) {
  const Outcome text = call("explain rmse");
  EXPECT_EQ(text.status, 0) << text.err;
  for (const char* part :
       {"rmse(a: f32[n], b: f32[n]) -> f32\n", "3 operations in 1 kernel, no intermediate array\n",
        "moves 8n bytes, the least possible\n", "kernel 1: sum  example_program.cpp:17", "fused in",
        "elementwise '-'  example_program.cpp:16", "reads 8n bytes, writes 0", "checks that remain"})
    EXPECT_SAYS(text.out, part);
  const std::string of_one_phase = call("explain saxpy").out;
  EXPECT_EQ(of_one_phase.find("phases"), std::string::npos) << of_one_phase;
  const Outcome apart = call("explain rmse --no-fuse");
  EXPECT_SAYS(apart.out, "3 operations in 3 kernels, 2 intermediate arrays");
  EXPECT_SAYS(apart.out, "kept: fusion is off");
  EXPECT_SAYS(apart.out, "moves 24n bytes; what is needed once: 8n (3.00 times that)");
  EXPECT_SAYS(call("explain row_sums").out, "row_sums(a: f32[n, m]) -> f32[n]");
}

TEST_F(ToolProgram, APolicyIsGivenOnTheCommandLineInAFileOrInTheEnvironment) {
  const std::string number = "\n  cheap_tile = 1024 points, by default 16384: ";
  EXPECT_SAYS(call("explain rmse").out, "policy: default tuning numbers; ");
  EXPECT_SAYS(call("explain rmse --policy cheap_tile=1024").out, number);
  EXPECT_SAYS(call("explain rmse", "FULGURITE_POLICY=cheap_tile=1024").out, number);
  EXPECT_SAYS(call("explain rmse --policy cheap_tile=1024", "FULGURITE_POLICY=chain=16").out, number);
  std::ofstream(path("policy")) << "cheap_tile = 1024  # small\n";
  const std::string of_file = call("explain rmse --policy @" + path("policy")).out;
  EXPECT_SAYS(of_file, number);
  EXPECT_SAYS(of_file, "policy: 1 tuning number changed by the file " + path("policy") + "; ");
  EXPECT_SAYS(call("explain rmse", "FULGURITE_POLICY=@" + path("policy")).out,
              "by the file " + path("policy") + ", which FULGURITE_POLICY names; ");
  const auto json = nlohmann::json::parse(call("explain rmse --json --policy cheap_tile=1024").out);
  EXPECT_EQ(json["policy"],
            (nlohmann::json{{"cheap_tile", {{"value", "1024"}, {"default", "16384"}, {"unit", "points"}}}}));
  EXPECT_EQ(json["policy_given_by"], "Options::policy or --policy");
  EXPECT_EQ(call("run rmse x.npy y.npy --policy chain=16").out, call("run rmse x.npy y.npy").out);
  EXPECT_EQ(call("bisect rmse x.npy y.npy --policy chain=16").status, 0);
  EXPECT_FAILS(call("run rmse x.npy y.npy --policy chian=16"), 1, "the nearest name is chain");
}

TEST_F(ToolProgram, ExplainNamesParametersAsTheUserDoes) {
  EXPECT_SAYS(call("explain rmse --parameters measured,predicted").out,
              "rmse(measured: f32[n], predicted: f32[n]) -> f32\n");
  EXPECT_SAYS(call("explain rmse --parameters measured").out, "rmse(measured: f32[n], b: f32[n]) -> f32\n");
  EXPECT_SAYS(call("explain rmse --parameters n,m").out, "rmse(n: f32[k], m: f32[k]) -> f32\n");
  ASSERT_EQ(call("explain rmse --parameters measured,predicted --svg flow.svg").status, 0);
  EXPECT_SAYS(text_of("flow.svg"), ">measured: f32[n]<");
}

TEST_F(ToolProgram, ExplainAsJson) {
  const auto json = nlohmann::json::parse(call("explain rmse --json").out);
  EXPECT_EQ(json["program"], "rmse");
  EXPECT_EQ(json["parameters"], (nlohmann::json{"a: f32[n]", "b: f32[n]"}));
  EXPECT_EQ(json["operations"], 3);
  ASSERT_EQ(json["kernels"].size(), 1u);
  EXPECT_EQ(json["kernels"][0]["operation"]["line"], 17);
  EXPECT_EQ(json["kernels"][0]["fused"].size(), 2u);
  EXPECT_EQ(json["kernels"][0]["bytes"]["read"], "8n");
  EXPECT_EQ(json["least_bytes"]["read"], "8n");
  const nlohmann::json phase = json["kernels"][0]["schedule"][0];
  EXPECT_EQ(phase["phase"], "main");
  EXPECT_EQ(phase["where"], "");
  EXPECT_SAYS(phase["walk"][0].get<std::string>(), "n points are reduced; tasks of 16384; ");
  EXPECT_SAYS(phase["why"][0].get<std::string>(), "tasks: about 16384 points each: ");
  EXPECT_EQ(json["intermediate_arrays"], 0);
  EXPECT_EQ(nlohmann::json::parse(call("explain power 4 --json").out)["program"], "power");
}

// Whether tags are closed in the order in which they were opened, and markup characters stand for markup
// only.
bool is_well_formed(const std::string& xml) {
  std::vector<std::string> open;
  for (std::size_t at = 0; (at = xml.find('<', at)) != xml.npos;) {
    const std::size_t end = xml.find('>', at);
    if (end == xml.npos) return false;
    const std::string tag = xml.substr(at + 1, end - at - 1);
    if (tag.find('<') != tag.npos) return false;
    at = end;
    if (tag.starts_with('?') || tag.ends_with('/')) continue;
    if (!tag.starts_with('/')) {
      open.push_back(tag.substr(0, tag.find(' ')));
    } else {
      if (open.empty() || open.back() != tag.substr(1)) return false;
      open.pop_back();
    }
  }
  return open.empty();
}

TEST_F(ToolProgram, ExplainAsPicture) {
  for (const char* program : {"rmse", "saxpy", "centred", "row_sums", "total_and_squares", "power 5"}) {
    ASSERT_EQ(call(std::string("explain ") + program + " --svg flow.svg").status, 0);
    const std::string svg = text_of("flow.svg");
    EXPECT_TRUE(svg.starts_with("<?xml"));
    EXPECT_TRUE(is_well_formed(svg)) << program;
    EXPECT_SAYS(svg, "as written:");
    EXPECT_SAYS(svg, "after fusion:");
    EXPECT_SAYS(svg, "<style");
    EXPECT_SAYS(svg, std::string(program) == "total_and_squares" ? ">result 2: " : ">result: ");
    EXPECT_EQ(svg.find("nan"), svg.npos);
  }
  ASSERT_EQ(call("explain rmse --svg flow.svg", "PATH=").status, 0);  // without Graphviz
  EXPECT_TRUE(is_well_formed(text_of("flow.svg")));
  EXPECT_FAILS(call("explain rmse --svg none/flow.svg"), 1, "none/flow.svg cannot be written");
}

}  // namespace
