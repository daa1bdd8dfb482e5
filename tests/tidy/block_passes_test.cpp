// The passes over kernels of threads: functions of the thread's number in one form, barriers that order
// nothing, values that need not be in memory, strips of lanes, permutations.
#include <gtest/gtest.h>

#include "applied.h"
#include "kernel/check.h"
#include "kernel/emulate.h"
#include "kernel/parse.h"
#include "kernel/print.h"
#include "tidy/barriers.h"
#include "tidy/dead.h"
#include "tidy/exchanges.h"
#include "tidy/forward.h"
#include "tidy/global_arrays.h"
#include "tidy/permutes.h"
#include "tidy/shared_layout.h"
#include "tidy/strips.h"
#include "tidy/thread_forms.h"
#include "tidy/vectorise.h"

namespace fulgurite::tidy {
namespace {

using namespace kernel;

// A kernel of one task, whose statements these are.
Kernel of_task(const std::string& body) {
  Kernel made = parse("kernel k(in x: i32[], out y: i32[], n: i64)\npar grid task < 1 {\n" + body + "}\n");
  check(made, Stage::threads, "parse");
  return made;
}
std::string after(const std::string& body, const std::vector<const Pass*>& passes) {
  const std::string text = print(applied(passes, of_task(body)));
  return text.substr(text.find("{\n") + 2);
}

// Forms.

std::string form(const std::string& index, int threads = 64) {
  const std::string text =
      after("par block t < " + std::to_string(threads) + " {\n  store y[" + index + ", 1] = 1i32\n}\n",
            {&thread_forms, &remove_dead});
  const auto let = text.find("let at = ");
  if (let == text.npos) {
    const auto from = text.find("y[") + 2;
    return text.substr(from, text.find(", 1]") - from);
  }
  return text.substr(let + 9, text.find('\n', let) - let - 9);
}

TEST(ThreadForms, EqualFunctionsAreWrittenAlike) {
  EXPECT_EQ(form("t / 8 * 8 + t % 8"), "t");
  EXPECT_EQ(form("t * 3 - t"), "t * 2");
  EXPECT_EQ(form("t - t + 5"), "5");
  EXPECT_EQ(form("63 - t"), "63 - t");
  EXPECT_EQ(form("t ^ 63"), "63 - t");  // of 64 threads
  EXPECT_EQ(form("t / 4 * 8 + t % 4"), "t + (t & -4)");
  EXPECT_EQ(form("t + (t & -4)"), "t + (t & -4)");
  EXPECT_EQ(form("t % 4 * 16 + t / 4"), "(t & 3) * 16 + (t >> 2)");
  EXPECT_EQ(form("t + n + t / 4 * 4"), form("n + (t / 4 * 8 + t % 4)"));
  EXPECT_EQ(form("n + t - t % 4"), form("n + t / 4 * 4"));
  EXPECT_EQ(form("select(t < 100, t, n)"), "t");
}

TEST(ThreadForms, ConditionsOfAllThreadsAreDecided) {
  const std::string text = after(R"(par block t < 64 {
  if t < 64 {
    store y[t, 1] = 1i32
  }
  if t / 64 == 1 {
    store y[t, 1] = 2i32
  }
  if t % 16 / 8 == 0 {
    store y[t, 1] = 3i32
  }
  if t / 32 != 0 {
    store y[t, 1] = 4i32
  }
}
)",
                                 {&thread_forms});
  EXPECT_EQ(text.find("2i32"), text.npos) << text;
  EXPECT_LT(text.find("1i32"), text.find("if "));
  EXPECT_NE(text.find("if (t & 8) == 0 {"), text.npos) << text;
  EXPECT_NE(text.find("if 32 <= t {"), text.npos) << text;
}

// Barriers.

std::string syncs(const std::string& body) {
  const std::string text = after(body, {&barriers});
  std::string found;
  for (std::size_t at = 0; (at = text.find("sync ", at)) != text.npos; ++at)
    found += text.substr(at + 5, text.find('\n', at) - at - 5) + " ";
  return found;
}
std::string exchange(const std::string& from) {
  return "alloc shared a: i32[64]\npar block t < 64 {\n  store a[t, 1] = 1i32\n}\nsync block\npar block u < "
         "64 {\n  load "
         "v: i32 = a[" +
         from + ", 1]\n  store y[u, 1] = v\n}\n";
}

