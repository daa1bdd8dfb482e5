// The kernel passes: lanes of a block become vectors, overlapping loads share two, dead statements go.
#include <gtest/gtest.h>

#include "applied.h"
#include "kernel/check.h"
#include "kernel/parse.h"
#include "kernel/print.h"
#include "kernel/traverse.h"
#include "tidy/dead.h"
#include "tidy/rows.h"
#include "tidy/transpose.h"
#include "tidy/vectorise.h"
#include "tidy/windows.h"

namespace fulgurite::tidy {
namespace {

using namespace kernel;

Kernel vectorised(std::string_view text) {
  Kernel kernel = parse(text);
  check(kernel, Stage::threads, "parse");
  return applied({&vectorise, &remove_dead}, std::move(kernel));
}

TEST(Vectorise, AffineIndicesBecomeContiguousReversedAndStrided) {
  const Kernel kernel = vectorised(R"(kernel k(in x: f32[], out y: f32[], n: i64)
par grid task < n {
  let base = task * 16
  par block t < 16 {
    let i = base + t
    load a: f32 = x[i, 1]
    let back = n - i
    load b: f32 = x[back, 1]
    let twice = i * 2
    load c: f32 = x[twice, 1]
    load d: f32 = x[task, 1]
    let ab = a + b
    let cd = c + d
    let r = ab * cd
    store y[i, 1] = r
  }
}
)");
  const auto loads = all<Load>(kernel);
  ASSERT_EQ(loads.size(), 4u);
  EXPECT_TRUE(loads[0].from.stride.is_constant(1));
  EXPECT_TRUE(loads[1].from.stride.is_constant(-1));
  EXPECT_TRUE(loads[2].from.stride.is_constant(2));
  EXPECT_EQ(kernel.arena->info(loads[0].name).type.lanes, 16);
  EXPECT_EQ(kernel.arena->info(loads[3].name).type.lanes, 1);  // the same element for all lanes
  const auto stores = all<Store>(kernel);
  ASSERT_EQ(stores.size(), 1u);
  EXPECT_FALSE(stores[0].to.mask);
  EXPECT_TRUE(all<Par>(kernel).size() == 1);
}

TEST(Vectorise, WhatIsTouchedStaysSo) {
  const Kernel kernel = vectorised(R"(kernel k(in x: f32[], out y: f32[], n: i64)
par grid task < n {
  let base = task * 16
  let many = 1000 < n
  par block t < 16 {
    let i = base + t
    load a: f32 = x[i, 1] touched many
    load b: f32 = x[i + 1, 1]
    let r = a + b
    store y[i, 1] = r
  }
}
)");
  const auto loads = all<Load>(kernel);
  ASSERT_EQ(loads.size(), 2u);
  ASSERT_TRUE(loads[0].touched);
  EXPECT_TRUE(loads[0].touched.is_name());
  EXPECT_FALSE(loads[1].touched);
}

TEST(Vectorise, ConditionsBecomeMasks) {
  const Kernel kernel = vectorised(R"(kernel k(in x: f32[], out y: f32[], n: i64)
par grid task < 1 {
  par block t < 8 {
    let inside = t < n
    if inside {
      load a: f32 = x[t, 1]
      store y[t, 1] = a
    }
  }
}
)");
  ASSERT_EQ(all<Load>(kernel).size(), 1u);
  EXPECT_TRUE(all<Load>(kernel)[0].from.mask);
  EXPECT_TRUE(all<Store>(kernel)[0].to.mask);
}

// What all lanes read is read if any of them wants it: the element need not be there otherwise.
TEST(Vectorise, LoadsOfOneElementAreMaskedToo) {
  const Kernel kernel = vectorised(R"(kernel k(in x: f32[], in y: f32[], out z: f32[], n: i64)
par grid task < 1 {
  par block t < 8 {
    load a: f32 = x[n, 1] when 3 < n
    store z[t, 1] = a
    if t < n {
      load b: f32 = x[n, 1]
      load c: f32 = y[n, 1] when 5 < n
      store z[t, 1] = b + c
    }
  }
}
)");
  const auto loads = all<Load>(kernel);
  ASSERT_EQ(loads.size(), 3u);
  for (const Load& load : loads) {
    ASSERT_TRUE(load.from.mask) << print(kernel);
    EXPECT_EQ(load.from.mask.type().lanes, 1) << print(kernel);
  }
  EXPECT_EQ(loads[1].from.mask.op(), scalar::Op::any);
  EXPECT_EQ(loads[2].from.mask.op(), scalar::Op::bit_and);
}

TEST(Vectorise, LoopsOfDifferentLengthRunWhileAnyLaneIsActive) {
  const Kernel kernel = vectorised(R"(kernel k(in x: f32[], out y: f32[], n: i64)
par grid task < 1 {
  par block t < 8 {
    load limit: f32 = x[t, 1]
    var v = 0f
    loop {
      let now = v
      let go = now < limit
    } while go {
      let next = now + 1f
      v = next
    }
    let last = v
    store y[t, 1] = last
  }
}
)");
  const auto loops = all<While>(kernel);
  ASSERT_EQ(loops.size(), 1u);
  EXPECT_EQ(loops[0].condition.op(), scalar::Op::any);
  bool frozen = false;
  for (const Assign& s : all<Assign>(kernel)) frozen |= static_cast<bool>(s.mask);
  EXPECT_TRUE(frozen);
}

// What is packed advances a variable that all lanes share, wherever in a branch it is.
TEST(Vectorise, LanesPackAndPickTogether) {
  const Kernel kernel = vectorised(R"(kernel k(in x: f32[], out y: f32[], out turn: i64[], n: i64)
par grid task < n {
  alloc shared room: f32[80]
  var next = 0
  par block t < 16 {
    let inside = t < n
    if inside {
      load v: f32 = x[t, 1]
      let good = v < 1f
      pack next(room[] = v) when good
    }
    load w: f32 = x[t, 1]
    pick last = w from 15
    prefetch x[0] by 16 per 16 end n
    let scaled = last * w
    store y[t, 1] = scaled
  }
  let count = next
  inorder turn, task {
    load first: f32 = room[0]
    store y[count] = first
  }
}
)");
  const auto packs = all<Pack>(kernel);
  ASSERT_EQ(packs.size(), 1u);
  EXPECT_EQ(packs[0].keep.op(), scalar::Op::bit_and);
  EXPECT_EQ(packs[0].values[0].type().lanes, 16);
  EXPECT_EQ(kernel.arena->info(packs[0].next).type.lanes, 1);
  const auto picks = all<Pick>(kernel);
  ASSERT_EQ(picks.size(), 1u);
  EXPECT_EQ(kernel.arena->info(picks[0].name).type.lanes, 1);
  EXPECT_EQ(all<Prefetch>(kernel).size(), 1u);
  EXPECT_EQ(all<InOrder>(kernel).size(), 1u);
}

TEST(Vectorise, WhatOnlyALoopReadsNeedNotFreezeAndACountStaysAScalar) {
  const Kernel kernel = vectorised(R"(kernel k(in x: f32[], out y: i32[], n: i64)
par grid task < 1 {
  par block t < 8 {
    load limit: f32 = x[t, 1]
    var v = 0f
    var k = 0i32
    loop {
      let now = v
      let count = k
      let low = now < limit
      let few = count < 10i32
      let go = low & few
    } while go {
      let next = now + limit
      let more = count + 1i32
      v = next
      k = more
    }
    let last = k
    let unused = v
    store y[t, 1] = last
  }
}
)");
  int frozen = 0, scalars = 0;
  for (const Assign& s : all<Assign>(kernel)) {
    const scalar::VarInfo& info = kernel.arena->info(s.name);
    frozen += s.mask && info.type.kind != scalar::Kind::boolean;
    scalars += info.type.lanes == 1;
  }
  EXPECT_EQ(frozen, 1);
  EXPECT_EQ(scalars, 1);
}

TEST(Dead, WhatNothingUsesGoes) {
  const Kernel kernel = applied({&remove_dead}, parse(R"(kernel k(in x: f32[], out y: f32[], n: i64)
par grid task < n {
  load unused: f32 = x[task, 1]
  var counter = 0
  for i in 0 : n step 1 {
    counter = 1
  }
  load used: f32 = x[0, 1]
  store y[task, 1] = used
}
)"));
  EXPECT_EQ(all<Load>(kernel).size(), 1u);
  EXPECT_TRUE(all<Declare>(kernel).empty());
  EXPECT_TRUE(all<For>(kernel).empty());
}

std::string windows(int n_loads, int apart) {
  std::string text =
      "kernel k(in x: f32[], out y: f32[], n: i64)\npar grid task < n {\n  let base = task * 16\n  par block "
      "t < 16 {\n    let i = base + t\n";
  for (int k = 0; k < n_loads; ++k)
    text += "    let i" + std::to_string(k) + " = i + " + std::to_string(k * apart) + "\n    load a" +
            std::to_string(k) + ": f32 = x[i" + std::to_string(k) + ", 1]\n";
  text += "    let s1 = a0 + a1\n";
  for (int k = 2; k < n_loads; ++k)
    text +=
        "    let s" + std::to_string(k) + " = s" + std::to_string(k - 1) + " + a" + std::to_string(k) + "\n";
  return text + "    store y[i, 1] = s" + std::to_string(n_loads - 1) + "\n  }\n}\n";
}

Kernel shared(int n_loads, int apart) {
  return applied({&vectorise, &remove_dead, &share_windows}, parse(windows(n_loads, apart)));
}

TEST(Windows, EveryThirdOfManyIsPutTogether) {
  const Kernel kernel = shared(15, 1);
  EXPECT_EQ(all<Load>(kernel).size(), 10u);
  const auto permutes = all<Permute>(kernel);
  ASSERT_EQ(permutes.size(), 5u);
  for (std::size_t k = 0; k < permutes.size(); ++k)
    EXPECT_EQ(permutes[k].lanes, window_lanes(16, static_cast<std::int32_t>(3 * k + 1), 14));
}

TEST(Windows, TwoLoadsOrDistantOnesStay) {
  EXPECT_TRUE(all<Permute>(shared(2, 1)).empty());
  EXPECT_TRUE(all<Permute>(shared(3, 16)).empty());
}

std::string runs(const std::string& read, const std::string& more = "") {
  return R"(kernel k(in x: f32[], in y: f32[], out z: f32[], n: i64)
par grid task < n {
  par block t < 16 {
    let start = task + t * n
    var sum = 0f
    for at in 0 : n step 8 {
      for k in 0 : 8 step 1 {
        let step_ = at + k
        let j = start + step_
        )" +
         read +
         R"(
        let before = sum
        sum = before + a
        )" +
         more +
         R"(
      }
    }
    let all = sum
    store z[t, 1] = all
  }
}
)";
}

