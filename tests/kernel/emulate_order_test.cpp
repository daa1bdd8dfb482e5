// Atomics that acquire and release order the threads of tasks that run side by side.
#include <set>

#include "emulate_run.h"

namespace fulgurite::kernel {
namespace {

constexpr std::uint64_t n_seeds = 20;

// A scan of blocks of 64 in which each block waits for the sum of the blocks before it. Blocks are numbered
// in the order in which they begin.
const std::string single_pass =
    R"(kernel single_pass(in x: i64[], out y: i64[], out ticket: i64[], out sums: i64[], out flags: i32[])
par grid task < 40 {
  alloc shared s: i64[64]
  alloc shared mine: i64[2]
  par block t < 1 {
    1: atomic k = add ticket[0] by 1
    2: store mine[0] = k
  }
  sync block
  load b: i64 = mine[0]
  par block t < 64 {
    load v: i64 = x[b * 64 + t]
    store s[t] = v
  }
  sync block
  par block t < 1 {
    var sum = 0
    for i in 0 : 64 step 1 {
      load w: i64 = s[i]
      sum = sum + w
      store s[i] = sum
    }
    var before = 0
    if b > 0 {
      3: loop {
        4: atomic ready = add flags[b - 1] by 0i32 acquire
      } while ready == 0i32 { }
      5: load p: i64 = sums[b - 1]
      before = p
    }
    6: store sums[b] = before + sum
    7: atomic exchange flags[b] by 1i32 release
    store mine[1] = before
  }
  sync block
  par block t < 64 {
    load w: i64 = s[t]
    load before: i64 = mine[1]
    8: store y[b * 64 + t] = w + before
  }
}
)";

TEST(EmulateOrder, AcquireSeesWhatWasReleased) {
  auto x = scrambled<std::int64_t>(40 * 64);
  std::vector<std::int64_t> y(x.size()), expected(x.size());
  std::partial_sum(x.begin(), x.end(), expected.begin());
  const auto expect = [&](const std::string& text, bool is_sound) {
    for (std::uint64_t seed = 0; seed < n_seeds; ++seed) {
      std::vector<std::int64_t> ticket(1), sums(40);
      std::vector<std::int32_t> flags(40);
      const Emulation e =
          run(text, {holds(x), empty(y), holds(ticket), empty(sums), holds(flags)}, {}, {.seed = seed});
      EXPECT_EQ(y, expected);
      ASSERT_EQ(e.findings.size(), is_sound ? 0u : 1u) << text_of(text, e.findings);
      if (is_sound) continue;
      EXPECT_EQ(e.findings[0].fault, Fault::race);
      EXPECT_EQ(e.findings[0].act.line, 6u);
      EXPECT_EQ(e.findings[0].other->line, 5u);
      EXPECT_EQ(e.findings[0].act.buffer, "sums");
    }
  };
  expect(single_pass, true);
  expect(with(single_pass, "1i32 release", "1i32"), false);
  expect(with(single_pass, "0i32 acquire", "0i32"), false);
}

// The block that comes last adds up what all have stored.
const std::string last_block =
    R"(kernel last_block(in x: i64[], out parts: i64[], out arrived: i32[], out y: i64[])
par grid task < 24 {
  alloc shared is_last: i32[1]
  par block t < 64 {
    load v: i64 = x[task * 64 + t]
    1: store parts[task * 64 + t] = v * 2
  }
  sync  block
  par block t < 1 {
    2: atomic before = add arrived[0] by 1i32 acquire release
    store is_last[0] = select(before == 23i32, 1i32, 0i32)
  }
  sync block
  load last: i32 = is_last[0]
  if last == 1i32 {
    par block t < 64 {
      var sum = 0
      for i in 0 : 24 step 1 {
        3: load p: i64 = parts[i * 64 + t]
        sum = sum + p
      }
      4: store y[t] = sum
    }
  }
}
)";

TEST(EmulateOrder, ReleaseTakesAlongWhatABarrierOrdered) {
  auto x = scrambled<std::int64_t>(24 * 64);
  const auto findings = [&](const std::string& text, std::uint64_t seed) {
    std::vector<std::int64_t> parts(x.size()), y(64);
    std::vector<std::int32_t> arrived(1);
    const Emulation e = run(text, {holds(x), holds(parts), holds(arrived), empty(y)}, {}, {.seed = seed});
    std::set<std::pair<std::uint32_t, std::uint32_t>> lines;
    for (const Finding& f : e.findings) lines.emplace(f.act.line, f.other ? f.other->line : 0);
    if (!lines.empty()) return lines;
    for (std::size_t t = 0; t < 64; ++t) {
      std::int64_t sum = 0;
      for (std::size_t i = 0; i < 24; ++i) sum += 2 * x[i * 64 + t];
      EXPECT_EQ(y[t], sum);
    }
    return lines;
  };
  const std::set<std::pair<std::uint32_t, std::uint32_t>> sound, race = {{1, 3}};
  for (std::uint64_t seed = 0; seed < n_seeds; ++seed) {
    EXPECT_EQ(findings(last_block, seed), sound);
    EXPECT_EQ(findings(with(last_block, "sync  block", ""), seed), race);
    EXPECT_EQ(findings(with(last_block, "sync  block", "sync warp"), seed), race);
    EXPECT_EQ(findings(with(last_block, "acquire release", "acquire"), seed), race);
    EXPECT_EQ(findings(with(last_block, "acquire release", "release"), seed), race);
  }
}

