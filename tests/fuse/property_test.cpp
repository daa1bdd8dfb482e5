// Whatever the passes do, the interpreter computes the same from the program before and after; what fuse
// promises holds.
#include <fulgurite/error.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "fuse/fuse.h"
#include "random_program.h"
#include "schedule/rewrites/levels.h"
#include "simplify/simplify.h"
#include "soac/check.h"
#include "soac/print.h"
#include "soac/walk.h"

namespace fulgurite {
namespace {

using Numbers = std::vector<std::uint8_t>;

/// The results, or nothing if the program fails.
std::optional<std::vector<soac::Value>> outcome(const soac::Program& program, const Numbers& arguments) {
  try {
    return soac::interpret(program, testing::RandomProgram::arguments(arguments));
  } catch (const InternalError&) {
    throw;
  } catch (const Error&) {
    return {};
  }
}

/// Elements that nobody needs need not fail: the program after may succeed where the one before failed.
void expect_same(const soac::Program& before, const soac::Program& after, const Numbers& arguments) {
  const auto expected = outcome(before, arguments);
  if (!expected) return;
  const auto got = outcome(after, arguments);
  if (got == expected) return;
  RC_LOG() << soac::print(before) << "becomes\n" << soac::print(after);
  RC_FAIL(got ? "other results" : "fails");
}

/// Gives the program that the passes make.
soac::Program stays_the_same(std::initializer_list<const soac::Pass*> passes, const Numbers& shape,
                             const Numbers& arguments, std::optional<std::int64_t> gas = {},
                             bool scans = false) {
  const soac::Program before = testing::RandomProgram(shape).program(scans);
  soac::check(before, "generator");
  soac::PassContext context;
  context.gas = gas;
  soac::Program after = before;
  for (const soac::Pass* pass : passes) {
    after = pass->run(std::move(after), context);
    try {
      soac::check(after, pass->name);
    } catch (const InternalError& e) {
      RC_LOG() << soac::print(before) << "becomes\n" << soac::print(after) << e.what();
      RC_FAIL("not well formed");
    }
  }
  expect_same(before, after, arguments);
  return after;
}

/// Whether a Scan depends on another one of its body.
bool has_levels(const std::vector<soac::Stm>& body) {
  for (const soac::Stm& stm : body)
    for (const auto& inner : soac::nested_in(stm)) {
      const std::vector<int> depths = schedule::depths_of(*inner.lambda);
      for (std::size_t i = 0; i < depths.size(); ++i)
        if (depths[i] > 0 && std::holds_alternative<soac::Scan>(inner.lambda->body[i].op)) return true;
      if (has_levels(inner.lambda->body)) return true;
    }
  return false;
}

auto numbers() {
  return *rc::gen::resize(150, rc::gen::arbitrary<Numbers>());
}

RC_GTEST_PROP(PassesKeepMeaning, PropertySimplify, ()) {
  stays_the_same({&simplify::simplify}, numbers(), numbers());
}
RC_GTEST_PROP(PassesKeepMeaning, PropertyHoist, ()) {
  stays_the_same({&simplify::hoist}, numbers(), numbers());
}
RC_GTEST_PROP(PassesKeepMeaning, PropertyFuse, ()) {
  stays_the_same({&fuse::fuse}, numbers(), numbers());
}
RC_GTEST_PROP(PassesKeepMeaning, PropertyFuseWithGas, ()) {
  stays_the_same({&fuse::fuse, &fuse::merge}, numbers(), numbers(), *rc::gen::inRange(0, 10));
}
RC_GTEST_PROP(PassesKeepMeaning, PropertyMerge, ()) {
  stays_the_same({&fuse::fuse, &fuse::merge}, numbers(), numbers());
}
RC_GTEST_PROP(PassesKeepMeaning, PropertyAll, ()) {
  stays_the_same({&simplify::simplify, &simplify::hoist, &fuse::fuse, &fuse::merge, &simplify::hoist,
                  &simplify::simplify},
                 numbers(), numbers());
}

void keeps_promise(const std::vector<const soac::Pass*>& passes) {
  soac::PassContext context;
  soac::Program program = testing::RandomProgram(numbers()).program();
  for (const soac::Pass* pass : passes) program = pass->run(std::move(program), context);
  const std::vector<std::string> complaints = fuse::check_fused(program);
  if (complaints.empty()) return;
  RC_LOG() << soac::print(program) << complaints[0];
  RC_FAIL("not fused");
}

// No pass makes a body in which a Scan depends on another: its points would have to be walked again.
RC_GTEST_PROP(PassesKeepMeaning, PropertyScansOfScans, ()) {
  const soac::Program after =
      stays_the_same({&simplify::simplify, &simplify::hoist, &fuse::fuse, &fuse::merge, &simplify::hoist,
                      &fuse::merge, &simplify::simplify, &simplify::fields, &fuse::across},
                     numbers(), numbers(), {}, true);
  RC_ASSERT(!has_levels(after.body));
}

RC_GTEST_PROP(Fuse, PropertyKeepsItsPromise, ()) {
  keeps_promise({&simplify::simplify, &simplify::hoist, &fuse::fuse});
}
RC_GTEST_PROP(Merge, PropertyKeepsThePromiseOfFuse, ()) {
  keeps_promise({&simplify::simplify, &simplify::hoist, &fuse::fuse, &fuse::merge});
}

}  // namespace
}  // namespace fulgurite
