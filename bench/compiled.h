// A program of ours as benchmarks call it. Checks are on. Results are fresh arrays out of the pool, as every
// call returns them; those of the call before have gone back to the pool, so that ours, like the peers, write
// over what they wrote before.
#pragma once

#include <fulgurite/fulgurite.h>

namespace bench {

namespace fg = fulgurite;

// Compiled once, at its first call, with the last result. Without fusion every operation is a kernel.
template <auto function, bool fuse = true, fg::Engine (*engine)() = fg::default_engine>
struct Program {
  using Compiled = decltype(fg::compile(function));
  static const Compiled& compiled() {
    static const Compiled program = fg::compile(function, {.engine = engine(), .fuse = fuse});
    return program;
  }
  static inline typename Compiled::Result result{};
  template <class... Arguments>
  static void run(const Arguments&... arguments) {
    result = {};
    result = compiled()(arguments...);
  }
};

}  // namespace bench
