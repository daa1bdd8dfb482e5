// Each kind of fault: the kernel that lacks it has no finding, the kernel that has it has that one.
#include <set>

#include "emulate_run.h"

namespace fulgurite::kernel {
namespace {

constexpr std::uint64_t n_seeds = 20;

void expect_sound(const std::string& text, const std::vector<BufferArgument>& buffers,
                  const std::vector<scalar::Bits>& scalars = {}, EmulatorOptions options = {}) {
  for (options.seed = 0; options.seed < n_seeds; ++options.seed) {
    const Emulation e = run(text, buffers, scalars, options);
    EXPECT_TRUE(e.findings.empty()) << text << text_of(text, e.findings);
  }
}

/// The one finding, which is the same with every seed.
Finding expect_one(const std::string& text, const std::vector<BufferArgument>& buffers, Fault fault,
                   std::uint32_t line, std::uint32_t other_line,
                   const std::vector<scalar::Bits>& scalars = {}, EmulatorOptions options = {}) {
  Finding found;
  for (options.seed = 0; options.seed < n_seeds; ++options.seed) {
    const Emulation e = run(text, buffers, scalars, options);
    EXPECT_EQ(e.findings.size(), 1u) << text << text_of(text, e.findings);
    if (e.findings.size() != 1) break;
    found = e.findings[0];
    EXPECT_EQ(found.fault, fault) << text_of(text, e.findings);
    EXPECT_EQ(found.act.line, line) << text_of(text, e.findings);
    EXPECT_EQ(found.other ? found.other->line : 0, other_line) << text_of(text, e.findings);
  }
  if (!found.other) found.other.emplace();  // so that what else a test asks for only fails
  return found;
}

/// What a kernel has as faults, by kind and lines, with every seed.
using Lines = std::set<std::tuple<Fault, std::uint32_t, std::uint32_t>>;
void expect_faults(const std::string& text, const std::vector<BufferArgument>& buffers,
                   const Lines& expected) {
  for (std::uint64_t seed = 0; seed < n_seeds; ++seed) {
    Lines found;
    const Emulation e = run(text, buffers, {}, {.seed = seed});
    for (const Finding& f : e.findings) found.emplace(f.fault, f.act.line, f.other ? f.other->line : 0);
    EXPECT_EQ(found, expected) << text << text_of(text, e.findings);
  }
}

// Reversed in blocks of 64 through shared memory.
const std::string reversed = R"(kernel reversed(in x: f32[], out y: f32[])
par grid task < 3 {
  1: alloc shared s: f32[64]
  2: par block t < 64 {
    3: load v: f32 = x[task * 64 + t]
    4: store s[t] = v
  }
  5: sync block
  6: par block t < 64 {
    7: load w: f32 = s[63 - t]
    8: store y[task * 64 + t] = w
  }
}
)";

TEST(EmulateFindings, AMissingBarrierIsARace) {
  std::vector<float> x(192, 1), y(192);
  expect_sound(reversed, {holds(x), empty(y)});
  const Finding f = expect_one(with(reversed, "5: sync block", ""), {holds(x), empty(y)}, Fault::race, 4, 7);
  EXPECT_EQ(f.act.buffer, "s");
  EXPECT_EQ(f.act.task, 0);
  EXPECT_TRUE(f.act.writes);
  EXPECT_FALSE(f.other->writes);
  EXPECT_EQ(f.act.thread + f.other->thread, 63);
}

TEST(EmulateFindings, AWarpBarrierOrdersItsWarpOnly) {
  const std::string text = R"(kernel neighbours(out y: i64[])
par grid task < 2 {
  alloc shared s: i64[128]
  par block t < 128 {
    1: store s[t] = t
  }
  sync block
  par block t < 128 {
    2: load v: i64 = s[t / 2 * 2]
    let w = v + 1
    3: store y[task * 128 + t] = w
  }
  sync warp
  par block t < 128 {
    4: store s[t ^ 1] = t
  }
}
)";
  std::vector<std::int64_t> y(256);
  expect_sound(text, {empty(y)});
  const Finding f = expect_one(with(text, "sync warp", ""), {empty(y)}, Fault::race, 4, 2);
  EXPECT_EQ(f.act.task, 0);
  EXPECT_EQ(f.element % 2, 0);
  EXPECT_EQ(expect_one(with(text, "t ^ 1", "(t + 32) % 128"), {empty(y)}, Fault::race, 4, 2).act.buffer, "s");
}

