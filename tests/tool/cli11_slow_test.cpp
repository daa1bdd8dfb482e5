// Programs with a CLI11 of their own in the process in which the library has its own (own_cli_program.cpp,
// cli11_program.cpp): each uses its own.
#include <fulgurite/npy.h>

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "../runtime/temporary_directory.h"
#include "process.h"

namespace fg = fulgurite;
namespace fs = std::filesystem;

namespace {

using test::Outcome, test::shell;

class OtherCli11 : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { fg::write_npy((folder_ / "x.npy").string(), fg::Array<float>({1, 2, 3})); }

  fs::path program() const { return fs::path(FULGURITE_TEST_PROGRAM).parent_path() / GetParam(); }
  Outcome call(const std::string& words) const {
    return shell("cd '" + folder_.string() + "' && LD_LIBRARY_PATH='" +
                     fs::path(FULGURITE_TEST_LIBRARY).parent_path().string() + "' '" + program().string() +
                     "' " + words,
                 folder_ / "out.txt");
  }
  void expect(const std::string& words, int status, const std::string& part) const {
    const Outcome run = call(words);
    EXPECT_EQ(run.status, status) << words << "\n" << run.out;
    EXPECT_NE(run.out.find("its own CLI is used"), std::string::npos) << words << "\n" << run.out;
    EXPECT_NE(run.out.find(part), std::string::npos) << words << "\n" << run.out;
  }

  const fulgurite::runtime::test::TemporaryDirectory directory_;
  const fs::path& folder_ = directory_.path();
};

TEST_P(OtherCli11, CommandLinesAreReadByTheLibrarysOwn) {
  expect("run saxpy 2 x.npy x.npy", 0, "saxpy: f32[3]: 3 6 9\n");
  expect("run saxpy 2 x.npy x.npy --engine interpreter --repeat 2", 0, "saxpy: f32[3]: 3 6 9\n");
  expect("list", 0, "saxpy(f32, f32[], f32[]) -> f32[]\n");
  expect("explain saxpy", 0, "saxpy");
  expect("--help", 0, "Array programs: saxpy");
  // Its exceptions pass through frames of the program's.
  expect("run", 2, "NAME is required");
  expect("run saxpy --repeat 0", 2, "--repeat");
  expect("run saxpy --engine gpu", 2, "gpu not in {cpu,interpreter,opencl,cuda,emulator,mpi}");
}

// Without that the programs would test nothing.
TEST_P(OtherCli11, TheProgramExportsItsOwn) {
  const Outcome names = shell("nm -D --defined-only '" + program().string() + "'", folder_ / "names.txt");
  ASSERT_EQ(names.status, 0) << names.out;
  const bool is_in_another_namespace = GetParam() == std::string("cli11_program_renamed");
  EXPECT_NE(names.out.find(is_in_another_namespace ? "_ZN9users_cli3App" : "_ZN3CLI3App"), std::string::npos);
  EXPECT_EQ(names.out.find("_ZN3CLI3App") == std::string::npos, is_in_another_namespace);
}

INSTANTIATE_TEST_SUITE_P(Programs, OtherCli11,
                         testing::Values("own_cli_program", "cli11_program", "cli11_program_renamed"));

}  // namespace
