// Inspectors mark what the phase after them reads, and phases mark what they store, where only the data say.
#include "distribute/inspect.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "../kernel/emulate_run.h"
#include "distribute/footprints.h"
#include "kernel/check.h"
#include "kernel/parse.h"
#include "kernel/print.h"

namespace fulgurite::distribute {
namespace {

using namespace kernel;

Distributed of(const std::string& body, const std::string& params) {
  Kernel kernel = parse("kernel k(" + params + ", n: i64)\n" + body);
  check(kernel, Stage::threads, "parse");
  const std::size_t n = kernel.body.size();
  std::vector<std::int32_t> tasks_of;
  for (std::size_t p = 0; p < n; ++p) tasks_of.push_back(static_cast<std::int32_t>(p));
  Distributed after = inspect({std::move(kernel), tasks_of, std::vector<PhaseMarks>(n), {}});
  check(after.kernel, Stage::threads, "inspect");
  return after;
}

std::string text_of(const Distributed& of) {
  return print(of.kernel);
}

const std::string gather_params = "in x: f32[], in at: i64[], out y: f32[]";
const std::string gather = R"(par grid task < n / 4 {
  let t = task * 4
  let end = t + 4
  for j in t : end step 1 {
    load k: i64 = at[j]
    let inside = u64(k) < u64(n)
    fail @0(j, 0, k, n) when !inside
    if inside {
      load v: f32 = x[k]
      store y[j] = v
    }
  }
}
)";

TEST(Inspect, OfAGatherTheLinesOfItsPlacesAreMarkedBefore) {
  const Distributed after = of(gather, gather_params);
  EXPECT_EQ(text_of(after),
            R"(kernel k(in x: f32[], in at: i64[], out y: f32[], out x_marks: u8[], n: i64)
par grid task < n / 4 {
  let t = task * 4
  let end = t + 4
  for j in t : end step 1 {
    load k: i64 = at[j]
    let inside = u64(k) < u64(n)
    if inside {
      store x_marks[k >> 4] = 1u8
    }
  }
}
par grid task_1 < n / 4 {
  let t_1 = task_1 * 4
  let end_1 = t_1 + 4
  for j_1 in t_1 : end_1 step 1 {
    load k_1: i64 = at[j_1]
    let inside_1 = u64(k_1) < u64(n)
    fail @0(j_1, 0, k_1, n) when !inside_1
    if inside_1 {
      load v: f32 = x[k_1]
      store y[j_1] = v
    }
  }
}
)");
  EXPECT_EQ(after.own, (std::vector<runtime::OwnArray>{{-1, 0, 16}}));
  EXPECT_EQ(after.tasks_of, (std::vector<std::int32_t>{0, 0}));

  const runtime::Footprints all = footprints_of(after);
  EXPECT_TRUE(all.phases[0].is_inspector);
  EXPECT_EQ(all.phases[0].marks, (std::vector<runtime::Marks>{{0, 3}}));
  EXPECT_FALSE(all.phases[0].can_fail);
  // It reads no x, and the marks are nobody else's business.
  for (const runtime::Touch& t : all.phases[0].touches) EXPECT_EQ(t.buffer, 1);
  EXPECT_FALSE(all.phases[1].is_inspector);
  EXPECT_TRUE(all.phases[1].marks.empty());
  for (const runtime::Touch& t : all.phases[1].touches) EXPECT_EQ(t.is_marked, t.buffer == 0) << t.buffer;
}

TEST(Inspect, MarksAreTheLinesOfThePlaces) {
  Distributed after = of(gather, gather_params);
  after.kernel.body.resize(1);
  std::vector<std::int64_t> at(64);
  std::vector<std::uint8_t> marks(4), expected(4);
  // Task 0 reads in line 2, task 2 in lines 0 and 1; others do outside of x.
  for (std::size_t i = 0; i < at.size(); ++i) at[i] = i < 4 ? 40 : i == 9 ? 3 : i == 10 ? 31 : 64;
  expected[0] = expected[1] = expected[2] = 1;
  std::vector<float> x(64), y(64);
  const std::vector<BufferArgument> buffers{holds(x), holds(at), empty(y), holds(marks)};
  const Emulation e = emulate(after.kernel, buffers, std::vector<scalar::Bits>{64}, {.seed = 3});
  for (const Finding& f : e.findings) ADD_FAILURE() << message(after.kernel, f) << print(after.kernel);
  EXPECT_EQ(marks, expected);
}

