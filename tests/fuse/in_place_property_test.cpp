// Loops of random steps that make a matrix anew compute the same where they change it in place: parts of all
// kinds, reads of rows, columns, diagonals and single elements, two matrices at once, and sizes that the
// first step changes.
#include <fmt/format.h>
#include <fulgurite/error.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <optional>

#include "fuse/fuse.h"
#include "simplify/simplify.h"
#include "soac/check.h"
#include "soac/count.h"
#include "soac/interpret.h"
#include "soac/parse.h"
#include "soac/print.h"

namespace fulgurite {
namespace {

/// Text of a loop of random steps.
class RandomStep {
 public:
  std::string program() {
    const bool has_two = one_in(4), keeps_size = one_in(3);
    const std::string condition = one_in(4) ? "" : conjunction();
    const std::string first = changed(condition, "s", has_two);
    const std::string second = has_two ? changed(one_in(5) ? conjunction() : condition, "r", has_two) : "";
    const auto if_two = [&](const std::string& text) { return has_two ? text : std::string(); };
    const auto if_size = [&](const std::string& text) { return keeps_size ? std::string() : text; };
    // The columns of the state: before the loop, in it, after it; and of what a step makes.
    const std::string v = keeps_size ? "w" : "v", u = keeps_size ? "w" : "u", made = keeps_size ? "w" : "n";
    const auto state = [&](const std::string& size, const std::string& width, const std::string& one,
                           const std::string& other) {
      return if_size(size + ": i64, ") + fmt::format("{}: i64[n, {}]", one, width) +
             if_two(fmt::format(", {}: i64[n, {}]", other, width));
    };
    const std::string trips = one_in(2) ? "max(n - 1, 0)" : "n",
                      initial = if_size("w, ") + "x" + if_two(", y");
    // A loop that counts itself has the count in its state.
    const bool counts = one_in(4);
    const std::string loop =
        counts ? "e: i64, " + state("u", u, "m", "o") + " = loop (0, " + initial + ") while (k_1: i64, " +
                     state("v_1", keeps_size ? v : "v_1", "s_1", "r_1") + ") { k_1 < " + trips +
                     " } do (k: i64, "
               : state("u", u, "m", "o") + " = loop (" + initial + ") times " + trips + " do (k: i64, ";
    return "program step(x: i64[n, w], t: i64) {\n" +
           if_two("y: i64[n, w] = map (i < n, j < w) { x[i, j] * 3 - j }\n") + loop +
           state("v", v, "s", "r") + ") {\n" + fmt::format("a: i64[n, {}]", made) +
           if_two(fmt::format(", b: i64[n, {}]", made)) +
           fmt::format(" = map (i < n, j < {}) {{ return ", made) + first + if_two(", " + second) +
           " }\nreturn " + (counts ? "k + 1, " : "") + if_size("n, ") + "a" + if_two(", b") +
           "\n}\nreturn m" + if_two(", o") +
           "\n}\nsites {\n1 index @\"steps.cpp\":1 \"index {0} is outside {range}\"\n2 arithmetic "
           "@\"steps.cpp\":2 \"{0} / 0\"\n}\n";
  }

 private:
  static bool one_in(int n) { return *rc::gen::inRange(0, n) == n - 1; }
  static std::string one_of(const std::vector<std::string>& of) { return *rc::gen::elementOf(of); }

  std::string conjunction() {
    std::string all = comparison();
    while (one_in(2)) all += " & " + comparison();
    return all;
  }
  std::string comparison() {
    return one_of({"k < i", "k <= i", "i < k", "i <= k", "k < j", "k <= j", "j < k", "j <= k", "i == k",
                   "j == k", "i < t", "t <= j", "j <= t", "t < i", "i == t", "i < j", "i != k", "k < j",
                   "k < i", "0 < s[i, j]@1", "s[i, j]@1 < s[i, k]@1",
                   // What holds at points that change, and not for all of their rows.
                   "i + 1 < n", "i + k <= j", "0 <= t & i + t <= j", "0 <= t & t <= i & i <= j"});
  }

  std::string changed(const std::string& condition, const std::string& own, bool has_two) {
    const std::string value = expression(own, has_two, 3);
    if (condition.empty()) return value;
    if (one_in(6)) return fmt::format("select({}, {}[i, j]@1, {})", condition, own, value);
    return fmt::format("select({}, {}, {}[i, j]@1)", condition, value, own);
  }

  std::string expression(const std::string& own, bool has_two, int depth) {
    if (depth == 0 || one_in(4)) return leaf(own, has_two);
    const std::string a = expression(own, has_two, depth - 1), b = expression(own, has_two, depth - 1);
    switch (*rc::gen::inRange(0, 6)) {
      case 0: return fmt::format("({} + {})", a, b);
      case 1: return fmt::format("({} - {})", a, b);
      case 2: return fmt::format("({} * {})", a, b);
      case 3: return fmt::format("min({}, {})", a, b);
      case 4: return fmt::format("-({})", a);
      default: return fmt::format("select({}, {}, {})", comparison(), a, b);
    }
  }

  std::string leaf(const std::string& own, bool has_two) {
    if (one_in(6)) return one_of({"i", "j", "k", "t", "3"});
    const std::string array = !has_two || one_in(2) ? own : own == "s" ? "r" : "s";
    const std::string usual =
        one_of({"i, j", "i, j", "i, k", "k, j", "k, k", "i, 0", "0, j", "i, i", "j, j"});
    const std::string at =
        one_in(20)
            ? one_of({"i, t", "k + 1, j", "i, k - 1", "j, i", "i + t, k", "i + k, k", "i + 1, k", "t, j"})
            : usual;
    if (one_in(8)) return guarded(array);
    return fmt::format("{}[{}]@1", array, at);
  }

