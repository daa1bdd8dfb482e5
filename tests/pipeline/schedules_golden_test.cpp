// The schedules that docs/schedules.md prints are those that are decided. `./dev golden` rewrites them.
#include <fulgurite/fulgurite.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "machines.h"
#include "schedule/print.h"
#include "soac/parse.h"
#include "tool/explanation.h"
#include "trace/traced.h"

namespace fulgurite::testing_pipeline {
namespace {

// Programs by the names of the page, as they are after fusion.
struct Page {
  const char *name, *program;
};
const Page pages[] = {{"sum", R"(program (x: f32[n]) {
  s: f32 = redomap (i < n) { x[i] } reduce add comm neutral 0f
  return s
})"},
                      {"transpose", R"(program (x: f32[n, m]) {
  y: f32[m, n] = map (i < m, j < n) { x[j, i] }
  return y
})"},
                      {"row softmax", R"(program (x: f32[n, m]) {
  y: f32[n, m] = map (i < n) {
    top: f32 = redomap (j < m) { x[i, j] } reduce max comm neutral f32:-inf
    total: f32 = redomap (j < m) { exp(x[i, j] - top) } reduce add comm neutral 0f
    row: f32[m] = map (j < m) { exp(x[i, j] - top) / total }
    return row
  }
  return y
})"},
                      {"column sums", R"(program (x: f32[n, m]) {
  y: f32[m] = map (j < m) {
    s: f32 = redomap (i < n) { x[i, j] } reduce add comm neutral 0f
    return s
  }
  return y
})"},
                      {"column scans", R"(program (x: f32[n, m]) {
  y: f32[n, m] = map (j < m) {
    line: f32[n] = redomap (i < n) {
      s: f32 = scan (x[i, j]) add comm neutral 0f
      return s
    }
    return line
  } behind 1
    return y
  })"},
                      {"row sums", R"(program (x: f32[n, m]) {
  y: f32[n] = map (i < n) {
    s: f32 = redomap (j < m) { x[i, j] } reduce add comm neutral 0f
    return s
  }
  return y
})"},
                      {"scan", R"(program (x: i32[n]) {
  y: i32[n] = redomap (i < n) {
    s: i32 = scan (x[i]) add comm neutral 0i32
    return s
  }
  return y
})"},
                      {"histogram", R"(program (x: i64[n]) {
  h: i32[256] = redomap (i < n) { return x[i], 1i32 } scatter (256) (b: i64) { 0i32 } combine add comm neutral 0i32
  return h
})"},
                      {"stencil", R"(program (x: f32[n]) {
  y: f32[n - 2] = map (i < n - 2) { 0.25f * x[i] + 0.5f * x[i + 1] + 0.25f * x[i + 2] }
  return y
})"},
                      {"edges", R"(program (u: f32[n, m]) {
  y: f32[n, m] = map (i < n, j < m) {
    v: f32 = if 0 < i & i < n - 1 & 0 < j & j < m - 1 {
      return 0.25f * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
    } else { u[i, j] }
    return v
  }
  return y
})"},
                      {"divided indices", R"(program (x: f32[n], w: f32[m], k: i64) {
  y: f32[n] = map (i < n) { x[i] * w[i % max(k, 1)]@1 }
  return y
}
sites {
  1 index "index {0} at position {at} is outside {range}"
})"},
                      {"interleaved points", R"(program (x: f32[n], w: f32[m]) {
  y: f32[n * 2] = map (i < n * 2) { select(i % 2 == 0, x[i / 2]@1, w[i / 2]@1) }
  return y
}
sites {
  1 index "index {0} at position {at} is outside {range}"
})"},
                      {"butterflies", R"(program (x: f32[n], w: f32[k], m: i64) {
  y: f32[n] = map (i < n) {
    let low = i / max(m, 1) / 2 * max(m, 1) + i % max(m, 1)
    let product = x[low + n / 2]@1 * w[i % max(m, 1)]@1
    return select(i / max(m, 1) % 2 == 0, x[low]@1 + product, x[low]@1 - product)
  }
  return y
}
sites {
  1 index "index {0} at position {at} is outside {range}"
})"},
                      {"convolution", R"(program (x: f32[n], w: f32[k]) {
  y: f32[n - k + 1] = map (i < n - k + 1) {
    s: f32 = redomap (l < k) { x[i + l] * w[l] } reduce add comm neutral 0f
    return s
  }
  return y
})"},
                      {"small arrays", R"(program (x: f32[n, m], c: f32[n1, m1, m2]) {
  y: f32[n, 2] = map (i < n) {
    row: f32[2] = map (j < 2) { x[i, j] }
    last: f32[2] = loop (row) times 2 do (k: i64, s: f32[2]) {
      next: f32[2] = map (l < 2) { s[l] + c[i, l, k] * s[1 - l] }
      return next
    }
    return last
  }
  return y
})"},
                      {"rows that change", R"(program (x: f32[n, m]) {
  y: f32[n, m] = map (i < n) {
    row: f32[m] = map (j < m) { x[i, j] }
    last: f32[m] = loop (row) times m - 1 do (k: i64, s: f32[m]) {
      check 0 <= k & k < m site 1 (k, m)
      moved: f32[m] = redomap (l < 1) { k, s[k + 1] } scatter unordered (m) (q: i64) { s[q] }
      both: f32[m] = redomap (l < 1) { k + 1, s[k] } scatter unordered (m) (q: i64) { moved[q] }
      next: f32[m] = redomap (l < 1) { k, both[k] - row[k] } scatter unordered (m) (q: i64) { both[q] }
      return next
    }
    return last
  }
  return y
}
sites {
  1 index "with: index {0} is outside an array of {1}"
})"},
                      {"matrix product", R"(program (a: f32[n, k], b: f32[k1, m]) {
  c: f32[n, m] = map (i < n, j < m) {
    s: f32 = redomap (l < k) { a[i, l] * b[l, j] } reduce add comm neutral 0f
    return s
  }
  return c
})"},
                      {"symmetric product", R"(program (a: f32[k, n]) {
  c: f32[n, n] = map (i < n, j < n) {
    s: f32 = redomap (l < k) { a[l, i] * a[l, j] } reduce add comm neutral 0f
    return s
  }
  return c
})"},
                      {"small products", R"(program (a: f32[p, n, k], b: f32[p1, k1, m]) {
  c: f32[p, 17, 17] = map (q < p, i < 17, j < 17) {
    s: f32 = redomap (l < 31) { a[q, i, l] * b[q, l, j] } reduce add comm neutral 0f
    return s
  }
  return c
})"},
                      {"product of bytes", R"(program (a: u8[n, k], b: i8[k1, m]) {
  c: i32[n, m] = map (i < n, j < m) {
    s: i32 = redomap (l < k) { i32(a[i, l]) * i32(b[l, j]) } reduce add comm neutral 0i32
    return s
  }
  return c
})"}};

