// Where a Builder puts what expressions need, and which context each of its handles appends in.
#include "kernel/build.h"

#include <gtest/gtest.h>

#include "kernel/check.h"
#include "kernel/print.h"

namespace fulgurite::kernel {
namespace {

struct Building {
  std::shared_ptr<Arena> arena = std::make_shared<Arena>();
  Expr n = arena->fresh({Kind::i64}, "n"), a = arena->fresh({Kind::i64}, "a");
  Var x = arena->fresh_array(Kind::i64, {arena->i64(0)}, "x").var();
  Var y = arena->fresh_array(Kind::i64, {arena->i64(0)}, "y").var();
  Builder b;
  explicit Building(Outside outside = {}) : b(*arena, std::move(outside)) {}

  Expr i64(std::int64_t value) { return arena->i64(value); }
  Expr x_at(Expr i) { return arena->index(arena->name(x), std::span(&i, 1)); }

  /// The kernel whose only task `fill` makes, as text without its head and names' numbers.
  std::string task(const std::function<void(Expr task)>& fill) {
    Kernel made{"k", arena, {}, b.block([&] { b.par(Level::grid, i64(4), "task", fill); })};
    for (const Builder::FreeBuffer& buffer : b.free_buffers()) made.params.push_back(buffer.param);
    for (Var scalar : b.free_scalars()) made.params.push_back({scalar, Param::Role::scalar});
    check(made, Stage::threads, "the builder");
    const std::string text = print(made);
    return text.substr(text.find('\n') + 1);
  }
};

TEST(Build, InvariantOperationsLeaveLoops) {
  Building k;
  const std::string text = k.task([&](Expr) {
    k.b.for_loop(k.i64(0), k.i64(8), k.i64(1), "i", [&](Expr i) {
      const Expr invariant = k.n * k.a;
      k.b.store_plain(k.y, i, k.b.lower(invariant + i));
    });
  });
  EXPECT_LT(text.find(" * "), text.find("for ")) << text;
  EXPECT_GT(text.find(" + "), text.find("for ")) << text;
}

TEST(Build, NothingLeavesABranch) {
  Building k;
  const std::string text = k.task([&](Expr) {
    const Expr condition = k.b.lower(k.n < k.a);
    k.b.if_then(condition, [&] { k.b.store_plain(k.y, k.i64(0), k.b.lower(k.n * k.a)); });
    k.b.store_plain(k.y, k.i64(1), k.b.lower(k.n * k.a));
  });
  EXPECT_GT(text.find(" * "), text.find("if ")) << text;
  EXPECT_NE(text.find(" * "), text.rfind(" * ")) << text;  // made again after it
}

TEST(Build, ReadsLeaveIterationsThatBeganAfterTheyWereWritten) {
  for (const bool is_written_inside : {false, true}) {
    Building k;
    const std::string text = k.task([&](Expr task) {
      const Expr before = is_written_inside ? Expr() : k.x_at(task);
      k.b.for_loop(
          k.i64(0), k.i64(8), k.i64(1), "i",
          [&](Expr i) { k.b.store_plain(k.y, i, k.b.lower(before ? before : k.x_at(task))); },
          Enclosure::iteration);
    });
    EXPECT_EQ(text.find("load ") < text.find("for "), !is_written_inside) << text;
  }
}

TEST(Build, CodeBehindAFailedCheckReadsNothing) {
  Building k;
  const std::string text = k.task([&](Expr task) {
    k.b.check(k.n < k.a, 3, std::vector{k.n});
    k.b.store_plain(k.y, task, k.b.lower(k.x_at(task)));
  });
  EXPECT_NE(text.find("fail @3(0, 0, n, 0)"), std::string::npos) << text;
  EXPECT_NE(text.find(": i64 = x[task, 1] when t"), std::string::npos) << text;
}

TEST(Build, WithoutChecksNothingFails) {
  Building k({.checks = false});
  const std::string text = k.task([&](Expr task) {
    k.b.check(k.n < k.a, 3, {});
    k.b.store_plain(k.y, task, k.b.lower(k.x_at(task)));
  });
  EXPECT_EQ(text.find("fail"), std::string::npos) << text;
  EXPECT_EQ(text.find("when"), std::string::npos) << text;
}

TEST(Build, AContextIsThatOfItsHandle) {
  Building k;
  const std::string text = k.task([&](Expr task) {
    Context context = k.b.context();
    context.element = task;
    context.line = 7;
    const Builder of_element = k.b.with(context);
    const Expr bad = k.b.lower(k.n < k.a);
    of_element.fail(bad, 1, k.n, k.a);
    k.b.fail(bad, 2, k.n, k.a);
  });
  EXPECT_NE(text.find("7: fail @1(task, 0, n, a)"), std::string::npos) << text;
  EXPECT_NE(text.find("\n  fail @2(0, 0, n, a)"), std::string::npos) << text;
}

TEST(Build, AFailureDoesWhatTheContextSays) {
  Building k;
  const std::string text = k.task([&](Expr task) {
    Context context = k.b.context();
    context.on_failure = [&] { k.b.store_plain(k.y, task, k.i64(1)); };
    k.b.with(context).fail(k.b.lower(k.n < k.a), 1, k.n, k.a);
  });
  EXPECT_EQ(text.find("fail"), std::string::npos) << text;
  EXPECT_NE(text.find("store y[task, 1] = 1"), std::string::npos) << text;
}

TEST(Build, StoresOfAStreamingContextBypassTheCacheButForOwnBuffers) {
  Building k;
  const std::string text = k.task([&](Expr task) {
    Context context = k.b.context();
    context.streaming = k.b.lower(k.n < k.a);
    const Builder streaming = k.b.with(context);
    const Var own = k.b.allocate_shared(Kind::i64, 4);
    streaming.store(own, k.i64(0), k.n);
    streaming.store(k.y, task, k.n);
    k.b.store(k.y, task, k.a);
  });
  EXPECT_NE(text.find("\n  store shared_[0, 1] = n"), std::string::npos) << text;
  EXPECT_NE(text.find("store streaming y[task, 1] = n"), std::string::npos) << text;
  EXPECT_NE(text.find("\n  store y[task, 1] = a"), std::string::npos) << text;
}

TEST(Build, ChosenValuesAreNames) {
  Building k;
  const std::string text = k.task([&](Expr task) {
    const Expr condition = k.b.lower(k.n < k.a);
    const std::vector<Expr> chosen = k.b.choose(
        condition, [&] { return std::vector<Expr>{k.n + task}; }, [&] { return std::vector{k.a}; }, "chosen");
    ASSERT_EQ(chosen.size(), 1u);
    EXPECT_TRUE(chosen[0].is_name());
    k.b.store_plain(k.y, task, chosen[0]);
  });
  EXPECT_LT(text.find("var chosen = 0"), text.find("if ")) << text;
}

}  // namespace
}  // namespace fulgurite::kernel
