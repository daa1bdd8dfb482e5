// Parts of kernels, from operators as functions, without array IR: what they compute, and that the emulator
// finds no fault in them.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "kernel/check.h"
#include "kernel/emulate.h"
#include "kernel/print.h"
#include "parts/compaction.h"
#include "parts/deal.h"
#include "parts/look_back.h"
#include "parts/neighbours.h"
#include "parts/posts.h"
#include "parts/shared_bins.h"

namespace fulgurite::parts {
namespace {

using Numbers = std::vector<std::int64_t>;

constexpr int threads = 32;

/// A kernel over buffers of i64.
struct Program {
  std::shared_ptr<scalar::Arena> arena = std::make_shared<scalar::Arena>();
  Builder b{*arena, {}};
  std::vector<std::pair<Var, Numbers*>> buffers;

  Expr i64(std::int64_t value) { return arena->i64(value); }
  Var buffer(std::string name, Numbers& holds, Kind kind = Kind::i64) {
    buffers.emplace_back(arena->fresh_array(kind, {i64(0)}, std::move(name)).var(), &holds);
    return buffers.back().first;
  }

  /// Runs a phase of blocks, whose code `fill` makes.
  void run(std::int64_t n_blocks, const std::function<void(const Block&)>& fill) {
    kernel::Kernel made{"k", arena, {}, b.block([&] {
                          b.par(kernel::Level::grid, i64(n_blocks), "task",
                                [&](Expr task) { fill({task, i64(n_blocks), threads}); });
                        })};
    std::vector<kernel::BufferArgument> arguments;
    for (const Builder::FreeBuffer& buffer : b.free_buffers()) {
      made.params.push_back(buffer.param);
      const auto given = std::ranges::find(buffers, buffer.array, &std::pair<Var, Numbers*>::first);
      arguments.push_back({std::as_writable_bytes(std::span(*given->second)), true});
    }
    kernel::check(made, kernel::Stage::threads, "the parts");
    const kernel::Emulation ran = kernel::emulate(made, arguments, {});
    for (const kernel::Finding& f : ran.findings) ADD_FAILURE() << message(made, f) << print(made);
  }
};

Operator sum(scalar::Arena& arena) {
  return {{arena.i64(0)},
          [](const Builder& b, std::span<const Expr> left, std::span<const Expr> right) {
            return std::vector{b.bind(left[0] + right[0], "sum")};
          },
          true};
}

// x -> a x + b, then another: the order counts.
Operator then(scalar::Arena& made_in) {
  return {{made_in.i64(1), made_in.i64(0)},
          [](const Builder& b, std::span<const Expr> left, std::span<const Expr> right) {
            const Expr factor = b.bind(left[0] * right[0], "factor");
            const Expr moved = left[1] * right[0];
            return std::vector{factor, b.bind(moved + right[1], "constant")};
          },
          false};
}

/// Factors and constants of n functions, and those of the first 1, 2 ... of them one after the other.
struct Functions {
  Numbers factors, constants, all_factors, all_constants;
  explicit Functions(std::size_t n) : factors(n), constants(n), all_factors(n), all_constants(n) {
    std::uint64_t factor = 1, constant = 0;
    for (std::size_t i = 0; i < n; ++i) {
      factors[i] = static_cast<std::int64_t>(i % 5 + 1), constants[i] = static_cast<std::int64_t>(i * 7 % 11);
      const auto by = static_cast<std::uint64_t>(factors[i]);
      factor *= by, constant = constant * by + static_cast<std::uint64_t>(constants[i]);
      all_factors[i] = static_cast<std::int64_t>(factor);
      all_constants[i] = static_cast<std::int64_t>(constant);
    }
  }
};

std::vector<Var> shared(Program& p, std::size_t n_buffers, std::int64_t n) {
  std::vector<Var> made;
  for (std::size_t k = 0; k < n_buffers; ++k) made.push_back(p.b.allocate_shared(Kind::i64, n));
  return made;
}

/// to[i + to_begin] = from[i + from_begin] for the points i < n of a block.
void move(Program& p, const Block& block, std::span<const Var> from, Expr from_begin, std::span<const Var> to,
          Expr to_begin, Expr n) {
  par(p.b, block, [&](const Builder& b, Expr t) {
    b.for_loop(t, n, p.i64(threads), "i", [&](Expr i) {
      const Expr at = b.bind(from_begin + i, "from"), there = b.bind(to_begin + i, "to");
      store_all(b, to, there, load_all(b, from, at, "value"));
    });
  });
  sync(p.b);
}

TEST(Parts, AllThreadsJoin) {
  Program p;
  Numbers x(threads), y(1);
  std::iota(x.begin(), x.end(), 1);
  const std::vector<Var> in{p.buffer("x", x)}, out{p.buffer("y", y)};
  p.run(1, [&](const Block& block) {
    const std::vector<Var> values = shared(p, 1, threads);
    move(p, block, in, p.i64(0), values, p.i64(0), p.i64(threads));
    const Operator by = sum(*p.arena);
    join_all(p.b, block, std::span(&by, 1), values);
    store_all(p.b, out, p.i64(0), load_all(p.b, values, p.i64(0), "total"));
  });
  EXPECT_EQ(y[0], threads * (threads + 1) / 2);
}

// The code of a thread is that of a task of its own.
TEST(Parts, OperatorsAreAppliedInTheContextOfTheirThread) {
  Program p;
  p.run(1, [&](const Block& block) {
    const std::vector<Var> values = shared(p, 1, threads);
    Operator by = sum(*p.arena);
    bool is_thread = true;
    by.apply = [&, add = by.apply](const Builder& b, std::span<const Expr> left,
                                   std::span<const Expr> right) {
      is_thread = is_thread && b.context().interleaved && b.context().task != block.task;
      return add(b, left, right);
    };
    par(p.b, block, [&](const Builder& b, Expr t) { b.store_plain(values[0], t, t); });
    sync(p.b);
    join_all(p.b, block, std::span(&by, 1), values);
    EXPECT_TRUE(is_thread);
    EXPECT_FALSE(p.b.context().interleaved);
  });
}

void expect_folded(std::size_t n, int items, bool inclusive) {
  Program p;
  Functions f(n);
  Numbers factors(n), constants(n), end(2);
  const std::vector<Var> in{p.buffer("a", f.factors), p.buffer("b", f.constants)};
  const std::vector<Var> out{p.buffer("c", factors), p.buffer("d", constants)};
  const Var ends = p.buffer("end", end);
  p.run(1, [&](const Block& block) {
    Ordered scan{then(*p.arena), {}, shared(p, 2, threads * items), shared(p, 2, threads), true, inclusive};
    for (Expr neutral : scan.by.neutral) scan.so_far.push_back(p.b.declare(neutral, "so_far"));
    const Expr whole = p.i64(static_cast<std::int64_t>(n)), tile = p.i64(threads * items);
    p.b.for_loop(p.i64(0), whole, tile, "from", [&](Expr from) {
      const Expr left = whole - from, points = p.b.bind(min(left, tile), "n");
      move(p, block, in, from, scan.values, p.i64(0), points);
      fold_tile(p.b, block, items, points, std::span(&scan, 1));
      move(p, block, scan.values, p.i64(0), out, from, points);
    });
    for (std::size_t k = 0; k < 2; ++k)
      p.b.store_plain(ends, p.i64(static_cast<std::int64_t>(k)), p.b.snapshot(scan.so_far[k], "end"));
  });
  Numbers wanted = f.all_factors;
  if (!inclusive) wanted.insert(wanted.begin(), 1), wanted.pop_back();
  EXPECT_EQ(factors, wanted);
  wanted = f.all_constants;
  if (!inclusive) wanted.insert(wanted.begin(), 0), wanted.pop_back();
  EXPECT_EQ(constants, wanted);
  EXPECT_EQ(end, (Numbers{f.all_factors.back(), f.all_constants.back()}));
}

TEST(Parts, TilesAreScannedInOrder) {
  expect_folded(threads, 1, true);
  expect_folded(150, 2, true);
  expect_folded(150, 3, false);
  expect_folded(1, 2, false);
}

TEST(Parts, BlocksLookBackForWhatComesBeforeThem) {
  constexpr std::int64_t n_blocks = 5;
  Program p;
  Functions f(threads * n_blocks);
  Numbers factors(f.factors.size()), constants(f.factors.size());
  Numbers totals[2]{Numbers(n_blocks), Numbers(n_blocks)}, prefixes[2]{Numbers(n_blocks), Numbers(n_blocks)};
  Numbers state(n_blocks);  // twice as many i32
  const std::vector<Var> in{p.buffer("a", f.factors), p.buffer("b", f.constants)};
  const std::vector<Var> out{p.buffer("c", factors), p.buffer("d", constants)};
  Published published{p.buffer("state", state, Kind::i32), p.i64(0), {{}}, {{}}};
  for (std::size_t k = 0; k < 2; ++k) {
    published.totals[0].push_back(p.buffer("totals", totals[k]));
    published.prefixes[0].push_back(p.buffer("prefixes", prefixes[k]));
  }
  p.run(n_blocks, [&](const Block& block) {
    Ordered scan{then(*p.arena), {}, shared(p, 2, threads), shared(p, 2, threads), true, true};
    for (Expr neutral : scan.by.neutral) scan.so_far.push_back(p.b.declare(neutral, "so_far"));
    const Expr from = p.b.bind(block.task * threads, "from");
    move(p, block, in, from, scan.values, p.i64(0), p.i64(threads));
    fold_tile(p.b, block, 1, p.i64(threads), std::span(&scan, 1),
              [&](const auto& of_tile) { look_back(p.b, block, published, std::span(&scan, 1), of_tile); });
    move(p, block, scan.values, p.i64(0), out, from, p.i64(threads));
  });
  EXPECT_EQ(factors, f.all_factors);
  EXPECT_EQ(constants, f.all_constants);
}

TEST(Parts, NeighboursJoinInOrder) {
  for (const std::size_t n : {1u, 2u, 5u, 16u, 19u}) {
    Program p;
    Functions f(n);
    const std::vector<Var> partials{p.buffer("a", f.factors), p.buffer("b", f.constants)};
    p.run(1, [&](const Block&) {
      const Operator by = then(*p.arena);
      join_neighbours(p.b, std::span(&by, 1), partials, p.i64(static_cast<std::int64_t>(n)));
    });
    EXPECT_EQ(f.factors[0], f.all_factors.back()) << n;
    EXPECT_EQ(f.constants[0], f.all_constants.back()) << n;
  }
}

// Keys of 96 points, counted by each of two blocks: in an array of `n_bins`, or of as many for each block.
void expect_counts(std::int64_t n_bins, const BinLimits& limits) {
  Program p;
  const auto n = static_cast<std::size_t>(n_bins);
  Numbers keys(96), counts(limits.are_kept ? 2 * n : n), wanted(counts);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    keys[i] = static_cast<std::int64_t>(i * i % n);
    for (std::size_t block : {0u, 1u})
      ++wanted[limits.are_kept ? static_cast<std::size_t>(keys[i]) * 2 + block
                               : static_cast<std::size_t>(keys[i])];
  }
  const Var of = p.buffer("keys", keys), array = p.buffer("counts", counts);
  p.run(2, [&](const Block& block) {
    std::map<std::size_t, SharedBins> bins;
    bins.emplace(
        0, SharedBins(p.b, block, array, p.i64(n_bins), kernel::Atomic::What::add, p.i64(1 << 20), limits));
    fill(p.b, block, bins, [&] {
      par(p.b, block, [&](const Builder& b, Expr t) {
        b.for_loop(t, p.i64(96), p.i64(threads), "i",
                   [&](Expr i) { bins.at(0).update(b, b.load_plain(of, i, "key"), p.i64(1)); });
      });
    });
  });
  EXPECT_EQ(counts, wanted);
}

TEST(Parts, BinsThatFitAreShared) {
  expect_counts(7, {.bytes = 128});
  expect_counts(40, {.bytes = 128});               // they do not
  expect_counts(40, {.bytes = 128, .passes = 3});  // 16 in each
}

TEST(Parts, BinsOfEachBlockAreKept) {
  for (const std::int64_t points : {0, 4})
    for (const std::int64_t n_bins : {1, 7, 16, 40}) {
      expect_counts(n_bins, {.bytes = 128, .points = points, .are_kept = true});
      expect_counts(n_bins, {.bytes = 128, .passes = 3, .points = points, .are_kept = true});
    }
}

TEST(Parts, OwnBinsTakeValuesInTheOrderOfThePoints) {
  for (const std::int64_t most_bytes : {0, 1024}) {
    Program p;
    Functions f(threads);
    Numbers places(threads), factors(6), constants(6);
    std::vector<std::pair<std::uint64_t, std::uint64_t>> wanted(6, {1, 0});
    for (std::size_t i = 0; i < places.size(); ++i) {
      places[i] = static_cast<std::int64_t>(i * 5 % 7) - 1;
      if (places[i] < 0) continue;
      auto& [factor, constant] = wanted[static_cast<std::size_t>(places[i])];
      const auto by = static_cast<std::uint64_t>(f.factors[i]);
      factor *= by, constant = constant * by + static_cast<std::uint64_t>(f.constants[i]);
    }
    const std::vector<Var> in{p.buffer("at", places), p.buffer("a", f.factors), p.buffer("b", f.constants)};
    const std::vector<Var> bins{p.buffer("c", factors), p.buffer("d", constants)};
    p.run(1, [&](const Block& block) {
      const std::vector<Var> posted = shared(p, 3, threads);
      move(p, block, in, p.i64(0), posted, p.i64(0), p.i64(threads));
      const OwnBins own(p.b, block, then(*p.arena), p.i64(6), bins, most_bytes);
      own.combine(p.b, block, posted);
      own.flush(p.b, block);
    });
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      EXPECT_EQ(static_cast<std::uint64_t>(factors[k]), wanted[k].first) << k;
      EXPECT_EQ(static_cast<std::uint64_t>(constants[k]), wanted[k].second) << k;
    }
  }
}

