// What kernels compute when the emulator runs them, in whatever order, and what it counts.
#include "kernel/emulate.h"

#include <fulgurite/error.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <sstream>

#include "emulate_run.h"

namespace fulgurite::kernel {
namespace {

void expect_sound(const std::string& text, const Emulation& e) {
  EXPECT_TRUE(e.findings.empty()) << text_of(text, e.findings);
}

TEST(Emulate, BlockSum) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    auto x = scrambled<std::int64_t>(256);
    std::vector<std::int64_t> y(4, -1);
    const Emulation e = run(block_sum, {holds(x), empty(y)}, {}, {.seed = seed});
    expect_sound(block_sum, e);
    for (std::size_t i = 0; i < 4; ++i)
      EXPECT_EQ(y[i], std::accumulate(x.begin() + static_cast<std::ptrdiff_t>(i * 64),
                                      x.begin() + static_cast<std::ptrdiff_t>(i * 64 + 64), std::int64_t{0}));
    EXPECT_EQ(e.counts.total.block_barriers, 7);
    EXPECT_EQ(e.counts.total.tasks, 4);
    EXPECT_EQ(e.counts.total.threads, 64);
    EXPECT_EQ(e.counts.total.shared_bytes, 512);
  }
}

// Sorts blocks of 512 in shared memory and larger pieces in global memory: a bitonic network of any size.
std::string bitonic(int log_n) {
  std::string text = "kernel bitonic(out x: i32[], n: i64)\n";
  const auto step = [](const std::string& buffer, const std::string& i, int k, int j) {
    const std::string apart = std::to_string(1 << j);
    return "let low = (" + i + " >> " + std::to_string(j) + ") << " + std::to_string(j + 1) + " | " + i +
           " & " + std::to_string((1 << j) - 1) + "\n" + "load a: i32 = " + buffer + "[low]\n" +
           "load b: i32 = " + buffer + "[low + " + apart + "]\n" + "let rises = (low_at(k) & " +
           std::to_string(2 << k) + ") == 0\n" + "let turned = (b < a) == rises\n" + "store " + buffer +
           "[low] = select(turned, b, a)\n" + "store " + buffer + "[low + " + apart +
           "] = select(turned, a, b)\n";
  };
  const auto placed = [](std::string part, const std::string& low) {
    const std::string mark = "low_at(k)";
    return part.replace(part.find(mark), mark.size(), low);
  };
  for (int k = 0; k < log_n; ++k) {
    int j = k;
    for (; j >= 9; --j)
      text += "par grid task < n / 512 {\npar block t < 256 {\nlet i = task * 256 + t\n" +
              placed(step("x", "i", k, j), "low") + "}\n}\n";
    if (k >= 9 || k == 0) {
      text +=
          "par grid task < n / 512 {\nalloc shared s: i32[512]\npar block t < 256 {\nload p: i32 = x[task * "
          "512 "
          "+ t]\nload q: i32 = x[task * 512 + 256 + t]\nstore s[t] = p\nstore s[t + 256] = q\n}\nsync "
          "block\n";
      const int last = k == 0 ? 8 : k;
      for (int kk = k; kk <= last; ++kk)
        for (int jj = std::min(kk, 8); jj >= 0; --jj)
          text += "par block t < 256 {\n" + placed(step("s", "t", kk, jj), "(low + task * 512)") +
                  "}\nsync block\n";
      text +=
          "par block t < 256 {\nload p: i32 = s[t]\nload q: i32 = s[t + 256]\nstore x[task * 512 + t] = p\n"
          "store x[task * 512 + 256 + t] = q\n}\n}\n";
    }
    if (k == 0) k = 8;
  }
  return text;
}

TEST(Emulate, BitonicSort) {
  const std::string text = bitonic(11);
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    auto x = scrambled<std::int32_t>(2048);
    const Emulation e = run(text, {holds(x)}, {2048}, {.seed = seed});
    expect_sound(text, e);
    EXPECT_TRUE(std::is_sorted(x.begin(), x.end()));
  }
}

TEST(Emulate, ManySortedInSeconds) {
  const std::string text = bitonic(16);
  auto x = scrambled<std::int32_t>(65536);
  const auto begin = std::chrono::steady_clock::now();
  const Emulation e = run(text, {holds(x)}, {65536});
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  RecordProperty("seconds", std::to_string(seconds.count()));
  expect_sound(text, e);
  EXPECT_TRUE(std::is_sorted(x.begin(), x.end()));
  EXPECT_LT(seconds.count(), 60);
}