TEST(EmulateFindings, TheBlockSumWithOneBarrierLess) {
  std::vector<std::int64_t> x(256, 1), y(4);
  expect_sound(block_sum, {holds(x), empty(y)});
  // A store races with the load of what another thread stores, and the total's load with the last store.
  expect_faults(with(block_sum, "sync  block", "sync warp"), {holds(x), empty(y)}, {{Fault::race, 6, 7}});
  expect_faults(with(block_sum, "sync  block", ""), {holds(x), empty(y)},
                {{Fault::race, 6, 5}, {Fault::race, 6, 7}});
}

TEST(EmulateFindings, TwoWritesOfOneValueRace) {
  const std::string text = R"(kernel flag(in x: i32[], out y: i32[])
par grid task < 1 {
  par block t < 64 {
    1: load v: i32 = x[t]
    2: store y[0] = 1i32 when v == 7i32
  }
}
)";
  std::vector<std::int32_t> x(64), y(1);
  x[40] = 7;
  expect_sound(text, {holds(x), holds(y)});
  x[41] = 7;
  const Finding f = expect_one(text, {holds(x), holds(y)}, Fault::race, 2, 2);
  EXPECT_EQ(std::set({f.act.thread, f.other->thread}), (std::set<std::int64_t>{40, 41}));
  EXPECT_TRUE(f.other->writes);
}

TEST(EmulateFindings, TasksAreNotOrdered) {
  const std::string text = R"(kernel tasks(out y: i32[], out z: i32[])
par grid task < 5 {
  par block t < 32 {
    1: store y[task * 32 + t] = 1i32
  }
}
par grid task < 5 {
  par block t < 32 {
    2: load v: i32 = y[(task * 32 + t + 32) % 160]
    3: store z[task * 32 + t] = v
  }
}
)";
  std::vector<std::int32_t> y(160), z(160);
  expect_sound(text, {empty(y), empty(z)});
  const std::string one_phase = with(text, "}\n}\npar grid task < 5 {\n", "}\nsync block\n");
  for (std::uint64_t seed = 0; seed < n_seeds; ++seed) {
    const Emulation e = run(one_phase, {holds(y), empty(z)}, {}, {.seed = seed});
    ASSERT_EQ(e.findings.size(), 1u);
    EXPECT_EQ(e.findings[0].fault, Fault::race);
    EXPECT_NE(e.findings[0].act.task, e.findings[0].other->task);
  }
  // Two arguments may be one buffer.
  expect_one(text, {empty(y), holds(y)}, Fault::race, 3, 2);
}

TEST(EmulateFindings, AnIndexOffByOne) {
  std::vector<float> x(192, 1), y(192);
  Finding f = expect_one(with(reversed, "y[task * 64 + t]", "y[task * 64 + t + 1]"), {holds(x), empty(y)},
                         Fault::out_of_bounds, 8, 0);
  EXPECT_EQ(f.act.buffer, "y");
  EXPECT_EQ(f.element, 192);
  EXPECT_EQ(f.n, 192);
  EXPECT_EQ(f.act.task, 2);
  EXPECT_EQ(f.act.thread, 63);
  EXPECT_TRUE(f.act.writes);
  f = expect_one(with(reversed, "63 - t", "62 - t"), {holds(x), empty(y)}, Fault::out_of_bounds, 7, 0);
  EXPECT_EQ(f.element, -1);
  // A load outside gives 0.
  run(with(reversed, "63 - t", "62 - t"), {holds(x), empty(y)});
  EXPECT_EQ(y[63], 0);
  EXPECT_EQ(y[62], 1);
  expect_faults(with(reversed, "f32[64]", "f32[60]"), {holds(x), empty(y)},
                {{Fault::out_of_bounds, 4, 0}, {Fault::out_of_bounds, 7, 0}});
}

TEST(EmulateFindings, WhatNothingHasWritten) {
  std::vector<float> x(192, 1), y(192);
  const std::string half = with(reversed, "4: store s[t] = v", "4: store s[t] = v when t != 9");
  Finding f = expect_one(half, {holds(x), empty(y)}, Fault::uninitialised, 7, 0);
  EXPECT_EQ(f.act.buffer, "s");
  EXPECT_EQ(f.element, 9);
  EXPECT_EQ(f.act.thread, 54);
  EXPECT_EQ(f.act.task, 0);

  const std::string output = R"(kernel output(out y: f32[])
par grid task < 1 {
  par block t < 4 {
    1: load v: f32 = y[t]
    2: store y[t] = v
  }
}
)";
  expect_sound(output, {holds(y)});
  expect_one(output, {empty(y)}, Fault::uninitialised, 1, 0);

  const std::string own = R"(kernel own(out y: f32[])
