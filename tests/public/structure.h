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

/// One kernel and no intermediate array, says explain; each call launches it `launches` times and allocates
/// no memory but for the results and 64 KiB.
template <class F, class... Arguments>
void expect_kernel_launched(F f, std::uint64_t launches, Moved moved, std::size_t result_bytes,
                            const Arguments&... arguments) {
  const auto compiled = fg::compile(f, {.engine = fg::Engine::cpu});
  const std::string text = fg::explanation(compiled);
  const auto says = [&](const std::string& part) { return text.find(part) != std::string::npos; };
  EXPECT_TRUE(says(" in 1 kernel, no intermediate array\n")) << text;
  EXPECT_TRUE(says(std::string("reads ") + moved.read + " bytes, writes " + moved.written + "\n")) << text;

  const auto before = fg::stats();
  [[maybe_unused]] const auto result = compiled(arguments...);
  const auto after = fg::stats();
  EXPECT_EQ(after.launches - before.launches, launches);
  EXPECT_GE(after.bytes_allocated - before.bytes_allocated, result_bytes);
  EXPECT_LE(after.bytes_allocated - before.bytes_allocated, result_bytes + (64u << 10));
}

template <class F, class... Arguments>
void expect_one_kernel(F f, Moved moved, std::size_t result_bytes, const Arguments&... arguments) {
  expect_kernel_launched(f, 1, moved, result_bytes, arguments...);
}

}  // namespace structure
