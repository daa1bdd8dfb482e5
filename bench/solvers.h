// Solvers and other step by step programs, as users write them: what is measured beside OpenMP, and what
// tests run on every engine.
#pragma once

#include <fulgurite/fulgurite.h>

#include <cstdint>

namespace bench {

namespace fg = fulgurite;
using fg::Exp, fg::Mat, fg::Vec;
using Index = Exp<fg::i64>;
using Cube = fg::Acc<float, 3>;

/// Scores of alignments, of which those of a diagonal depend on the two before it. A diagonal of a matrix is
/// a slice of its elements.
inline Vec<int> alignment_by_diagonals(Mat<int> similarity, Exp<int> penalty) {
  const Index n = similarity.size(0), width = n + 1;
  const Vec<int> pairs = fg::flatten(similarity);
  const Vec<int> gaps = fg::generate(width * width, [&](Index k) {
    return fg::select(k % width == 0 || k < width, -penalty * fg::cast<int>(k / width + k % width), 0);
  });
  return fg::iterate(
      2 * n - 1,
      [&](Index d, Vec<int> scores) {
        const Index row = fg::max(d + 2 - n, 1), last = (fg::min(d + 1, n) - row) * n;
        const Index at = row * n + d + 2, pair = row * (n - 1) + d + 1 - n;
        const auto diagonal = [&](Index first) { return scores.slice(first, first + last + 1, n); };
        const Vec<int> of_pair = pairs.slice(pair, pair + (fg::min(d + 1, n) - row) * (n - 1) + 1, n - 1);
        return fg::with(scores, fg::Range{at, at + last + 1, n},
                        fg::max(diagonal(at - width - 1) + of_pair,
                                fg::max(diagonal(at - width), diagonal(at - 1)) - penalty));
      },
      gaps);
}

/// The alignment in blocks. Blocks of a diagonal are computed together, each row by row: what comes from
/// above, and then the best of all to the left.
inline Mat<int> alignment_in_blocks(Mat<int> similarity, Exp<int> penalty, int size) {
  const Index n = similarity.size(0), width = n + 1, across = n / size;
  const auto gap = [&](Index k) { return -penalty * fg::cast<int>(k); };
  const Vec<int> gaps = fg::generate(width * width, [&](Index k) {
    return fg::select(k % width == 0 || k < width, gap(k / width + k % width), 0);
  });
  const Vec<int> all = fg::iterate(
      2 * across - 1,
      [&](Index d, Vec<int> scores) {
        const Index first = fg::max(d + 1 - across, 0), number = fg::min(d + 1, across) - first;
        // The place of the last score that is known before the k-th block.
        const auto corner = [&](Index k) { return (first + k) * size * width + (d - first - k) * size; };
        const fg::Acc<int, 3> blocks = fg::map(
            [&](Index k) {
              const Index at = corner(k), row = (first + k) * size, column = (d - first - k) * size;
              const auto [last, computed] = fg::iterate(
                  size,
                  [&](Index i, Vec<int> up, Mat<int> rows) {
                    const Vec<int> before =
                        fg::concat(fg::replicate(1, scores[at + i * width]), fg::take(up, size - 1));
                    // A score less the gaps before it is the most of all to the left of it.
                    const Vec<int> from_above = fg::generate(size, [&](Index j) {
                      return fg::max(before[j] + similarity(row + i, column + j), up[j] - penalty) -
                             gap(j + 1);
                    });
                    const Exp<int> left = scores[at + (i + 1) * width];
                    const Vec<int> most = fg::scan(fg::max, from_above);
                    const Vec<int> now =
                        fg::generate(size, [&](Index j) { return fg::max(most[j], left) + gap(j + 1); });
                    return std::tuple{now, fg::with(rows, {fg::Range{i, i + 1}, fg::Range{0, size}},
                                                    fg::reshape(now, {1, size}))};
                  },
                  scores.slice(at + 1, at + 1 + size),
                  fg::generate({size, size}, [](Index, Index) { return Exp<int>(0); }));
              return computed;
            },
            fg::iota(number));
        const fg::Acc<fg::i64, 3> places = fg::generate({number, size, size}, [&](Index k, Index i, Index j) {
          return corner(k) + (i + 1) * width + j + 1;
        });
        return fg::scatter(scores, fg::flatten(places), fg::flatten(blocks), fg::any_of_equal);
      },
      gaps);
  return fg::reshape(all, {width, width});
}

/// Wichura's AS 241, the one of seven digits.
inline Exp<float> normal_quantile(Exp<float> p) {
  const Exp<float> q = p - 0.5F, r = 0.180625F - q * q;
  const Exp<float> middle = q *
                            (((59.109374720F * r + 159.29113202F) * r + 50.434271938F) * r + 3.3871327179F) /
                            (((67.187563600F * r + 78.757757664F) * r + 17.895169469F) * r + 1.0F);
  const Exp<float> tail = fg::sqrt(-fg::log(fg::min(p, 1.0F - p)));
  const Exp<float> near = tail - 1.6F, far = tail - 5.0F;
  const Exp<float> of_near =
      (((0.17023821103F * near + 1.3067284816F) * near + 2.7568153900F) * near + 1.4234372777F) /
      ((0.12021132975F * near + 0.73700164250F) * near + 1.0F);
  const Exp<float> of_far =
      (((0.017337203997F * far + 0.42868294337F) * far + 3.0812263860F) * far + 6.6579051150F) /
      ((0.012258202635F * far + 0.24197894225F) * far + 1.0F);
  const Exp<float> outer = fg::select(tail <= 5.0F, of_near, of_far);
  return fg::select(fg::abs(q) <= 0.425F, middle, fg::select(q < 0.0F, -outer, outer));
}

struct StagedBridges {
  Vec<int> at, left, right;
  Vec<float> of_left, of_right, deviation;
};
struct StagedMarket {
  Mat<int> directions;
  StagedBridges bridges;
  Vec<float> drift, volatility;
  Exp<float> start, strike;
};

inline Vec<float> bridged(const StagedBridges& b, Vec<float> normal) {
  const auto place = [](Exp<int> k) { return fg::cast<fg::i64>(k); };
  return fg::iterate(
      normal.size(),
      [&](Index s, Vec<float> w) {
        return fg::with(w, place(b.at[s]),
                        b.of_left[s] * w[place(b.left[s])] + b.of_right[s] * w[place(b.right[s])] +
                            b.deviation[s] * normal[s]);
      },
      fg::replicate(normal.size() + 1, 0.0F));
}

/// What a call on the mean of all prices of a path pays, of Sobol's numbers, one for each asset of each date.
inline Exp<double> payment(const StagedMarket& m, Vec<int> numbers) {
  const Index assets = m.drift.size(), dates = numbers.size() / assets;
  const Vec<float> normal = fg::map(
      [](Exp<int> x) { return normal_quantile((fg::cast<float>(x) + 0.5F) * (1.0F / (1 << 30))); }, numbers);
  const Vec<float> prices = fg::map(
      [&](Vec<float> of_asset, Exp<float> drift, Exp<float> volatility) {
        const Vec<float> motion = bridged(m.bridges, of_asset);
        return fg::sum(fg::generate(dates, [&](Index d) {
          return fg::exp(drift * fg::cast<float>(d + 1) + volatility * motion[d + 1]);
        }));
      },
      fg::columns(fg::reshape(normal, {dates, assets})), m.drift, m.volatility);
  return fg::cast<double>(
      fg::max(m.start * fg::sum(prices) / fg::cast<float>(numbers.size()) - m.strike, 0.0F));
}

/// The number of each dimension: of the path's number in Gray's code each bit that is set adds a direction.
inline Vec<int> sobol(Mat<int> directions, Index path) {
  const Index gray = path ^ (path >> 1);
  return fg::map(
      [&](Vec<int> of_dimension) {
        const Vec<int> added = fg::generate(of_dimension.size(), [&](Index bit) {
          return fg::select((gray >> bit & 1) == 1, of_dimension[bit], 0);
        });
        return fg::reduce([](Exp<int> a, Exp<int> b) { return a ^ b; }, 0, added);
      },
      fg::columns(directions));
}

/// The sum over all paths, each by itself.
inline Exp<double> option(Exp<fg::i64> paths, const StagedMarket& m) {
  return fg::sum(fg::map([&](Index path) { return payment(m, sobol(m.directions, path)); }, fg::iota(paths)));
}

/// The sum by chunks of paths: the numbers of a path are made from the numbers of the path before it.
inline Exp<double> option_by_chunks(Exp<fg::i64> chunks, const StagedMarket& m, int of_chunk) {
  return fg::sum(fg::map(
      [&](Index chunk) {
        const auto [last, sum] = fg::iterate(
            of_chunk,
            [&](Index k, Vec<int> numbers, Exp<double> paid) {
              const Index next = chunk * of_chunk + k + 1;
              const Index changed = fg::cast<fg::i64>(fg::ctz(next));
              const Vec<int> stepped = fg::generate(
                  numbers.size(), [&](Index d) { return numbers[d] ^ m.directions(changed, d); });
              return std::tuple{stepped, paid + payment(m, numbers)};
            },
            sobol(m.directions, chunk * of_chunk), 0.0);
        return sum;
      },
      fg::iota(chunks)));
}

/// Tridiagonal systems by Thomas' method.
inline Vec<float> solved(Vec<float> below, Vec<float> at, Vec<float> above, Vec<float> right) {
  const Index n = right.size();
  const auto [rest, x] = fg::iterate(
      n - 1,
      [&](Index k, Vec<float> u, Vec<float> v) {
        const Index i = k + 1;
        const Exp<float> by = 1.0F / (at[i] - below[i] * u[k]);
        return std::tuple{fg::with(u, i, above[i] * by), fg::with(v, i, (v[i] - below[i] * v[k]) * by)};
      },
      fg::with(above, 0, above[0] / at[0]), fg::with(right, 0, right[0] / at[0]));
  return fg::iterate(
      n - 1,
      [&, u = rest](Index k, Vec<float> v) {
        const Index i = n - 2 - k;
        return fg::with(v, i, v[i] - u[i] * v[i + 1]);
      },
      x);
}

/// What is read at k, where that is below n; 0 beyond the border.
template <class Read>
Exp<float> within(Index k, Index n, const Read& read) {
  return fg::cond(0 <= k && k < n, [&] { return read(k); }, [] { return Exp<float>(0); });
}

struct StagedVolatilityGrid {
  Vec<float> x, log_x, y;
  Mat<float> along_x, along_y;
  Exp<float> nu, years;
  Exp<fg::i64> steps;
};

inline Mat<float> local_volatility(const StagedVolatilityGrid& g, Exp<float> strike, Exp<float> exponent) {
  const Index nx = g.x.size(), ny = g.y.size();
  const Exp<float> time = g.years / fg::cast<float>(g.steps), per_step = 1.0F / time;
  const Exp<float> variance_y = g.nu * g.nu;
  const Mat<float> base = fg::generate(
      {ny, nx}, [&](Index i, Index j) { return fg::exp(2.0F * (exponent * g.log_x[j] + g.y[i])); });
  const auto implicit = [&](Mat<float> difference, Vec<float> variance, Vec<float> right) {
    const Vec<float> half = -0.25F * variance;
    return solved(half * difference[0], per_step + half * difference[1], half * difference[2], right);
  };
  return fg::iterate(
      g.steps,
      [&](Index step, Mat<float> u) {
        const Exp<float> decay = fg::exp(-variance_y * time * fg::cast<float>(g.steps - 1 - step));
        const Mat<float> variance = base * decay;
        const auto below = [&](Index i, Index j) { return within(i, ny, [&](Index k) { return u(k, j); }); };
        const auto along = [&](Index i, Index j) { return within(j, nx, [&](Index k) { return u(i, k); }); };
        const Mat<float> explicit_y = fg::generate({ny, nx}, [&](Index i, Index j) {
          return 0.5F * variance_y *
                 (g.along_y(0, i) * below(i - 1, j) + g.along_y(1, i) * u(i, j) +
                  g.along_y(2, i) * below(i + 1, j));
        });
        const Mat<float> right = fg::generate({ny, nx}, [&](Index i, Index j) {
          return per_step * u(i, j) + explicit_y(i, j) +
                 0.25F * variance(i, j) *
                     (g.along_x(0, j) * along(i, j - 1) + g.along_x(1, j) * u(i, j) +
                      g.along_x(2, j) * along(i, j + 1));
        });
        const Mat<float> half_way =
            fg::map([&](Vec<float> of_row, Vec<float> row) { return implicit(g.along_x, of_row, row); },
                    fg::rows(variance), fg::rows(right));
        const Mat<float> rest = per_step * half_way - 0.5F * explicit_y;
        const Vec<float> variances = fg::replicate(ny, variance_y);
        return fg::transpose(fg::map(
            [&](Vec<float> column) { return implicit(g.along_y, variances, column); }, fg::columns(rest)));
      },
      fg::generate({ny, nx}, [&](Index, Index j) { return fg::max(g.x[j] - strike, 0.0F); }));
}

inline Cube volatilities(Vec<float> x, Vec<float> log_x, Vec<float> y, Mat<float> along_x, Mat<float> along_y,
                         Exp<float> nu, Exp<float> years, Exp<fg::i64> steps, Vec<float> strikes,
                         Vec<float> exponents) {
  const StagedVolatilityGrid grid{x, log_x, y, along_x, along_y, nu, years, steps};
  return fg::map(
      [&](Exp<float> strike, Exp<float> exponent) { return local_volatility(grid, strike, exponent); },
      strikes, exponents);
}

/// The volatilities with the steps outside, each of which takes all options together.
inline Cube volatilities_together(Vec<float> x, Vec<float> log_x, Vec<float> y, Mat<float> along_x,
                                  Mat<float> along_y, Exp<float> nu, Exp<float> years, Exp<fg::i64> steps,
                                  Vec<float> strikes, Vec<float> exponents) {
  const Index n = strikes.size(), nx = x.size(), ny = y.size();
  const Exp<float> time = years / fg::cast<float>(steps), per_step = 1.0F / time;
  const Exp<float> variance_y = nu * nu;
  const Cube base = fg::generate({n, ny, nx}, [&](Index o, Index i, Index j) {
    return fg::exp(2.0F * (exponents[o] * log_x[j] + y[i]));
  });
  const auto implicit = [&](Mat<float> difference, Vec<float> variance, Vec<float> right) {
    const Vec<float> half = -0.25F * variance;
    return solved(half * difference[0], per_step + half * difference[1], half * difference[2], right);
  };
  return fg::iterate(
      steps,
      [&](Index step, Cube u) {
        const Exp<float> decay = fg::exp(-variance_y * time * fg::cast<float>(steps - 1 - step));
        const Cube variance = base * decay;
        const auto below = [&](Index o, Index i, Index j) {
          return within(i, ny, [&](Index k) { return u(o, k, j); });
        };
        const auto along = [&](Index o, Index i, Index j) {
          return within(j, nx, [&](Index k) { return u(o, i, k); });
        };
        const Cube explicit_y = fg::generate({n, ny, nx}, [&](Index o, Index i, Index j) {
          return 0.5F * variance_y *
                 (along_y(0, i) * below(o, i - 1, j) + along_y(1, i) * u(o, i, j) +
                  along_y(2, i) * below(o, i + 1, j));
        });
        const Cube right = fg::generate({n, ny, nx}, [&](Index o, Index i, Index j) {
          return per_step * u(o, i, j) + explicit_y(o, i, j) +
                 0.25F * variance(o, i, j) *
                     (along_x(0, j) * along(o, i, j - 1) + along_x(1, j) * u(o, i, j) +
                      along_x(2, j) * along(o, i, j + 1));
        });
        const Mat<float> half_way = fg::map(
            [&](Vec<float> of_row, Vec<float> row) { return implicit(along_x, of_row, row); },
            fg::rows(fg::reshape(variance, {n * ny, nx})), fg::rows(fg::reshape(right, {n * ny, nx})));
        const Cube rest = per_step * fg::reshape(half_way, {n, ny, nx}) - 0.5F * explicit_y;
        const Vec<float> variances = fg::replicate(ny, variance_y);
        const Mat<float> columns =
            fg::map([&](Vec<float> column) { return implicit(along_y, variances, column); },
                    fg::rows(fg::reshape(fg::transpose(rest, {0, 2, 1}), {n * nx, ny})));
        return fg::transpose(fg::reshape(columns, {n, nx, ny}), {0, 2, 1});
      },
      fg::generate({n, ny, nx}, [&](Index o, Index, Index j) { return fg::max(x[j] - strikes[o], 0.0F); }));
}

/// Factors L and U of a small matrix.
inline Mat<float> factored(Mat<float> m) {
  const Index n = m.size(0);
  return fg::iterate(
      n - 1,
      [&](Index k, Mat<float> u) {
        return fg::generate({n, n}, [&](Index i, Index j) {
          const Exp<float> factor = u(i, k) / u(k, k);
          const Exp<float> element = fg::select(j > k, u(i, j) - factor * u(k, j), factor);
          return fg::select(i > k && j >= k, element, u(i, j));
        });
      },
      m);
}
/// What is above a pivot: L x = a, where L has ones on its diagonal.
inline Vec<float> forward(Mat<float> pivot, Vec<float> a) {
  const Index n = a.size();
  return fg::iterate(
      n - 1,
      [&](Index k, Vec<float> x) {
        return fg::generate(n, [&](Index i) { return fg::select(i > k, x[i] - pivot(i, k) * x[k], x[i]); });
      },
      a);
}
/// x U = a.
inline Vec<float> from_right(Mat<float> pivot, Vec<float> a) {
  const Index n = a.size();
  return fg::iterate(
      n,
      [&](Index k, Vec<float> x) {
        const Exp<float> by = x[k] / pivot(k, k);
        return fg::generate(n, [&](Index j) {
          return fg::select(j > k, x[j] - by * pivot(k, j), fg::select(j == k, by, x[j]));
        });
      },
      a);
}
inline Mat<float> factors_in_blocks(Mat<float> m, int size) {
  const Index n = m.size(0);
  return fg::iterate(
      n / size,
      [&](Index block, Mat<float> u) {
        const fg::Range here{block * size, (block + 1) * size}, rest{(block + 1) * size, n};
        const Mat<float> pivot = fg::reshape(
            fg::map(factored, fg::slices(fg::reshape(u.slice(here, here), {1, size, size}))), {size, size});
        const Mat<float> top = fg::transpose(fg::map(
            [&](Vec<float> column) { return forward(pivot, column); }, fg::columns(u.slice(here, rest))));
        const Mat<float> left =
            fg::map([&](Vec<float> row) { return from_right(pivot, row); }, fg::rows(u.slice(rest, here)));
        const Mat<float> others = u.slice(rest, rest) - fg::matmul(left, top);
        return fg::with(
            fg::with(fg::with(fg::with(u, {here, here}, pivot), {here, rest}, top), {rest, here}, left),
            {rest, rest}, others);
      },
      m);
}

/// Sweeps over points of one colour, then over those of the other, by a choice at each point.
inline Mat<float> gauss_seidel(Mat<float> from, Mat<float> right, Exp<int> sweeps) {
  const Index rows = from.size(0), columns = from.size(1);
  const auto swept = [&](Mat<float> u, int colour) {
    return fg::generate({rows, columns}, [&](Index i, Index j) {
      return fg::cond(
          0 < i && i < rows - 1 && 0 < j && j < columns - 1 && (i + j) % 2 == colour,
          [&] { return 0.25F * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1) + right(i, j)); },
          [&] { return u(i, j); });
    });
  };
  return fg::iterate(sweeps, [&](Mat<float> u) { return swept(swept(u, 0), 1); }, from);
}
/// Gauss-Seidel by slices: points of one colour are two slices, of even rows and columns, and of odd ones.
inline Mat<float> gauss_seidel_by_slices(Mat<float> from, Mat<float> right, Exp<int> sweeps) {
  const Index rows = from.size(0), columns = from.size(1);
  const auto swept = [&](Mat<float> u, int row, int column) {
    const auto moved = [&](Mat<float> m, int down, int beside) {
      return m.slice({row + down, rows - 1 + down, 2}, {column + beside, columns - 1 + beside, 2});
    };
    return fg::with(
        u, {fg::Range{row, rows - 1, 2}, fg::Range{column, columns - 1, 2}},
        0.25F * (moved(u, -1, 0) + moved(u, 1, 0) + moved(u, 0, -1) + moved(u, 0, 1) + moved(right, 0, 0)));
  };
  return fg::iterate(
      sweeps, [&](Mat<float> u) { return swept(swept(swept(swept(u, 1, 1), 2, 2), 1, 2), 2, 1); }, from);
}