par grid task < 1 {
  par block t < 4 {
    alloc thread a: f32[2]
    1: store a[0] = 1f
    2: load v: f32 = a[0]
    3: store y[t] = v
  }
}
)";
  expect_sound(own, {empty(y)});
  expect_one(with(own, "= a[0]", "= a[1]"), {empty(y)}, Fault::uninitialised, 2, 0);
  expect_one(with(own, "= a[0]", "= a[2]"), {empty(y)}, Fault::out_of_bounds, 2, 0);

  // An array that is allocated again begins anew.
  const std::string again = R"(kernel again(out y: i64[])
par grid task < 1 {
  for k in 0 : 3 step 1 {
    alloc shared s: i64[4]
    par block t < 4 {
      1: store s[t] = t when k < 9
      2: load v: i64 = s[t]
      3: store y[t] = v
    }
  }
}
)";
  std::vector<std::int64_t> z(4);
  expect_sound(again, {empty(z)});
  expect_one(with(again, "k < 9", "k < 2"), {empty(z)}, Fault::uninitialised, 2, 1);
}

TEST(EmulateFindings, WhatALaunchThatFailedHasNotWrittenIsNoFault) {
  const std::string guarded = R"(kernel guarded(in x: f32[], out y: f32[])
par grid task < 1 {
  alloc shared s: f32[64]
  par block t < 64 {
    load v: f32 = x[t]
    fail @3(t, 0, t, 9) when v < 0f
    store s[t] = v when 0f <= v
  }
  sync block
  par block t < 64 {
    1: load w: f32 = s[63 - t]
    2: store y[t] = w
  }
}
)";
  std::vector<float> x(64, 1), y(64);
  x[9] = -1;
  expect_sound(guarded, {holds(x), empty(y)});
  EXPECT_EQ(run(guarded, {holds(x), empty(y)}).failure, (Failed{3, 9, 9, 9}));
  expect_one(with(guarded, "when v < 0f", "when v < -1f"), {holds(x), empty(y)}, Fault::uninitialised, 1, 0);
  // Other faults are faults there, too.
  expect_one(with(guarded, "63 - t", "64 - t"), {holds(x), empty(y)}, Fault::out_of_bounds, 1, 0);
}

TEST(EmulateFindings, AReadOfAnUpdatedArrayBehindTheStore) {
  const std::string swap = R"(kernel swap(inout x: i32[], inout y: i32[])
par grid task < 2 {
  par block t < 32 {
    1: load u: i32 = x[task * 32 + t]
    2: load v: i32 = y[task * 32 + t]
    3: store x[task * 32 + t] = v
    4: store y[task * 32 + t] = u
  }
}
)";
  std::vector<std::int32_t> x = scrambled<std::int32_t>(64), y(64, 7);
  expect_sound(swap, {holds(x), holds(y)});
  const std::string late = with(with(swap, "    1: load u: i32 = x[task * 32 + t]\n", ""), "    4: store",
                                "    1: load u: i32 = x[task * 32 + t]\n    4: store");
  const Finding f = expect_one(late, {holds(x), holds(y)}, Fault::late_read, 1, 3);
  EXPECT_EQ(f.act.buffer, "x");
  EXPECT_EQ(f.act.thread, f.other->thread);
  const std::vector<Finding> findings = run(late, {holds(x), holds(y)}).findings;
  EXPECT_NE(text_of(late, findings).find("updated it (line 3), and wants what it was before"),
            std::string::npos)
      << text_of(late, findings);
  // A phase of its own sees what the phase before has stored, and so does a kernel that stores to an output.
  expect_sound(with(swap, "    3: store",
                    "  }\n}\npar grid task < 2 {\n  par block t < 32 {\n    2: load v: i32 = "
                    "y[task * 32 + t]\n    1: load u: i32 = x[task * 32 + t]\n    3: store"),
               {holds(x), holds(y)});
  expect_sound(with(late, "inout x", "out x"), {holds(x), holds(y)});
}