// Counted in shared memory, then added to what all tasks count.
const std::string histogram = R"(kernel histogram(in x: u8[], out bins: i32[], n: i64)
par grid clear < 1 {
  par block t < 16 {
    1: store bins[t] = 0i32
  }
}
par grid task < (n + 95) / 96 {
  alloc shared own: i32[16]
  par block t < 16 {
    2: store own[t] = 0i32
  }
  sync block
  par block u < 96 {
    let i = task * 96 + u
    3: load v: u8 = x[i] when i < n
    4: atomic add own[i64(v)] by 1i32 when i < n
  }
  sync block
  par block w < 16 {
    5: load count: i32 = own[w]
    6: atomic add bins[w] by count
  }
}
)";

TEST(Emulate, HistogramOfAtomics) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    std::vector<std::uint8_t> x(1000);
    std::vector<std::int32_t> expected(16), bins(16, -1);
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] = static_cast<std::uint8_t>((i * i + i / 3) % 16);
      ++expected[x[i]];
    }
    const Emulation e = run(histogram, {holds(x), empty(bins)}, {1000}, {.seed = seed});
    expect_sound(histogram, e);
    EXPECT_EQ(bins, expected);
    ASSERT_EQ(e.counts.phases.size(), 2u);
    EXPECT_EQ(e.counts.phases[0].tasks, 1);
    EXPECT_EQ(e.counts.phases[1].tasks, 11);
    EXPECT_EQ(e.counts.phases[1].block_barriers, 2);
  }
}

TEST(Emulate, LoopsThatDifferBetweenThreads) {
  // The steps of Collatz's sequence, and for odd threads the sum of a triangle.
  const std::string text = R"(kernel loops(out y: i64[])
par grid task < 3 {
  par block t < 45 {
    let i = task * 45 + t
    var left = i + 1
    var steps = 0
    loop { let is_one = left == 1 } while !is_one {
      if left % 2 == 0 {
        left = left / 2
      } else {
        left = left * 3 + 1
      }
      steps = steps + 1
    }
    if i % 2 != 0 {
      var sum = 0
      for k in 0 : i step 2 {
        sum = sum + k
      }
      steps = steps + sum * 1000
    }
    store y[i] = steps
  }
}
)";
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    std::vector<std::int64_t> y(135);
    const Emulation e = run(text, {empty(y)}, {}, {.seed = seed});
    expect_sound(text, e);
    for (std::int64_t i = 0; i < 135; ++i) {
      std::int64_t steps = 0;
      for (std::int64_t left = i + 1; left != 1; ++steps) left = left % 2 == 0 ? left / 2 : left * 3 + 1;
      if (i % 2 != 0)
        for (std::int64_t k = 0; k < i; k += 2) steps += 1000 * k;
      EXPECT_EQ(y[static_cast<std::size_t>(i)], steps) << i;
    }
  }
}

TEST(Emulate, AcrossThreads) {
  const std::string text =
      R"(kernel across(in x: i64[], out y: i64[], out z: i64[], out w: i64[], out kept: i64[])
par grid task < 1 {
  var next = 0
  par block t < 96 {
    load v: i64 = x[t]
    var sum = v
    for k in 0 : 4 step 1 {
      shuffle far = sum from t ^ (1 << k) width 16
      sum = sum + far
    }
    store y[t] = sum
    shift before = v by 40 fill -1
    store z[t] = before
    pick chosen = v from 70
    store w[t] = chosen
    pack next(kept[] = v) when v % 3 == 0
  }
  store w[96] = next
}
)";
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    auto x = scrambled<std::int64_t>(96);
    std::vector<std::int64_t> y(96), z(96), w(97), kept(200, -7), expected(200, -7);
    const Emulation e = run(text, {holds(x), empty(y), empty(z), empty(w), empty(kept)}, {}, {.seed = seed});
    expect_sound(text, e);
    std::size_t n = 0;
    for (std::size_t t = 0; t < 96; ++t) {
      EXPECT_EQ(y[t],
                std::accumulate(x.begin() + static_cast<std::ptrdiff_t>(t / 16 * 16),
                                x.begin() + static_cast<std::ptrdiff_t>(t / 16 * 16 + 16), std::int64_t{0}));
      EXPECT_EQ(z[t], t < 40 ? -1 : x[t - 40]);
      EXPECT_EQ(w[t], x[70]);
      if (x[t] % 3 == 0) expected[n++] = x[t];
    }
    EXPECT_EQ(w[96], static_cast<std::int64_t>(n));
    EXPECT_EQ(kept, expected);
  }
}

