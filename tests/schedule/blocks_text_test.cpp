// What is decided for blocks of threads, as text.
#include "decided.h"

namespace fulgurite::testing_schedule {
namespace {

TEST(BlocksText, SumIsFoldedByThreadsThenByOneBlock) {
  const Decided sum = decided(R"(program (x: f32[n]) {
    s: f32 = redomap (i < n) { x[i] } reduce add comm neutral 0f
    return s
  })");
  EXPECT_EQ(phase(sum, "main"), R"(phase "main"
  at_least_one
  axis fold 0 1 extent n
  cut 0 by max(((n + 1023) / 1024 + 255) / 256 * 256, 2048) grid mask
  cut 0 by 256 thread mask
  cut 0 by 4 registers mask
  combine reduction 0 thread chain 16, thread tree, grid partials (partial)
)");
  EXPECT_EQ(names_of_phases(sum), "main, last");
  EXPECT_NE(sum.text.find("result s = total\n"), std::string::npos) << sum.text;
  EXPECT_NE(sum.text.find("why \"tasks: at most 1024 blocks"), std::string::npos) << sum.text;
}

TEST(BlocksText, ExactSumHasAsManyBlocksAsRunAtOnceWhereThatIsKnown) {
  schedule::Device device = device_of_blocks();
  device.tells_occupancy = true;
  const Decided sum = decided(R"(program (x: i32[n]) {
    s: i32 = redomap (i < n) { x[i] } reduce add comm neutral 0i32
    return s
  })",
                              device);
  EXPECT_NE(sum.text.find("resident resident threads 256\n"), std::string::npos) << sum.text;
  EXPECT_NE(sum.text.find("combine reduction 0 thread tree, grid partials"), std::string::npos)
      << "sums of integers need no chains\n"
      << sum.text;
}

TEST(BlocksText, RowSoftmaxIsOneThreadARow) {
  const Decided softmax = decided(R"(program (x: f32[n, m]) {
    y: f32[n, m] = map (i < n) {
      big: f32 = redomap (j < m) { x[i, j] } reduce (a: f32, b: f32) { max(a, b) } comm neutral 0f
      t: f32 = redomap (j1 < m) { exp(x[i, j1] - big) } reduce add comm neutral 0f
      z: f32[m] = map (j2 < m) { exp(x[i, j2] - big) / t }
      return z
    }
    return y
  })");
  EXPECT_EQ(phase(softmax, "main"), R"(phase "main"
  at_least_one
  axis free 0 1 extent n
  cut 0 by max(((n + 127) / 128 + 63) / 64 * 64, 64) grid mask
  cut 0 by 64 thread mask
)");
}

const std::string running_sum = R"(program (x: f32[n]) {
  y: f32[n] = redomap (i < n) {
    s: f32 = scan (x[i]) add comm neutral 0f
    return s
  }
  return y
})";

TEST(BlocksText, ScanIsHandedOnWhereBlocksWait) {
  const Decided scan = decided(running_sum);
  EXPECT_EQ(names_of_phases(scan), "clear, main");
  EXPECT_EQ(phase(scan, "main"), R"(phase "main"
  at_least_one
  axis scan 0 1 extent n
  cut 0 by 7936 turn mask
  cut 0 by 7936 sequence mask
  cut 0 by 256 thread mask
  cut 0 by 31 registers mask
  combine scan 0 thread runs, thread tree, turn handed_on 128 (partial, carry, state) end 0 total at 0
)");
}

TEST(BlocksText, ScanTakesTwoPassesWhereTheyDoNot) {
  const Decided scan = decided(running_sum, device_of_blocks(false));
  EXPECT_EQ(names_of_phases(scan), "fold, carry, main");
  EXPECT_NE(phase(scan, "fold").find("thread tree, grid partials (partial)"), std::string::npos) << scan.text;
  EXPECT_NE(phase(scan, "main").find("grid carried (carry) end 0 total at 0"), std::string::npos)
      << scan.text;
}

