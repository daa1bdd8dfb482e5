// Programs that ask on which side of a bound an index is, in several spellings, against sequential loops: at
// extents that are shorter than the ends of the axes, and around those of vectors.
#include "lines.h"
#include "operators.h"
#include "policies.h"

namespace {

using lines::Shape;
using Ints = std::vector<int>;
using Index = Exp<fg::i64>;
using Cube = fg::Acc<int, 3>;

const char* const policies[] = {"", "row_splits=0", "splits=0", "splits=1 cheap_tile=64", "row_splits=5"};
constexpr std::int64_t extents[] = {1, 2, 3, 4, 7, 8, 9, 17, 33, 64, 66, 67, 131};

Ints numbers(std::size_t n) {
  Ints x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<int>(i * 7919 % 1009) - 500;
  return x;
}

/// A matrix that is read outside of itself, too.
struct Field {
  Shape<2> shape;
  Ints x;
  int at(std::int64_t i, std::int64_t j) const { return x[static_cast<std::size_t>(i * shape[1] + j)]; }
  int clamped(std::int64_t i, std::int64_t j) const {
    return at(std::clamp<std::int64_t>(i, 0, shape[0] - 1), std::clamp<std::int64_t>(j, 0, shape[1] - 1));
  }
  Ints mapped(auto f) const {
    Ints result;
    for (std::int64_t i = 0; i < shape[0]; ++i)
      for (std::int64_t j = 0; j < shape[1]; ++j) result.push_back(f(i, j));
    return result;
  }
};

// A piece of equal elements, of several vectors, begins with what the pieces before it have left.
TEST(Splits, FoldsOverPiecesOfEqualElements) {
  const auto program = [](Vec<int> x, Exp<fg::i64> k) {
    const auto n = x.size();
    const auto end = fg::generate(n, [&](Index i) { return fg::select(i < k, x[i], -9); });
    const auto begin = fg::generate(n, [&](Index i) { return fg::select(i < k, 9, x[i]); });
    const auto rows =
        fg::generate({n / 8, n}, [&](Index i, Index j) { return fg::select(j <= i, x[j], -9); });
    return std::tuple{fg::max(end),
                      fg::min(begin),
                      fg::argmax(end),
                      fg::any(end == 77),
                      fg::reduce(fg::bit_or, 0, begin),
                      fg::max(fg::concat(x, fg::replicate(500, -9))),
                      fg::max(rows, fg::axis(1)),
                      fg::max(rows, fg::axis(0))};
  };
  const Ints x = [] {
    Ints all(1000);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i * 7 % 101);
    return all;
  }();
  on_every_engine(program, [&](const auto& f) {
    for (const std::int64_t k : {0, 1, 11, 300, 999, 1000}) {
      Ints end = x, begin = x, of_rows, of_columns(1000, -9);
      std::fill(end.begin() + k, end.end(), -9);
      std::fill(begin.begin(), begin.begin() + k, 9);
      for (std::size_t i = 0; i < 125; ++i) {
        of_rows.push_back(
            std::max(-9, *std::max_element(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(i) + 1)));
        of_columns[i] = x[i];
      }
      int bits = 0;
      for (const int b : begin) bits |= b;
      const auto [most, least, at, has, all_bits, padded, rows, columns] = f(x, k);
      EXPECT_EQ(most, *std::max_element(end.begin(), end.end())) << k;
      EXPECT_EQ(least, *std::min_element(begin.begin(), begin.end())) << k;
      EXPECT_EQ(at, std::max_element(end.begin(), end.end()) - end.begin()) << k;
      EXPECT_EQ(has, std::find(end.begin(), end.end(), 77) != end.end()) << k;
      EXPECT_EQ(all_bits, bits) << k;
      EXPECT_EQ(padded, 100) << k;
      EXPECT_EQ(vector_of(rows), of_rows) << k;
      EXPECT_EQ(vector_of(columns), of_columns) << k;
    }
  });
}