TEST(Emulate, TasksInOrder) {
  const std::string text = R"(kernel turns(out turn: i64[], out sum: i64[], out y: i64[])
par grid task < 40 {
  inorder turn, task {
    par block t < 33 {
      load s: i64 = sum[t]
      store sum[t] = s * 3 + task
    }
    store y[task] = task
  }
}
)";
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    std::vector<std::int64_t> turn(1), sum(33), y(40);
    const Emulation e = run(text, {holds(turn), holds(sum), empty(y)}, {}, {.seed = seed});
    expect_sound(text, e);
    std::uint64_t expected = 0;
    for (std::uint64_t task = 0; task < 40; ++task) expected = expected * 3 + task;
    for (const std::int64_t s : sum) EXPECT_EQ(static_cast<std::uint64_t>(s), expected);
    EXPECT_EQ(turn[0], 40);
  }
}

TEST(Emulate, OfFailuresTheLowestElementIsReported) {
  const std::string text = R"(kernel fails(in k: i64[], n: i64)
par grid task < 4 {
  par block t < 40 {
    load at: i64 = k[task * 40 + t]
    fail @12(task * 40 + t, 0, at, n) when at >= n
  }
}
)";
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    std::vector<std::int64_t> k(160, 5);
    EXPECT_FALSE(run(text, {holds(k)}, {9}, {.seed = seed}).failure.has_value());
    k[150] = 20;
    k[47] = 11;
    k[46] = 8;
    const Emulation e = run(text, {holds(k)}, {9}, {.seed = seed});
    EXPECT_EQ(e.failure, (Failed{12, 47, 11, 9}));
  }
}

TEST(Emulate, ThreadsKeepArraysOfTheirOwn) {
  // One array outlives the barrier, the other begins anew in each Par.
  const std::string text = R"(kernel own(out y: i32[])
par grid task < 2 {
  alloc thread kept: i32[3]
  store kept[2] = 1000i32
  alloc shared s: i32[64]
  par block t < 64 {
    store kept[0] = i32(t)
    alloc thread a: i32[2]
    store a[1] = i32(t * t)
    load b: i32 = a[1]
    store s[63 - t] = b
  }
  sync block
  par block t < 64 {
    load k: i32 = kept[0]
    load all: i32 = kept[2]
    load far: i32 = s[t]
    store y[task * 64 + t] = k + all + far
  }
}
)";
  std::vector<std::int32_t> y(128);
  const Emulation e = run(text, {empty(y)});
  expect_sound(text, e);
  for (int t = 0; t < 128; ++t) {
    const int u = t % 64;
    EXPECT_EQ(y[static_cast<std::size_t>(t)], u + 1000 + (63 - u) * (63 - u));
  }
}

std::string wide_copy(const std::string& index) {
  return "kernel wide(in x: i16[], out y: i16[])\npar grid task < 2 {\npar block t < 32 {\n"
         "let i = task * 256 + t * 8\nwide load a, b, c, d, e, f, g, h = x[" +
         index +
         "]\n"
         "wide store y[i] = h, g, f, e, d, c, b, a\n}\n}\n";
}

TEST(Emulate, AGuardKeepsAPhaseFromRunning) {
  const std::string text =
      "kernel k(out y: i64[], out go: i32[]) guard go\npar grid task < 4 {\nstore y[task] = 7\n}\n"
      "par grid task < 1 {\nstore go[0] = 0i32\n}\npar grid task < 2 {\nstore y[task] = 8\n}\n";
  for (const bool goes : {true, false}) {
    std::vector<std::int64_t> y(4, 1);
    std::vector<std::int32_t> go{goes ? 5 : 0, 3};
    const Emulation e = run(text, {holds(y), holds(go)});
    expect_sound(text, e);
    EXPECT_EQ(y, std::vector<std::int64_t>(4, goes ? 7 : 1));
    EXPECT_EQ(e.was_off, !goes);
    EXPECT_EQ(e.counts.total.tasks, goes ? 5 : 0);
  }
}

