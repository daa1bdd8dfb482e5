// A printed schedule that is edited, read back and lowered: the kernel changes as the edit says, and gives
// the interpreter's bits.
#include <regex>

#include "../pipeline/machines.h"
#include "agree.h"
#include "schedule/parse.h"
#include "schedule/print.h"

namespace fulgurite::testing_lower {
namespace {

/// Replaces what the pattern matches in the text of each schedule.
lower::EditSchedule replacing(const soac::Program& program, const std::string& pattern, const std::string& by,
                              bool& was_found) {
  return [arena = program.arena, pattern, by, &was_found](const schedule::Launch& launch) {
    const std::string text = schedule::print(*arena, launch);
    const std::string edited = std::regex_replace(text, std::regex(pattern), by);
    was_found = was_found || edited != text;
    return schedule::parse(*arena, edited, launch);
  };
}

std::string sources(const pipeline::Report& report) {
  std::string all;
  for (const plan::KernelText& kernel : report.lowered.plan.kernels) all += kernel.source;
  return all;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++n;
  return n;
}

struct Texts {
  std::string before, after;
};

/// The texts of the program's kernels before and after the edit, which is checked to give the same results.
Texts edited(const std::string& text, const std::vector<Value>& args, const std::string& pattern,
             const std::string& by) {
  Options options;
  options.engine = Engine::cpu;
  options.precision = Precision::strict;
  const runtime::Description device = testing_pipeline::processor(64);
  bool was_found = false;
  Texts texts;
  {
    const soac::Program program = soac::parse(text, "test.soac");
    texts.before = sources(pipeline::compile(program, options, device));
  }
  const soac::Program program = soac::parse(text, "test.soac");
  texts.after =
      sources(pipeline::compile(program, options, device, replacing(program, pattern, by, was_found)));
  EXPECT_TRUE(was_found) << pattern << " is in no schedule of " << text;
  EXPECT_NE(texts.before, texts.after) << by;

  const soac::Program again = soac::parse(text, "test.soac");
  const plan::Loaded loaded = pipeline::load_edited(again, options, replacing(again, pattern, by, was_found));
  const std::vector<Value> expected = soac::interpret(again, args);
  const std::vector<Value> got = testing_pipeline::run_loaded(loaded, again, args);
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_TRUE(soac::same(got.at(i), expected[i])) << "result " << i << " after " << by;
  return texts;
}

constexpr std::int64_t n = 100003;
Value floats(std::int64_t size) {
  return array_value(numbers<float>(size, 8));
}

const std::string sum = R"(program "sum" (x: f32[n]) {
  s: f32 = redomap (i < n) { x[i] } reduce add comm neutral 0.0f
  return s
})";

const std::string twice = R"(program "twice" (x: f32[n]) {
  y: f32[n] = map (i < n) { x[i] * 2.0f }
  return y
})";

TEST(EditedSchedules, TileOfTheGrid) {
  const Texts texts = edited(twice, {floats(n)}, "cut 0 by 16384 grid", "cut 0 by 1024 grid");
  EXPECT_EQ(count(texts.before, "task * 16384"), 1u) << texts.before;
  EXPECT_EQ(count(texts.after, "task * 1024"), 1u) << texts.after;
}

std::string refusal(const std::string& text, const std::string& pattern, const std::string& by) {
  const soac::Program program = soac::parse(text, "test.soac");
  Options options;
  options.engine = Engine::cpu;
  bool was_found = false;
  std::string message;
  try {
    pipeline::compile(program, options, testing_pipeline::processor(64),
                      replacing(program, pattern, by, was_found));
  } catch (const InternalError& error) {
    message = error.what();
  }
  EXPECT_TRUE(was_found);
  return message;
}

// The partial results have room for the tasks that were decided.
TEST(EditedSchedules, TasksWithMemoryStayAsMany) {
  const std::string message = refusal(sum, "cut 0 by 16384 grid", "cut 0 by 1024 grid");
  EXPECT_NE(message.find("room for as many tasks as were decided"), std::string::npos) << message;
}

const std::string product = R"(program "product" (a: i32[n, k], b: i32[k1, m]) {
  c: i32[n, m] = map (i < n, j < m) {
    s: i32 = redomap (l < k) { a[i, l] * b[l, j] } reduce add comm neutral 0i32
    return s
  }
  return c
})";

// So has what is staged for the points that are walked meanwhile.
TEST(EditedSchedules, StagesHoldWhatIsReadOfThem) {
  const std::string message = refusal(product, "cut 2 by 256 sequence", "cut 2 by 512 sequence");
  EXPECT_NE(message.find("has no room for what it stages"), std::string::npos) << message;
}

TEST(EditedSchedules, LanesOfTheMainLoop) {
  const Texts texts =
      edited(sum, {floats(n)}, "cut 0 by [0-9]+ lane apart ([0-9]+)", "cut 0 by $1 lane apart $1");
  EXPECT_LT(texts.after.size(), texts.before.size()) << "one vector is less text than four";
}

TEST(EditedSchedules, LengthOfChains) {
  const Texts texts = edited(sum, {floats(n)}, "lane chain 32", "lane chain 8");
  EXPECT_GT(count(texts.before, "2048"), 0u) << texts.before;
  EXPECT_EQ(count(texts.after, "2048"), 0u) << texts.after;
  EXPECT_GT(count(texts.after, "512"), 0u) << texts.after;
}

TEST(EditedSchedules, SplitIsDropped) {
  edited(R"(program "edge" (x: f32[n]) {
  y: f32[n] = map (i < n) {
    v: f32 = if i < 1 { 0.0f } else { x[i - 1] }
    return v
  }
  return y
})",
         {floats(n)}, "\n  split [^\n]*", "");
}

