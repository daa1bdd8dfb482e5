// Sets of integers that formulas give, against all values that their variables take, one after the other.
#include "runtime/footprint.h"

#include <fulgurite/error.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <string>

namespace fulgurite::runtime {
namespace {

using Op = Formula::Op;

struct NothingKnown final : KnownElements {
  std::optional<Strided> at(std::int64_t, Strided) override { return std::nullopt; }
};

std::vector<Touched> touched_by(const PhaseFootprint& of, std::int64_t task = 0,
                                const std::vector<std::int64_t>& scalars = {}) {
  NothingKnown nothing;
  return touched(of, task, scalars, nothing);
}

// All values that each formula takes; none where an operand has none.
class Enumeration {
 public:
  Enumeration(const std::vector<Formula>& formulas, std::int64_t task, std::span<const std::int64_t> scalars)
      : formulas_(formulas),
        task_(task),
        scalars_(scalars),
        values(formulas.size()),
        lacks_values(formulas.size()),
        now_(formulas.size()) {
    from(0);
  }

 private:
  const std::vector<Formula>& formulas_;
  std::int64_t task_;
  std::span<const std::int64_t> scalars_;

 public:
  std::vector<std::set<std::int64_t>> values;
  std::vector<bool> lacks_values;  // where an assumption does not hold, a loop has no iteration
  bool is_complete() const { return n_left_ > 0; }

 private:
  int n_left_ = 3000;  // combinations that are tried
  using Value = std::optional<std::int64_t>;
  std::vector<Value> now_;

  Value at(std::int32_t k) const { return now_[static_cast<std::size_t>(k)]; }

  void from(std::size_t k) {
    if (n_left_ <= 0) return;
    if (k == formulas_.size()) {
      --n_left_;
      for (std::size_t i = 0; i < k; ++i)
        if (now_[i])
          values[i].insert(*now_[i]);
        else
          lacks_values[i] = true;
      return;
    }
    const Formula& f = formulas_[k];
    bool is_any = false;
    const auto take = [&](Value v) {
      is_any = true;
      now_[k] = v;
      from(k + 1);
    };
    if (f.op == Op::lanes) {
      for (std::int64_t v = 0; v < f.value; ++v) take(v);
    } else if (f.op == Op::range) {
      if (at(f.a) && at(f.b) && at(f.c) && *at(f.c) > 0)
        for (std::int64_t v = *at(f.a); v < *at(f.b); v += *at(f.c))
          if (n_left_ > 0) take(v);
    } else {
      return take(computed(f));
    }
    if (!is_any) take(std::nullopt);
  }

  Value computed(const Formula& f) const {
    if (f.op == Op::constant) return f.value;
    if (f.op == Op::scalar) return scalars_[static_cast<std::size_t>(f.value)];
    if (f.op == Op::task) return task_;
    if (f.op == Op::select) return !at(f.a) ? Value() : *at(f.a) != 0 ? at(f.b) : at(f.c);
    if (!at(f.a) || (f.b >= 0 && !at(f.b))) return std::nullopt;
    const std::int64_t a = *at(f.a), b = f.b >= 0 ? *at(f.b) : 0;
    const auto if_holds = [&](bool holds) { return holds ? Value(a) : std::nullopt; };
    switch (f.op) {
      case Op::add: return a + b;
      case Op::sub: return a - b;
      case Op::mul: return a * b;
      case Op::div: return b == 0 ? Value() : a / b;
      case Op::rem: return b == 0 ? Value() : a % b;
      case Op::neg: return -a;
      case Op::abs: return a < 0 ? -a : a;
      case Op::min: return std::min(a, b);
      case Op::max: return std::max(a, b);
      case Op::bit_and: return a & b;
      case Op::bit_or: return a | b;
      case Op::bit_xor: return a ^ b;
      case Op::bit_not: return ~a;
      case Op::logical_not: return 1 - a;
      case Op::shl: return b < 0 || b > 20 ? Value() : a * (std::int64_t{1} << b);
      case Op::shr: return b < 0 || b > 62 ? Value() : a >> b;
      case Op::eq: return a == b;
      case Op::ne: return a != b;
      case Op::lt: return a < b;
      case Op::le: return a <= b;
      case Op::fit: {
        const std::int64_t bits = f.value < 0 ? -f.value : f.value;
        const auto low = static_cast<std::int64_t>(static_cast<std::uint64_t>(a) << (64 - bits));
        return f.value < 0 ? static_cast<std::int64_t>(static_cast<std::uint64_t>(low) >> (64 - bits))
                           : low >> (64 - bits);
      }
      case Op::below: return if_holds(a < b);
      case Op::at_most: return if_holds(a <= b);
      case Op::above: return if_holds(a > b);
      case Op::at_least: return if_holds(a >= b);
      default: return std::nullopt;
    }
  }
};

// Values stay so small that nothing overflows, and a few variables have so few values that all can be tried.
class Drawing {
 public:
  explicit Drawing(unsigned seed) : random_(seed) {}