Kernel transposed(const std::string& text, std::int32_t lanes = 8) {
  return applied({&vectorise, &remove_dead, &transpose_runs}, parse(text),
                 {.transposed_lanes = lanes, .ahead = 100});
}

TEST(Transpose, PiecesOfRunsAreReadInFrontOfTheRoundsThatReadThem) {
  const Kernel kernel = transposed(runs("load a: f32 = x[j, 1]"));
  const auto tiles = all<Transpose>(kernel);
  ASSERT_EQ(tiles.size(), 2u);
  EXPECT_EQ(tiles[0].lanes, 16);
  EXPECT_EQ(tiles[0].width, 8);
  EXPECT_EQ(tiles[0].steps, 4);
  EXPECT_EQ(tiles[0].ahead, 100);
  EXPECT_EQ(tiles[1].ahead, 0);
  EXPECT_EQ(all<For>(kernel).size(), 1u);
  const auto loads = all<Load>(kernel);
  ASSERT_EQ(loads.size(), 8u);
  for (std::size_t round = 0; round < 8; ++round) {
    EXPECT_EQ(loads[round].from.buffer, tiles[round / 4].tile);
    EXPECT_TRUE(loads[round].from.index.is_constant(round % 4 * 16));
    EXPECT_TRUE(loads[round].from.stride.is_constant(1));
  }
}