TEST(Splits, OneStencilInManySpellingsProperty) {
  const auto program = [](Mat<int> u) {
    const auto r = u.size(0), c = u.size(1);
    const auto around = [&](Index i, Index j) {
      return u(i - 1, j) + 2 * u(i + 1, j) + 3 * u(i, j - 1) + 5 * u(i, j + 1);
    };
    const auto kept = fg::generate({r, c}, [&](Index i, Index j) {
      return fg::cond(
          0 < i && i < r - 1 && 0 < j && j < c - 1, [&] { return around(i, j); }, [&] { return u(i, j); });
    });
    const auto by_or = fg::generate({r, c}, [&](Index i, Index j) {
      return fg::cond(
          i == 0 || i + 1 == r || j == 0 || c - 1 == j, [&] { return u(i, j); },
          [&] { return around(i, j); });
    });
    const auto nested = fg::generate({r, c}, [&](Index i, Index j) {
      const auto inner = [&] {
        return fg::cond(j >= 1 && j <= c - 2, [&] { return around(i, j); }, [&] { return u(i, j); });
      };
      return fg::cond(i >= 1 && i != r - 1, inner, [&] { return u(i, j); });
    });
    const auto selected = fg::generate({r, c}, [&](Index i, Index j) {
      const auto up = u(fg::max(i - 1, 0), j), down = u(fg::min(i + 1, r - 1), j);
      const auto left = u(i, fg::max(j - 1, 0)), right = u(i, fg::min(j + 1, c - 1));
      return fg::select(i == 0 || i == r - 1 || j == 0 || j == c - 1, u(i, j),
                        up + 2 * down + 3 * left + 5 * right);
    });
    const auto weighted = [](auto v) { return v(-1, 0) + 2 * v(1, 0) + 3 * v(0, -1) + 5 * v(0, 1); };
    return std::tuple{kept,
                      by_or,
                      nested,
                      selected,
                      fg::stencil(weighted, fg::boundary::clamp, u),
                      fg::stencil(weighted, fg::boundary::constant(7), u)};
  };
  on_every_engine_and_policy(policies, program, [](const auto& f) {
    for (const std::int64_t rows : extents)
      for (const std::int64_t columns : extents) {
        const Field u{{rows, columns}, numbers(static_cast<std::size_t>(rows * columns))};
        SCOPED_TRACE(::testing::PrintToString(u.shape));
        const auto sum = [](int up, int down, int left, int right) {
          return up + 2 * down + 3 * left + 5 * right;
        };
        const Ints kept = u.mapped([&](std::int64_t i, std::int64_t j) {
          const bool is_inside = 0 < i && i < rows - 1 && 0 < j && j < columns - 1;
          return is_inside ? sum(u.at(i - 1, j), u.at(i + 1, j), u.at(i, j - 1), u.at(i, j + 1)) : u.at(i, j);
        });
        const Ints clamped = u.mapped([&](std::int64_t i, std::int64_t j) {
          return sum(u.clamped(i - 1, j), u.clamped(i + 1, j), u.clamped(i, j - 1), u.clamped(i, j + 1));
        });
        const Ints padded = u.mapped([&](std::int64_t i, std::int64_t j) {
          return sum(i > 0 ? u.at(i - 1, j) : 7, i + 1 < rows ? u.at(i + 1, j) : 7,
                     j > 0 ? u.at(i, j - 1) : 7, j + 1 < columns ? u.at(i, j + 1) : 7);
        });
        const auto [by_cond, by_or, nested, selected, stencil, constant] = f(fg::Array<int, 2>(u.x, u.shape));
        EXPECT_EQ(by_cond.to_vector(), kept);
        EXPECT_EQ(by_or.to_vector(), kept);
        EXPECT_EQ(nested.to_vector(), kept);
        EXPECT_EQ(selected.to_vector(), kept);
        EXPECT_EQ(stencil.to_vector(), clamped);
        EXPECT_EQ(constant.to_vector(), padded);
      }
  });
}

/// A field with a border on all sides, which is an array of nine pieces, from (i, j) on.
class Bordered {
 public:
  explicit Bordered(Mat<int> u) : r_(u.size(0)), c_(u.size(1)), wide_(with_border(u)) {}
  Mat<int> at(int i, int j) const { return wide_.slice({i, r_ + i}, {j, c_ + j}); }
  Mat<int> whole() const { return wide_; }