  std::vector<Formula> formulas() {
    std::vector<Formula> all;
    std::vector<std::int32_t> conditions;
    int n_variables = 0, n_products = 0;
    const auto number = [&] { return static_cast<std::int32_t>(below(static_cast<int>(all.size()))); };
    const auto near = [&] {  // the newest most often
      const int n = static_cast<int>(all.size());
      return static_cast<std::int32_t>(n - 1 - std::min(n - 1, below(2) == 0 ? below(3) : below(n)));
    };
    all.push_back({Op::task});
    all.push_back({Op::constant, -1, -1, -1, below(9) - 2});
    all.push_back({Op::scalar, -1, -1, -1, below(2)});
    all.push_back({Op::constant, -1, -1, -1, 1 + below(5)});
    const int n = 3 + below(10);
    for (int k = 0; k < n; ++k) {
      Formula f;
      switch (const int what = below(24); what) {
        case 0: f = {Op::constant, -1, -1, -1, below(40) - 10}; break;
        case 1:
        case 2:
          if (++n_variables > 3) continue;
          f = {Op::lanes, -1, -1, -1, 1 + below(5)};
          break;
        case 3:
        case 4:
          if (++n_variables > 3) continue;
          f = {Op::range, below(2) == 0 ? std::int32_t{1} : near(), near(),
               below(2) == 0 ? std::int32_t{3} : number()};
          if (below(2) == 0) {  // some iterations from there on
            all.push_back({Op::constant, -1, -1, -1, 1 + below(7)});
            all.push_back({Op::add, f.a, static_cast<std::int32_t>(all.size() - 1)});
            f.b = static_cast<std::int32_t>(all.size() - 1);
          }
          break;
        case 5:
        case 6:
        case 7:
        case 8: f = {Op::add, near(), near()}; break;
        case 9: f = {Op::sub, near(), near()}; break;
        case 10:
        case 11:
        case 12:
          if (++n_products > 3) continue;
          f = {Op::mul, near(), below(2) == 0 ? std::int32_t{3} : near()};
          break;
        case 13:
          f = {below(2) == 0 ? Op::div : Op::rem, near(), below(3) == 0 ? number() : std::int32_t{3}};
          break;
        case 14: f = {below(2) == 0 ? Op::neg : Op::abs, near()}; break;
        case 15: f = {below(2) == 0 ? Op::min : Op::max, near(), near()}; break;
        case 16:
          f = {std::array{Op::bit_and, Op::bit_or, Op::bit_xor}[static_cast<std::size_t>(below(3))], near(),
               near()};
          break;
        case 17: f = {below(2) == 0 ? Op::shr : Op::bit_not, near(), std::int32_t{3}}; break;
        case 18: {
          f = {std::array{Op::eq, Op::ne, Op::lt, Op::le}[static_cast<std::size_t>(below(4))], near(),
               near()};
          conditions.push_back(static_cast<std::int32_t>(all.size()));
          break;
        }
        case 19:
          if (conditions.empty()) continue;
          if (below(3) == 0) {
            f = {Op::logical_not, conditions.back()};
            conditions.push_back(static_cast<std::int32_t>(all.size()));
          } else {
            f = {Op::select, conditions.back(), near(), near()};
          }
          break;
        case 20:
          f = {Op::fit, near(), -1, -1,
               std::array{8, -8, 16, -16, 32, -32}[static_cast<std::size_t>(below(6))]};
          break;
        default:
          f = {
              std::array{Op::below, Op::at_most, Op::above, Op::at_least}[static_cast<std::size_t>(below(4))],
              near(), number()};
          break;
      }
      if (f.op == Op::bit_not || f.op == Op::neg || f.op == Op::abs) f.b = -1;
      all.push_back(f);
    }
    return all;
  }
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