TEST(Emulate, WideAccesses) {
  auto x = scrambled<std::int16_t>(512);
  std::vector<std::int16_t> y(512);
  const Emulation e = run(wide_copy("i"), {holds(x), empty(y)});
  expect_sound(wide_copy("i"), e);
  for (std::size_t i = 0; i < y.size(); ++i) EXPECT_EQ(y[i], x[i / 8 * 8 + 7 - i % 8]);
  // Each warp's 512 bytes are 16 sectors.
  EXPECT_EQ(e.counts.total.global_read, 1024);
  EXPECT_EQ(e.counts.total.global_written, 1024);
  EXPECT_EQ(e.counts.total.transactions, 64);
  EXPECT_EQ(e.counts.total.least_transactions, 64);

  const Emulation outside = run(wide_copy("i + 256"), {holds(x), empty(y)});
  ASSERT_EQ(outside.findings.size(), 1u);
  EXPECT_EQ(outside.findings[0].fault, Fault::out_of_bounds);
}

TEST(Emulate, EveryStatement) {
  std::ifstream file(std::string(FULGURITE_TEST_DATA) + "/threads.kernel");
  std::stringstream text;
  text << file.rdbuf();
  std::vector<float> x(512, 1), y(512);
  std::vector<std::int64_t> k(512, 3);
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Emulation e = run(text.str(), {holds(x), holds(k), empty(y)}, {300, 0x3f000000, 1}, {.seed = seed});
    EXPECT_EQ(e.counts.phases.size(), 3u);
    EXPECT_EQ(e.counts.phases[0].tasks, 2);
    EXPECT_FALSE(e.failure.has_value());
  }
  k[77] = -4;
  const Emulation e = run(text.str(), {holds(x), holds(k), empty(y)}, {300, 0x3f000000, 1});
  EXPECT_EQ(e.failure, (Failed{12, 77, -4, 300}));
}

TEST(Emulate, RefusesWhatItCannotRun) {
  std::vector<float> y(64);
  const auto refuse = [&](const std::string& body, const std::string& message) {
    try {
      run("kernel k(out y: f32[])\npar grid task < 1 {\n" + body + "\n}\n", {empty(y)});
      ADD_FAILURE() << body;
    } catch (const InternalError& e) {
      EXPECT_NE(std::string(e.what()).find(message), std::string::npos) << e.what();
    }
  };
  refuse("store y[0, 1] = splat(1f, 8)", "before vectorise");
  refuse("let v = splat(1f, 8)", "before vectorise");
  refuse("par block t < 8 { par block u < 8 { } }", "a Par(block) of constant size in a task");
  refuse("alloc shared s: f32[8] at 2", "'s' of f32 begins at byte 2");
  refuse("par block t < 8 { wide store y[t * 4 + 2] = 1f, 1f, 1f, 1f }", "4 elements begins at element");
  refuse("alloc shared s: f32[8] par block t < 2 { wide store s[t * 2] = 1f, 1f }", "not global");
  EXPECT_THROW(run("kernel k(out y: f32[]) par grid task < 1 { }", {}), InternalError);
}

// Counts, known by hand.

Emulation reads(const std::string& index, int threads, std::vector<float>& x) {
  std::vector<float> y(static_cast<std::size_t>(threads));
  const std::string text = "kernel reads(in x: f32[], out y: f32[])\npar grid task < 1 {\npar block t < " +
                           std::to_string(threads) + " {\nload v: f32 = x[" + index +
                           "]\nstore y[t] = v\n}\n}\n";
  return run(text, {holds(x), empty(y)});
}