TEST(Barriers, WaitForWhomTheyMust) {
  EXPECT_EQ(syncs(exchange("u")), "");
  EXPECT_EQ(syncs(exchange("u ^ 1")), "warp ");
  EXPECT_EQ(syncs(exchange("31 - u % 32 + u / 32 * 32")), "warp ");
  EXPECT_EQ(syncs(exchange("u ^ 32")), "block ");
  EXPECT_EQ(syncs(exchange("0")), "block ");
  EXPECT_EQ(syncs(exchange("n")), "block ");  // whoever that is
}

TEST(Barriers, ArraysThatShareMemoryAreOneArray) {
  const auto text = [](int second) {
    return "alloc shared a: i32[64] at 0\nalloc shared b: i32[64] at " + std::to_string(second) +
           R"(
par block t < 64 {
  store a[t, 1] = 1i32
}
sync block
par block u < 64 {
  load v: i32 = a[u ^ 32, 1]
  store y[u, 1] = v
}
sync block
par block w < 64 {
  store b[w, 1] = 2i32
  load r: i32 = b[w, 1]
  store y[w, 1] = r
}
)";
  };
  EXPECT_EQ(syncs(text(256)), "block ");
  EXPECT_EQ(syncs(text(0)), "block block ");
  EXPECT_EQ(syncs(text(128)), "block ");  // thread w overwrites what it alone has read
  EXPECT_EQ(syncs(text(64)), "block block ");
}

TEST(Barriers, ArraysOfSeveralWidthsShareMemory) {
  const auto text = [](int second) {
    return "alloc shared a: i64[64] at 0\nalloc shared b: i8[64] at " + std::to_string(second) +
           R"(
par block t < 64 {
  load v: i64 = a[t ^ 1, 1]
  store y[t, 1] = i32(v)
}
sync block
par block w < 64 {
  store b[w, 1] = 2i8
  load r: i8 = b[w ^ 1, 1]
  store y[w, 1] = i32(r)
}
)";
  };
  EXPECT_EQ(syncs(text(0)), "block ");    // bytes 0 to 63 are those of threads 0 to 7
  EXPECT_EQ(syncs(text(64)), "block ");   // 8 to 15
  EXPECT_EQ(syncs(text(480)), "block ");  // 60 to 67
  EXPECT_EQ(syncs(text(512)), "");
}

TEST(Barriers, WhatOneWarpReadsAndWritesOrdersThatWarp) {
  EXPECT_EQ(
      syncs("alloc shared a: i64[8] at 0\nalloc shared b: i8[64] at 0\npar block t < 8 {\n  load v: i64 "
            "= a[t, 1]\n  store y[t, 1] = i32(v)\n}\nsync block\npar block w < 32 {\n  store b[w, 1] "
            "= 2i8\n}\n"),
      "warp ");
}

TEST(Barriers, StatementsOfAsManyThreadsAreJoined) {
  const std::string text = after(exchange("u"), {&barriers});
  EXPECT_EQ(text.find("par block"), text.rfind("par block")) << text;
}

TEST(Barriers, AnArrayThatBeginsBetweenStatementsBeginsBeforeThemIfItsBytesAreFree) {
  const auto text = [](int second) {
    return after(
        "alloc shared a: i32[64] at 0\npar block t < 64 {\n  store a[t, 1] = 1i32\n  load v: i32 = a[t, 1]\n"
        "  store y[t, 1] = v\n}\nsync block\nalloc shared b: i32[64] at " +
            std::to_string(second) + "\npar block u < 64 {\n  store b[u, 1] = 2i32\n}\n",
        {&barriers});
  };
  const std::string apart = text(256), together = text(0);
  EXPECT_EQ(apart.find("par block"), apart.rfind("par block")) << apart;
  EXPECT_LT(apart.find("alloc shared b"), apart.find("par block"));
  EXPECT_EQ(together.find("sync"), together.npos) << together;
  EXPECT_LT(together.find("par block"), together.find("alloc shared b"));
  EXPECT_LT(together.find("alloc shared b"), together.rfind("par block"));
}

TEST(Barriers, OfLoops) {
  const auto round = [](const std::string& from, const std::string& last) {
    std::string body = exchange(from);
    body = body.substr(body.find('\n') + 1);  // the array is of all rounds
    return syncs("alloc shared a: i32[64]\nfor i in 0 : n step 1 {\n" + body + last + "}\n");
  };
  EXPECT_EQ(round("u", "sync block\n"), "block ");  // before the next round; none in it
  EXPECT_EQ(round("u ^ 1", "sync block\n"), "warp block ");
  EXPECT_EQ(round("u ^ 32", "sync block\n"), "block block ");
  EXPECT_EQ(round("u", ""), "block ");  // the only one between rounds
  EXPECT_EQ(round("u", "sync warp\n"), "block warp ");
}