 private:
  std::minstd_rand random_;
};

std::string text_of(const std::vector<Formula>& all) {
  std::string text;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const Formula& f = all[k];
    text += std::to_string(k) + ": operation " + std::to_string(static_cast<int>(f.op)) + " of " +
            std::to_string(f.a) + ", " + std::to_string(f.b) + ", " + std::to_string(f.c) + "; " +
            std::to_string(f.value) + "\n";
  }
  return text;
}

bool contains(const Touched& t, std::int64_t value) {
  if (value < t.low || value > t.high) return false;
  if (t.low == INT64_MIN || t.high == INT64_MAX || !t.has_gaps()) return true;
  return (value - t.low) % t.stride < t.run;
}

TEST(Footprint, SetsContainAllValuesAndCertainOnesNoOthers) {
  std::size_t n_certain = 0, n_gaps = 0, n_bounded = 0;
  for (unsigned seed = 1; seed <= 400; ++seed) {
    Drawing drawing(seed);
    const std::vector<Formula> formulas = drawing.formulas();
    const std::int64_t task = drawing.below(5);
    const std::vector<std::int64_t> scalars{drawing.below(20), drawing.below(7) - 3};
    const Enumeration enumeration(formulas, task, scalars);
    if (!enumeration.is_complete()) continue;
    for (std::size_t k = 0; k < formulas.size(); ++k) {
      const std::set<std::int64_t>& values = enumeration.values[k];
      if (values.empty()) continue;
      PhaseFootprint phase;
      phase.formulas.assign(formulas.begin(), formulas.begin() + static_cast<std::ptrdiff_t>(k) + 1);
      phase.touches = {{0, true, static_cast<std::int32_t>(k), -1}};
      const std::vector<Touched> all = touched_by(phase, task, scalars);
      ASSERT_EQ(all.size(), 1u);
      const Touched& t = all.front();
      for (const std::int64_t value : values)
        ASSERT_TRUE(contains(t, value)) << value << " is not among " << t.low << " to " << t.high << " by "
                                        << t.stride << " in runs of " << t.run << "\nseed " << seed << "\n"
                                        << text_of(phase.formulas);
      n_bounded += t.low != INT64_MIN && t.high != INT64_MAX ? 1 : 0;
      // What is assumed holds wherever a store is certain, as the condition of the touch says.
      if (!t.is_certain || enumeration.lacks_values[k]) continue;
      ++n_certain;
      n_gaps += static_cast<std::size_t>(t.has_gaps());
      for (std::int64_t value = t.low; value <= t.high; ++value)
        ASSERT_EQ(contains(t, value), values.contains(value))
            << value << " is certain in " << t.low << " to " << t.high << " by " << t.stride << " in runs of "
            << t.run << "\nseed " << seed << "\n"
            << text_of(phase.formulas);
    }
  }
  EXPECT_GT(n_certain, 500u);
  EXPECT_GT(n_gaps, 5u);
  EXPECT_GT(n_bounded, 1000u);
}

// row * width + column, for `rows` rows and the first `columns` columns.
PhaseFootprint rectangle(std::int64_t rows, std::int64_t width, std::int64_t columns) {
  PhaseFootprint phase;
  phase.formulas = {{Op::lanes, -1, -1, -1, rows},
                    {Op::constant, -1, -1, -1, width},
                    {Op::mul, 0, 1},
                    {Op::lanes, -1, -1, -1, columns},
                    {Op::add, 2, 3}};
  phase.touches = {{0, true, 4, -1}};
  return phase;
}

TEST(Footprint, ColumnsOfRowsAreRuns) {
  EXPECT_EQ(touched_by(rectangle(3, 10, 4)), (std::vector<Touched>{{0, true, 0, 23, 10, 4, true}}));
}

TEST(Footprint, RowsSideBySideAreOneRun) {
  const std::vector<Touched> all = touched_by(rectangle(3, 4, 4));
  ASSERT_EQ(all.size(), 1u);
  EXPECT_FALSE(all[0].has_gaps());
  EXPECT_EQ(all[0].low, 0);
  EXPECT_EQ(all[0].high, 11);
  EXPECT_TRUE(all[0].is_certain);
}

TEST(Footprint, AConditionThatDoesNotHoldTouchesNothing) {
  PhaseFootprint phase;
  phase.formulas = {{Op::task}, {Op::constant, -1, -1, -1, 2}, {Op::lt, 0, 1}};
  phase.touches = {{0, true, 0, 2}};
  EXPECT_EQ(touched_by(phase, 2), std::vector<Touched>());
  EXPECT_EQ(touched_by(phase, 1), (std::vector<Touched>{{0, true, 1, 1, 0, 1, true}}));
}

TEST(Footprint, AConditionThatMayHoldIsNotCertain) {
  PhaseFootprint phase;
  phase.formulas = {{Op::task}, {}, {Op::lt, 1, 0}};
  phase.touches = {{0, true, 0, 2}};
  const std::vector<Touched> all = touched_by(phase, 3);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_FALSE(all[0].is_certain);
}

TEST(Footprint, NeighboursAreTakenTogether) {
  PhaseFootprint phase;
  phase.formulas = {{Op::task},      {Op::constant, -1, -1, -1, 1},   {Op::add, 0, 1},
                    {Op::add, 2, 1}, {Op::constant, -1, -1, -1, 100}, {Op::add, 0, 4}};
  phase.touches = {
      {0, false, 0, -1}, {0, false, 3, -1}, {0, false, 2, -1}, {0, false, 5, -1}, {1, false, 0, -1}};
  std::vector<Touched> all = touched_by(phase, 7);
  std::ranges::sort(all, {}, [](const Touched& t) { return std::pair(t.buffer, t.low); });
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0].low, 7);
  EXPECT_EQ(all[0].high, 9);
  EXPECT_EQ(all[1].low, 107);
  EXPECT_EQ(all[2].buffer, 1);
}