TEST(EmulateCounts, GlobalTransactions) {
  std::vector<float> x(4096);
  // The store of 64 f32 is 8 sectors, as few as can be.
  PhaseCounts c = reads("t", 64, x).counts.total;
  EXPECT_EQ(c.global_read, 256);
  EXPECT_EQ(c.least_read, 256);
  EXPECT_EQ(c.global_written, 256);
  EXPECT_EQ(c.least_written, 256);
  EXPECT_EQ(c.transactions, 16);
  EXPECT_EQ(c.least_transactions, 16);
  c = reads("t * 8", 64, x).counts.total;
  EXPECT_EQ(c.transactions, 64 + 8);
  EXPECT_EQ(c.least_transactions, 16);
  c = reads("t * 2", 64, x).counts.total;
  EXPECT_EQ(c.transactions, 16 + 8);
  c = reads("t + 1", 64, x).counts.total;  // each warp has a sector more
  EXPECT_EQ(c.transactions, 10 + 8);
  c = reads("63 - t", 64, x).counts.total;
  EXPECT_EQ(c.transactions, 16);
  c = reads("t / 32", 64, x).counts.total;
  EXPECT_EQ(c.global_read, 256);
  EXPECT_EQ(c.least_read, 8);
  EXPECT_EQ(c.transactions, 2 + 8);
  EXPECT_EQ(c.least_transactions, 2 + 8);
}

std::int64_t conflicts(const std::string& kind, const std::string& index) {
  std::vector<std::int32_t> y(32);
  const std::string text = "kernel banks(out y: i32[])\npar grid task < 1 {\nalloc shared s: " + kind +
                           "[1056]\npar block t < 32 {\nlet i = " + index +
                           "\nstore s[i] = " + (kind == "i64" ? "t" : kind + "(t)") + "\nload v: " + kind +
                           " = s[i]\nstore y[t] = 0i32\n}\n}\n";
  const Emulation e = run(text, {empty(y)});
  expect_sound(text, e);
  return e.counts.total.bank_conflicts;
}

TEST(EmulateCounts, BankConflicts) {
  EXPECT_EQ(conflicts("i32", "t"), 0);
  EXPECT_EQ(conflicts("i32", "t * 2"), 2 * 1);
  EXPECT_EQ(conflicts("i32", "t * 32"), 2 * 31);
  EXPECT_EQ(conflicts("i32", "t * 33"), 0);
  EXPECT_EQ(conflicts("u8", "t"), 0);
  EXPECT_EQ(conflicts("i64", "t"), 0);
  EXPECT_EQ(conflicts("i64", "t * 2"), 2 * 2);  // for each half of the warp
}

TEST(EmulateCounts, OneWordIsABroadcast) {
  const std::string text = R"(kernel broadcast(out y: i32[])
par grid task < 1 {
  alloc shared s: i32[64]
  par block t < 1 {
    store s[5] = 3i32
    store s[37] = 4i32
  }
  sync block
  par block t < 32 {
    load v: i32 = s[5 + t % 2 * 32]
    store y[t] = v
  }
}
)";
  std::vector<std::int32_t> y(32);
  const Emulation e = run(with(text, "5 + t % 2 * 32", "37"), {empty(y)});
  expect_sound(text, e);
  EXPECT_EQ(e.counts.total.bank_conflicts, 0);
  EXPECT_EQ(run(text, {empty(y)}).counts.total.bank_conflicts, 1);
}

TEST(EmulateCounts, IdleLanes) {
  // 40 threads are two warps; of 6 statements, 2 in each branch.
  const std::string text = R"(kernel idle(out y: i64[])
par grid task < 2 {
  par block t < 40 {
    let a = t + 1
    if t < 8 {
      let b = a * 2
      store y[task * 40 + t] = b
    } else {
      let c = a * 3
      store y[task * 40 + t] = c
    }
  }
}
)";
  std::vector<std::int64_t> y(80);
  const PhaseCounts c = run(text, {empty(y)}).counts.total;
  // Warp 0 runs all six statements, 32 32 8 8 24 24 lanes of 32; warp 1 four of them with 8 lanes.
  EXPECT_EQ(c.lane_slots, 2 * (6 + 4) * 32);
  EXPECT_EQ(c.idle_lanes, 2 * (2 * 24 + 2 * 8 + 4 * 24));
}

TEST(EmulateCounts, Barriers) {
  const std::string text = R"(kernel barriers(out y: i64[], n: i64)
par grid task < 5 {
  for k in 0 : task step 1 {
    par block t < 64 {
      let a = t
    }
    sync warp
    par block t < 64 {
      let a = t
    }
    sync block
  }
}
)";
  std::vector<std::int64_t> y(1);
  const PhaseCounts c = run(text, {empty(y)}, {3}).counts.total;
  EXPECT_EQ(c.block_barriers, 4);
  EXPECT_EQ(c.warp_barriers, 4);
}

}  // namespace
}  // namespace fulgurite::kernel
