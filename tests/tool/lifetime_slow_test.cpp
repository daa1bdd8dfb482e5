// Where a process begins, forks, runs out of memory and ends (lifetime_program.cpp, run as processes of their
// own), and what the library's file is: its symbols, and the compiler plug-in beside it.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "../runtime/temporary_directory.h"
#include "process.h"

namespace fs = std::filesystem;

namespace {

using test::Outcome, test::shell;

// A folder with the library and, if a test lays one there, a plug-in; and a cache.
class Lifetime : public testing::Test {
 protected:
  void SetUp() override { fs::copy_file(library(), folder_ / library().filename()); }

  static fs::path library() { return FULGURITE_TEST_LIBRARY; }
  static fs::path plugin() { return library().parent_path() / "libfulgurite_clang.so"; }
  fs::path plugin_here() const { return folder_ / "libfulgurite_clang.so"; }

  Outcome program(const std::string& words, const std::string& cache = "cache") const {
    return shell("FULGURITE_CACHE='" + (cache.empty() ? cache : (folder_ / cache).string()) +
                     "' FULGURITE_THREADS=2 LD_LIBRARY_PATH='" + folder_.string() +
                     "' timeout 120 '" FULGURITE_TEST_PROGRAM "' " + words,
                 folder_ / "out.txt");
  }
  void expect_error(const std::string& part) const { expect_error("run", "cache", part); }
  void expect_error(const std::string& words, const std::string& cache, const std::string& part) const {
    const Outcome run = program(words, cache);
    EXPECT_EQ(run.status, 3) << run.out;
    EXPECT_NE(run.out.find(plugin_here().string()), std::string::npos) << run.out;
    EXPECT_NE(run.out.find("install libfulgurite.so and libfulgurite_clang.so of one build"),
              std::string::npos)
        << run.out;
    EXPECT_NE(run.out.find("fulgurite::CompileError: kernel '"), std::string::npos) << run.out;
    const std::string named = cache.empty() ? "which is off" : (folder_ / cache).string();
    EXPECT_NE(run.out.find("is not in the cache (" + named + "), and "), std::string::npos) << run.out;
    EXPECT_NE(run.out.find(", or set FULGURITE_CACHE to a folder"), std::string::npos) << run.out;
    EXPECT_NE(run.out.find(part), std::string::npos) << run.out;
  }
  void lay_part_of_plugin(std::uintmax_t bytes) const {
    fs::copy_file(plugin(), plugin_here(), fs::copy_options::overwrite_existing);
    fs::resize_file(plugin_here(), bytes);
  }
  void compile_foreign(const std::string& text) const {
    std::ofstream(folder_ / "foreign.c") << text;
    const Outcome made = shell(
        "cc -shared -fPIC -o '" + plugin_here().string() + "' '" + (folder_ / "foreign.c").string() + "'",
        folder_ / "out.txt");
    ASSERT_EQ(made.status, 0) << made.out;
  }

