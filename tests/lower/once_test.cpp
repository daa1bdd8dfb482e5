// An expensive function runs once for each element, whoever needs its values: the code of all kernels has it
// once.
#include <algorithm>

#include "agree.h"
#include "engines/emulator_device.h"
#include "kernel/print.h"
#include "kernel/traverse.h"

namespace fulgurite::testing_lower {
namespace {

struct Code {
  std::vector<kernel::Kernel> kernels;
  std::string text;                  // of all
  std::vector<std::string> phases;   // of each
  std::vector<std::int64_t> shared;  // bytes of each phase's arrays
};

Code code_of(const std::string& program, Engine engine) {
  runtime::Description device = EmulatorDevice::shared().describe();
  device.blocks_wait = engine == Engine::cuda;
  const pipeline::Report report =
      pipeline::compile(soac::parse(program, "test.soac"), {.engine = engine}, device);
  Code code{report.lowered.kernels, {}, {}, {}};
  for (const kernel::Kernel& k : code.kernels)
    for (const kernel::Stm& phase : k.body) {
      std::int64_t& shared = code.shared.emplace_back();
      code.text += code.phases.emplace_back(kernel::print(*k.arena, phase));
      kernel::for_each_stm(std::get<kernel::Par>(phase.op).body, [&](const kernel::Stm& s) {
        const auto* allocate = std::get_if<kernel::Allocate>(&s.op);
        if (allocate == nullptr || allocate->space != kernel::Space::shared) return;
        const auto bytes = static_cast<std::int64_t>(size_of(k.arena->info(allocate->buffer).type.kind));
        shared += bytes * static_cast<std::int64_t>(allocate->n.bits());
      });
    }
  return code;
}

int count(const std::string& text, std::string_view word) {
  int n = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++n;
  return n;
}

constexpr std::int64_t of_warps = 8 * 4;  // what each warp of a block has, 4 bytes each
constexpr Engine devices[] = {Engine::emulator, Engine::opencl, Engine::cuda};
constexpr Engine all_engines[] = {Engine::cpu, Engine::emulator, Engine::opencl, Engine::cuda};

void expect_one_exponential(const std::string& program, Engine engine) {
  const Code code = code_of(program, engine);
  EXPECT_EQ(count(code.text, "exp("), 1) << code.text;
}

// Where loops are unrolled: one phase has exponentials, each of an element of its own.
void expect_each_once(const std::string& program, Engine engine) {
  const Code code = code_of(program, engine);
  int phases = 0;
  for (const std::string& phase : code.phases) {
    std::vector<std::string> arguments;
    for (std::size_t at = phase.find("exp("); at != std::string::npos; at = phase.find("exp(", at + 1))
      arguments.push_back(phase.substr(at, phase.find(')', at) - at));
    phases += arguments.empty() ? 0 : 1;
    std::ranges::sort(arguments);
    EXPECT_EQ(std::ranges::adjacent_find(arguments), arguments.end()) << phase;
  }
  EXPECT_EQ(phases, 1) << code.text;
}

constexpr const char* kept_beside_last = R"(program "kept" (x: f32[n]) {
  e: f32[n] = map (i < n) { exp(x[i]) }
  s: f32 = redomap (i < n) { e[i] } reduce (a: f32, b: f32) { select(b == 0f, a, b) } neutral 0f
  return e, s
})";

TEST(Once, KeptBesideAReductionInOrder) {
  expect_each_once(kept_beside_last, Engine::cpu);
  for (const Engine engine : devices) {
    expect_one_exponential(kept_beside_last, engine);
    // The values of a tile, 15 for each of 256 threads, and what each thread has folded.
    EXPECT_EQ(code_of(kept_beside_last, engine).shared.at(0), (31 + 1) * 256 * 4 + of_warps);
  }
}

TEST(Once, KeptAndAddedBesideAReductionInOrder) {
  for (const Engine engine : all_engines)
    expect_each_once(R"(program "added" (x: f32[n]) {
      e: f32[n] = map (i < n) { exp(x[i]) }
      s: f32 = redomap (i < n) { e[i] } reduce (a: f32, b: f32) { select(b == 0f, a, b) } neutral 0f
      t: f32 = redomap (i < n) { e[i] } reduce add comm neutral 0f
      h: i32[10] = redomap (i < n) { i64(e[i]), 1i32 } scatter (10) (b: i64) { 0i32 } combine add comm neutral 0i32
      return e, s, t, h
    })",
                     engine);
}

TEST(Once, KeptBesideAScanOfOnePass) {
  expect_one_exponential(R"(program "scan" (x: f32[n]) {
    e: f32[n] = map (i < n) { exp(x[i]) }
    s: f32[n] = map (i < n) {
      r: f32 = scan (e[i]) (a: f32, b: f32) { select(b == 0f, a, b) } neutral 0f
      return r
    }
    return e, s
  })",
                         Engine::cuda);
}

// Components that fold one value, of one operator or of two, read it from one array.
TEST(Once, EqualOperandsLieInSharedMemoryOnce) {
  for (const char* reductions : {"reduce (a: f32, p: f32, b: f32, q: f32) { select(b == 0f, a, b), select(p "
                                 "== 0f, q, p) } neutral 0f, "
                                 "0f",
                                 "reduce (a: f32, b: f32) { select(b == 0f, a, b) } neutral 0f "
                                 "reduce (p: f32, q: f32) { select(p == 0f, q, p) } neutral 0f"}) {
    const std::string program = std::string(R"(program "both" (x: f32[n]) {
      s: f32, t: f32 = redomap (i < n) { exp(x[i]), exp(x[i]) } )") +
                                reductions + " return s, t }";
    for (const Engine engine : devices)
      EXPECT_EQ(code_of(program, engine).shared.at(0), (31 + 2) * 256 * 4 + 2 * of_warps) << program;
    for (const Engine engine : all_engines) expect_each_once(program, engine);
  }
}