  /// What cannot fail only because a condition asks first.
  std::string guarded(const std::string& array) {
    const std::string more = one_of({"", " & k < j", " & i < j"});
    switch (*rc::gen::inRange(0, 4)) {
      case 0: return fmt::format("select(1 <= i{}, {}[i - 1, k]@1, 7)", more, array);
      case 1:
        return fmt::format("select(1 <= i{0}, select(1 <= k, {1}[i - 1, k - 1]@1, {1}[0, 0]@1), 7)", more,
                           array);
      case 2: return fmt::format("select(0 <= t & i + t < n{}, {}[i + t, k]@1, 5)", more, array);
      default: return fmt::format("select(t != 0{}, {}[i, k]@1 /@2 t, 1)", more, array);
    }
  }
};

std::vector<soac::Value> arguments_of(std::int64_t rows, std::int64_t columns, std::int64_t t) {
  soac::Value matrix{scalar::Kind::i64, {rows, columns}, {}};
  matrix.bytes.resize(static_cast<std::size_t>(rows * columns) * sizeof(std::int64_t));
  for (std::size_t k = 0; k < matrix.size(); ++k) matrix.set(k, (k * 7 + 3) % 11);
  return {matrix, soac::Value::scalar(scalar::Kind::i64, static_cast<std::uint64_t>(t))};
}

std::string outcome(const soac::Program& program, const std::vector<soac::Value>& arguments,
                    std::optional<std::vector<soac::Value>>& results) {
  try {
    results = soac::interpret(program, arguments);
    return "";
  } catch (const InternalError&) {
    throw;
  } catch (const Error& e) {
    return e.what();
  }
}

soac::PassContext with_thresholds(std::int64_t bytes) {
  soac::PassContext context;
  context.least_part = context.least_whole = bytes;
  return context;
}

/// Whether the step changes in place.
bool stays_the_same(std::int64_t bytes) {
  const std::string text = RandomStep().program();
  const soac::Program before = soac::parse(text, "random step");
  soac::check(before, "generator");
  soac::PassContext context = with_thresholds(bytes);
  const soac::Program changed = fuse::in_place.run(before, context);
  const auto compare = [&](const soac::Program& after, std::string_view pass) {
    try {
      soac::check(after, pass);
      for (const auto& [rows, columns, t] : {std::array{5, 5, 2}, std::array{4, 4, -3}, std::array{3, 3, 9},
                                             std::array{4, 6, 1}, std::array{4, 3, 1}, std::array{1, 1, 0},
                                             std::array{0, 0, 0}, std::array{0, 2, 0}, std::array{3, 0, 1}}) {
        const std::vector<soac::Value> arguments = arguments_of(rows, columns, t);
        std::optional<std::vector<soac::Value>> expected, got;
        const std::string message = outcome(before, arguments, expected),
                          other = outcome(after, arguments, got);
        if (message == other && expected == got) continue;
        RC_LOG() << soac::print(before) << "becomes\n"
                 << soac::print(after) << rows << " x " << columns << "\n";
        RC_FAIL("other results: " + message + ", " + other);
      }
    } catch (const InternalError& e) {
      RC_LOG() << soac::print(before) << "becomes\n" << soac::print(after);
      RC_FAIL(e.what());
    }
  };
  compare(changed, "in_place");
  const bool is_changed = soac::count(changed).scatter > 0;
  if (is_changed) {
    soac::Program simpler = changed;
    for (const soac::Pass* pass : {&fuse::merge, &simplify::simplify, &fuse::updates_together})
      simpler = pass->run(std::move(simpler), context);
    compare(simpler, "passes after it");
  }
  return is_changed;
}

std::string step_of(const std::string& value) {
  return "program step(x: i64[n, w], t: i64) {\nm: i64[n, w] = loop (x) times n do (k: i64, s: i64[n, w]) {\n"
         "a: i64[n, w] = map (i < n, j < w) { " +
         value +
         " }\nreturn a\n}\nreturn m\n}\nsites { 1 index @\"steps.cpp\":1 \"index {0} is outside {range}\" "
         "}\n";
}

soac::Program in_place(const soac::Program& before) {
  soac::PassContext context;
  return fuse::in_place.run(before, context);
}

// Rows without a point that changes read nothing.
TEST(InPlace, CopiesNothingIfNoPointChanges) {
  const soac::Program before =
      soac::parse(step_of("select(k < i & j < t, s[i, 0]@1 + s[i, j]@1, s[i, j]@1)"), "step");
  const soac::Program after = in_place(before);
  ASSERT_EQ(soac::count(after).scatter, 1) << soac::print(after);
  for (const std::int64_t columns : {0, 1, 3})
    for (const std::int64_t t : {-1, 0, 2})
      EXPECT_EQ(soac::interpret(after, arguments_of(3, columns, t)),
                soac::interpret(before, arguments_of(3, columns, t)));
}

// What holds at some points of a part says nothing of its rows.
TEST(InPlace, ReadsThatAConditionAllowsWhichIsNoBoundAreNotCopied) {
  const soac::Program before =
      soac::parse(step_of("select(k < i & i + 1 < n, s[i + 1, 0]@1 + 1, s[i, j]@1)"), "step");
  const soac::Program after = in_place(before);
  EXPECT_EQ(soac::count(after).scatter, 0) << soac::print(after);
}

RC_GTEST_PROP(InPlace, PropertyStepsComputeTheSame, ()) {
  const bool is_changed = stays_the_same(*rc::gen::element(0, 0, 0, 128));
  RC_CLASSIFY(is_changed);
}

}  // namespace
}  // namespace fulgurite