TEST(BlocksText, FilterPacksWhatItKeeps) {
  const Decided filter = decided(R"(program (x: f32[n]) {
    k: i64, o: i64[2], e: f32[k] = redomap (i < n) { return i64(x[i] <= 0f), x[i] } partition 1 of 1
    return k, o, e
  })");
  EXPECT_EQ(names_of_phases(filter), "clear, main");
  EXPECT_NE(phase(filter, "main")
                .find("combine scatter 0 thread packed, grid ranked\n"
                      "  classes o kept kept scans 0\n"),
            std::string::npos)
      << filter.text;
}

TEST(BlocksText, FewClassesAreRankedMoreSortedInTilesAndManyCounted) {
  const auto partition = [](const std::string& classes, const std::string& behind) {
    return decided("program (x: i32[n]) { k: i64, o: i64[" + behind +
                   "], e: i32[k] = redomap (i < n) { return i64(x[i]), x[i] } partition " + classes +
                   " of 1 return k, o, e }");
  };
  const Decided few = partition("3", "4"), more = partition("256", "257");
  const Decided many = partition("257", "258"), too_many = partition("100000", "100001");
  EXPECT_EQ(names_of_phases(few), "fold, carry, main");
  EXPECT_NE(few.text.find("given first = o at 1\ngiven first_1 = o at 2\n"), std::string::npos) << few.text;
  EXPECT_NE(phase(few, "carry").find("classes o kept kept scans 0 1 2\n"), std::string::npos) << few.text;
  EXPECT_EQ(names_of_phases(more), "count, fold, carry, sums, offsets, main");
  EXPECT_NE(phase(more, "count").find("combine scatter 0 thread atomic 1, grid bins (counts)\n"),
            std::string::npos)
      << more.text;
  EXPECT_NE(phase(more, "carry").find("end 0 o at 256 end 0 kept at 0\n"), std::string::npos) << more.text;
  EXPECT_NE(phase(more, "main").find("combine partition 0 thread packed, grid counted (table)\n"),
            std::string::npos)
      << more.text;
  EXPECT_EQ(names_of_phases(many), names_of_phases(more));
  EXPECT_EQ(names_of_phases(too_many), "clear, count, fold, carry, sums, offsets, main");
  EXPECT_NE(phase(many, "main").find("combine partition 0 thread in_order, grid counted (table)\n"),
            std::string::npos)
      << many.text;
}

Decided histogram(const std::string& kind, const std::string& zero) {
  return decided("program (x: i64[n], y: " + kind + "[n1]) { h: " + kind +
                 "[10] = redomap (i < n) { return x[i], y[i] } scatter (10) (b: i64) { " + zero +
                 " } combine add comm neutral " + zero + " return h }");
}

TEST(BlocksText, HistogramOfIntegersIsByAtomicsInSharedMemoryFirst) {
  const Decided integers = histogram("i32", "0i32");
  EXPECT_EQ(names_of_phases(integers), "clear, main");
  EXPECT_NE(phase(integers, "main")
                .find("  stage h at 0 shared 2048\n"
                      "  combine scatter 0 thread atomic 4, grid atomic 4\n"),
            std::string::npos)
      << integers.text;
}

TEST(BlocksText, HistogramOfFloatsKeepsTheOrderOfThePoints) {
  const Decided floats = histogram("f32", "0f");
  EXPECT_EQ(names_of_phases(floats), "main, places");
  EXPECT_NE(phase(floats, "main").find("combine scatter 0 thread in_order, grid bins (bins)\n"),
            std::string::npos)
      << floats.text;
}

