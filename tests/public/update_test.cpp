// Arrays with elements and slices replaced: every element type, ranks 1 to 3, the old array as it was, what
// is outside.
#include "operators.h"

namespace {

template <class T>
void check_element() {
  const auto program = [](Vec<T> xs, Exp<int> i, Exp<T> x) { return std::tuple{fg::with(xs, i, x), xs}; };
  on_every_engine(program, [](const auto& f) {
    for (std::size_t n : sizes_for(f.options().engine)) {
      std::vector<T> xs = values<T>(n);
      for (std::size_t i : {std::size_t(0), n / 2, n - 1}) {
        if (i >= n) continue;
        const T x = values<T>(7, static_cast<unsigned>(i))[3];
        const auto [updated, old] = f(xs, static_cast<int>(i), x);
        EXPECT_EQ(old.to_vector(), xs) << n;
        std::vector<T> expected = xs;
        expected[i] = x;
        EXPECT_EQ(updated.to_vector(), expected) << n;
      }
    }
  });
}

TEST(Updates, ElementsOfEveryScalarProperty) {
  for_every_scalar([]<class T>() { check_element<T>(); });
  check_element<Interval>();
}

template <class T>
void check_slice() {
  const auto program = [](Vec<T> xs, Exp<fg::i64> start, Exp<fg::i64> stop, Exp<fg::i64> stride, Vec<T> ys) {
    return fg::with(xs, fg::Range{start, stop, stride}, ys);
  };
  on_every_engine(program, [](const auto& f) {
    for (std::size_t n : sizes_for(f.options().engine)) {
      const std::vector<T> xs = values<T>(n);
      const auto size = static_cast<fg::i64>(n);
      const std::array<fg::i64, 3> slices[] = {
          {0, size, 1}, {0, size, 3}, {size / 3, size / 2, 1}, {size - 1, -1, -1}, {size - 1, size / 3, -2}};
      for (const auto& [start, stop, stride] : slices) {
        if (n == 0 && start < 0) continue;
        SCOPED_TRACE(::testing::PrintToString(std::array{size, start, stop, stride}));
        std::vector<std::size_t> places;
        for (fg::i64 i = start; stride > 0 ? i < stop : i > stop; i += stride)
          places.push_back(static_cast<std::size_t>(i));
        const std::vector<T> ys = values<T>(places.size(), 99);
        std::vector<T> expected = xs;
        for (std::size_t k = 0; k < places.size(); ++k) expected[places[k]] = ys[k];
        EXPECT_EQ(f(xs, start, stop, stride, ys).to_vector(), expected);
      }
    }
  });
}

TEST(Updates, SlicesOfEveryScalarProperty) {
  for_every_scalar([]<class T>() { check_slice<T>(); });
  check_slice<Placed>();
}

TEST(Updates, Matrices) {
  const auto program = [](Mat<int> m, Mat<int> block) {
    auto one = fg::with(m, {1, m.size(1) - 1}, 77);
    auto rows = fg::with(m, {fg::Range{0, 2}, fg::Range{1, 3}}, block);
    auto flipped = fg::with(m, {fg::Range{1, -1, -1}, fg::Range{2, 0, -1}}, block);
    return std::tuple{one, rows, flipped};
  };
  on_every_engine(program, [](const auto& f) {
    const fg::Array<int, 2> m({1, 2, 3, 4, 5, 6, 7, 8, 9}, {3, 3}), block({10, 20, 30, 40}, {2, 2});
    const auto [one, rows, flipped] = f(m, block);
    EXPECT_EQ(vector_of(one), (std::vector<int>{1, 2, 3, 4, 5, 77, 7, 8, 9}));
    EXPECT_EQ(vector_of(rows), (std::vector<int>{1, 10, 20, 4, 30, 40, 7, 8, 9}));
    EXPECT_EQ(vector_of(flipped), (std::vector<int>{1, 40, 30, 4, 20, 10, 7, 8, 9}));
  });
}
// Rows so long that their stores are aligned, from every place in a cache line on, and shorter ones.
template <class T>
void check_blocks() {
  const auto program = [](Mat<T> m, Exp<fg::i64> first, Exp<fg::i64> length) {
    const auto rows = m.size(0);
    return fg::iterate(
        2,
        [&](Exp<fg::i64>, Mat<T> u) {
          const fg::Range changed{1, rows}, columns{first, first + length};
          const Mat<T> block = fg::generate({rows - 1, length}, [&](Exp<fg::i64> i, Exp<fg::i64> j) {
            return u(i + 1, first + j) * u(i + 1, 0) + u(0, first + j);
          });
          return fg::with(u, {changed, columns}, block);
        },
        m);
  };
  on_every_engine(program, [](const auto& f) {
    constexpr std::size_t rows = 3, n = 701, lengths[] = {5, 127, 128, 259, 600};
    const std::size_t step = f.options().engine == fg::Engine::cpu ? 1 : 8;
    const std::vector<T> from = values<T>(rows * n);
    for (const std::size_t length : lengths)
      for (std::size_t first = 1; first < 18; first += step) {
        SCOPED_TRACE(std::to_string(length) + " from " + std::to_string(first));
        std::vector<T> expected = from;
        for (int times = 0; times < 2; ++times)
          for (std::size_t i = 1; i < rows; ++i)
            for (std::size_t j = first; j < first + length; ++j)
              expected[i * n + j] = static_cast<T>(expected[i * n + j] * expected[i * n] + expected[j]);
        const fg::Array<T, 2> m(from, {rows, n});
        EXPECT_EQ(f(m, static_cast<fg::i64>(first), static_cast<fg::i64>(length)).to_vector(), expected);
      }
  });
}

TEST(Updates, BlocksWithLongRowsProperty) {
  check_blocks<std::uint8_t>();
  check_blocks<std::uint32_t>();
  check_blocks<std::uint64_t>();
}

TEST(Updates, Cubes) {
  const auto program = [](fg::Acc<float, 3> c, Exp<int> k, fg::Acc<float, 3> plane) {
    return std::tuple{
        fg::with(c, {k, 0, 1}, -1.0f),
        fg::with(c, {fg::Range{k, k + 1}, fg::Range{0, c.size(1)}, fg::Range{0, c.size(2)}}, plane)};
  };
  on_every_engine(program, [](const auto& f) {
    const fg::Array<float, 3> c({1, 2, 3, 4, 5, 6, 7, 8}, {2, 2, 2}), plane({10, 20, 30, 40}, {1, 2, 2});
    const auto [one, all] = f(c, 1, plane);
    EXPECT_EQ(one.to_vector(), (std::vector<float>{1, 2, 3, 4, 5, -1, 7, 8}));
    EXPECT_EQ(all.to_vector(), (std::vector<float>{1, 2, 3, 4, 10, 20, 30, 40}));
  });
}

TEST(Updates, OneAfterTheOther) {
  const auto program = [](Vec<int> xs) {
    auto a = fg::with(xs, 0, xs[1]);
    auto b = fg::with(a, 1, a[0] + a[2]);
    auto c = fg::with(b, fg::Range{1, 3}, fg::reverse(b.slice(1, 3)));
    return std::tuple{c, fg::sum(a), b * 2, fg::map([](Exp<int> x) { return x + 1; }, fg::with(c, 3, 9))};
  };
  on_every_engine(program, [](const auto& f) {
    const auto [c, sum, b, last] = f(std::vector<int>{1, 2, 3, 4});
    EXPECT_EQ(vector_of(c), (std::vector<int>{2, 3, 5, 4}));
    EXPECT_EQ(sum, 11);
    EXPECT_EQ(vector_of(b), (std::vector<int>{4, 10, 6, 8}));
    EXPECT_EQ(vector_of(last), (std::vector<int>{3, 4, 6, 10}));
  });
}

TEST(Updates, InLoopsAndRows) {
  const auto sieve = [](Exp<int> n) {
    return fg::iterate(
        n, [](Exp<fg::i64> i, Vec<int> xs) { return fg::with(xs, i, xs[fg::max(i - 1, 0)] + 1); },
        fg::replicate(n, 0));
  };
  on_every_engine(sieve, [](const auto& f) {
    EXPECT_EQ(vector_of(f(5)), (std::vector<int>{1, 2, 3, 4, 5}));
    EXPECT_EQ(f(0).size(), 0);
  });
  const auto marked = [](Mat<int> m) {
    return fg::map([](Vec<int> row) { return fg::with(row, fg::cast<fg::i64>(row[0]), -1); }, fg::rows(m));
  };
  on_every_engine(marked, [](const auto& f) {
    EXPECT_EQ(vector_of(f(fg::Array<int, 2>({2, 5, 6, 0, 8, 9}, {2, 3}))),
              (std::vector<int>{2, 5, -1, -1, 8, 9}));
    EXPECT_THROW(f(fg::Array<int, 2>({2, 5, 6, 3, 8, 9}, {2, 3})), fg::IndexError);
  });
}

// What a call asks for, in arrays of n ints.
template <class F, class... Arguments>
double arrays_allocated(const F& f, std::size_t n, const Arguments&... arguments) {
  f(arguments...);
  fg::reset_stats();
  f(arguments...);
  return static_cast<double>(fg::stats().bytes_allocated) / (4.0 * static_cast<double>(n));
}

TEST(Updates, OfDeadArraysCopyNothing) {
  constexpr int n = 10000;
  const fg::Options cpu{.engine = fg::Engine::cpu};
  const auto loop = fg::compile(
      [](Exp<int> size, Exp<int> times) {
        return fg::iterate(
            times, [](Exp<fg::i64> i, Vec<int> xs) { return fg::with(xs, i, xs[0] + 1); },
            fg::replicate(size, 0));
      },
      cpu);
  EXPECT_EQ(loop(n, 3)[2], 2);
  EXPECT_LT(arrays_allocated(loop, n, n, 300), 2.5) << "the loop's state, in place";

  const auto chain = fg::compile(
      [](Vec<int> xs) {
        auto a = fg::scan(fg::plus, 0, xs);
        auto b = fg::with(a, 0, 7);
        auto c = fg::with(b, fg::Range{1, 11}, fg::iota<int>(10));
        return fg::with(c, 20, 9);
      },
      cpu);
  EXPECT_EQ(chain(std::vector<int>(n, 1))[1], 0);
  EXPECT_LT(arrays_allocated(chain, n, std::vector<int>(n, 1)), 1.5) << "all in the memory of the scan";

  const auto kept = fg::compile(
      [](Vec<int> xs) {
        auto a = fg::scan(fg::plus, 0, xs);
        return std::tuple{fg::with(a, 0, 7), a};
      },
      cpu);
  const auto [updated, old] = kept(std::vector<int>(n, 1));
  EXPECT_EQ(updated[0], 7);
  EXPECT_EQ(old[0], 1) << "an array that is read later is copied";
}

// Each step replaces every stride-th element and reads the two before it and one a row above. Of rows of one
// element the step replaces what it reads.
Vec<int> along_columns(Vec<int> xs, Exp<fg::i64> stride, Exp<fg::i64> count) {
  return fg::iterate(
      4,
      [&](Exp<fg::i64> step, Vec<int> s) {
        const Exp<fg::i64> at = stride + step + 2, most = (count - 1) * stride + 1;
        const auto before = [&](Exp<fg::i64> by) { return s.slice(at - by, at - by + most, stride); };
        return fg::with(s, fg::Range{at, at + most, stride}, 3 * before(1) + before(stride + 1) - before(2));
      },
      xs);
}

TEST(Updates, OfDiagonalsAndColumnsThatReadTheirNeighbours) {
  on_every_engine(along_columns, [](const auto& f) {
    for (const std::size_t stride : {1U, 2U, 3U, 4U, 7U, 64U})
      for (const std::size_t count : {1U, 2U, 5U, 40U}) {
        std::vector<int> xs = values<int>(stride * (count + 1) + 8);
        for (int& x : xs) x %= 10;
        std::vector<int> expected = xs;
        for (std::size_t step = 0; step < 4; ++step) {
          const std::vector<int> old = expected;
          for (std::size_t k = 0; k < count; ++k) {
            const std::size_t at = (k + 1) * stride + step + 2;
            expected[at] = 3 * old[at - 1] + old[at - stride - 1] - old[at - 2];
          }
        }
        EXPECT_EQ(vector_of(f(xs, static_cast<fg::i64>(stride), static_cast<fg::i64>(count))), expected)
            << stride << ", " << count;
      }
  });
  const auto f = fg::compile(along_columns, fg::Options{.engine = fg::Engine::cpu});
  EXPECT_LT(arrays_allocated(f, 10000, std::vector<int>(10000), 100, 98), 1.5) << "no step copies";
  EXPECT_GT(arrays_allocated(f, 10000, std::vector<int>(10000), 1, 9000), 1.5)
      << "steps read what they replace";
}

// Elements change places: each update replaces what another one reads.
TEST(Updates, ElementsThatChangePlaces) {
  const auto turned = [](Vec<int> xs, Exp<fg::i64> rounds) {
    return fg::iterate(
        rounds,
        [](Exp<fg::i64> round, Vec<int> s) {
          const Exp<fg::i64> n = s.size(), first = round % 3, last = first + (n - first) / 3 * 3;
          const auto every_third = [&](Exp<fg::i64> from) {
            return fg::Range{from, fg::max(last - 2 + (from - first), from), 3};
          };
          const auto part = [&](Exp<fg::i64> from) { return s.slice({every_third(from)}); };
          const Vec<int> a = part(first), b = part(first + 1), c = part(first + 2);
          return fg::with(fg::with(fg::with(s, every_third(first), b), every_third(first + 1), c + a),
                          every_third(first + 2), a - 1);
        },
        xs);
  };
  on_every_engine(turned, [](const auto& f) {
    for (const std::size_t n : {5U, 6U, 9U, 50U, 97U, 200U}) {
      std::vector<int> xs = values<int>(n);
      for (int& x : xs) x %= 10;
      std::vector<int> expected = xs;
      for (std::size_t round = 0; round < 7; ++round)
        for (std::size_t at = round % 3; at + 3 <= n; at += 3) {
          const int x = expected[at], y = expected[at + 1], z = expected[at + 2];
          expected[at] = y, expected[at + 1] = z + x, expected[at + 2] = x - 1;
        }
      EXPECT_EQ(vector_of(f(xs, 7)), expected) << n;
    }
  });
  const auto f = fg::compile(turned, fg::Options{.engine = fg::Engine::cpu});
  EXPECT_LT(arrays_allocated(f, 10000, std::vector<int>(10000), 9), 1.5) << "where they lie";

  const auto sorted = [](Vec<int> xs) {
    return fg::iterate(
        xs.size(),
        [](Exp<fg::i64> round, Vec<int> s) {
          const Exp<fg::i64> first = round & 1, last = first + (s.size() - first) / 2 * 2;
          const fg::Range left{first, last, 2}, right{first + 1, fg::max(last, first + 1), 2};
          const Vec<int> a = s.slice({left}), b = s.slice({right});
          return fg::with(fg::with(s, left, fg::min(a, b)), right, fg::max(a, b));
        },
        xs);
  };
  on_every_engine(sorted, [](const auto& g) {
    for (const std::size_t n : {1U, 2U, 3U, 16U, 33U, 100U}) {
      std::vector<int> xs = values<int>(n), expected = xs;
      std::ranges::sort(expected);
      EXPECT_EQ(vector_of(g(xs)), expected) << n;
    }
  });
  // What is needed as it was.
  const auto both = [](Vec<int> xs) {
    const Exp<fg::i64> m = xs.size() / 2;
    const fg::Range even{0, 2 * m, 2}, odd{1, 2 * m, 2};
    const Vec<int> s = fg::map([](Exp<int> x) { return 3 * x; }, xs);
    const Vec<int> first = fg::with(s, even, s.slice({odd}));
    const Vec<int> second = fg::with(first, odd, s.slice({even}));
    return std::tuple{s, second, first};
  };
  on_every_engine(both, [](const auto& g) {
    const auto [old, swapped, half] = g(std::vector<int>{1, 2, 3, 4, 5});
    EXPECT_EQ(old.to_vector(), (std::vector<int>{3, 6, 9, 12, 15}));
    EXPECT_EQ(swapped.to_vector(), (std::vector<int>{6, 3, 12, 9, 15}));
    EXPECT_EQ(half.to_vector(), (std::vector<int>{6, 6, 12, 12, 15}));
  });
}

TEST(Updates, Errors) {
  const std::string line = line_after(1);
  on_every_engine([](Vec<int> xs, Exp<int> i) { return fg::with(xs, i, 0); },
                  [&](const auto& f) {
                    EXPECT_EQ(message_of<fg::IndexError>([&] { f(std::vector<int>(3), 3); }),
                              line + ": fulgurite::IndexError: with: index 3 is outside an array of 3");
                    EXPECT_THROW(f(std::vector<int>(3), -1), fg::IndexError);
                    EXPECT_THROW(f(std::vector<int>(), 0), fg::IndexError);
                  });
  on_every_engine([](Mat<int> m, Exp<int> i, Exp<int> j) { return fg::with(m, {i, j}, 0); },
                  [](const auto& f) {
                    const fg::Array<int, 2> m({1, 2, 3, 4, 5, 6}, {2, 3});
                    EXPECT_NE(message_of<fg::IndexError>([&] {
                                f(m, 0, 3);
                              }).find("with: index 3 is outside 3 along axis 1"),
                              std::string::npos);
                    EXPECT_THROW(f(m, 2, 0), fg::IndexError);
                  });
  on_every_engine(
      [](Vec<int> xs, Vec<int> ys, Exp<int> n) { return fg::with(xs, fg::Range{1, n}, ys); },
      [](const auto& f) {
        EXPECT_NE(
            message_of<fg::ShapeError>([&] {
              f(std::vector<int>(5), std::vector<int>(2), 4);
            }).find("with needs equal shapes: the slice is i32[3], what replaces it is i32[2] (argument 2)"),
            std::string::npos);
        EXPECT_NE(message_of<fg::ShapeError>([&] {
                    f(std::vector<int>(5), std::vector<int>(5), 6);
                  }).find("slice(1, 6) of an array of 5 needs"),
                  std::string::npos);
      });
  EXPECT_THROW(fg::compile([] { return fg::with(fg::iota(3), 3, 0); }), fg::IndexError);
}

}  // namespace
