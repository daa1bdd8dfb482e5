// A schedule for blocks, printed, edited as text and read back, gives another kernel, which does what the
// text says, and the same results, on the emulator, which refuses races and reads of what nothing wrote.
#include "../lower/agree.h"
#include "plan/execute.h"
#include "schedule/parse.h"
#include "schedule/print.h"

namespace fulgurite::testing_lower {
namespace {

Options emulated() {
  Options options;
  options.engine = Engine::emulator;
  return options;
}

struct Replaced {
  std::string from, to;
};

// The launch as its text says with these parts of it replaced, each of which it has.
schedule::Launch edited(scalar::Arena& arena, const schedule::Launch& launch,
                        const std::vector<Replaced>& edits) {
  std::string text = schedule::print(arena, launch);
  for (const auto& [from, to] : edits) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << "no '" << from << "' in\n" << text;
    if (at != std::string::npos) text.replace(at, from.size(), to);
  }
  return schedule::parse(arena, text, launch);
}

std::string texts(const plan::Loaded& loaded) {
  std::string all;
  for (const plan::KernelText& kernel : loaded.plan.kernels) all += kernel.source;
  return all;
}

/// The text of the program's kernels has `before` in it and not `after`; that of the edited ones has `after`
/// and not `before`, and gives the interpreter's results. No `after`: the edit takes something away.
void expect_edit(const std::string& text, const std::vector<Value>& args, const std::vector<Replaced>& edits,
                 const std::string& before, const std::string& after) {
  const soac::Program program = soac::parse(text, "test.soac");
  const std::string as_decided = texts(pipeline::load_edited(program, emulated(), {}));
  const plan::Loaded loaded = pipeline::load_edited(
      program, emulated(), [&](schedule::Launch launch) { return edited(*program.arena, launch, edits); });
  const std::string as_edited = texts(loaded);
  EXPECT_NE(as_decided.find(before), std::string::npos) << as_decided;
  EXPECT_EQ(as_edited.find(before), std::string::npos) << as_edited;
  if (!after.empty()) {
    EXPECT_EQ(as_decided.find(after), std::string::npos) << as_decided;
    EXPECT_NE(as_edited.find(after), std::string::npos) << as_edited;
  }
  const std::vector<Value> expected = soac::interpret(program, args);
  const std::vector<Value> got = testing_pipeline::run_loaded(loaded, program, args);
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i)
    EXPECT_TRUE(soac::same(got[i], expected[i])) << "result " << i << "\n" << as_edited;
}

std::vector<Value> integers(std::int64_t n, int below = 1000) {
  return {array_value(numbers<std::int32_t>(n, below))};
}

const std::string square = R"(program "square" (x: i32[n]) {
  y: i32[n] = map (i < n) { x[i] * x[i] }
  return y
})";

TEST(BlocksEdits, ThreadsOfABlock) {
  expect_edit(square, integers(5000), {{"by 256 thread", "by 128 thread"}}, " < 256 {", " < 128 {");
}

TEST(BlocksEdits, PointsOfABlock) {
  expect_edit(square, integers(5000), {{"by 2048 grid", "by 3072 grid"}}, "(n + 2047) / 2048",
              "(n + 3071) / 3072");
}

TEST(BlocksEdits, NeighboursOfAThread) {
  expect_edit(square, integers(5000), {{"  cut 0 by 4 registers mask\n", "  cut 0 by 2 registers mask\n"}},
              "& -4", "& -2");
}

const std::string running = R"(program "running" (x: i32[n]) {
  y: i32[n] = redomap (i < n) {
    s: i32 = scan (x[i]) add comm neutral 0i32
    return s
  }
  return y
})";

// In the main phase, and in the one that joins the blocks' results.
TEST(BlocksEdits, PointsThatAThreadFolds) {
  const Replaced tile{"by 7936 sequence", "by 1792 sequence"}, run{"by 31 registers", "by 7 registers"};
  expect_edit(R"(program "in_order" (x: i32[n]) {
    f: i32 = redomap (i < n) { x[i] } reduce (a: i32, b: i32) { a * 3i32 + b - a * 2i32 } neutral 0i32
    return f
  })",
              integers(9000), {tile, run, tile, run}, "i32[7936]", "i32[1792]");
}

TEST(BlocksEdits, TilesThatAreLookedAtTogether) {
  expect_edit(running, integers(60000), {{"handed_on 128", "handed_on 64"}}, "i32[128]", "i32[64]");
}

const std::string histogram = R"(program "histogram" (x: i32[n]) {
  h: i32[10] = redomap (i < n) { return i64(x[i]), 1i32 }
    scatter (10) (b: i64) { 0i32 } combine add comm neutral 0i32
  return h
})";

TEST(BlocksEdits, BinsInSharedMemoryOff) {
  expect_edit(histogram, integers(9000, 12),
              {{"  stage h at 0 shared 2048\n", ""}, {"thread atomic 4, grid atomic 4", "grid atomic"}},
              "i32[2048]", "");
}

TEST(BlocksEdits, PassesOverThePoints) {
  expect_edit(histogram, integers(9000, 12), {{"thread atomic 4", "thread atomic"}}, "for pass", "");
}

const std::string stencil = R"(program "stencil" (x: i32[n], y: i32[m]) {
  z: i32[n - 2] = map (i < n - 2) { x[i] + x[i + 1] * 2i32 + x[i + 2] + y[i] - y[i + 1] }
  return z
})";
std::vector<Value> two_arrays(std::int64_t n) {
  return {array_value(numbers<std::int32_t>(n, 1000)), array_value(numbers<std::int32_t>(n, 1000, 2))};
}

TEST(BlocksEdits, StripAndItsWindows) {
  expect_edit(stencil, two_arrays(5000),
              {{"by 2048 grid", "by 512 grid"},
               {"by 2048 sequence", "by 512 sequence"},
               {"stage x at 1 shared 2112", "stage x at 1 shared 576"},
               {"stage y at 1 shared 2112", "stage y at 1 shared 576"}},
              "[2112]", "[576]");
}

TEST(BlocksEdits, AStageLess) {
  expect_edit(stencil, two_arrays(5000), {{"  stage y at 1 shared 2112 of y[i] around 0 1\n", ""}},
              "i32[2112] at 8448", "");
}

TEST(BlocksEdits, AdditionsOfAnAccumulator) {
  expect_edit(R"(program "sum" (x: f32[n]) {
    s: f32 = redomap (i < n) { x[i] } reduce add comm neutral 0f
    return s
  })",
              {array_value(numbers<float>(9000, 4))},
              {{"thread chain 16", "thread chain 8"}, {"thread chain 16", "thread chain 8"}}, "step 4096",
              "step 2048");
}

TEST(BlocksEdits, ColumnsOfShortRows) {
  expect_edit(R"(program "rows" (x: i32[n, m]) {
    y: i32[n] = map (i < n) {
      s: i32 = redomap (j < m) { x[i, j] } reduce add comm neutral 0i32
      return s
    }
    return y
  })",
              {array_value<std::int32_t>({300, 21}, numbers<std::int32_t>(6300, 100))},
              {{"\"columns\" 16", "\"columns\" 8"}}, "[4352]", "[2304]");
}

}  // namespace
}  // namespace fulgurite::testing_lower