/// Rounds in which neighbours change places: each element finds its partner.
inline Vec<int> transposition_sort(Vec<int> from) {
  const Index n = from.size();
  return fg::iterate(
      n,
      [&](Index round, Vec<int> x) {
        return fg::generate(n, [&](Index i) {
          const Exp<bool> is_first = ((i ^ round) & 1) == 0;
          const Exp<int> next = x[fg::min(i + 1, n - 1)], before = x[fg::max(i - 1, 0)];
          return fg::select(is_first, fg::min(x[i], next), fg::max(x[i], before));
        });
      },
      from);
}
/// The sort by slices: one of the elements at even places, and one of the elements at odd places.
inline Vec<int> transposition_sort_by_slices(Vec<int> from) {
  const Index n = from.size();
  return fg::iterate(
      n,
      [&](Index round, Vec<int> x) {
        const Index first = round & 1, last = first + (n - first) / 2 * 2;
        const fg::Range left{first, last, 2}, right{first + 1, fg::max(last, first + 1), 2};
        const Vec<int> a = x.slice({left}), b = x.slice({right});
        return fg::with(fg::with(x, left, fg::min(a, b)), right, fg::max(a, b));
      },
      from);
}

/// Generations of the game of life, 64 cells a word. Full adders count the cells around each.
inline Mat<fg::u64> life(Mat<fg::u64> from, Exp<int> generations) {
  using Word = Exp<fg::u64>;
  const auto next = [](auto cells) {
    const auto west = [&](int row) { return cells(row, 0) << 1 | cells(row, -1) >> 63; };
    const auto east = [&](int row) { return cells(row, 0) >> 1 | cells(row, 1) << 63; };
    const auto three = [](Word a, Word b, Word c) { return std::pair{a ^ b ^ c, (a & b) | (c & (a ^ b))}; };
    const auto [up_ones, up_twos] = three(west(-1), cells(-1, 0), east(-1));
    const auto [down_ones, down_twos] = three(west(1), cells(1, 0), east(1));
    const Word ones_beside = west(0) ^ east(0), twos_beside = west(0) & east(0);
    const auto [ones, carry] = three(up_ones, down_ones, ones_beside);
    const Word a = up_twos ^ down_twos, b = twos_beside ^ carry;
    const Word fours = (up_twos & down_twos) | (twos_beside & carry) | (a & b);
    return (a ^ b) & ~fours & (ones | cells(0, 0));
  };
  return fg::iterate(
      generations, [&](Mat<fg::u64> cells) { return fg::stencil(next, fg::boundary::wrap, cells); }, from);
}