TEST(Footprint, WhatIsUnknownIsEverything) {
  PhaseFootprint phase;
  phase.formulas = {{}};
  phase.touches = {{0, false, 0, -1}};
  const std::vector<Touched> all = touched_by(phase);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].low, INT64_MIN);
  EXPECT_EQ(all[0].high, INT64_MAX);
  EXPECT_FALSE(all[0].is_certain);
}

// The magnitude of the least number is itself: what is read where one is negative may be read.
TEST(Footprint, AMagnitudeOfWhatIsUnknownMayBeNegative) {
  PhaseFootprint phase;
  phase.formulas = {{Op::task}, {}, {Op::abs, 1}, {Op::constant, -1, -1, -1, 0}, {Op::lt, 2, 3}};
  phase.touches = {{0, false, 0, 4}};
  EXPECT_EQ(touched_by(phase, 5).size(), 1u);
}

TEST(Footprint, ElementsThatAreKnownAreBounds) {
  struct Known final : KnownElements {
    std::optional<Strided> at(std::int64_t buffer, Strided index) override {
      EXPECT_EQ(buffer, 2);
      return Strided::point(10 * index.low);
    }
  };
  PhaseFootprint phase;
  phase.formulas = {{Op::task},      {Op::element, 0, -1, -1, 2}, {Op::constant, -1, -1, -1, 1},
                    {Op::add, 0, 2}, {Op::element, 3, -1, -1, 2}, {Op::range, 1, 4, 2}};
  phase.touches = {{0, false, 5, -1}};
  Known known;
  const std::vector<Touched> all = touched(phase, 4, {}, known);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].low, 40);
  EXPECT_EQ(all[0].high, 49);
}

// Elements of one buffer: elements before some place are known, and every third one is one of two.
struct SomeKnown final : KnownElements {
  std::int64_t n_known;
  explicit SomeKnown(std::int64_t n) : n_known(n) {}
  std::optional<Strided> at(std::int64_t, Strided index) override {
    if (!index.is_point() || index.low < 0 || index.low >= n_known) return std::nullopt;
    const std::int64_t value = index.low * 7 % 31;
    return index.low % 3 == 0 ? Strided{value, value + 1, 1} : Strided::point(value);
  }
};

// Some tasks are evaluated at once, and touches of some buffers left out.
TEST(Footprint, TasksTouchTheSameWhicheverOthersAreAskedFor) {
  std::size_t n_apart = 0;
  for (unsigned seed = 1; seed <= 300; ++seed) {
    Drawing drawing(seed);
    PhaseFootprint phase;
    phase.formulas = drawing.formulas();
    phase.formulas.push_back(
        {Op::element, drawing.below(static_cast<int>(phase.formulas.size())), -1, -1, 3});
    const auto step = [&] { return drawing.below(static_cast<int>(phase.formulas.size())); };
    phase.formulas.push_back({Op::add, static_cast<std::int32_t>(phase.formulas.size()) - 1, step()});
    for (int k = 0; k < 5; ++k)
      phase.touches.push_back(
          {drawing.below(3), drawing.below(2) == 0, step(), drawing.below(2) == 0 ? -1 : step()});
    const std::vector<std::int64_t> scalars{drawing.below(20), drawing.below(7) - 3};
    SomeKnown known(drawing.below(200));
    const auto task_by_task = [&](std::int64_t task) { return touched(phase, task, scalars, known); };
    Touches all(phase, scalars, known), by_elements(phase, scalars, known, Which::by_elements),
        others(phase, scalars, known, Which::others);
    for (int k = 0; k < 40; ++k) {
      const std::int64_t task = k < 20 ? k : drawing.below(100);
      const std::vector<Touched> expected = task_by_task(task);
      const auto got = all.of(task);
      ASSERT_EQ(std::vector<Touched>(got.begin(), got.end()), expected)
          << "seed " << seed << ", task " << task << "\n"
          << text_of(phase.formulas);
      std::vector<Touched> together;
      for (Touches* some : {&by_elements, &others}) {
        const auto part = some->of(task);
        together.insert(together.end(), part.begin(), part.end());
        n_apart += static_cast<std::size_t>(!part.empty());
      }
      ASSERT_TRUE(std::ranges::is_permutation(together, expected)) << "seed " << seed << ", task " << task;
    }
  }
  EXPECT_GT(n_apart, 8000u);
}