TEST(EmulateFindings, ArraysThatOverlap) {
  // a and b live together, c after a.
  const std::string text = R"(kernel overlaps(out y: i32[], out z: f64[])
par grid task < 2 {
  alloc shared a: i32[64] at 0
  alloc shared b: f64[64] at 256
  par block t < 64 {
    1: store a[t] = i32(t)
  }
  sync block
  par block t < 64 {
    2: store b[t] = f64(t)
  }
  sync  block
  par block t < 64 {
    3: load v: i32 = a[63 - t]
    4: store y[task * 64 + t] = v
  }
  alloc shared c: i32[32] at 0
  sync   block
  par block t < 64 {
    5: store c[t] = 0i32 when t < 32
    6: load w: f64 = b[t]
    7: store z[task * 64 + t] = w
  }
}
)";
  std::vector<std::int32_t> y(128);
  std::vector<double> z(128);
  expect_sound(text, {empty(y), empty(z)});
  EXPECT_EQ(run(text, {empty(y), empty(z)}).counts.total.shared_bytes, 256 + 512);
  const Finding f =
      expect_one(with(text, "at 256", "at 248"), {empty(y), empty(z)}, Fault::uninitialised, 3, 2);
  EXPECT_EQ(f.act.buffer, "a");
  EXPECT_EQ(f.other->buffer, "b");
  EXPECT_EQ(f.element, 62);
  // The second array of a place must not be stored to while the first is read.
  const Finding g = expect_one(with(text, "sync   block", ""), {empty(y), empty(z)}, Fault::race, 5, 3);
  EXPECT_EQ(g.act.buffer, "c");
  EXPECT_EQ(g.other->buffer, "a");
}

TEST(EmulateFindings, BarriersThatNotAllReach) {
  const std::string text = R"(kernel divergent(out y: i64[], n: i64)
par grid task < 1 {
  alloc shared s: i64[64]
  par block t < 64 {
    store s[t] = t
    for k in 0 : 3 step 1 {
      if k < n {
        1: sync block
      }
    }
    2: load v: i64 = s[63 - t]
    3: store y[t] = v
  }
}
)";
  std::vector<std::int64_t> y(64);
  expect_sound(text, {empty(y)}, {2});
  EXPECT_EQ(run(text, {empty(y)}, {2}).counts.total.block_barriers, 2);
  EXPECT_EQ(y[10], 53);
  // Some lanes of a warp, the first in a round of its own; whole warps; a loop that runs longer for some.
  Finding f = expect_one(with(text, "if k < n", "if (k < n) & (k == 0 | t < 40)"), {empty(y)},
                         Fault::divergence, 1, 0, {2});
  EXPECT_EQ(f.element, 40);
  EXPECT_EQ(f.n, 64);
  f = expect_one(with(text, "if k < n", "if (k < n) & (k == 0 | t < 32)"), {empty(y)}, Fault::divergence, 1,
                 0, {2});
  EXPECT_EQ(f.element, 32);
  f = expect_one(with(text, "0 : 3", "0 : 3 + t / 63"), {empty(y)}, Fault::divergence, 1, 0, {9});
  EXPECT_EQ(f.element, 1);
  EXPECT_EQ(f.act.thread, 63);

  // Two barriers, each for half of the warps.
  const std::string two = R"(kernel two(out y: i64[])
par grid task < 1 {
  par block t < 64 {
    if t < 64 {
      1: sync block
    } else {
      2: sync block
    }
    3: store y[t] = t
  }
}
)";
  expect_sound(two, {empty(y)});
  expect_faults(with(two, "if t < 64", "if t < 32"), {empty(y)},
                {{Fault::divergence, 1, 2}, {Fault::divergence, 2, 0}});

  const std::string warp = R"(kernel warp(out y: i64[])
par grid task < 1 {
  par block t < 40 {
    if t < 40 {
      1: sync warp
      2: shuffle v = t from t + 1 width 8
      3: store y[t] = v
    }
  }
}
)";
  expect_sound(warp, {empty(y)});
  EXPECT_EQ(y[15], 8);
  expect_faults(with(warp, "if t < 40", "if t != 3"), {empty(y)},
                {{Fault::divergence, 1, 0}, {Fault::divergence, 2, 0}});
  f = expect_one(with(warp, "width 8", "width 16"), {empty(y)}, Fault::out_of_bounds, 2, 0);
  EXPECT_EQ(f.element, 40);
}