// Components that always have one value are one: of a reduction in order, of one in any order, of a scan.
TEST(Once, EqualComponentsLieInSharedMemoryOnce) {
  const std::string in_order =
      "(a: f32, p: f32, b: f32, q: f32) { select(q == 0f, p, b), select(b == 0f, a, q) }";
  const auto reduces = [](const std::string& by) {
    return R"(program "pair" (x: f32[n]) {
      e: f32[n] = map (i < n) { exp(x[i]) }
      s: f32, t: f32 = redomap (i < n) { e[i], e[i] } reduce )" +
           by + " neutral 0f, 0f return s, t }";
  };
  const std::string sums = "(a: f32, p: f32, b: f32, q: f32) { a + b, p + q } comm";
  for (const Engine engine : devices) {
    EXPECT_EQ(code_of(reduces(in_order), engine).shared.at(0), (31 + 1) * 256 * 4 + of_warps);
    EXPECT_EQ(code_of(reduces(sums), engine).shared.at(0), 256 * 4);
  }
  for (const Engine engine : all_engines) expect_each_once(reduces(in_order), engine);
  const auto scans = [](const std::string& scan, const std::string& result) {
    const std::string program = R"(program "scans" (x: f32[n]) { y: f32[n] = map (i < n) { )";
    return code_of(program + scan + " return " + result + " } return y }", Engine::cuda);
  };
  const Code of_pairs = scans("s: f32, t: f32 = scan (x[i], x[i]) " + in_order + " neutral 0f, 0f", "s * t");
  const Code of_one =
      scans("s: f32 = scan (x[i]) (a: f32, b: f32) { select(b == 0f, a, b) } neutral 0f", "s * s");
  EXPECT_EQ(of_pairs.shared, of_one.shared);
}

// The half is copied from the array that the sum's walk stores.
TEST(Once, HalfBesideASum) {
  for (const Engine engine : all_engines)
    expect_each_once(R"(program "half" (x: f32[n]) {
      e: f32[n] = map (i < n) { exp(x[i]) }
      h: f32[n / 2] = map (i < n / 2) { e[i] }
      s: f32 = redomap (i < n) { e[i] } reduce add comm neutral 0f
      return h, s
    })",
                     engine);
}

// Into the window of a block; at its edges by two blocks. There is no array of the exponentials. On a CPU
// there is one, which the next kernel finds in its caches.
TEST(Once, ProducersOfSlicesAndStencils) {
  const std::string of_line = R"(program "line" (x: f32[n]) {
    e: f32[n] = map (i < n) { exp(x[i]) }
    d: f32[n - 2] = map (i < n - 2) { e[i + 2] - 2f * e[i + 1] + e[i] }
    return d
  })",
                    of_slices = R"(program "slices" (x: f32[n]) {
    e: f32[n] = map (i < n) { exp(x[i]) }
    a: f32[n - 1] = map (i < n - 1) { e[i] * 3f }
    b: f32[n - 1] = map (i < n - 1) { e[i + 1] * 5f }
    s: f32 = redomap (i < n - 1) { e[i] * e[i + 1] } reduce add comm neutral 0f
    return a, b, s
  })",
                    of_plane = R"(program "plane" (x: f32[n, m]) {
    e: f32[n, m] = map (i < n, j < m) { exp(x[i, j]) }
    d: f32[n - 2, m - 2] = map (i < n - 2, j < m - 2) { e[i, j + 1] + e[i + 1, j] + e[i + 2, j + 1] + e[i + 1, j + 2] }
    return d
  })";
  for (const std::string& program : {of_line, of_slices, of_plane}) {
    expect_each_once(program, Engine::cpu);
    for (const Engine engine : devices) {
      expect_one_exponential(program, engine);
      const Code code = code_of(program, engine);
      EXPECT_EQ(code.kernels.size(), 1u);
      for (const kernel::Kernel& k : code.kernels)
        for (const kernel::Param& param : k.params)
          EXPECT_FALSE(k.arena->info(param.name).name == "e") << kernel::print(k);
    }
  }
}

// Whose elements somebody else reads, or that can fail where nobody reads them.
TEST(Once, OtherProducersOfStencilsHaveArrays) {
  for (const char* program : {R"(program "kept" (x: f32[n]) {
         e: f32[n] = map (i < n) { exp(x[i]) }
         d: f32[n - 1] = map (i < n - 1) { e[i + 1] - e[i] }
         return d, e
       })",
                              R"(program "elsewhere" (x: f32[n]) {
         e: f32[n] = map (i < n) { exp(x[i]) }
         d: f32[n - 1] = map (i < n - 1) { e[i + 1] - e[i] + e[n - 1 - i] }
         return d
       })",
                              R"(program "fails" (x: f32[n], p: i64[m]) {
         e: f32[m] = map (i < m) { exp(x[p[i]]@1) }
         d: f32[m - 2] = map (i < m - 2) { e[i + 1] - e[i] }
         return d
       }
       sites { 1 index @"lib.cpp":3 "no {0} of {1}" })"}) {
    const Code code = code_of(program, Engine::opencl);
    EXPECT_EQ(code.kernels.size(), 2u) << code.text;
  }
}

}  // namespace
}  // namespace fulgurite::testing_lower
