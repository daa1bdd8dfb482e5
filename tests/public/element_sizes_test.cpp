// Arrays made for each element whose sizes depend on data: engines compute what the interpreter computes
// wherever the size has a bound that is known before the elements are, and nothing is written beyond it.
#include "operators.h"

namespace {

using Ints = std::vector<int>;
using fg::i64;

/// Every engine gives the interpreter's results, or raises its error, for all arguments.
template <class F, class... Args>
void expect_interpreters(F f, const std::vector<std::tuple<Args...>>& arguments) {
  const auto reference = fg::compile(f, {.engine = fg::Engine::interpreter});
  const auto outcome = [](const auto& compiled, const auto& args) {
    try {
      return testing::PrintToString(
          std::apply([&](const auto&... each) { return vector_of(compiled(each...)); }, args));
    } catch (const fg::Error& e) {
      const std::string message = e.what();  // up to the numbers in it
      return "error: " + message.substr(0, message.find_first_of("0123456789", message.find("Error")));
    }
  };
  std::vector<std::string> expected;
  for (const auto& args : arguments) expected.push_back(outcome(reference, args));
  for (const auto& [name, engine] : tested_engines()) {
    if (engine == fg::Engine::interpreter) continue;
    SCOPED_TRACE("engine " + name);
    const auto compiled = fg::compile(f, {.engine = engine});
    for (std::size_t k = 0; k < arguments.size(); ++k)
      EXPECT_EQ(outcome(compiled, arguments[k]), expected[k]);
  }
}
template <class F>
void on_rows(F f, const std::vector<std::tuple<fg::Array<int, 2>, int>>& arguments) {
  expect_interpreters(
      [f](Mat<int> a, Exp<int> k) { return fg::map([&](Vec<int> r) { return f(r, k); }, fg::rows(a)); },
      arguments);
}

const fg::Array<int, 2> m({5, -2, 7, 0, 3, 1, 4, 4, -9, 6, 2, 8}, {3, 4});
const std::vector<std::tuple<fg::Array<int, 2>, int>> small{{m, 0}, {m, 1}, {m, 3}, {m, -2}};

/// What an array gives as one number, by a sort: the array is made in memory.
Exp<int> digest(const Vec<int>& x) {
  return fg::sum(fg::scan(fg::plus, 0, fg::sort(x)));
}

TEST(ElementSizes, OfSortedArraysThatGrowDownwards) {
  expect_interpreters(
      [](Vec<int> x, Exp<int> width, Exp<int> step) {
        return fg::generate(x.size(), [&](Exp<i64> i) {
          return digest(fg::generate(fg::cast<i64>(width) + i * fg::cast<i64>(step),
                                     [&](Exp<i64> j) { return x[i] - fg::cast<int>(j * j % 7); }));
        });
      },
      std::vector<std::tuple<Ints, int, int>>{{Ints(40, 3), 200, -5},
                                              {Ints(40, 3), 0, 5},
                                              {Ints(40, 3), 7, 0},
                                              {Ints(40, 3), 100, -3},
                                              {{}, -3, -3}});
}

Exp<i64> wide(const Exp<int>& x) {
  return fg::cast<i64>(x);
}

TEST(ElementSizes, OfDifferencesProductsShiftsAndRemainders) {
  on_rows([](Vec<int> r,
             Exp<int>) { return digest(fg::iota<int>(r.size() + 20 - wide(fg::clamp(r[0], -30, 20)))); },
          small);
  on_rows([](Vec<int> r, Exp<int> k) { return digest(fg::iota<int>(wide(k) + 10 - wide(r[1] % 4))); }, small);
  on_rows(
      [](Vec<int> r, Exp<int>) {
        const Exp<int> d = fg::clamp(r[1], -6, 3);
        return digest(fg::iota<int>(d * d));
      },
      small);
  on_rows(
      [](Vec<int> r, Exp<int> k) {
        const Exp<int> d = fg::clamp(r[0], -5, -1);
        return digest(fg::iota<int>(wide(d) * wide(fg::min(k, 0) - 2)));
      },
      small);
  on_rows([](Vec<int> r,
             Exp<int> k) { return digest(fg::iota<int>((5 - fg::clamp(r[0], -7, 5)) * (4 + fg::abs(k)))); },
          small);
  on_rows([](Vec<int> r, Exp<int>) { return digest(fg::iota<int>(Exp<int>(1) << (r[2] & 5))); }, small);
  on_rows([](Vec<int> r, Exp<int>) { return digest(fg::iota<int>((fg::clamp(r[2], -20, 20) >> 1) + 10)); },
          small);
  on_rows([](Vec<int> r, Exp<int>) { return digest(fg::iota<int>(fg::abs(r[1] % 7))); }, small);
  on_rows([](Vec<int> r, Exp<int>) { return digest(fg::iota<int>((r[1] & 15) ^ (r[0] & 3))); }, small);
  on_rows([](Vec<int> r, Exp<int> k) { return digest(fg::iota<int>(wide(r[0] % (fg::abs(k) + 3)) + 8)); },
          small);
  on_rows([](Vec<int> r, Exp<int>) { return digest(fg::iota<int>(fg::select(r[0] < 3, 12 - r[0] % 3, 4))); },
          small);
  on_rows([](Vec<int> r, Exp<int>) { return digest(fg::iota<int>(fg::cast<int>(fg::cast<fg::u8>(r[1])))); },
          small);
}

TEST(ElementSizes, NegativeOnesAreRefused) {
  on_rows([](Vec<int> r, Exp<int>) { return digest(fg::iota<int>(fg::min(r[0], 5))); }, small);
  on_rows([](Vec<int> r, Exp<int> k) { return digest(fg::iota<int>(r[1] % 9 + k)); }, small);
  on_rows(
      [](Vec<int> r, Exp<int> k) {
        return digest(fg::generate(wide(k) * r.size(), [&](Exp<i64> i) { return r[i % 4]; }));
      },
      small);
}

TEST(ElementSizes, PartsOfRows) {
  on_rows([](Vec<int> r, Exp<int>) { return digest(fg::take(r, wide(fg::abs(r[0]) % 5))); }, small);
  on_rows([](Vec<int> r, Exp<int>) { return digest(fg::drop(r, wide(fg::abs(r[0]) % 5))); }, small);
  on_rows([](Vec<int> r, Exp<int>) { return digest(r.slice(wide(fg::abs(r[0]) % 3), r.size())); }, small);
  on_rows([](Vec<int> r, Exp<int>) { return digest(r.slice(wide(r[3] & 1), 2 + wide(r[0] & 2))); }, small);
  on_rows([](Vec<int> r, Exp<int>) { return digest(r.slice(0, r.size(), wide((r[3] & 1) + 1))); }, small);
  // Most of these rows fail.
  on_rows([](Vec<int> r, Exp<int> k) { return digest(fg::take(r, wide(r[0] + k))); }, small);
  on_rows([](Vec<int> r, Exp<int> k) { return digest(r.slice(wide(r[0]), wide(r[2] + k))); }, small);
  on_rows(
      [](Vec<int> r, Exp<int>) {
        const Exp<i64> s = wide(r[0] & 1), n = wide(r[2] & 3);
        return digest(r.slice(s, s + n));
      },
      small);
}

TEST(ElementSizes, OfStridedParts) {
  on_rows([](Vec<int> r, Exp<int>) { return digest(r.slice(0, 4, wide(fg::abs(r[1]) + 1))); }, small);
  on_rows([](Vec<int> r, Exp<int>) { return digest(r.slice(3, -1, -wide(fg::abs(r[1]) + 1))); }, small);
  on_rows([](Vec<int> r, Exp<int> k) { return digest(r.slice(0, 4, wide(k))); }, small);
}

// A slice is no longer than the array, whichever way it goes.
TEST(ElementSizes, OfPartsWhoseDirectionDependsOnData) {
  const auto parts = [](Vec<int> r, Exp<int>) { return digest(r.slice(wide(r[0]), wide(r[1]), wide(r[2]))); };
  on_rows(parts,
          {{fg::Array<int, 2>({0, 4, 1, 9, 3, -1, -2, 8, 1, 3, 2, 5, 2, 2, 7, 1, 3, 0, -9, 4}, {5, 4}), 0},
           {fg::Array<int, 2>({0, 4, 0, 9}, {1, 4}), 0},
           {fg::Array<int, 2>({0, 4, 1, 9, 0, 4, -1, 9}, {2, 4}), 0},
           {fg::Array<int, 2>({3, 4, 1, 9, 2, 5, 1, 9}, {2, 4}), 0}});
  on_rows(
      [](Vec<int> r, Exp<int> k) {
        return digest(
            r.slice(fg::select(k < 0, i64(3), i64(0)), fg::select(k < 0, i64(-1), i64(4)), wide(k)));
      },
      small);
}

TEST(ElementSizes, OfUnsignedNumbers) {
  on_rows(
      [](Vec<int> r, Exp<int>) { return digest(fg::iota<int>(fg::cast<fg::u64>(wide(r[0])) % fg::u64{13})); },
      small);
  on_rows(
      [](Vec<int> r, Exp<int> k) {
        return digest(fg::iota<int>(fg::min(fg::cast<fg::u64>(r[0]), fg::u64{9}) / fg::u64{2} +
                                    fg::cast<fg::u64>(k & 3)));
      },
      small);
  on_rows([](Vec<int> r,
             Exp<int>) { return digest(fg::iota<int>(fg::cast<fg::u64>(wide(r[0])) >> fg::u64{60})); },
          small);
}

TEST(ElementSizes, OfPlacesOfExtremes) {
  on_rows([](Vec<int> r, Exp<int>) { return digest(fg::iota<int>(fg::argmax(r))); }, small);
  on_rows([](Vec<int> r, Exp<int>) { return digest(fg::iota<int>(fg::argmin(fg::cast<float>(r)) + 1)); },
          small);
}

// Where all elements of an array are bounded, so is a size that is one of them.
TEST(ElementSizes, OfElementsOfArrays) {
  on_rows([](Vec<int> r, Exp<int>) { return digest(fg::iota<int>(fg::sort(fg::abs(r % 7))[2])); }, small);
  on_rows([](Vec<int> r, Exp<int>) { return digest(fg::iota<int>(fg::scan(fg::plus, 0, r & 3)[2])); }, small);
  on_rows(
      [](Vec<int> r, Exp<int>) {
        const Vec<int> counts = fg::histogram(fg::plus, 0, 4, r & 3, fg::replicate(r.size(), 1));
        return digest(fg::iota<int>(counts[r[0] & 3] + 1));
      },
      small);
  on_rows(
      [](Vec<int> r, Exp<int> k) {
        const Vec<int> a =
            fg::cond(k > 0, [&] { return fg::sort(r & 7); }, [&] { return fg::reverse(fg::sort(r & 3)); });
        return digest(fg::iota<int>(a[1]));
      },
      small);
  on_rows(
      [](Vec<int> r, Exp<int> k) {
        const auto turn = [](Exp<i64>, Vec<int> s) { return fg::reverse(s); };
        return digest(fg::iota<int>(fg::iterate(k, turn, r & 7)[1]));
      },
      small);
  // The array is one of the program's.
  expect_interpreters(
      [](Vec<int> x, Vec<int> places) {
        const auto [kept, starts] = fg::partition(3, [](Exp<int> v) { return v % 3; }, fg::sort(x & 15));
        return fg::map([&](Exp<int> i) { return digest(fg::iota<int>(kept[i])) + fg::cast<int>(starts[1]); },
                       places);
      },
      std::vector<std::tuple<Ints, Ints>>{{{5, 9, 12, 3, 8}, {0, 2, 1}}, {{5, 9}, {2}}, {{}, {}}});
}

TEST(ElementSizes, OfOneOfTwoBranches) {
  on_rows(
      [](Vec<int> r, Exp<int>) {
        return digest(
            fg::cond(r[0] > 2, [&] { return fg::take(r, wide(r[3] & 3)); }, [&] { return fg::drop(r, 1); }));
      },
      small);
  on_rows(
      [](Vec<int> r, Exp<int> k) {
        return digest(fg::cond(
            r[0] < 4 && r[0] >= 0, [&] { return fg::iota<int>(r[0] + 3); },
            [&] { return fg::iota<int>(fg::abs(k)); }));
      },
      small);
  on_rows(
      [](Vec<int> r, Exp<int>) {
        const Vec<int> part = fg::cond(
            r[0] > 2, [&] { return fg::filter([](Exp<int> e) { return e > 2; }, r); },
            [&] { return fg::concat(r, r); });
        return digest(part) + fg::cast<int>(part.size());
      },
      small);
}

TEST(ElementSizes, OfStateOfLoops) {
  on_rows(
      [](Vec<int> r, Exp<int>) {
        return digest(fg::while_loop(
            [](Vec<int> v) { return v.size() > 1; },
            [](Vec<int> v) { return fg::filter([&](Exp<int> e) { return e > v[0]; }, v); }, r));
      },
      small);
  on_rows(
      [](Vec<int> r, Exp<int>) {
        return digest(fg::iterate(2, [](Vec<int> v) { return fg::take(v, v.size() / 2); }, r));
      },
      small);
  on_rows(
      [](Vec<int> r, Exp<int> k) {
        return digest(fg::iterate(k, [](Vec<int> v) { return fg::drop(v, fg::min(v.size(), i64(1))); }, r));
      },
      small);
  on_rows(
      [](Vec<int> r, Exp<int> k) {
        return digest(fg::iterate(k, [&](Vec<int> v) { return fg::concat(v, fg::take(r, 1)); }, r));
      },
      small);
  on_rows(
      [](Vec<int> r, Exp<int>) {
        return digest(fg::while_loop([](Vec<int> v) { return v.size() < 20; },
                                     [](Vec<int> v) { return fg::concat(v, v); }, r));
      },
      small);
  on_rows(
      [](Vec<int> r, Exp<int> k) {
        return digest(fg::iterate(
            k + 3, [](Vec<int> v) { return fg::take(fg::concat(v, v), fg::min(v.size() * 2, i64(11))); }, r));
      },
      small);
  on_rows(
      [](Vec<int> r, Exp<int> k) {
        auto [a, b] = fg::iterate(
            k,
            [](Vec<int> x, Vec<int> y) {
              return std::tuple{y, fg::filter([](Exp<int> e) { return e % 3 != 0; }, x)};
            },
            r, fg::take(r, 2));
        return digest(a) * 100 + digest(b);
      },
      small);
  on_rows(
      [](Vec<int> r, Exp<int> k) {
        auto [end_n, end_v] = fg::iterate(
            k,
            [&](Exp<i64> n, Vec<int> v) {
              return std::tuple{n / 2, fg::generate(n / 2, [&](Exp<i64> i) { return v[i] + 1; })};
            },
            r.size(), r);
        return digest(end_v) + fg::cast<int>(end_n);
      },
      small);
}

TEST(ElementSizes, OfStateThatApproachesZero) {
  on_rows(
      [](Vec<int> r, Exp<int>) {
        const Exp<i64> n = fg::iterate(2, [](Exp<i64> k) { return k / 2; }, fg::min(wide(r[0]), i64(64)));
        return digest(fg::iota<int>(fg::max(n, i64(0))));
      },
      small);
  on_rows(
      [](Vec<int> r, Exp<int>) {
        auto [a, b] = fg::while_loop([](Exp<int> p, Exp<int>) { return p != 0; },
                                     [](Exp<int> p, Exp<int> q) { return std::tuple{p / 3, q / 2}; },
                                     fg::min(r[0], 7), fg::clamp(r[1], 0, 9));
        return digest(fg::iota<int>(b)) + a;
      },
      small);
}

TEST(ElementSizes, OfStateThatGrowsByAKnownNumberEachTime) {
  on_rows(
      [](Vec<int> r, Exp<int>) {
        return digest(fg::iterate(
            r.size(),
            [&](Exp<i64> j, Vec<int> v) {
              return fg::cond(r[j] > 2, [&] { return fg::concat(v, r.slice(j, j + 1)); }, [&] { return v; });
            },
            fg::take(r, 0)));
      },
      small);
  on_rows(
      [](Vec<int> r, Exp<int>) {
        auto [end_n, end_v] = fg::iterate(
            4, [](Exp<int> n, Vec<int> v) { return std::tuple{n / 2, fg::concat(v, fg::iota<int>(n % 3))}; },
            fg::abs(r[0]), r);
        return digest(end_v) + end_n;
      },
      small);
}

/// The element of a rank among all: one of two filters, as the data say, until one element is left.
TEST(ElementSizes, OfSelections) {
  on_rows(
      [](Vec<int> r, Exp<int>) {
        auto [rest, place] =
            fg::while_loop([](Vec<int> v, Exp<i64>) { return v.size() > 1; },
                           [](Vec<int> v, Exp<i64> rank) {
                             const Exp<int> pivot = v[0];
                             const Vec<int> less = fg::filter([&](Exp<int> e) { return e < pivot; }, v);
                             const Vec<int> more = fg::filter([&](Exp<int> e) { return e > pivot; }, v);
                             const Exp<bool> left = rank < less.size();
                             return std::tuple{fg::cond(
                                                   left, [&] { return less; }, [&] { return more; }),
                                               fg::select(left, rank, rank - less.size() - 1)};
                           },
                           r, i64(2));
        return fg::sum(rest) * 10 + fg::cast<int>(place);
      },
      small);
}

TEST(ElementSizes, OfMatricesInState) {
  on_rows(
      [](Vec<int> r, Exp<int> k) {
        const Exp<i64> n = r.size();
        const Mat<int> start = fg::generate({n, n}, [&](Exp<i64> i, Exp<i64> j) { return r[i] - r[j]; });
        const Mat<int> end = fg::iterate(
            k,
            [n](Mat<int> s) {
              return fg::generate({n, n}, [&](Exp<i64> i, Exp<i64> j) { return s(j, i) + 1; });
            },
            start);
        return fg::sum(end) + end(0, 1);
      },
      small);
  on_rows(
      [](Vec<int> r, Exp<int> k) {
        const Exp<i64> n = wide(r[0] & 3) + 1;
        const Mat<int> start =
            fg::generate({n, n}, [&](Exp<i64> i, Exp<i64> j) { return r[i] - fg::cast<int>(j); });
        const Mat<int> end = fg::iterate(
            k,
            [n](Mat<int> s) {
              return fg::generate({n, n}, [&](Exp<i64> i, Exp<i64> j) { return s(j, i) + 1; });
            },
            start);
        return fg::sum(end) + end(0, 0);
      },
      small);
  on_rows(
      [](Vec<int> r, Exp<int> k) {
        const Exp<i64> n = wide(r[0] & 3) + 1;
        auto [size, end] = fg::iterate(
            k,
            [](Exp<i64> width, Mat<int> s) {
              return std::tuple{
                  width, fg::generate({width, width}, [&](Exp<i64> i, Exp<i64> j) { return s(j, i) + 1; })};
            },
            n, fg::generate({n, n}, [&](Exp<i64> i, Exp<i64> j) { return r[i] - fg::cast<int>(j); }));
        return fg::sum(end) + end(0, 0) + fg::cast<int>(size);
      },
      small);
  on_rows(
      [](Vec<int> r, Exp<int> k) {  // rows that change in number
        const Mat<int> start =
            fg::generate({r.size(), i64(3)}, [&](Exp<i64> i, Exp<i64> j) { return r[i] + fg::cast<int>(j); });
        const Mat<int> end = fg::iterate(
            k,
            [](Mat<int> s) {
              const Exp<i64> rows = s.size(0) - s.size(0) / 2;
              return fg::generate({rows, s.size(1)},
                                  [&](Exp<i64> i, Exp<i64> j) { return s(i, j) + 2 * s(i, i64(2) - j); });
            },
            start);
        return fg::sum(end) + end(0, 1);
      },
      small);
}

TEST(ElementSizes, OfWhatFiltersKeep) {
  on_rows(
      [](Vec<int> r, Exp<int> k) {
        const Vec<int> odd = fg::filter([](Exp<int> e) { return e % 2 != 0; }, r);
        return digest(fg::concat(odd, fg::iota<int>(odd.size() * 2 + wide(fg::abs(k)))));
      },
      small);
  on_rows(
      [](Vec<int> r, Exp<int>) {
        const Vec<int> odd = fg::filter([](Exp<int> e) { return e % 2 != 0; }, r);
        return fg::sum(fg::map(
            [&](Exp<int> e) { return digest(fg::filter([&](Exp<int> o) { return o < e; }, odd)); }, r));
      },
      small);
}

TEST(ElementSizes, InNestedMaps) {
  on_rows(
      [](Vec<int> r, Exp<int> k) {
        return fg::sum(fg::generate(r.size(), [&](Exp<i64> i) {
          const Exp<int> size = fg::cast<int>(i) * (k + 2) & 7;
          return digest(
              fg::generate(i * 3 + wide(size), [&](Exp<i64> j) { return r[i] * k - fg::cast<int>(j); }));
        }));
      },
      small);
  on_rows(
      [](Vec<int> r, Exp<int>) {
        const Vec<int> part = fg::filter([](Exp<int> e) { return e > 0; }, r);
        return fg::sum(fg::map(
            [&](Exp<int> e) { return digest(part * e) + digest(fg::take(part, part.size() / 2)); }, part));
      },
      small);
}

TEST(ElementSizes, BelowWhatALoopsConditionSays) {
  on_rows(
      [](Vec<int> r, Exp<int>) {
        auto [end, total] = fg::while_loop([](Exp<int> n, Exp<int>) { return n < 9 && n >= 0; },
                                           [&](Exp<int> n, Exp<int> sum) {
                                             return std::tuple{n + fg::abs(r[n % 4]) + 1,
                                                               sum + digest(fg::iota<int>(n) * r[0])};
                                           },
                                           r[1], 0);
        return total * 100 + end;
      },
      small);
}

/// Without checks the size is believed, but not beyond the memory.
TEST(ElementSizes, DoNotExceedMemoryWithoutChecks) {
  const auto parts = [](Mat<int> a, Exp<int> k) {
    return fg::map([&](Vec<int> r) { return digest(fg::take(r, wide(r[0] + k))); }, fg::rows(a));
  };
  for (const auto& [name, engine] : tested_engines()) {
    if (engine == fg::Engine::interpreter) continue;
    SCOPED_TRACE("engine " + name);
    const auto f = fg::compile(parts, {.engine = engine, .checks = fg::Checks::off});
    const fg::Array<int, 2> a({3, 1, 2, 0, 2, 5, 1, 2}, {2, 4});
    EXPECT_EQ(vector_of(f(a, 0)), (Ints{10, 9}));
    const std::string message = message_of<fg::ShapeError>([&] { f(a, 90000); });
    EXPECT_NE(message.find("has 90003 elements, and there is room for 4"), std::string::npos) << message;
  }
}

/// A size that the state's own elements decide.
TEST(ElementSizes, OfStateThatItsElementsMakeLonger) {
  const auto grows = [](Mat<int> a) {
    return fg::map(
        [](Vec<int> r) {
          auto [end, all] = fg::while_loop(
              [](Exp<int> n, Vec<int>) { return n > 0; },
              [](Exp<int> n, Vec<int> v) { return std::tuple{n - 1, fg::concat(v, fg::iota<int>(v[0]))}; },
              r[0], r);
          return fg::sum(all);
        },
        fg::rows(a));
  };
  on_every_engine(grows,
                  [](const auto& f) { EXPECT_EQ(vector_of(f(fg::Array<int, 2>({2, 5}, {1, 2}))), Ints{9}); });
}

}  // namespace