TEST(EditedSchedules, StreamingThreshold) {
  const Texts texts = edited(twice, {floats(n)}, "streaming [0-9]+", "streaming 4242");
  EXPECT_EQ(count(texts.before, "4242"), 0u);
  EXPECT_EQ(count(texts.after, "4242"), 1u) << texts.after;
}

const std::string histogram = R"(program "histogram" (x: i32[n], k: i64) {
  y: i32[k] = redomap (i < n) { i64(x[i]), 1i32 } scatter (k) (j: i64) { 0i32 } combine add comm neutral 0i32
  return y
})";

TEST(EditedSchedules, CopiesOfBins) {
  const Texts texts =
      edited(histogram, {array_value(numbers<std::int32_t>(n, 50)), scalar_value(std::int64_t{50})},
             "copies 8 room", "copies 2 room");
  EXPECT_LT(texts.after.size(), texts.before.size()) << "fewer copies are joined";
}

TEST(EditedSchedules, PointsOfAPortion) {
  const Texts texts =
      edited(histogram, {array_value(numbers<std::int32_t>(n, 50)), scalar_value(std::int64_t{50})},
             "portion 512", "portion 128");
  EXPECT_GT(count(texts.before, "[512]"), 0u) << texts.before;
  EXPECT_GT(count(texts.after, "[128]"), 0u) << texts.after;
}

TEST(EditedSchedules, ShortRows) {
  const Texts texts = edited(R"(program "rows" (x: f32[n, m]) {
  y: f32[n] = map (i < n) {
    s: f32 = redomap (j < m) { x[i, j] } reduce add comm neutral 0.0f
    return s
  }
  return y
})",
                             {array_value({30, 70}, numbers<float>(30 * 70, 8))}, "up_to [0-9]+", "up_to 48");
  EXPECT_EQ(count(texts.after, "<= 48"), count(texts.before, "<= 512"));
}

TEST(EditedSchedules, PiecesAbreast) {
  const Texts texts =
      edited(R"(program "columns" (x: i32[n, m]) {
  y: i64[m] = map (j < m) {
    s: i32, t: i64 = redomap (i < n) { x[i, j], i } reduce (a: i32, b: i64, c: i32, d: i64) {
      select(a < c, c, a), select(a < c, d, b)
    } neutral -2147483648i32, 0
    return t
  }
  return y
})",
             {array_value({300, 37}, numbers<std::int32_t>(300 * 37, 8))}, "abreast 4", "abreast 7");
  EXPECT_EQ(count(texts.before, ") / 7"), 0u) << texts.before;
  EXPECT_GT(count(texts.after, ") / 7"), 0u) << texts.after;
}

TEST(EditedSchedules, RowsOfATile) {
  const Texts texts = edited(product,
                             {array_value({30, 40}, numbers<std::int32_t>(30 * 40, 8)),
                              array_value({40, 50}, numbers<std::int32_t>(40 * 50, 8))},
                             "cut 0 by 6 registers", "cut 0 by 2 registers");
  EXPECT_EQ(count(texts.before, "min_i64"), count(texts.after, "min_i64") + 4) << "each row has an index";
}

// A row of more elements than `ranked` is moved by digits.
TEST(EditedSchedules, NumbersOfASort) {
  const Texts texts =
      edited(R"(program "sorted" (x: i32[n]) {
  y: i32[n] = sort (x) by (a: i32) { u32(a) }
  return y
})",
             {array_value(numbers<std::int32_t>(n, 1000))}, R"("ranked" 32)", R"("ranked" 3777)");
  EXPECT_EQ(count(texts.before, "3777"), 0u) << texts.before;
  EXPECT_GT(count(texts.after, "3777"), 0u) << texts.after;
}

// Short ends of rows are vectors with masks, unless their points are taken one by one.
TEST(EditedSchedules, PointsThatAreTakenAlone) {
  const Texts texts = edited(R"(program "rows" (x: f32[m, n]) {
  y: f32[m, n] = map (i < m, j < n) {
    v: f32 = if j < 4 { x[i, n - 1 - j] } else { x[i, j - 4] }
    return v
  }
  return y
})",
                             {array_value({50, 300}, numbers<float>(15000, 8))}, "lane apart ([0-9]+)",
                             "lane apart $1 alone 4");
  EXPECT_NE(texts.before, texts.after);
}

const std::string product_of_bytes = R"(program "bytes" (a: i8[n, k], b: u8[k1, m]) {
  c: i32[n, m] = map (i < n, j < m) {
    s: i32 = redomap (l < k) { i32(a[i, l]) * i32(b[l, j]) } reduce add comm neutral 0i32
    return s
  }
  return c
})";

// Terms are numbers of 8 bits, also on processors without an instruction for four of them.
TEST(EditedSchedules, TermsOfAnOperation) {
  std::vector<std::int8_t> a(30 * 43);
  std::vector<std::uint8_t> b(43 * 50);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<std::int8_t>(i * 37);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<std::uint8_t>(i * 53);
  const Texts texts = edited(product_of_bytes, {array_value({30, 43}, a), array_value({43, 50}, b)},
                             "cut 2 by 2 registers", "cut 2 by 4 registers");
  EXPECT_GT(count(texts.before, "add_half_products"), 0u) << texts.before;
  EXPECT_GT(count(texts.after, "add_quarter_products"), 0u) << texts.after;
}

TEST(EditedSchedules, TermsThatNoOperationTakesTogether) {
  const std::string pattern = "cut 0 by 6 registers mask", more = "\n  cut 2 by 2 registers mask";
  const std::string message = refusal(product, pattern, pattern + more);
  EXPECT_NE(message.find("takes points of the reduction together that no operation does"), std::string::npos)
      << message;
}

}  // namespace
}  // namespace fulgurite::testing_lower