/// Where van der Pol's oscillator stands that began at 2 and 0: Bogacki and Shampine's pair, with steps of
/// its own.
inline Exp<double> oscillator(Exp<double> damping, Exp<double> end, Exp<double> tolerance) {
  using Real = Exp<double>;
  const auto force = [&](Real x, Real v) { return damping * (1.0 - x * x) * v - x; };
  const auto [t, step, x, v, a] =
      fg::while_loop([&](Real now, Real, Real, Real, Real) { return now < end; },
                     [&](Real now, Real planned, Real x0, Real v0, Real a0) {
                       const Real h = fg::min(planned, end - now);
                       const Real x1 = x0 + 0.5 * h * v0, v1 = v0 + 0.5 * h * a0, a1 = force(x1, v1);
                       const Real x2 = x0 + 0.75 * h * v1, v2 = v0 + 0.75 * h * a1, a2 = force(x2, v2);
                       const Real x3 = x0 + h / 9.0 * (2.0 * v0 + 3.0 * v1 + 4.0 * v2);
                       const Real v3 = v0 + h / 9.0 * (2.0 * a0 + 3.0 * a1 + 4.0 * a2), a3 = force(x3, v3);
                       const Real of_x = h * (-5.0 / 72 * v0 + v1 / 12.0 + v2 / 9.0 - v3 / 8.0);
                       const Real of_v = h * (-5.0 / 72 * a0 + a1 / 12.0 + a2 / 9.0 - a3 / 8.0);
                       const Real error = fg::max(fg::max(fg::abs(of_x), fg::abs(of_v)), 1e-30);
                       const Real next = h * fg::clamp(0.9 * fg::cbrt(tolerance / error), 0.2, 5.0);
                       const Exp<bool> is_good = error <= tolerance;
                       return std::tuple{fg::select(is_good, now + h, now), next, fg::select(is_good, x3, x0),
                                         fg::select(is_good, v3, v0), fg::select(is_good, a3, a0)};
                     },
                     0.0, 0.01, 2.0, 0.0, -2.0);
  return x;
}
inline Vec<double> oscillators(Vec<double> damping, Exp<double> end, Exp<double> tolerance) {
  return fg::map([&](Exp<double> mu) { return oscillator(mu, end, tolerance); }, damping);
}

}  // namespace bench