TEST(Inspect, OfAScatterThePlacesAreMarkedByThePhaseItself) {
  const Distributed after = of(R"(par grid task < n / 4 {
  let t = task * 4
  let end = t + 4
  for j in t : end step 1 {
    load k: i64 = at[j]
    load v: f32 = x[j]
    store y[k] = v
  }
}
)",
                               gather_params);
  ASSERT_EQ(after.kernel.body.size(), 1u);
  EXPECT_NE(text_of(after).find("store y[k] = v\n    store y_marks[k] = 1u8\n"), std::string::npos)
      << text_of(after);
  const runtime::Footprints all = footprints_of(after);
  EXPECT_EQ(all.phases[0].marks, (std::vector<runtime::Marks>{{2, 3}}));
  for (const runtime::Touch& t : all.phases[0].touches) EXPECT_EQ(t.is_marked, t.stores);
}

TEST(Inspect, PlacesOfPlacesHaveTwoInspectors) {
  const Distributed after = of(R"(par grid task < n {
  load begin: i64 = at[task]
  load behind: i64 = at[task + 1]
  var sum = 0f
  for j in begin : behind step 1 {
    load c: i64 = column[j]
    load v: f32 = x[c]
    let sum_1 = sum
    sum = sum_1 + v
  }
  let total = sum
  store y[task] = total
}
)",
                               "in x: f32[], in at: i64[], in column: i64[], out y: f32[]");
  ASSERT_EQ(after.kernel.body.size(), 3u) << text_of(after);
  const runtime::Footprints all = footprints_of(after);
  EXPECT_EQ(all.phases[0].marks, (std::vector<runtime::Marks>{{2, 4}}));
  EXPECT_EQ(all.phases[1].marks, (std::vector<runtime::Marks>{{0, 5}}));
  // The second reads columns where the first has marked them.
  for (const runtime::Touch& t : all.phases[1].touches) EXPECT_EQ(t.is_marked, t.buffer == 2);
  for (const runtime::Touch& t : all.phases[2].touches)
    EXPECT_EQ(t.is_marked, t.buffer == 0 || t.buffer == 2) << t.buffer;
}

// Where a place needs what stands at another unknown place of the same array, or what the phase itself
// stores, nothing can mark it before.
TEST(Inspect, WhatCannotBeMarkedIsNot) {
  for (const char* body :
       {"par grid task < n {\n  load a: i64 = at[task]\n  load b: i64 = at[a]\n  load c: i64 = at[b]\n"
        "  store z[task] = c\n}\n",
        "par grid task < n {\n  load a: i64 = z[task]\n  load v: f32 = x[a]\n  store y[task] = v\n"
        "  store z[task] = 0\n}\n",
        "par grid task < n {\n  atomic add z[0] by 1\n  load a: i64 = at[task]\n  load v: f32 = x[a]\n  "
        "store y[task] = v\n}\n"}) {
    const Distributed after = of(body, "in x: f32[], in at: i64[], out y: f32[], inout z: i64[]");
    EXPECT_EQ(after.kernel.body.size(), 1u) << text_of(after);
    EXPECT_TRUE(after.own.empty()) << text_of(after);
  }
}

// Places that no data say: a distance that doubles, a task's row.
TEST(Inspect, WhatNoDataSayIsLeftToFormulas) {
  const Distributed after = of(R"(par grid task < n {
  var apart = 1
  loop {
    let now = apart
    let more = now < n
  } while more {
    load v: f32 = x[now]
    store y[task] = v
    apart = now * 2
  }
}
par grid task_1 < n {
  let row = task_1 * 16
  load k: i64 = at[task_1]
  let class = k & 15
  let entry = row + class
  load before: f32 = y[entry]
  store y[entry] = before
}
)",
                               gather_params);
  EXPECT_EQ(after.kernel.body.size(), 2u) << text_of(after);
  EXPECT_TRUE(after.own.empty()) << text_of(after);
}

// The one task of a phase asks for what it reads, and need not say where it stores: all ranks run it.
TEST(Inspect, OfASingleTaskReadsAreMarkedAndStoresAreNot) {
  const Distributed after = of(R"(par grid task < 1 {
  for j in 0 : n step 1 {
    load k: i64 = at[j]
    load v: f32 = x[k]
    store y[k] = v
  }
}
)",
                               gather_params);
  ASSERT_EQ(after.kernel.body.size(), 2u);
  EXPECT_EQ(after.marks[0].marks.size(), 1u);
  EXPECT_TRUE(after.marks[1].marks.empty());
}

}  // namespace
}  // namespace fulgurite::distribute