  const fulgurite::runtime::test::TemporaryDirectory directory_;
  const fs::path& folder_ = directory_.path();
};

TEST_F(Lifetime, AMissingPluginIsAnError) {
  expect_error("cannot be read (No such file or directory)");
}

TEST_F(Lifetime, AnEmptyPluginIsAnError) {
  std::ofstream(plugin_here()).close();
  expect_error("has 0 bytes");
}

TEST_F(Lifetime, AFolderOrTextInsteadOfThePluginIsAnError) {
  fs::create_directory(plugin_here());
  expect_error("is not a file");
  fs::remove(plugin_here());
  std::ofstream(plugin_here()) << std::string(1000, 'x');
  expect_error("is not a library for this machine");
  fs::remove(plugin_here());
  fs::create_symlink("nowhere", plugin_here());
  expect_error("No such file or directory");
  fs::remove(plugin_here());
  ASSERT_EQ(mkfifo(plugin_here().c_str(), 0600), 0);
  expect_error("is not a file");  // and nobody waits for a writer
  fs::remove(plugin_here());
  fs::create_symlink("/dev/zero", plugin_here());
  expect_error("is not a file");
}

TEST_F(Lifetime, ATruncatedPluginIsAnError) {
  const std::uintmax_t size = fs::file_size(plugin());
  std::vector<std::uintmax_t> lengths = {size - 1, size - 64, size - 5000};
  for (std::uintmax_t part = 23; part > 0; --part) lengths.push_back(size / 24 * part);
  for (const std::uintmax_t bytes : {100'000u, 4096u, 4095u, 500u, 65u, 64u, 63u}) lengths.push_back(bytes);
  lay_part_of_plugin(size);
  for (const std::uintmax_t bytes : lengths) {  // ever shorter
    fs::resize_file(plugin_here(), bytes);
    expect_error(bytes < 64 ? "has 63 bytes" : "is damaged");
  }
}

TEST_F(Lifetime, APluginWhoseEndWasNotWrittenIsAnError) {
  const std::uintmax_t size = fs::file_size(plugin());
  lay_part_of_plugin(size / 2);
  fs::resize_file(plugin_here(), size);
  expect_error("is damaged: its last bytes were not written");
}

TEST_F(Lifetime, AForeignLibraryInsteadOfThePluginIsAnError) {
  compile_foreign("int something_else(void) { return 1; }\n");
  expect_error("is not a compiler plug-in of this version of Fulgurite");
  fs::copy_file(library(), plugin_here(), fs::copy_options::overwrite_existing);
  expect_error("is not a compiler plug-in of this version of Fulgurite");
  compile_foreign(
      "const char* fulgurite_clang_start(void) { return \"clang 1.0 0123\"; }\n"
      "void fulgurite_clang_compile(void) {}\nvoid fulgurite_clang_release(void) {}\n");
  expect_error("is the compiler plug-in of another build (clang 1.0 0123, this library needs clang 19");
  compile_foreign("extern int nobody_has_this;\nint* f(void) { return &nobody_has_this; }\n");
  expect_error("nobody_has_this");
}

TEST_F(Lifetime, AWarmCacheNeedsNoPlugin) {
  fs::copy_file(plugin(), plugin_here());
  ASSERT_EQ(program("run").status, 0);
  ASSERT_EQ(program("several", "warm").status, 0);
  fs::remove(plugin_here());
  EXPECT_EQ(program("run").status, 0) << "the kernel is in the cache";
  expect_error("several", "cache", "cannot be read");  // of which nothing is
  EXPECT_EQ(program("several", "warm").status, 0) << "all of its kernels are there";
  expect_error("run", "warm", "cannot be read");
  expect_error("run", "", "the cache (which is off)");
  expect_error("several_in_background", "cache", "cannot be read");
  EXPECT_EQ(program("several_in_background", "warm").status, 0);
  // The library's file is another one with the same contents, of another time.
  fs::copy_file(library(), folder_ / "copy");
  fs::rename(folder_ / "copy", folder_ / library().filename());
  fs::last_write_time(folder_ / library().filename(),
                      fs::file_time_type::clock::now() - std::chrono::hours(50));
  EXPECT_EQ(program("run").status, 0) << "a copy of the library finds the same kernels";
}

TEST_F(Lifetime, ThePluginIsFoundBesideWhatTheLibrarysNameIsALinkTo) {
  const fs::path links = folder_ / "links";
  fs::create_directory(links);
  fs::copy_file(plugin(), plugin_here());
  fs::create_symlink(folder_ / library().filename(), links / library().filename());
  fs::rename(folder_ / library().filename(), folder_ / "real.so");
  fs::create_symlink("real.so", folder_ / library().filename());
  EXPECT_EQ(program("run").status, 0);
}

TEST_F(Lifetime, TooLittleMemoryIsAnError) {
  fs::copy_file(plugin(), plugin_here());
  bool failed = false, succeeded = false;
  int n = 0;
  for (const int mebibytes :
       {1, 20, 50, 70, 80, 84, 88, 90, 92, 94, 96, 98, 100, 102, 104, 106, 110, 120, 140, 160, 300, 4000}) {
    const std::string cache = "cache" + std::to_string(n++);
    const Outcome run = program("limited " + std::to_string(mebibytes << 10), cache);
    EXPECT_TRUE(run.status == 0 || run.status == 3) << mebibytes << " MiB: " << run.status << "\n" << run.out;
    EXPECT_EQ(run.status == 3, run.out.find("fulgurite::OutOfMemory: ") != std::string::npos) << run.out;
    failed = failed || run.status == 3;
    succeeded = succeeded || run.status == 0;
  }
  EXPECT_TRUE(failed);
  EXPECT_TRUE(succeeded);
}

class Ends : public Lifetime {
 protected:
  void SetUp() override {
    Lifetime::SetUp();
    fs::copy_file(plugin(), plugin_here());
  }
  void expect_success(const std::string& words, int times = 1) const {
    for (int i = 0; i < times; ++i) {
      const Outcome run = program(words, "cache" + std::to_string(i));
      EXPECT_EQ(run.status, 0) << words << "\n" << run.out;
    }
  }
};

TEST_F(Ends, StaticDestructorsMayCompile) {
  expect_success("static_destructor");
  expect_success("static_destructor_after_use");
}

TEST_F(Ends, ThreadsMayCompileWhileMainReturns) {
  expect_success("detached_thread", 5);
}

TEST_F(Ends, AThreadWithASmallStackMayCompileAndRun) {
  expect_success("small_stack");
}

TEST_F(Ends, ProcessesWhoseKernelsCompileInTheBackground) {
  expect_success("end_while_compiling", 5);
  expect_success("exit_while_compiling", 5);
}

// PoCL makes static objects as late as in its first compilation.
TEST_F(Ends, ProcessesWhoseDriversCompileInTheBackground) {
  setenv("FULGURITE_ENGINE", "opencl", 1);
  const bool has_device = program("several", "warm").status == 0;
  if (has_device) {
    expect_success("end_while_compiling", 2);
    expect_success("exit_while_compiling", 2);
  }
  unsetenv("FULGURITE_ENGINE");
  if (!has_device) GTEST_SKIP() << "there is no OpenCL device";
}

TEST_F(Ends, AChildForkedBesideTheBackgroundMayCallAndCompile) {
  expect_success("fork_beside_background", 2);
}

TEST_F(Ends, KernelsOfTheCacheNeedNoThreads) {
  expect_success("several");
  expect_success("background_without_threads");
}

TEST_F(Ends, AChildForkedWhileOthersCompileMayCompile) {
  expect_success("fork_while_compiling", 2);
}

TEST_F(Ends, AChildForkedWhileOthersRunMayRun) {
  expect_success("fork_while_running");
}

TEST_F(Ends, AChildForkedAtFirstCallsMayRun) {
  expect_success("fork_at_first_call");
}

TEST(Exports, AreOurOwnNames) {
  const fs::path out = fs::temp_directory_path() / ("exports_" + std::to_string(getpid()));
  const Outcome names = shell("nm -D --defined-only '" FULGURITE_TEST_LIBRARY "'", out);
  fs::remove(out);
  ASSERT_EQ(names.status, 0) << names.out;
  // Folders of src/ whose namespaces no public header opens.
  const std::vector<std::string> inner = {"4base",  "4soac",  "6scalar",  "8simplify", "4fuse",
                                          "5lower", "4tidy",  "4emit",    "4plan",     "7runtime",
                                          "4tool",  "5trace", "8pipeline"};
  std::istringstream lines(names.out);
  std::string address, type, name;
  int n = 0;
  bool has_compile = false;
  while (lines >> address >> type >> name) {
    if (name == "FULGURITE_1" && type == "A") continue;  // the version of the others (src/exports.map)
    // GDB looks for these two names in every library (its interface for compilers at run time).
    const std::string unversioned = name.substr(0, name.find('@'));
    if (unversioned == "__jit_debug_register_code" || unversioned == "__jit_debug_descriptor") continue;
    ++n;
    const bool is_ours = name.starts_with("_ZN9fulgurite") || name.starts_with("_ZNK9fulgurite") ||
                         name.starts_with("_ZTIN9fulgurite") || name.starts_with("_ZTSN9fulgurite") ||
                         name.starts_with("_ZTVN9fulgurite");
    EXPECT_TRUE(is_ours) << name;
    const std::string after = name.substr(name.find("9fulgurite") + 10);
    for (const std::string& space : inner) EXPECT_FALSE(after.starts_with(space)) << name;
    for (const char* other : {"3CLI", "8nlohmann", "3fmt"})
      EXPECT_EQ(name.find(other), std::string::npos) << name;
    has_compile = has_compile || name.find("make_variants") != std::string::npos;
  }
  EXPECT_TRUE(has_compile);
  EXPECT_GT(n, 100);
  EXPECT_LT(n, 1200);
}

}  // namespace