Footprints drawn_footprints(unsigned seed) {
  Drawing drawing(seed);
  Footprints all;
  for (int k = 1 + drawing.below(4); k > 0; --k) all.element_bytes.push_back(1 << drawing.below(4));
  const int n_arrays = static_cast<int>(all.element_bytes.size());
  for (int k = drawing.below(3); k > 0; --k) {
    const bool is_of_tasks = drawing.below(2) == 0;
    all.own.push_back({is_of_tasks ? drawing.below(3) : -1, is_of_tasks ? -1 : drawing.below(n_arrays),
                       1 + drawing.below(16)});
  }
  for (int k = drawing.below(4); k > 0; --k) {
    PhaseFootprint phase;
    phase.tasks_of = drawing.below(4) - 1;
    phase.is_divisible = drawing.below(2) == 0;
    phase.can_fail = drawing.below(2) == 0;
    phase.is_inspector = drawing.below(2) == 0;
    for (int m = drawing.below(3); m > 0; --m)
      phase.marks.push_back({drawing.below(n_arrays), drawing.below(n_arrays)});
    phase.formulas = drawing.formulas();
    const int n = static_cast<int>(phase.formulas.size());
    for (int t = drawing.below(5); t > 0; --t)
      phase.touches.push_back({drawing.below(n_arrays), drawing.below(2) == 0, drawing.below(n),
                               drawing.below(n + 1) - 1, -1, drawing.below(2) == 0});
    all.phases.push_back(phase);
  }
  return all;
}

TEST(Footprint, WordsGiveItBack) {
  for (unsigned seed = 1; seed <= 200; ++seed) {
    const Footprints all = drawn_footprints(seed);
    EXPECT_EQ(Footprints::of_words(all.words()), all) << seed;
  }
  EXPECT_EQ(Footprints::of_words(Footprints().words()), Footprints());
}

// They give a footprint or are refused, and a footprint that they give can be evaluated.
TEST(Footprint, DamagedWordsAreRefusedOrAFootprint) {
  std::size_t n_refused = 0;
  for (unsigned seed = 1; seed <= 300; ++seed) {
    Drawing drawing(seed);
    std::vector<std::int64_t> words = drawn_footprints(seed).words();
    const auto at = static_cast<std::size_t>(drawing.below(static_cast<int>(words.size())));
    switch (drawing.below(4)) {
      case 0: words[at] = std::array<std::int64_t, 5>{-1, INT64_MAX, INT64_MIN, 1000, 0}[seed % 5]; break;
      case 1: words.erase(words.begin() + static_cast<std::ptrdiff_t>(at)); break;
      case 2: words.insert(words.begin() + static_cast<std::ptrdiff_t>(at), drawing.below(9)); break;
      default: words.resize(at);
    }
    try {
      const Footprints all = Footprints::of_words(words);
      const std::vector<std::int64_t> scalars(64, 3);
      for (const PhaseFootprint& phase : all.phases) {
        const bool names_scalars = std::ranges::any_of(phase.formulas, [](const Formula& f) {
          return f.op == Op::scalar && (f.value < 0 || f.value >= 64);
        });
        if (!names_scalars) touched_by(phase, 1, scalars);
      }
    } catch (const Error& e) {
      EXPECT_EQ(e.kind(), std::string("InternalError"));
      ++n_refused;
    }
  }
  EXPECT_GT(n_refused, 150u);
}

}  // namespace
}  // namespace fulgurite::runtime