// Points of some classes (-1: none), as many for each of the blocks.
struct Classed {
  std::int64_t n_classes;
  Numbers classes;

  /// Where each block's points of a class go in a stable partition: table[class * n_blocks + block].
  Numbers table(std::int64_t n_blocks) const {
    Numbers firsts(static_cast<std::size_t>(n_classes * n_blocks));
    const auto per_block = static_cast<std::ptrdiff_t>(classes.size()) / n_blocks;
    std::int64_t next = 0;
    for (std::int64_t c = 0; c < n_classes; ++c)
      for (std::int64_t block = 0; block < n_blocks; ++block) {
        firsts[static_cast<std::size_t>(c * n_blocks + block)] = next;
        const auto begin = classes.begin() + block * per_block;
        next += std::count(begin, begin + per_block, c);
      }
    return firsts;
  }
  /// The points' numbers in the order of a stable partition, and after them -1 for points of no class.
  Numbers partitioned() const {
    Numbers numbers;
    for (std::int64_t c = 0; c < n_classes; ++c)
      for (std::size_t i = 0; i < classes.size(); ++i)
        if (classes[i] == c) numbers.push_back(static_cast<std::int64_t>(i));
    numbers.resize(classes.size(), -1);
    return numbers;
  }
};

void expect_dealt(const Classed& points, std::int64_t n_blocks, int items) {
  Program p;
  Numbers classes = points.classes, table = points.table(n_blocks), numbers(classes.size());
  Numbers found(classes.size(), -1);
  std::iota(numbers.begin(), numbers.end(), 0);
  const Var in_classes = p.buffer("classes", classes), in_numbers = p.buffer("numbers", numbers);
  const Var firsts = p.buffer("table", table), out = p.buffer("found", found);
  const std::int64_t per_block = static_cast<std::int64_t>(classes.size()) / n_blocks;
  p.run(n_blocks, [&](const Block& of_warp) {
    const Block block{of_warp.task, of_warp.tasks, 2 * threads};
    const std::int64_t tile = block.threads * items;
    const std::vector<Var> posted{p.b.allocate_shared(Kind::i16, tile), p.b.allocate_shared(Kind::i64, tile)};
    const Deal deal(p.b, block, points.n_classes, items, firsts, {&out, 1});
    const Expr first = p.b.lower(block.task * per_block);
    p.b.for_loop(p.i64(0), p.i64(per_block), p.i64(tile), "tile", [&](Expr from) {
      par(p.b, block, [&](const Builder& b, Expr t) {
        b.for_loop(t, p.i64(tile), p.i64(block.threads), "at", [&](Expr at) {
          const Expr number = b.bind(from + at, "number"), point = b.bind(first + number, "point");
          b.if_then_else(
              b.bind(number < per_block, "is_point"),
              [&] {
                const Expr mine = cast(b.load_plain(in_classes, point, "class"), Kind::i16);
                b.store_plain(posted[0], at, b.bind(mine, "class"));
                b.store_plain(posted[1], at, b.load_plain(in_numbers, point, "value"));
              },
              [&] { b.store_plain(posted[0], at, p.arena->constant(Kind::i16, 0xffff)); });
        });
      });
      sync(p.b);
      deal.tile(p.b, block, posted);
    });
  });
  EXPECT_EQ(found, points.partitioned());
}