 private:
  Mat<int> with_border(Mat<int> u) const {
    const Mat<int> tall =
        fg::concat(fg::axis(0), u.slice({0, 1}, {0, c_}), u, u.slice({r_ - 1, r_}, {0, c_}));
    return fg::concat(fg::axis(1), tall.slice({0, r_ + 2}, {0, 1}), tall,
                      tall.slice({0, r_ + 2}, {c_ - 1, c_}));
  }

  Index r_, c_;
  Mat<int> wide_;
};

TEST(Splits, PointsAroundInFieldsWithBordersProperty) {
  const auto nine = [](Mat<int> field) {
    const Bordered u(field);
    return u.at(0, 0) + 2 * u.at(0, 1) + 3 * u.at(0, 2) + 5 * u.at(1, 0) + 7 * u.at(1, 1) + 11 * u.at(1, 2) +
           13 * u.at(2, 0) + 17 * u.at(2, 1) + 19 * u.at(2, 2);
  };
  on_every_engine_and_policy(policies, nine, [](const auto& f) {
    constexpr std::array<int, 9> weights{1, 2, 3, 5, 7, 11, 13, 17, 19};
    for (const std::int64_t rows : extents)
      for (const std::int64_t columns : extents) {
        const Field u{{rows, columns}, numbers(static_cast<std::size_t>(rows * columns))};
        SCOPED_TRACE(::testing::PrintToString(u.shape));
        const Ints expected = u.mapped([&](std::int64_t i, std::int64_t j) {
          int sum = 0;
          for (int k = 0; k < 9; ++k)
            sum += weights[static_cast<std::size_t>(k)] * u.clamped(i + k / 3 - 1, j + k % 3 - 1);
          return sum;
        });
        EXPECT_EQ(f(fg::Array<int, 2>(u.x, u.shape)).to_vector(), expected);
      }
  });
}

TEST(Splits, RowsOfFieldsWithBordersProperty) {
  const auto sums_and_scan = [](Mat<int> field) {
    const Bordered u(field);
    return std::tuple{fg::sum(u.at(2, 0) - u.at(0, 2), fg::axis(1)),
                      fg::scan(std::plus<>(), 0, u.at(0, 2), fg::axis(1)), fg::reverse(u.whole())};
  };
  on_every_engine_and_policy(policies, sums_and_scan, [](const auto& f) {
    for (const std::int64_t rows : extents)
      for (const std::int64_t columns : extents) {
        const Field u{{rows, columns}, numbers(static_cast<std::size_t>(rows * columns))};
        SCOPED_TRACE(::testing::PrintToString(u.shape));
        Ints totals(static_cast<std::size_t>(rows)), running, turned;
        for (std::int64_t i = 0; i < rows; ++i)
          for (std::int64_t j = 0; j < columns; ++j) {
            totals[static_cast<std::size_t>(i)] += u.clamped(i + 1, j - 1) - u.clamped(i - 1, j + 1);
            running.push_back(u.clamped(i - 1, j + 1) + (j == 0 ? 0 : running.back()));
          }
        for (std::int64_t i = rows; i >= -1; --i)
          for (std::int64_t j = -1; j <= columns; ++j) turned.push_back(u.clamped(i, j));
        const auto [sums, scanned, reversed] = f(fg::Array<int, 2>(u.x, u.shape));
        EXPECT_EQ(sums.to_vector(), totals);
        EXPECT_EQ(scanned.to_vector(), running);
        EXPECT_EQ(reversed.to_vector(), turned);
      }
  });
}

