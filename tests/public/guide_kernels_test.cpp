// The code of docs/guide/kernels.md, run; and the pictures that it shows.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include <fulgurite/kernel.h>
namespace fg = fulgurite;
namespace k = fulgurite::kernel;

namespace {

k::Pull<int> twice_and_one(k::Pull<int> a) {
  const auto twice = k::map([](fg::Exp<int> x) { return x * 2; }, a);
  return k::map([](fg::Exp<int> x) { return x + 1; }, twice);
}

template <class T, class Op>
k::Pull<T> tree(Op op, k::Pull<T> a) {  // of a commutative operator
  while (a.size() > 1) {
    const auto [low, high] = k::halve(a);
    a = k::sync(k::zip_with(op, low, high));
  }
  return a;
}

k::Push<int> spread(k::Pull<int> a) {  // each element twice
  return k::Push<int>(2 * a.size(), [a](const k::Push<int>::Write& write) {
    k::par(a.size(), [&](k::Index i) {
      write(2 * i, a[i]);
      write(2 * i + 1, a[i]);
    });
  });
}

k::Pull<int> bmerge(int n, k::Pull<int> a) {
  for (int i = 1; i <= n; ++i) a = k::sync(k::ilv(n - i, fg::min, fg::max, a));
  return a;
}

k::Pull<int> vsort(k::Pull<int> a) {
  const int n = k::log2(a.size());
  for (int i = 1; i <= n; ++i)
    for (int j = 1; j <= i; ++j) a = k::sync(k::ilv_vee(n - i, i - j, fg::min, fg::max, a));
  return a;
}

template <class T>
k::Pull<T> sorted_by_first(k::Pull<T> a) {
  const auto key = [](fg::Exp<T> x) { return x.template get<0>(); };
  const int n = k::log2(a.size());
  for (int i = 1; i <= n; ++i)
    for (int j = 1; j <= i; ++j) a = k::sync(k::ilv_vee(n - i, i - j, k::min_by(key), k::max_by(key), a));
  return a;
}

k::Pull<int> vsort_r(k::Pull<int> a) {
  if (a.size() == 1) return a;
  k::Pull<int> sorted = k::ilv(1, vsort_r, a);
  for (int i = k::log2(a.size()) - 1; i >= 0; --i) sorted = k::sync(k::vee(i, fg::min, fg::max, sorted));
  return sorted;
}

k::Pull<int> scan_of_any_size(k::Pull<int> a) {
  if (a.size() == 1) return a;
  const k::Pull<int> both = k::two(scan_of_any_size, a);
  const auto halves = k::halve(both);
  const k::Pull<int> low = halves.first;
  const auto fan = [low](fg::Exp<int> x) { return low[low.size() - 1] + x; };
  return k::sync(k::conc_p(low, k::map(fan, halves.second)));
}

k::Pull<int> scan(k::Pull<int> a) {
  if (a.size() <= 1) return a;
  const k::Pull<int> both = k::two(scan, a);
  const std::int64_t half = a.size() / 2;
  return k::sync(k::Push<int>(a.size(), [=](const k::Push<int>::Write& write) {
    k::par(half, [&](k::Index i) {
      write(i, both[i]);
      write(i + half, both[half - 1] + both[i + half]);
    });
  }));
}

k::Pull<int> merge_in_rounds(k::Pull<int> a) {  // bmerge, with one column of code
  const int n = k::log2(a.size());
  return k::iterate(
      n,
      [=](k::Index round, k::Pull<int> x) {
        const k::Index by = k::Index(1) << (n - 1 - round);
        return k::Push<int>(x.size(), [=](const k::Push<int>::Write& write) {
          k::par(x.size() / 2, [&](k::Index t) {
            const k::Index low = t + (t & -by), high = low + by;
            write(low, fg::min(x[low], x[high]));
            write(high, fg::max(x[low], x[high]));
          });
        });
      },
      a);
}

const auto& block_sum_512() {
  static const auto kernel =
      k::kernel("block_sum", k::block<int>(512), [](k::Pull<int> a) { return tree(fg::plus, a); });
  return kernel;
}

const auto& i_swap_64() {
  static const auto i_swap = k::kernel(
      "i_swap", k::updated<int>(), k::scalar<std::int64_t>(), [](k::Updated<int> a, k::Index distance) {
        const k::Tiles rows = k::rows_apart(a.size(), 2, 64, distance);
        return k::update(a, rows, k::ilv(6, fg::min, fg::max, k::tile(a, rows)));
      });
  return i_swap;
}
const auto& v_swap_64() {
  static const auto v_swap = k::kernel(
      "v_swap", k::updated<int>(), k::scalar<std::int64_t>(), [](k::Updated<int> a, k::Index distance) {
        const k::Tiles rows = k::rows_apart(a.size(), 2, 64, distance, k::Upper::mirrored);
        return k::update(a, rows, k::ilv(6, fg::min, fg::max, k::tile(a, rows)));
      });
  return v_swap;
}

fg::Exp<int> total(fg::Vec<int> xs) {
  return fg::sum(k::call(block_sum_512(), xs));
}

fg::Vec<int> large_sort(fg::Vec<int> xs) {
  constexpr int block = 512;
  const auto sorter = k::kernel("sorter", k::block<int>(block), vsort);
  const auto merger = k::kernel("merger", k::updated<int>(), [](k::Updated<int> a) {
    const k::Tiles tiles = k::neighbours(a.size(), block);
    return k::update(a, tiles, bmerge(9, k::tile(a, tiles)));
  });
  const auto merge_runs = [=](fg::Vec<int> a, k::Index run) {
    fg::Vec<int> swapped = k::call(v_swap_64(), a, run);
    const auto [far, distance] = fg::while_loop(
        [](fg::Vec<int>, k::Index apart) { return apart >= block; },
        [](fg::Vec<int> x, k::Index apart) { return std::tuple{k::call(i_swap_64(), x, apart), apart / 2}; },
        swapped, run / 2);
    return std::tuple{k::call(merger, far), run * 2};
  };
  const auto is_unsorted = [](fg::Vec<int> a, k::Index run) { return run < a.size(); };
  const auto [sorted, size] = fg::while_loop(is_unsorted, merge_runs, k::call(sorter, xs), k::Index(block));
  return sorted;
}

template <class T>
auto product_by_tiles() {
  constexpr int side = 16;
  const auto multiply = [](k::WholeMatrix<T> a, k::WholeMatrix<T> b) {
    k::expects(a.columns() == b.rows() && a.columns() % side == 0, "{0} columns do not meet {1} rows",
               {a.columns(), b.rows()});
    const k::MatrixTiles to = k::tiles(a.rows(), b.columns(), side, side);
    const auto add_round = [=](k::Index round, k::Matrix<T> sum) {
      const k::Matrix<T> left = k::sync(k::part(a, to.first_row(), round * side, side, side));
      const k::Matrix<T> right = k::sync(k::part(b, round * side, to.first_column(), side, side));
      return k::Matrix<T>(side, side, [=](k::Index r, k::Index c) {
        fg::Exp<T> all = sum(r, c);
        for (int j = 0; j < side; ++j) all = all + left(r, j) * right(j, c);
        return all;
      });
    };
    const k::Matrix<T> zeros(side, side, [](k::Index, k::Index) { return fg::Exp<T>(0); });
    return k::tiled(to, k::iterate(a.columns() / side, add_round, zeros));
  };
  return k::kernel("product", k::threads(side, side), k::whole_matrix<T>(), k::whole_matrix<T>(), multiply);
}

TEST(GuideKernels, MapsFuse) {
  const auto map_fusion = k::kernel("map_fusion", k::block<int>(32), twice_and_one);
  const std::vector<int> xs(1024, 20);
  EXPECT_EQ(k::execute(fg::cpu(), map_fusion, xs)[7], 41);
  EXPECT_EQ(k::to_ir(map_fusion).find("alloc"), std::string::npos);  // no intermediate array
}

TEST(GuideKernels, BlocksAreSummed) {
  const auto block_sum =
      k::kernel("block_sum", k::block<int>(512), [](k::Pull<int> a) { return tree(fg::plus, a); });
  const auto sums = k::execute(fg::cpu(), block_sum, std::vector<int>(1024, 3));
  EXPECT_EQ(sums.to_vector(), (std::vector<int>{1536, 1536}));
}

TEST(GuideKernels, FewThreads) {
  const auto few =
      k::kernel("few", k::threads(32), k::block<int>(512), [](k::Pull<int> a) { return tree(fg::plus, a); });
  EXPECT_EQ(k::traffic(few, std::vector<int>(512)).threads, 32);
  EXPECT_EQ(k::to_ir(few).find("sync block"), std::string::npos);  // all of them are one warp's
}

TEST(GuideKernels, ArraysInGlobalMemory) {
  const auto turned_twice = [](k::Pull<int> a) {
    return k::to_global(k::reverse(k::to_global(k::reverse(a))));
  };
  const auto large = k::kernel("large", k::block<int>(1 << 16), turned_twice);
  const std::vector<int> many(1 << 17, 5);
  EXPECT_EQ(k::execute(fg::cpu(), large, many)[7], 5);
  EXPECT_NE(k::to_ir(large).find("out scratch: i32[]"), std::string::npos);
  const auto sums_of_large = k::kernel("sums", k::block<int>(1 << 12), [](k::Pull<int> a) {
    return k::sklansky(fg::plus, a, k::Place::global);
  });
  EXPECT_EQ(k::execute(fg::cpu(), sums_of_large, many)[7], 40);
  EXPECT_EQ(k::to_ir(sums_of_large).find("alloc shared"), std::string::npos);
}

TEST(GuideKernels, PushArraysHaveNoConditions) {
  const auto cat = k::kernel("cat", k::block<int>(16), k::block<int>(16),
                             [](k::Pull<int> a, k::Pull<int> b) { return k::conc_p(a, b); });
  EXPECT_EQ(k::to_ir(cat).find("if "), std::string::npos);
  EXPECT_NE(k::to_ir(cat).find("par block tid < 16 "), std::string::npos);  // of 32 elements
}

TEST(GuideKernels, ArraysOfThreads) {
  const auto one_of_four = [](k::Pull<int> a) {
    return k::Push<int>(a.size(), [a](const k::Push<int>::Write& write) {
      k::par(a.size(), [&](k::Index i) {
        const auto power = [=](k::Index j) { return a[i] * (1 << fg::cast<int>(j)); };
        const auto mine = k::sync(k::push<k::Level::thread>(k::Pull<int>(4, power)));
        write(i, mine[fg::cast<std::int64_t>(a[i] % 4)]);
      });
    });
  };
  const auto powers = k::kernel("powers", k::block<int>(4), one_of_four);
  EXPECT_EQ(k::execute(fg::cpu(), powers, std::vector<int>{0, 1, 2, 3}).to_vector(),
            (std::vector<int>{0, 2, 8, 24}));
}

TEST(GuideKernels, WritesThatDependOnData) {
  const auto positive = k::kernel("positive", k::block<int>(64, 0), k::updated<int>(), k::updated<int>(),
                                  [](k::Pull<int> a, k::Updated<int> out, k::Updated<int> counter) {
                                    k::par(a.size(), [&](k::Index i) {
                                      const fg::Exp<int> x = a[i];
                                      k::when(x > 0, [&] { out.write(k::atomic_add(counter, 1), x); });
                                    });
                                    return std::tuple(out, counter);
                                  });
  const std::vector<int> mixed{3, -1, 4, -1, 5};
  const auto [kept, count] = k::execute(fg::cpu(), positive, mixed, std::vector<int>(5), std::vector<int>{0});
  EXPECT_EQ(count[0], 3);
  EXPECT_EQ(kept[0] + kept[1] + kept[2], 12);  // in any order
  const auto either =
      k::kernel("either", k::block<int>(64), k::scalar<bool>(), [](k::Pull<int> a, fg::Exp<bool> sums) {
        const fg::Exp<int> all = fg::cond(
            sums, [&] { return k::tree_reduce(fg::plus, a)[0]; },
            [&] { return k::tree_reduce(fg::max, a)[0]; });
        return k::map([all](fg::Exp<int> x) { return all - x; }, a);
      });
  EXPECT_EQ(k::execute(fg::cpu(), either, std::vector<int>(64, 2), true)[9], 126);
  EXPECT_EQ(k::execute(fg::cpu(), either, std::vector<int>(64, 2), false)[9], 0);
}

TEST(GuideKernels, Filters) {
  const auto odd_ones = k::kernel("odd_ones", k::block<int>(4), [](k::Pull<int> a) {
    const k::Kept<int> odd = k::filter([](fg::Exp<int> x) { return x % 2 != 0; }, a);
    return std::tuple(k::filled(0, odd), k::size_of(odd));
  });
  const auto [ones, sizes] = k::execute(fg::cpu(), odd_ones, std::vector<int>{1, 2, 3, 4, 6, 8, 5, 7});
  EXPECT_EQ(ones.to_vector(), (std::vector<int>{1, 3, 0, 0, 5, 7, 0, 0}));
  EXPECT_EQ(sizes.to_vector(), (std::vector<std::int64_t>{2, 2}));
}

TEST(GuideKernels, IndicesAndHolesAreFound) {
  const auto behind = k::kernel("behind", k::block<int>(64), [](k::Pull<int> a) {
    const k::Pull<int> low = k::halve(a).first;
    return k::Pull<int>(32, [low](k::Index i) { return low[i + 1]; });  // of the last one: the upper half's
  });
  EXPECT_THROW(k::execute(fg::emulator(), behind, std::vector<int>(64)), fg::KernelError);
  const auto every_second = k::kernel("every_second", k::block<int>(64), [](k::Pull<int> a) {
    return k::Push<int>(128, [a](const k::Push<int>::Write& write) {
      k::par(a.size(), [&](k::Index i) { write(2 * i, a[i]); });
    });
  });
  EXPECT_THROW(k::execute(fg::emulator(), every_second, std::vector<int>(64)), fg::KernelError);
}

TEST(GuideKernels, LanesExchangeValues) {
  const auto scan_part = [](k::Pull<int> part) {
    return k::lanes(
        [](k::Index lane, fg::Exp<int> x) {
          for (int by = 1; by < 32; by *= 2) {
            const fg::Exp<int> before = k::shuffle_up(x, by);
            x = fg::select(lane < by, x, before + x);
          }
          return x;
        },
        part);
  };
  const auto scans = k::kernel("scans", k::block<int>(128),
                               [=](const k::Pull<int>& a) { return k::warps(32, scan_part, a); });
  EXPECT_EQ(k::to_ir(scans).find("alloc"), std::string::npos);
  EXPECT_NE(k::to_cuda(scans).find("fg_shuffle_i32"), std::string::npos);
  for (const k::Runner& engine : {fg::cpu(), fg::emulator()})
    EXPECT_EQ(k::execute(engine, scans, std::vector<int>(128, 2))[40], 18);
}

TEST(GuideKernels, ManyChangeOneElement) {
  const auto ones = [](const k::Pull<int>& a) {
    return k::map([](const fg::Exp<int>&) { return fg::Exp<int>(1); }, a);
  };
  const auto each = k::kernel("each", k::block<int>(64, -1), [=](k::Pull<int> a) {
    return k::sync(k::accumulate(fg::plus, 10, 0, a, ones(a)));
  });
  const auto all = k::kernel("all", k::block<int>(64, -1),
                             [=](k::Pull<int> a) { return k::accumulate(fg::plus, 10, 0, a, ones(a)); });
  const std::vector<int> digits(1000, 7);
  EXPECT_EQ(k::execute(fg::cpu(), each, digits).size(), 160);  // 16 blocks
  EXPECT_EQ(k::execute(fg::cpu(), all, digits)[7], 1000);
}

TEST(GuideKernels, LoopsThatAKernelRuns) {
  const auto relax =
      k::kernel("relax", k::block<float>(64), k::scalar<float>(), [](k::Pull<float> a, fg::Exp<float> most) {
        const auto pass = [](k::Pull<float> x, k::Pull<float>) {
          const auto left = k::shift(1, fg::Exp<float>(0), x), right = k::shift(-1, fg::Exp<float>(0), x);
          const auto next = k::sync(
              k::zip_with([](fg::Exp<float> l, fg::Exp<float> r) { return (l + r) / 2; }, left, right));
          const auto change =
              k::zip_with([](fg::Exp<float> p, fg::Exp<float> q) { return fg::abs(p - q); }, x, next);
          return std::tuple(next, k::tree_reduce(fg::max, change));
        };
        const k::Pull<float> any(1, [=](const k::Index&) { return most + 1; });
        return std::get<0>(
            k::while_loop([=](k::Pull<float>, k::Pull<float> change) { return change[0] > most; }, pass,
                          std::tuple(a, any)));
      });
  std::vector<float> xs(128, 1.0f);
  std::fill(xs.begin() + 64, xs.end(), 0.25f);
  for (const k::Runner& engine : {fg::cpu(), fg::emulator()}) {
    const auto result = k::execute(engine, relax, xs, 0.4f);
    EXPECT_EQ(result[0], 0.5f);
    EXPECT_EQ(result[1], 0.75f);  // two rounds: the first changes an end by a half
    EXPECT_EQ(result[2], 1.0f);
    EXPECT_EQ(result[64], 0.125f);  // one
  }
}

TEST(GuideKernels, PairsAreSorted) {
  using Pair = std::pair<int, float>;
  const auto sorter = k::kernel("sorter", k::block<Pair>(4), sorted_by_first<Pair>);
  const auto sorted =
      k::execute(fg::emulator(), sorter, std::vector<Pair>{{3, 0.5f}, {1, 1.5f}, {4, 2.5f}, {2, 3.5f}});
  EXPECT_EQ(sorted[0], Pair(1, 1.5f));
  EXPECT_EQ(sorted[3], Pair(4, 2.5f));
}

TEST(GuideKernels, DepthsAndPictures) {
  const auto sorter = k::kernel("sorter", k::block<int>(256), vsort);
  EXPECT_EQ(k::depth(sorter), 36);
  EXPECT_NE(k::draw(sorter).find("<svg"), std::string::npos);
}

TEST(GuideKernels, KernelsArePrinted) {
  const auto merger = k::kernel("merger", k::block<int>(16), [](k::Pull<int> a) { return bmerge(4, a); });
  EXPECT_NE(k::to_cuda(merger).find("__global__"), std::string::npos);
  EXPECT_NE(k::to_opencl(merger).find("kernel"), std::string::npos);
}

TEST(GuideKernels, RacesAreFound) {
  const auto racy =
      k::kernel("racy", k::block<int>(64), [](k::Pull<int> a) { return k::reverse(k::commit(a)); });
  EXPECT_THROW(k::execute(fg::emulator(), racy, std::vector<int>(64)), fg::KernelError);
}

TEST(GuideKernels, TrafficIsCounted) {
  const auto fast = k::kernel("fast", k::block<int>(512), vsort);
  const k::Traffic t = k::traffic(fast, std::vector<int>(2048));
  EXPECT_EQ(t.bytes, t.least_bytes);                // each element is read and written once
  EXPECT_EQ(t.transactions, t.least_transactions);  // by neighbouring threads
  const std::string costs = k::explain(fast, std::vector<int>(2048));
  EXPECT_NE(costs.find("fast: 4 blocks of 256 threads, each with 4096 bytes of shared memory"),
            std::string::npos);
  EXPECT_NE(costs.find("barriers: 30 of the block, 15 of a warp"), std::string::npos);
  EXPECT_NE(costs.find("bank conflicts: 1920 passes; idle lanes: 0 of"), std::string::npos);
}

TEST(GuideKernels, TailsScalarsAndWholeArrays) {
  const auto scaled = k::kernel("scaled", k::block<float>(64, 0.0f), k::whole<float>(), k::scalar<float>(),
                                [](k::Pull<float> a, k::Whole<float> table, fg::Exp<float> factor) {
                                  return k::map([=](fg::Exp<float> x) { return (x + table[0]) * factor; }, a);
                                });
  const auto result =
      k::execute(fg::cpu(), scaled, std::vector<float>(100, 1.0f), std::vector<float>{0.5f}, 2.0f);
  EXPECT_EQ(result.size(), 100);
  EXPECT_EQ(result[99], 3.0f);
}

TEST(GuideKernels, Matrices) {
  const auto turn =
      k::kernel("turn", k::threads(32, 8), k::whole_matrix<float>(), [](k::WholeMatrix<float> a) {
        const k::MatrixTiles to = k::tiles(a.columns(), a.rows(), 32, 32);
        const k::Matrix<float> from = k::part(a, to.first_column(), to.first_row(), 32, 32);
        return k::tiled(to, k::transpose(k::sync(from, k::Rows::apart)));
      });
  const fg::Array<float, 2> wide(std::vector<float>(64 * 96, 1.0f), {64, 96});
  EXPECT_EQ(k::execute(fg::cpu(), turn, wide).shape()[0], 96);
  EXPECT_EQ(k::traffic(turn, wide).bank_conflicts, 0);
  EXPECT_EQ(k::traffic(turn, wide).transactions, k::traffic(turn, wide).least_transactions);
  const auto doubled_rows = k::kernel("doubled_rows", k::matrix_block<int>(4, 16), [](k::Matrix<int> m) {
    return k::PushMatrix<int>(8, 16, [m](const k::PushMatrix<int>::Write& write) {
      k::par(m.rows(), m.columns(), [&](k::Index row, k::Index column) {
        write(2 * row, column, m(row, column));
        write(2 * row + 1, column, m(row, column));
      });
    });
  });
  const fg::Array<int, 2> table(std::vector<int>(8 * 32, 3), {8, 32});
  EXPECT_EQ(k::execute(fg::cpu(), doubled_rows, table).shape()[0], 16);
  const auto upper = k::kernel("upper", k::updated_matrix<int>(), [](k::UpdatedMatrix<int> a) {
    const k::MatrixTiles tiles = k::tiles(a.rows(), a.columns(), 8, 8);
    const k::Matrix<int> mine = k::tile(a, tiles);
    return k::update(a, tiles, k::Matrix<int>(8, 8, [=](k::Index r, k::Index c) {
                       return fg::select(tiles.first_row() + r <= tiles.first_column() + c, mine(r, c), 0);
                     }));
  });
  const fg::Array<int, 2> square(std::vector<int>(16 * 16, 1), {16, 16});
  EXPECT_EQ(k::execute(fg::cpu(), upper, square).to_vector()[16], 0);
  const auto times = product_by_tiles<float>();
  const fg::Array<float, 2> left(std::vector<float>(32 * 48, 2.0f), {32, 48}),
      right(std::vector<float>(48 * 16, 3.0f), {48, 16});
  const auto all = k::execute(fg::emulator(), times, left, right);
  EXPECT_EQ(all.shape()[0], 32);
  EXPECT_EQ(all.to_vector(), std::vector<float>(32 * 16, 48 * 6.0f));
}

TEST(GuideKernels, WhatIsDefinedComputes) {
  const auto run = [](const auto& f, std::int64_t n, const std::vector<int>& xs) {
    return k::execute(fg::emulator(), k::kernel("it", k::block<int>(n), f), xs).to_vector();
  };
  EXPECT_EQ(run(spread, 2, {1, 2}), (std::vector<int>{1, 1, 2, 2}));
  EXPECT_EQ(run(scan, 4, {1, 2, 3, 4}), (std::vector<int>{1, 3, 6, 10}));
  EXPECT_EQ(run(scan_of_any_size, 5, {1, 2, 3, 4, 5}), (std::vector<int>{1, 3, 6, 10, 15}));
  EXPECT_EQ(run(vsort_r, 4, {3, 1, 2, 0}), (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(run(merge_in_rounds, 4, {1, 3, 2, 0}), (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(run([](k::Pull<int> a) { return bmerge(2, a); }, 4, {1, 3, 2, 0}),
            (std::vector<int>{0, 1, 2, 3}));
}

// The figures are those of DAMP 2012 and, the scan, of the 2008 paper.
TEST(GuideKernels, GoldenFiguresAreWhatKernelsAre) {
  const auto merger = [](k::Pull<int> a) {
    a = k::sync(k::vee(3, fg::min, fg::max, a));
    for (int i = 2; i >= 0; --i) a = k::sync(k::ilv(i, fg::min, fg::max, a));
    return a;
  };
  const auto tree_sorter = [](k::Pull<int> a) {
    for (int n = 1; n <= 4; ++n) {
      a = k::sync(k::vee(n - 1, fg::min, fg::max, a));
      for (int i = n - 2; i >= 0; --i) a = k::sync(k::ilv(i, fg::min, fg::max, a));
    }
    return a;
  };
  const auto balanced = [](k::Pull<int> a) {
    for (int i = 3; i >= 0; --i) a = k::sync(k::vee(i, fg::min, fg::max, a));
    return a;
  };
  const auto is_figure = [](const char* name, std::int64_t n, const auto& f,
                            const std::vector<k::PictureFrame>& frames = {}) {
    const std::string picture = k::draw(k::kernel(name, k::block<int>(n), f), frames);
    const std::string path = std::string(FULGURITE_TEST_DATA "/../../docs/guide/figures/") + name + ".svg";
    if (std::getenv("FULGURITE_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << picture;
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    EXPECT_EQ(text.str(), picture) << name;
  };
  is_figure("bmerge", 16, [](k::Pull<int> a) { return bmerge(4, a); });
  is_figure("tmerge", 16, merger);
  is_figure("tsort", 16, tree_sorter);
  is_figure("bpmerge", 16, balanced);
  is_figure("large_sorter", 16, tree_sorter,
            {{.stages = 3, .wires = 4, .name = "sortSmall"},
             {.stages = 1, .name = "vSwap"},
             {.stages = 2, .wires = 4, .name = "mergeSmall"},
             {.stages = 1, .name = "vSwap"},
             {.stages = 1, .name = "iSwap"},
             {.stages = 2, .wires = 4, .name = "mergeSmall"}});
  is_figure("vsort", 16, vsort);
  is_figure("sklansky", 32, scan);
}

TEST(GuideKernels, ProgramsOfKernels) {
  EXPECT_EQ(fg::run(total, std::vector<int>(1024, 2)), 2048);
  const auto sort = fg::compile(large_sort);
  const auto proved = fg::compile(large_sort, {.engine = fg::Engine::interpreter});
  std::vector<int> numbers(4096);
  for (int i = 0; i < 4096; ++i) numbers[static_cast<std::size_t>(i)] = i * 2731 % 4096;
  EXPECT_EQ(sort(numbers)[17], 17);
  EXPECT_EQ(proved(numbers)[17], 17);
}

}  // namespace
