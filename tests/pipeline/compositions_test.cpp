// Random compositions of every combinator (the generator of the fusion properties), fused and not, on an
// engine against the interpreter: integers, so bit for bit.
#include <fulgurite/error.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <optional>

#include "../fuse/random_program.h"
#include "engine_run.h"
#include "soac/print.h"

namespace fulgurite {
namespace {

using Numbers = std::vector<std::uint8_t>;

auto numbers() {
  return *rc::gen::resize(120, rc::gen::arbitrary<Numbers>());
}

void agree(bool fuse) {
  const soac::Program program = testing::RandomProgram(numbers()).program();
  Options options = testing_pipeline::tested();
  options.fuse = fuse;
  options.name = "random";
  for (int sample = 0; sample < 2; ++sample) {
    const std::vector<soac::Value> args = testing::RandomProgram::arguments(numbers());
    std::optional<std::vector<soac::Value>> expected, got;
    try {
      expected = soac::interpret(program, args);
    } catch (const InternalError&) {
      throw;
    } catch (const Error&) {
    }
    try {
      got = testing_pipeline::run(program, args, options);
    } catch (const InternalError&) {
      RC_LOG() << soac::print(program);
      throw;
    } catch (const CompileError&) {
      RC_LOG() << soac::print(program);
      throw;
    } catch (const Error& e) {
      // What nobody needs may fail or not.
      if (!expected) continue;
      RC_LOG() << soac::print(program) << e.what();
      RC_FAIL("fails on the engine only");
    }
    if (!expected || got == expected) continue;
    RC_LOG() << soac::print(program);
    RC_FAIL("other results");
  }
}

RC_GTEST_PROP(Compositions, PropertyFusedOnTheEngine, ()) {
  agree(true);
}
RC_GTEST_PROP(Compositions, PropertyUnfusedOnTheEngine, ()) {
  agree(false);
}

}  // namespace
}  // namespace fulgurite