TEST(Barriers, StatementsAreJoinedInLoopsToo) {
  const std::string text =
      after("for i in 0 : n step 1 {\n" + exchange("u") + "sync block\n}\n", {&barriers});
  EXPECT_EQ(text.find("par block"), text.rfind("par block")) << text;
}

// Values that need not be in memory.

TEST(Forward, WhatIsStoredIsNotLoaded) {
  const std::vector<const Pass*> made = {&barriers, &forward, &remove_dead};
  const std::string text = after(exchange("u"), made);
  EXPECT_EQ(text.find("alloc"), text.npos) << text;
  EXPECT_EQ(text.find("load"), text.npos);
  EXPECT_NE(after(exchange("u ^ 1"), made).find("alloc"), text.npos);
}

TEST(Forward, AnotherStoreToPerhapsTheSameElementEndsIt) {
  const auto stores = [](const std::string& index) {
    return after("alloc shared a: i32[128]\npar block t < 64 {\n  store a[t, 1] = 1i32\n  store a[" + index +
                     ", 1] = 2i32\n  load v: i32 = a[t, 1]\n  store y[t, 1] = v\n}\n",
                 {&forward});
  };
  EXPECT_EQ(stores("t + 64").find("load"), std::string::npos);
  EXPECT_NE(stores("t / 2 * 2").find("load"), std::string::npos);  // the same one for some t
  EXPECT_NE(stores("n").find("load"), std::string::npos);
}

TEST(Forward, AVariableThatHasChangedIsNoValueOfBefore) {
  const std::string text = after(R"(alloc shared a: i32[64]
par block t < 64 {
  var v = 1i32
  store a[t, 1] = v
  v = 2i32
  load w: i32 = a[t, 1]
  store y[t, 1] = w
}
)",
                                 {&forward});
  EXPECT_NE(text.find("load w"), text.npos) << text;
}

TEST(ThreadForms, MasksOfAllThreadsGoAndAtomicsThatNobodyAsks) {
  const std::string text = after(
      "par block t < 8 {\n  atomic old = add y[t, 1] by 1i32 when t < 8\n  store y[t, 1] = 1i32 when t < "
      "9\n}\n",
      {&thread_forms, &remove_dead});
  EXPECT_EQ(text.find(" when "), text.npos) << text;
  EXPECT_EQ(text.find("old"), text.npos) << text;
}

// Arrays in global memory become slices of a parameter.

TEST(GlobalArrays, AreSlicesOfTasks) {
  const Kernel laid_out = applied({&lay_out}, of_task(R"(alloc global a: i32[64]
alloc global b: i32[10]
alloc global c: f64[4]
par block t < 10 {
  load v: i32 = x[t, 1]
  store a[t, 1] = v
  store b[t, 1] = v
}
sync block
par block u < 4 {
  load w: i32 = a[63 - u, 1]
  load z: i32 = b[u, 1]
  store c[u, 1] = f64(w)
  store y[u, 1] = z
}
)"));
  const Kernel made = applied({&place_global}, laid_out);
  const std::vector<Scratch> scratch = scratch_of(laid_out, made);
  ASSERT_EQ(scratch.size(), 2u);  // i32, f64: 256, 48 and 32 bytes that are all in use
  EXPECT_EQ(scratch[0].per_task, 84);
  EXPECT_EQ(scratch[1].per_task, 42);
  const std::string text = print(made);
  EXPECT_NE(text.find("out y: i32[], out scratch: i32[], out scratch_1: f64[], n: i64"), text.npos) << text;
  EXPECT_EQ(text.find("alloc"), text.npos);
  EXPECT_NE(text.find("scratch[task * 84 - u + 63, 1]"), text.npos) << text;
  EXPECT_NE(text.find("store scratch_1[task * 42 + u + 38, 1]"), text.npos) << text;
}

// Shuffles are statements of two Pars.

TEST(Exchanges, GoThroughMemory) {
  const std::string text = after(R"(par block t < 64 {
  let at = t * 2
  load v: i32 = x[at, 1]
  load w: i32 = x[t, 1]
  shuffle o = v from at width 8
  store y[at, 1] = o + w
}
)",
                                 {&exchanges});
  EXPECT_EQ(text.find("shuffle"), text.npos) << text;
  EXPECT_NE(text.find("alloc shared kept: i32[64]"), text.npos) << text;
  EXPECT_EQ(text.find("kept_1"), text.npos) << text;  // v is exchanged only, at computed again
  EXPECT_NE(text.find("store exchanged[t, 1] = v"), text.npos) << text;
  EXPECT_NE(text.find("load o: i32 = exchanged[(t_1 & -8) + (at_1 & 7), 1]"), text.npos) << text;
  EXPECT_NE(text.find("store y[at_1, 1] = o + w_1"), text.npos) << text;
}