TEST(BlocksText, ScatterThatKeepsTheLastFindsTheWinnersFirst) {
  const Decided scatter = decided(R"(program (x: i64[n], y: f32[n1], z: f32[m, k]) {
    h: f32[m, k] = redomap (i < n) { return x[i], i, y[i] } scatter (m, k) (b: i64, c: i64) { z[b, c] }
    return h
  })");
  EXPECT_EQ(names_of_phases(scatter), "fill, clear, winners, main");
  EXPECT_NE(scatter.text.find("copy h from z fresh fresh\n"), std::string::npos) << scatter.text;
  EXPECT_NE(phase(scatter, "fill").find("guard fresh\n"), std::string::npos) << scatter.text;
  EXPECT_NE(phase(scatter, "winners").find("grid atomic 4 (winners)\n"), std::string::npos) << scatter.text;
  EXPECT_NE(phase(scatter, "main").find("combine scatter 0 grid winner (winners)\n"), std::string::npos)
      << scatter.text;
}

TEST(BlocksText, StencilsHaveWindowsInSharedMemory) {
  const Decided line = decided(R"(program (x: f32[n]) {
    y: f32[n - 2] = map (i < n - 2) { x[i] + x[i + 1] + x[i + 2] }
    return y
  })");
  EXPECT_EQ(phase(line, "main"), R"(phase "main"
  axis free 0 1 extent n - 2
  cut 0 by 2048 grid mask
  cut 0 by 2048 sequence mask
  cut 0 by 256 thread mask
  stage x at 1 shared 2112 of x[i] around 0 2
)");
  const Decided cross = decided(R"(program (x: f32[n, m]) {
    y: f32[n - 2, m - 2] = map (i < n - 2, j < m - 2) { x[i, j + 1] + x[i + 1, j] + x[i + 2, j + 1] + x[i + 1, j + 2] }
    return y
  })");
  EXPECT_EQ(phase(cross, "main"), R"(phase "main"
  axis free 0 1 extent n - 2
  axis free 1 1 extent m - 2
  cut 0 by max(((n - 2) * ((m + 509) / 512) + 1023) / 1024, 32) grid mask
  cut 1 by 512 grid mask
  cut 1 by 256 thread mask
  stage x at 1 shared 8192 of x[i, j + 1] around 0 2 around -1 1
)");
}

TEST(BlocksText, TransposeTurnsTilesInSharedMemory) {
  const Decided turned = decided(R"(program (x: f32[n, m]) {
    y: f32[m, n] = map (i < m, j < n) { x[j, i] }
    return y
  })");
  EXPECT_EQ(phase(turned, "main"), R"(phase "main"
  axis free 0 1 extent m
  axis free 1 1 extent n
  cut 0 by 32 grid mask
  cut 1 by 32 grid mask
  cut 0 by 4 thread mask
  cut 1 by 32 thread mask
  stage x at 1 shared 1056 of x[j, i] crosswise
)");
}

// What lies together along the outermost axis, too: axes between are walked one by one.
TEST(BlocksText, PermutedAxesTurnTilesInSharedMemory) {
  const Decided turned = decided(R"(program (x: f32[n, m, l]) {
    y: f32[l, m, n] = map (k < l, j < m, i < n) { x[i, j, k] }
    return y
  })");
  EXPECT_EQ(phase(turned, "main"), R"(phase "main"
  axis free 0 1 extent l
  axis free 1 1 extent m
  axis free 2 1 extent n
  cut 1 by 1 grid exact
  cut 0 by 32 grid mask
  cut 2 by 32 grid mask
  cut 0 by 4 thread mask
  cut 2 by 32 thread mask
  stage x at 2 shared 1056 of x[i, j, k] crosswise
)");
}

