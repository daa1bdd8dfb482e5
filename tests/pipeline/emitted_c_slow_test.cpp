// Programs emitted as C, as applications use them: a project of its own, built by GCC alone and by Clang
// alone under sanitizers, whose results are those of the interpreter.
#include <fulgurite/fulgurite.h>

#include "project_of_emitted_c.h"
#include "runtime/cpu/levels.h"

namespace fulgurite {
namespace {

namespace fs = std::filesystem;
using namespace emitted_programs;

// Each level compiles some of the programs.
std::vector<std::string> levels_of_this_machine() {
  std::vector<std::string> levels{"generic"};
  for (std::size_t k = 0; k < runtime::cpu::n_levels_reached(); ++k)
    levels.insert(levels.begin(), std::string(runtime::cpu::levels[k]));
  return levels;
}

// One compiler takes some of the programs, the other one the others; large tests have each take all.
std::vector<Case> every_second(std::size_t first) {
  std::vector<Case> all = cases(), some;
  for (std::size_t k = first; k < all.size(); k += 2) some.push_back(std::move(all[k]));
  return some;
}

TEST(EmittedC, SlowAgreesByGcc) {
  const std::vector<Case> all = every_second(0);
  const Calls calls = calls_of(all, OfLarge::engine);
  const std::string gcc = "gcc -std=c11 -O0";
  expect_agreement(gcc, Project(all, levels_of_this_machine()).run(gcc, calls.arguments), calls);
}
TEST(EmittedC, SlowAgreesByClang) {
  const std::vector<Case> all = every_second(1);
  const Calls calls = calls_of(all, OfLarge::engine);
  std::vector<std::string> levels = levels_of_this_machine();
  std::rotate(levels.begin(), levels.begin() + 1, levels.end());
  const std::string clang = "clang-19 -std=gnu17 -O0 -ffp-contract=fast";
  expect_agreement(clang, Project(all, levels).run(clang, calls.arguments), calls);
}
void agrees_with_the_interpreter(const std::string& compiler) {
  const std::vector<Case> all = cases();
  const Calls calls = calls_of(all, OfLarge::interpreter);
  for (const std::string& level : levels_of_this_machine())
    expect_agreement(compiler + " for " + level, Project(all, {level}).run(compiler, calls.arguments), calls);
}
TEST(EmittedC, LargeAgreesWithTheInterpreterByGcc) {
  agrees_with_the_interpreter("gcc -std=c11 -O2");
}
TEST(EmittedC, LargeAgreesWithTheInterpreterByClang) {
  agrees_with_the_interpreter("clang-19 -std=c11 -O2");
}
TEST(EmittedC, LargeAgreesOnArm) {
  if (std::system("command -v aarch64-linux-gnu-gcc qemu-aarch64 > /dev/null") != 0)
    GTEST_SKIP() << "there is no compiler for aarch64, or no emulator of it";
  std::vector<Case> all = cases();
  for (Case& c : all) c.largest = 0;
  const Calls calls = calls_of(all, OfLarge::interpreter);
  const std::string gcc = "aarch64-linux-gnu-gcc -std=c11 -O2 -static";
  expect_agreement(gcc, Project(all, {"generic"}).run(gcc, calls.arguments, "", "qemu-aarch64 "), calls);
}

}  // namespace
}  // namespace fulgurite