TEST(Transpose, ManyStatementsStayInALoop) {
  std::string more;
  for (int k = 0; k < 50; ++k) {
    const std::string name = "b" + std::to_string(k);
    more += "let " + name + " = sum sum = " + name + " * a\n";
  }
  const Kernel kernel = transposed(runs("load a: f32 = x[j, 1]", more));
  const auto tiles = all<Transpose>(kernel);
  ASSERT_EQ(tiles.size(), 1u);
  EXPECT_EQ(tiles[0].steps, 8);
  EXPECT_EQ(all<For>(kernel).size(), 2u);
  const auto loads = all<Load>(kernel);
  ASSERT_EQ(loads.size(), 1u);
  EXPECT_EQ(loads[0].from.buffer, tiles[0].tile);
}

TEST(Transpose, BackwardsToo) {
  EXPECT_EQ(all<Transpose>(transposed(runs("let b = n - j load a: f32 = x[b, 1]"))).size(), 2u);
}

// As the schedule of a single row says, though operators within it have lanes.
TEST(Transpose, VectorsOfOneLaneTransposeNothing) {
  EXPECT_TRUE(all<Transpose>(transposed(runs("load a: f32 = x[j, 1]"), 1)).empty());
}

TEST(Transpose, WhatIsNotARunStays) {
  EXPECT_TRUE(all<Transpose>(transposed(runs("let b = j * 3 load a: f32 = x[b, 1]"))).empty());
  EXPECT_TRUE(all<Transpose>(transposed(runs("let c = j < n load a: f32 = x[j, 1] when c"))).empty());
  EXPECT_EQ(
      all<Transpose>(transposed(runs("load i: f32 = y[j, 1] let b = i64(i) load a: f32 = x[b, 1]"))).size(),
      2u);
  EXPECT_TRUE(all<Transpose>(transposed(runs("load a: f32 = z[j, 1]", "store z[j, 1] = before"))).empty());
}

