// Programs under policies, each of which walks them in another way.
#pragma once

#include "engines.h"

#include <span>
#include <string>

/// test(compiled) for the program on every engine; on cpu under each of the policies, of which "" is the
/// usual one, on those that run blocks of threads under each of `of_blocks`, on the interpreter under none.
template <class F, class Test>
void on_every_engine_and_policy(std::span<const char* const> policies, F f, Test test,
                                std::span<const char* const> of_blocks = {}) {
  static constexpr const char* usual[] = {""};
  for (const auto& [name, engine] : tested_engines()) {
    const bool has_blocks =
        engine == fg::Engine::emulator || engine == fg::Engine::opencl || engine == fg::Engine::cuda;
    const std::span<const char* const> others = has_blocks && !of_blocks.empty() ? of_blocks : usual;
    for (const char* policy : engine == fg::Engine::cpu ? policies : others) {
      SCOPED_TRACE("engine " + name + ", policy " + policy);
      test(fg::compile(f, {.engine = engine, .policy = policy}));
    }
  }
}