std::string schedules_of(const Page& page, const Machine& machine) {
  const soac::Program program = soac::parse(page.program);
  const pipeline::Report report = pipeline::compile(program, {.engine = machine.engine}, machine.device);
  std::string text;
  for (const lower::LaunchNote& note : report.lowered.notes)
    if (note.launch) text += schedule::print(*report.optimised.arena, *note.launch);
  return text;
}

std::string read(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

Acc<float, 1> row_norms(Acc<float, 2> m) {
  return map([](Acc<float, 1> row) { return sqrt(sum(row * row)); }, rows(m));
}

// Its phases in words, as explain prints them.
std::string explained(const Machine& machine) {
  const soac::Program program = compile(row_norms, {.engine = Engine::interpreter}).traced()->program();
  std::istringstream told(tool::to_text(
      tool::explanation_of(pipeline::compile(program, {.engine = machine.engine}, machine.device))));
  std::string text;
  for (std::string line; std::getline(told, line);)
    if (line.starts_with("  phase ") || (line.starts_with("    ") && line[4] != ' ')) text += line + '\n';
  return text;
}

// The page with the block of code after a mark replaced: <!-- MARK --> and a line with three back quotes.
std::string replaced(std::string page, const std::string& mark, const std::string& text) {
  const std::string begins = "<!-- " + mark + " -->\n```\n";
  const std::size_t begin = page.find(begins);
  if (begin == page.npos) {
    ADD_FAILURE() << "docs/schedules.md has no " << begins;
    return page;
  }
  const std::size_t from = begin + begins.size();
  return page.replace(from, page.find("```\n", from) - from, text);
}

TEST(SchedulesGolden, StandInTheDocs) {
  const std::string path = FULGURITE_TEST_DATA "/../../docs/schedules.md";
  const std::string before = read(path);
  std::string text = before;
  const Machine machines[] = {{"cpu", Engine::cpu, processor(64)},
                              {"cuda", Engine::cuda, accelerator("cuda", true)}};
  for (const Machine& machine : machines) {
    text = replaced(text, std::string("explained, ") + machine.name, explained(machine));
    for (const Page& page : pages)
      text = replaced(text, std::string("schedule ") + page.name + ", " + machine.name,
                      schedules_of(page, machine));
  }
  if (std::getenv("FULGURITE_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << text;
  EXPECT_EQ(read(path), text) << "docs/schedules.md prints other schedules than are decided: ./dev golden";
}

}  // namespace
}  // namespace fulgurite::testing_pipeline