TEST(EmulateFindings, MoreSharedMemoryThanThereIs) {
  std::vector<float> x(192, 1), y(192);
  expect_sound(reversed, {holds(x), empty(y)}, {}, {.shared_limit = 256});
  const Finding f =
      expect_one(reversed, {holds(x), empty(y)}, Fault::shared_limit, 1, 0, {}, {.shared_limit = 255});
  EXPECT_EQ(f.element, 256);
  EXPECT_EQ(f.n, 255);
}

TEST(EmulateFindings, ALoopThatDoesNotEnd) {
  const std::string text = R"(kernel waits(out flag: i32[], out y: i32[])
par grid task < 2 {
  par block t < 64 {
    for k in 0 : 3 step 1 {
      1: store y[task * 64 + t] = 1i32
    }
    if t == 0 {
      2: atomic exchange flag[task] by 1i32
    }
    3: loop {
      4: atomic seen = add flag[1 - task] by 0i32
    } while seen == 0i32 { }
  }
}
)";
  std::vector<std::int32_t> y(128);
  for (std::uint64_t seed = 0; seed < n_seeds; ++seed) {
    std::vector<std::int32_t> flag(2);
    const Emulation e = run(text, {holds(flag), empty(y)}, {}, {.seed = seed});
    EXPECT_TRUE(e.findings.empty()) << text_of(text, e.findings);
    flag = {0, 0};
    const std::string endless = with(text, "exchange flag[task]", "max flag[0]");
    const Emulation f = run(endless, {holds(flag), empty(y)}, {}, {.seed = seed, .most_statements = 20000});
    ASSERT_EQ(f.findings.size(), 1u) << text_of(text, f.findings);
    EXPECT_EQ(f.findings[0].fault, Fault::endless);
    EXPECT_EQ(f.findings[0].act.line, 3u);
    EXPECT_EQ(f.findings[0].act.task, 0);
  }
  // The loop that has gone round most often is named, not the one inside that it is in.
  const std::string nested = R"(kernel nested(out y: i64[])
par grid task < 1 {
  1: var k = 0
  2: loop { } while k < 9 {
    3: for i in 0 : 2 step 1 {
      4: k = k * i
    }
  }
  5: store y[0] = k
}
)";
  std::vector<std::int64_t> k(1);
  for (std::int64_t most : {1000, 1001, 1002, 1003}) {
    const Emulation inside = run(nested, {empty(k)}, {}, {.most_statements = most});
    ASSERT_EQ(inside.findings.size(), 1u) << text_of(nested, inside.findings);
    EXPECT_EQ(inside.findings[0].act.line, 2u) << text_of(nested, inside.findings);
  }
  const std::string turn = R"(kernel turn(out turn: i64[])
par grid task < 3 {
  1: inorder turn, task { }
}
)";
  std::vector<std::int64_t> of(1);
  EXPECT_TRUE(run(turn, {holds(of)}).findings.empty());
  of[0] = 1;  // nobody is the first
  const Emulation e = run(turn, {holds(of)});
  ASSERT_EQ(e.findings.size(), 1u);
  EXPECT_EQ(e.findings[0].fault, Fault::endless);
  EXPECT_EQ(e.findings[0].act.line, 1u);
}

TEST(EmulateFindings, APlainReadBesideAnAtomic) {
  const std::string text = R"(kernel counter(out y: i32[])
par grid task < 1 {
  alloc shared n: i32[1]
  1: store n[0] = 0i32
  sync block
  par block t < 64 {
    2: atomic add n[0] by 1i32
  }
  sync  block
  par block t < 1 {
    3: load all: i32 = n[0]
    4: store y[0] = all
  }
}
)";
  std::vector<std::int32_t> y(1);
  expect_sound(text, {empty(y)});
  EXPECT_EQ(y[0], 64);
  const Finding f = expect_one(with(text, "sync  block", ""), {empty(y)}, Fault::race, 2, 3);
  EXPECT_TRUE(f.act.is_atomic);
  EXPECT_FALSE(f.other->is_atomic);
  // A plain write before the atomics: one after the other only with the barrier.
  const Finding g = expect_one(with(text, "sync block", ""), {empty(y)}, Fault::race, 1, 2);
  EXPECT_EQ(g.act.thread, -1);
  EXPECT_TRUE(g.other->is_atomic);
}

}  // namespace
}  // namespace fulgurite::kernel