TEST(BlocksText, RowsAreForThreadsOrForBlocksByTheirNumbers) {
  const Decided product = decided(R"(program (x: f32[n, k], y: f32[k1, m]) {
    z: f32[n, m] = map (i < n, j < m) {
      s: f32 = redomap (l < k) { x[i, l] * y[l, j] } reduce add comm neutral 0f
      return s
    }
    return z
  })");
  EXPECT_EQ(names_of_phases(product), "main, partials, rows, tiles, join tiles");
  EXPECT_NE(phase(product, "main").find("guard (1 - select("), std::string::npos) << product.text;
  EXPECT_NE(phase(product, "partials").find("axis free 0 3 extent "), std::string::npos) << product.text;
  const Decided along = decided(R"(program (x: f32[n, m]) {
    y: f32[n] = map (i < n) {
      s: f32 = redomap (j < m) { x[i, j] } reduce add comm neutral 0f
      return s
    }
    return y
  })");
  EXPECT_EQ(names_of_phases(along), "short rows, partials, rows");
  EXPECT_NE(phase(along, "short rows")
                .find("skeleton \"rows by tiles\" tasks (n + 255) / 256 \"threads\" 256 \"columns\" 16\n"),
            std::string::npos)
      << along.text;
}

// What rows and columns share is staged, each operand as it lies in memory; sums of floats are in chains.
TEST(BlocksText, ProductsAreTiles) {
  const auto product = [](const std::string& kind, const std::string& of_x, const std::string& op) {
    return decided("program (x: " + kind + "[n, k], y: " + kind + "[m, k1]) { z: " + kind +
                   "[n, m] = map (i < n, j < m) { s: " + kind + " = redomap (l < k) { " + of_x +
                   " + y[j, l] } " + op + " return s } return z }");
  };
  const Decided sums = product("f32", "x[i, l]", "reduce add comm neutral 0f");
  const std::string tiles = phase(sums, "tiles");
  EXPECT_TRUE(
      tiles.starts_with("phase \"tiles\"\n  guard select(32 <= n & 32 <= m & 32 <= k & k <= 65536, 1, 0)\n"
                        "  axis free 0 1 extent n\n  axis free 1 1 extent m\n"
                        "  axis fold 0 1 extent k of 1\n"))
      << tiles;
  EXPECT_NE(tiles.find(R"(  cut 0 by 64 grid mask
  cut 1 by 64 grid mask
  cut 2 by 16 sequence mask
  cut 1 by 64 sequence mask
  cut 0 by 8 thread mask
  cut 1 by 16 thread mask
  cut 0 by 8 registers mask
  cut 1 by 4 registers mask
  stage x at 3 shared 1088 of x[i, l] crosswise
  stage y at 4 shared 1088 of y[j, l] crosswise
  combine reduction 0 thread chain 16, thread chain 256, grid partials (partial)
)"),
            std::string::npos)
      << tiles;
  const Decided least = product("f64", "x[l, i]", "reduce min comm neutral 1.0");
  EXPECT_NE(phase(least, "tiles")
                .find("  cut 0 by 8 registers mask\n  cut 1 by 4 registers mask\n"
                      "  stage x at 3 shared 1024 of x[l, i]\n"
                      "  stage y at 4 shared 1056 of y[j, l] crosswise\n"
                      "  combine reduction 0 grid partials (partial)\n"),
            std::string::npos)
      << least.text;
  EXPECT_EQ(names_of_phases(product("f32", "x[i, l + j]", "reduce add comm neutral 0f")),
            "short rows, partials, rows")
      << "no points share x";
}

TEST(BlocksText, RaggedRowsShareThreads) {
  const Decided ragged = decided(R"(program (begins: i64[n1], x: f32[k], n: i64) {
    y: f32[n] = map (i < n) {
      s: f32 = redomap (j < begins[i + 1] - begins[i]) { x[begins[i] + j] } reduce add comm neutral 0f
      return s
    }
    return y
  })");
  EXPECT_EQ(names_of_phases(ragged), "rows");
  EXPECT_NE(phase(ragged, "rows").find("\"threads\" 256 \"items\" 15 \"blocks\" 1024\n"), std::string::npos)
      << ragged.text;
}

}  // namespace
}  // namespace fulgurite::testing_schedule