TEST(Splits, OfThreeAxesProperty) {
  const auto program = [](Cube u, Index k) {
    const auto p = u.size(0), r = u.size(1), c = u.size(2);
    const auto chosen = fg::generate({p, r, c}, [&](Index h, Index i, Index j) {
      return fg::select(h < k, 1, 2) + fg::select(i > k && j != k, 10, 20) + fg::select(j <= 2, 100, 200) +
             fg::cond(
                 h > 0 && i > 1 && j + 3 < c, [&] { return u(h - 1, i - 2, j + 3); },
                 [] { return Exp<int>(0); });
    });
    return std::tuple{chosen, fg::sum(chosen, fg::axis(2)), fg::scan(std::plus<>(), 0, chosen, fg::axis(2))};
  };
  on_every_engine_and_policy(policies, program, [](const auto& f) {
    for (const Shape<3>& shape :
         {Shape<3>{1, 1, 1}, {2, 3, 4}, {3, 2, 67}, {5, 4, 33}, {1, 9, 64}, {4, 1, 130}, {0, 2, 3}})
      for (const std::int64_t k : {-1, 0, 1, 3, 65, 1000}) {
        SCOPED_TRACE(::testing::PrintToString(shape) + ", " + std::to_string(k));
        const Ints x = numbers(lines::count(shape));
        Ints expected;
        for (std::int64_t h = 0; h < shape[0]; ++h)
          for (std::int64_t i = 0; i < shape[1]; ++i)
            for (std::int64_t j = 0; j < shape[2]; ++j) {
              const bool is_inside = h > 0 && i > 1 && j + 3 < shape[2];
              const std::int64_t at = ((h - 1) * shape[1] + i - 2) * shape[2] + j + 3;
              expected.push_back((h < k ? 1 : 2) + (i > k && j != k ? 10 : 20) + (j <= 2 ? 100 : 200) +
                                 (is_inside ? x[static_cast<std::size_t>(at)] : 0));
            }
        const auto [chosen, sums, scanned] = f(fg::Array<int, 3>(x, shape), k);
        EXPECT_EQ(chosen.to_vector(), expected);
        Ints totals, running;
        for (std::size_t at = 0; at < expected.size(); ++at) {
          const bool is_first = at % static_cast<std::size_t>(shape[2]) == 0;
          running.push_back(expected[at] + (is_first ? 0 : running.back()));
          if ((at + 1) % static_cast<std::size_t>(shape[2]) == 0) totals.push_back(running.back());
        }
        EXPECT_EQ(sums.to_vector(), totals);
        EXPECT_EQ(scanned.to_vector(), running);
      }
  });
}

// Sums with numbers that are no sizes wrap around.
TEST(Splits, OfAnyNumberProperty) {
  const auto program = [](Exp<fg::i64> n, Exp<fg::i64> k, Vec<fg::i64> ks) {
    const auto sides = fg::generate(n, [=](Index i) {
      return std::tuple{fg::select(i <= k, 1, 2),     fg::select(k < i, 1, 2), fg::select(i + k < 3, 1, 2),
                        fg::select(k <= i + 2, 1, 2), fg::min(i + 2, k),       fg::max(k, i - 1)};
    });
    const auto of_elements = fg::map(
        [=](Exp<fg::i64> each) {
          return fg::sum(fg::generate(n, [=](Index i) { return fg::select(i + 1 <= each, i, each); }));
        },
        ks);
    return std::tuple_cat(fg::unzip(sides), std::tuple{of_elements});
  };
  const auto reference = fg::compile(program, {.engine = fg::Engine::interpreter});
  constexpr fg::i64 least = std::numeric_limits<fg::i64>::min(), most = std::numeric_limits<fg::i64>::max();
  on_every_engine_and_policy(policies, program, [&](const auto& f) {
    for (const std::int64_t n : {1, 3, 17, 70})
      for (const fg::i64 k : {least, least + 1, fg::i64{-1}, fg::i64{0}, fg::i64{5}, most - 1, most}) {
        const std::vector<fg::i64> ks = {k, least, 2, most};
        const auto ours = f(n, k, ks), theirs = reference(n, k, ks);
        SCOPED_TRACE(::testing::Message() << n << " points, " << k);
        const auto expect = [](const auto& a, const auto& b) { EXPECT_EQ(a.to_vector(), b.to_vector()); };
        [&]<std::size_t... at>(std::index_sequence<at...>) {
          (expect(std::get<at>(ours), std::get<at>(theirs)), ...);
        }(std::make_index_sequence<7>());
      }
  });
}