TEST(Exchanges, VariablesStayVariables) {
  const std::string text = after(R"(par block t < 64 {
  var v = 1i32
  shuffle o = v from t width 2
  v = v + o
  shuffle p = v from t width 2
  store y[t, 1] = p
}
)",
                                 {&exchanges});
  EXPECT_EQ(text.find("shuffle"), text.npos) << text;
  EXPECT_NE(text.find("var v_2 = v_1"), text.npos) << text;
  EXPECT_NE(text.find("v_2 = o + v_2"), text.npos) << text;
}

// Strips and permutations compute what the threads do.

constexpr const char* column = R"(alloc shared a: i32[128]
par block t < 128 {
  load v: i32 = x[t, 1]
  store a[t, 1] = v
}
sync block
par block t < 64 {
  load l: i32 = a[LOW, 1]
  load h: i32 = a[HIGH, 1]
  store y[LOW, 1] = min(l, h)
  store y[HIGH, 1] = max(l, h)
}
)";

std::string column_of(const std::string& low, const std::string& high) {
  std::string text = column;
  for (const auto& [mark, index] : {std::pair("LOW", low), std::pair("HIGH", high)})
    for (std::size_t at; (at = text.find(mark)) != text.npos;)
      text.replace(at, std::string_view(mark).size(), index);
  return text;
}

std::string in_lanes(const std::string& body) {
  return after(body, {&strips, &vectorise, &permutes, &remove_dead});
}

TEST(Strips, IndicesThatGoWithTheLaneAreVectors) {
  const std::string text = in_lanes(column_of("t + (t & -32)", "t + (t & -32) + 32"));
  EXPECT_NE(text.find("in 0 : 64 step 16 {"), text.npos) << text;
  EXPECT_EQ(text.find("lane("), text.npos) << text;
  EXPECT_EQ(text.find("sync"), text.npos);
}

TEST(Strips, FewerInstancesThanLanesAreMasked) {
  const std::string text =
      in_lanes("par block t < 5 {\n  load v: i32 = x[4 - t, 1]\n  store y[t + t / 2, 1] = v\n}\n");
  EXPECT_NE(text.find(" when "), text.npos) << text;
}

TEST(Strips, AtomicsOfABlockAreTakenOneByOne) {
  const std::string text = in_lanes(R"(alloc shared a: i32[8]
par block t < 64 {
  load v: i32 = x[t, 1]
  atomic add a[t % 8] by v
}
par block t < 8 {
  load w: i32 = a[t, 1]
  store y[t, 1] = w
}
)");
  EXPECT_NE(text.find(" in 0 : 64 step 1 {"), text.npos) << text;
  EXPECT_EQ(text.find("atomic"), text.npos);
}

TEST(Permutes, LanesOfAShortRun) {
  for (int bit = 0; bit < 4; ++bit) {
    const std::string low = bit == 0 ? "t * 2" : "t + (t & -" + std::to_string(1 << bit) + ")";
    const std::string text = in_lanes(column_of(low, "(" + low + ") ^ " + std::to_string((2 << bit) - 1)));
    std::size_t n = 0;
    for (std::size_t at = 0; (at = text.find("permute ", at)) != text.npos; ++at) ++n;
    EXPECT_EQ(n, 4u) << text;  // of two loads, of two stores
    EXPECT_EQ(text.find("splat("), text.npos) << text;
  }
}

TEST(Permutes, LanesWithinOneVector) {
  const std::string text = in_lanes(column_of("t ^ 5", "(t ^ 5) + 64"));
  std::size_t n = 0;
  for (std::size_t at = 0; (at = text.find("permute ", at)) != text.npos; ++at) ++n;
  EXPECT_EQ(n, 4u) << text;
  EXPECT_EQ(text.find("splat("), text.npos) << text;
}

TEST(Permutes, WhatIsNotAllReadStaysAsItIs) {
  // Every second element is read, and after the last one the array may end.
  std::string text = column_of("t * 2", "t * 2");
  EXPECT_EQ(in_lanes(text).find("permute"), std::string::npos);
}

}  // namespace
}  // namespace fulgurite::tidy
