// What tests of the public interface state about the structure of a program on the CPU: how many kernels,
// what these read and write, which arrays are left in memory; by what `explain` says and by counting at run
// time.
#pragma once

#include <fulgurite/explain.h>
#include <fulgurite/stats.h>

#include "engines.h"

namespace structure {

/// The bytes that a kernel reads and writes, as explain shows them: in terms of the sizes of parameters,
/// which are named a, b ... in order (scalars) or n, m ... (extents).
struct Moved {
  const char *read, *written;
};

struct Structure {
  const char* summary = "1 kernel, no intermediate array";  // as explain says it
  std::uint64_t launches = 1;                               // of each call
};

/// Each call allocates the results, and at most `spare` bytes more.
template <class F, class... Arguments>
void expect_structure(F f, Structure structure, std::size_t result_bytes, std::size_t spare,
                      const Arguments&... arguments) {
  const auto compiled = fg::compile(f, {.engine = fg::Engine::cpu});
  const std::string text = fg::explanation(compiled);
  EXPECT_NE(text.find(" in " + std::string(structure.summary) + "\n"), std::string::npos) << text;
  const auto before = fg::stats();
  [[maybe_unused]] const auto result = compiled(arguments...);
  const auto after = fg::stats();
  EXPECT_EQ(after.launches - before.launches, structure.launches);
  EXPECT_GE(after.bytes_allocated - before.bytes_allocated, result_bytes);
  EXPECT_LE(after.bytes_allocated - before.bytes_allocated, result_bytes + spare);
}

/// One kernel, which reads and writes so many bytes; each call launches it `launches` times and allocates no
/// memory but for the results and 64 KiB.
template <class F, class... Arguments>
void expect_kernel_launched(F f, std::uint64_t launches, Moved moved, std::size_t result_bytes,
                            const Arguments&... arguments) {
  expect_structure(f, {.launches = launches}, result_bytes, 64u << 10, arguments...);
  const std::string text = fg::explanation(fg::compile(f, {.engine = fg::Engine::cpu}));
  const std::string moves = std::string("reads ") + moved.read + " bytes, writes " + moved.written + "\n";
  EXPECT_NE(text.find(moves), std::string::npos) << text;
}

template <class F, class... Arguments>
void expect_one_kernel(F f, Moved moved, std::size_t result_bytes, const Arguments&... arguments) {
  expect_kernel_launched(f, 1, moved, result_bytes, arguments...);
}

}  // namespace structure