// So do products of sizes with numbers, and of sizes with each other where an array without elements has a
// large one.
TEST(Splits, OfProductsThatWrapAround) {
  const auto program = [](Exp<fg::i64> n, Mat<int> none) {
    const auto wide = none.size(1);
    return fg::unzip(fg::generate(n, [=](Index i) {
      return std::tuple{fg::select(i + n * (fg::i64{1} << 60) < 0, 1, 2),
                        fg::select(n * (fg::i64{1} << 60) - i < 5, 1, 2),
                        fg::select(i < wide * wide * wide, 1, 2), fg::min(i - 3, n * n * (fg::i64{1} << 59)),
                        fg::select(i - wide * wide * 2 < 2, 1, 2)};
    }));
  };
  const auto reference = fg::compile(program, {.engine = fg::Engine::interpreter});
  on_every_engine_and_policy(policies, program, [&](const auto& f) {
    for (const std::int64_t n : {1, 3, 4, 8, 17, 70})
      for (const std::int64_t wide : {std::int64_t{3}, std::int64_t{1} << 21, std::int64_t{1} << 31}) {
        SCOPED_TRACE(::testing::Message() << n << " points, 0 x " << wide);
        const fg::Array<int, 2> none(Ints{}, {0, wide});
        const auto ours = f(n, none), theirs = reference(n, none);
        EXPECT_EQ(std::get<0>(ours).to_vector(), std::get<0>(theirs).to_vector());
        EXPECT_EQ(std::get<1>(ours).to_vector(), std::get<1>(theirs).to_vector());
        EXPECT_EQ(std::get<2>(ours).to_vector(), std::get<2>(theirs).to_vector());
        EXPECT_EQ(std::get<3>(ours).to_vector(), std::get<3>(theirs).to_vector());
        EXPECT_EQ(std::get<4>(ours).to_vector(), std::get<4>(theirs).to_vector());
      }
  });
}

// In the pieces where an index is known to be right nothing asks; in the others the lowest one that is wrong
// is reported.
TEST(Splits, ReadsOutsideOfArraysFail) {
  const auto program = [](Mat<int> x, Index down, Index right) {
    return fg::generate({x.size(0), x.size(1)}, [&](Index i, Index j) { return x(i + down, j + right); });
  };
  on_every_engine_and_policy(policies, program, [](const auto& f) {
    const Shape<2> shape{5, 70};
    const fg::Array<int, 2> x(numbers(lines::count(shape)), shape);
    EXPECT_EQ(f(x, 0, 0).to_vector(), x.to_vector());
    const auto message = [&](std::int64_t down, std::int64_t right) {
      return message_of<fg::IndexError>([&] { (void)f(x, down, right); });
    };
    EXPECT_NE(message(0, 3).find("index 70"), std::string::npos) << message(0, 3);
    EXPECT_NE(message(0, -3).find("index -3"), std::string::npos) << message(0, -3);
    EXPECT_NE(message(2, 0).find("index 5"), std::string::npos) << message(2, 0);
    EXPECT_NE(message(-1, 0).find("index -1"), std::string::npos) << message(-1, 0);
  });
}

// Updated in place, rows are computed once: no vector overlaps another one.
TEST(Splits, RowsThatAreUpdatedInPlace) {
  const auto program = [](Mat<int> x, Exp<int> times) {
    return fg::iterate(
        times,
        [](Mat<int> u) {
          return fg::generate({u.size(0), u.size(1)}, [&](Index i, Index j) {
            return fg::select(i > 0 && j > 0, 3 * u(i, j) + 1, u(i, j));
          });
        },
        x);
  };
  on_every_engine_and_policy(policies, program, [](const auto& f) {
    for (const std::int64_t columns : {1, 9, 31, 67}) {
      const Shape<2> shape{4, columns};
      Ints x = numbers(lines::count(shape));
      const auto result = f(fg::Array<int, 2>(x, shape), 3).to_vector();
      for (std::size_t at = 0; at < x.size(); ++at) {
        const auto row = at / static_cast<std::size_t>(columns),
                   column = at % static_cast<std::size_t>(columns);
        for (int time = 0; time < 3 && row > 0 && column > 0; ++time) x[at] = 3 * x[at] + 1;
      }
      EXPECT_EQ(result, x);
    }
  });
}

}  // namespace
