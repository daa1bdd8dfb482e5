// Phases whose tasks take turns, taken apart: they compute what they did, whatever the order of the tasks.
#include "distribute/unchain.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "../kernel/emulate_run.h"
#include "distribute/footprints.h"
#include "kernel/check.h"
#include "kernel/print.h"
#include "kernel/traverse.h"

namespace fulgurite::distribute {
namespace {

using namespace kernel;

bool takes_turns(const Kernel& kernel) {
  bool found = false;
  for_each_stm(kernel.body, [&](const Stm& s) { found |= std::holds_alternative<InOrder>(s.op); });
  return found;
}

// Running sums of five tasks of eight elements each.
const std::string scan = R"(kernel scan(in x: i64[], out y: i64[], out turn: i64[], out total: i64[], n: i64)
par grid init < 1 {
  store turn[0] = 0
  store total[0] = n
}
par grid task < 5 {
  let base = task * 8
  var sum = 0
  for i in base : base + 8 step 1 {
    load v: i64 = x[i]
    sum = sum + v
  }
  var before = 0
  inorder turn, task {
    load t: i64 = total[0]
    before = t
    store total[0] = t + sum
  }
  for j in base : base + 8 step 1 {
    load w: i64 = x[j]
    before = before + w
    store y[j] = before
  }
}
)";

struct Result {
  std::vector<std::int64_t> y, total;
};

Result run(const Kernel& k, const std::vector<std::size_t>& own) {
  auto x = scrambled<std::int64_t>(40);
  std::vector<std::int64_t> turn(1), total(1), y(40, -1);
  std::vector<std::vector<std::int64_t>> more;
  for (const std::size_t n : own) more.emplace_back(n);
  std::vector<BufferArgument> buffers{holds(x), empty(y), empty(turn), empty(total)};
  for (std::vector<std::int64_t>& room : more) buffers.push_back(empty(room));
  const Emulation e = emulate(k, buffers, std::vector<scalar::Bits>{7}, {.seed = 3});
  for (const Finding& f : e.findings) ADD_FAILURE() << message(k, f) << print(k);
  return {y, total};
}

TEST(Unchain, AScanIsThreePhasesAndComputesTheSame) {
  const Kernel before = parse(scan);
  const Result expected = run(before, {});
  const Distributed after = unchain(parse(scan));
  check(after.kernel, Stage::threads, "unchain");
  EXPECT_FALSE(takes_turns(after.kernel));
  EXPECT_EQ(after.tasks_of, (std::vector<std::int32_t>{0, 1, -1, 1}));
  ASSERT_FALSE(after.own.empty());
  for (const runtime::OwnArray& array : after.own) EXPECT_EQ(array.tasks_of, 1);
  const Result got = run(after.kernel, std::vector<std::size_t>(after.own.size(), 5));
  EXPECT_EQ(got.y, expected.y);
  EXPECT_EQ(got.total, expected.total);
}

TEST(Unchain, ThePhasesMayBeDivided) {
  const Distributed after = unchain(parse(scan));
  const runtime::Footprints all = footprints_of(after);
  EXPECT_TRUE(all.phases[1].is_divisible);
  EXPECT_TRUE(all.phases[3].is_divisible);
  const Distributed none = {parse(scan), {0, 1}, {{}, {}}, {}};
  EXPECT_FALSE(footprints_of(none).phases[1].is_divisible);
}

TEST(Unchain, OthersStayAsTheyAre) {
  for (const std::string& text :
       {block_sum,
        // the turn works on an array of the task
        std::string(R"(kernel k(in x: i64[], out y: i64[], out turn: i64[])
par grid task < 5 {
  alloc shared room: i64[8]
  store room[0] = task
  inorder turn, task {
    load v: i64 = room[0]
    store y[task] = v
  }
}
)"),
        // two turns
        std::string(R"(kernel k(in x: i64[], out y: i64[], out turn: i64[], out other: i64[])
par grid task < 5 {
  inorder turn, task {
    store y[0] = task
  }
  inorder other, task {
    store y[1] = task
  }
}
)")}) {
    const Kernel before = parse(text);
    const Distributed after = unchain(parse(text));
    EXPECT_EQ(print(after.kernel), print(before));
    EXPECT_TRUE(after.own.empty());
    EXPECT_EQ(after.tasks_of.size(), before.body.size());
  }
}

}  // namespace
}  // namespace fulgurite::distribute