// Each of 8 lanes adds 1 to the elements of a row of 8, and stores them in a row of `apart` elements.
Kernel rows(const std::string& load, int apart = 8, int stored = 8, std::int32_t lanes = 8) {
  std::string body;
  for (int k = 0; k < 8; ++k) {
    const std::string n = std::to_string(k);
    body += "let r" + n + " = p * 8 + " + n + " load a" + n + ": f32 = " + load + n + ", 1] let b" + n +
            " = a" + n + " + 1f\n";
  }
  for (int k = 0; k < stored; ++k) {
    const std::string n = std::to_string(k);
    body += "let s" + n + " = p * " + std::to_string(apart) + " + " + n + " store z[s" + n + ", 1] = b" + n +
            "\n";
  }
  return applied({&vectorise, &remove_dead, &transpose_rows},
                 parse("kernel k(in x: f32[], out z: f32[], n: i64)\npar grid b < 1 {\n"
                       "for first in 0 : n step 8 {\npar block t < 8 {\nlet p = first + t\n" +
                       body + "}\n}\n}\n"),
                 {.transposed_lanes = lanes});
}

TEST(TransposeRows, LanesLoadAndStoreWholeVectors) {
  const Kernel kernel = rows("x[r");
  const auto tiles = all<Transpose>(kernel);
  ASSERT_EQ(tiles.size(), 3u);
  for (const std::size_t k : {0u, 1u}) {
    EXPECT_EQ(tiles[k].lanes, 8);
    EXPECT_EQ(tiles[k].steps, 4);
  }
  EXPECT_EQ(tiles[2].lanes, 8);
  EXPECT_EQ(tiles[2].steps, 8);
  for (const Load& load : all<Load>(kernel)) EXPECT_TRUE(load.from.stride.is_constant(1));
  const auto stores = all<Store>(kernel);
  EXPECT_EQ(stores.size(), 16u);  // eight columns, eight rows
  for (const Store& store : stores) {
    EXPECT_TRUE(store.to.stride.is_constant(1));
    EXPECT_EQ(store.value.type().lanes, 8);
  }
}

TEST(TransposeRows, RowsThatLieApartAreStoredOneByOne) {
  const auto kernel = rows("x[r", 10);
  const auto stores = all<Store>(kernel);
  EXPECT_EQ(stores.size(), 8u + 8u);
  EXPECT_EQ(stores.back().value.type().lanes, 8);
}

TEST(TransposeRows, VectorsOfOneLaneTransposeNothing) {
  EXPECT_TRUE(all<Transpose>(rows("x[r", 8, 8, 1)).empty());
}

TEST(TransposeRows, WhatMayOverlapStays) {
  EXPECT_EQ(all<Transpose>(rows("x[r", 7)).size(), 2u);
  EXPECT_TRUE(all<Transpose>(rows("z[r")).empty());
  EXPECT_EQ(all<Transpose>(rows("x[r", 8, 3)).size(), 1u);
}

}  // namespace
}  // namespace fulgurite::tidy