TEST(Parts, TilesAreDealtByClassInTheOrderOfThePoints) {
  constexpr int items = 3, tile = 2 * threads * items;
  for (const std::int64_t n_classes : {1, 2, 31, 64, 65, 256})
    for (const std::int64_t per_block : {1, tile - 1, tile, tile + 1, 2 * tile + 7}) {
      SCOPED_TRACE(std::to_string(n_classes) + " classes, " + std::to_string(per_block) +
                   " points of a block");
      Classed points{n_classes, Numbers(static_cast<std::size_t>(2 * per_block))};
      for (std::size_t i = 0; i < points.classes.size(); ++i)  // and some have none
        points.classes[i] = static_cast<std::int64_t>(i * i * 7 + i / 5) % (n_classes + 1) - 1;
      expect_dealt(points, 2, items);
      std::ranges::fill(points.classes, n_classes - 1);
      expect_dealt(points, 2, items);
      std::ranges::fill(points.classes, -1);
      expect_dealt(points, 2, items);
    }
}

TEST(Parts, CompactionStoresNeighboursTogether) {
  Program p;
  Numbers x(threads), y(100, -1), wanted(y);
  std::iota(x.begin(), x.end(), 1);
  const std::vector<Var> in{p.buffer("x", x)}, out{p.buffer("y", y)};
  for (std::size_t i = 0; i < 20; ++i) wanted[37 + i] = x[i];
  p.run(1, [&](const Block& block) {
    Compaction dense(p.b, out, threads);
    dense.begin_tile(p.i64(37), p.i64(57));
    par(p.b, block, [&](const Builder& b, Expr t) {
      b.if_then(b.bind(t < 20, "has_value"), [&] {
        const std::vector<Expr> values = load_all(b, in, t, "x");
        dense.update(b, b.bind(t + 37, "place"), values);
      });
    });
    sync(p.b);
    dense.flush(p.b, block);
  });
  EXPECT_EQ(y, wanted);
}

}  // namespace
}  // namespace fulgurite::parts