// The second warp reads what the first has stored: thread 0 releases it, thread 32 acquires.
const std::string warps = R"(kernel warps(out y: i64[])
par grid task < 3 {
  alloc shared s: i64[32]
  alloc shared ready: i32[1]
  store ready[0] = 0i32
  sync block
  par block t < 64 {
    1: store s[t] = t * 3 when t < 32
  }
  sync warp
  par block t < 64 {
    if t == 0 {
      2: atomic exchange ready[0] by 1i32 release
    }
    if t == 32 {
      loop {
        3: atomic seen = add ready[0] by 0i32 acquire
      } while seen == 0i32 { }
    }
  }
  sync  warp
  par block t < 64 {
    if t >= 32 {
      4: load v: i64 = s[(t + 1) % 32]
      5: store y[task * 32 + t - 32] = v
    }
  }
}
)";

TEST(EmulateOrder, WarpsOfABlockMayReleaseAndAcquire) {
  for (std::uint64_t seed = 0; seed < n_seeds; ++seed) {
    std::vector<std::int64_t> y(96);
    const auto lines = [&](const std::string& text) {
      const Emulation e = run(text, {empty(y)}, {}, {.seed = seed});
      std::set<std::pair<std::uint32_t, std::uint32_t>> found;
      for (const Finding& f : e.findings) found.emplace(f.act.line, f.other ? f.other->line : 0);
      return found;
    };
    const std::set<std::pair<std::uint32_t, std::uint32_t>> sound, race = {{1, 4}};
    EXPECT_EQ(lines(warps), sound);
    for (std::int64_t t = 0; t < 96; ++t) EXPECT_EQ(y[static_cast<std::size_t>(t)], (t % 32 + 1) % 32 * 3);
    // Thread 0 releases only what it stored itself, thread 32 acquires for itself.
    EXPECT_EQ(lines(with(warps, "  sync warp", "")), race);
    EXPECT_EQ(lines(with(warps, "  sync  warp", "")), race);
    EXPECT_EQ(lines(with(warps, "acquire", "")), race);
  }
}

TEST(EmulateOrder, SeedsOrderTasksWarpsAndLanes) {
  // Who comes first: the threads for which `who` holds, 32 of them.
  const auto orders = [](const std::string& tasks, const std::string& threads, const std::string& who) {
    const std::string text = "kernel order(out n: i64[], out y: i64[])\npar grid task < " + tasks +
                             " {\npar block t < " + threads + " {\nif " + who +
                             " {\natomic k = add n[0] by 1\nstore y[k] = task * 1024 + t\n}\n}\n}\n";
    std::set<std::vector<std::int64_t>> seen;
    for (std::uint64_t seed = 0; seed < n_seeds; ++seed) {
      std::vector<std::int64_t> n(1), y(32, -1), again(1), same(32, -1);
      EXPECT_TRUE(run(text, {holds(n), holds(y)}, {}, {.seed = seed}).findings.empty());
      EXPECT_TRUE(run(text, {holds(again), holds(same)}, {}, {.seed = seed}).findings.empty());
      EXPECT_EQ(y, same);  // a seed is one order
      seen.insert(y);
    }
    return seen.size();
  };
  EXPECT_GT(orders("32", "1", "true"), 10u);
  EXPECT_GT(orders("1", "1024", "t % 32 == 0"), 10u);
  EXPECT_GT(orders("1", "32", "true"), 10u);
}

TEST(EmulateOrder, CompareExchangesStoreWhereTheyFindWhatTheyExpect) {
  std::vector<std::int32_t> y{3, 4};
  std::vector<std::int32_t> old(2);
  const std::string text = R"(kernel exchange(inout y: i32[], out old: i32[])
par grid task < 2 {
  atomic before = compare_exchange y[task] by 9i32 expects 4i32
  store old[task] = before
}
)";
  const Emulation e = run(text, {holds(y), empty(old)});
  EXPECT_TRUE(e.findings.empty()) << text_of(text, e.findings);
  EXPECT_EQ(y, (std::vector<std::int32_t>{3, 9}));
  EXPECT_EQ(old, (std::vector<std::int32_t>{3, 4}));
}

TEST(EmulateOrder, ScalarsMayStandBeforeArrays) {
  std::vector<std::int64_t> x{3, 4}, y(2);
  const std::string text = R"(kernel scaled(n: i64, m: i64, in x: i64[], k: i64, out y: i64[])
par grid task < 2 {
  load v: i64 = x[task]
  store y[task] = v * n + m * k
}
)";
  const Emulation e = run(text, {holds(x), empty(y)}, {10, 100, 7});
  EXPECT_TRUE(e.findings.empty()) << text_of(text, e.findings);
  EXPECT_EQ(y, (std::vector<std::int64_t>{730, 740}));
}

}  // namespace
}  // namespace fulgurite::kernel
