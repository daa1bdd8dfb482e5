// Programs under policies of the cpu engine, each of which walks them in another way.
#pragma once

#include "engines.h"

#include <span>
#include <string>

/// test(compiled) for the program on every engine; on cpu under each of the policies, of which "" is the
/// usual one, on the others under that alone.
template <class F, class Test>
void on_every_engine_and_policy(std::span<const char* const> policies, F f, Test test) {
  for (const auto& [name, engine] : tested_engines())
    for (const char* policy : policies) {
      if (*policy != '\0' && engine != fg::Engine::cpu) continue;
      SCOPED_TRACE("engine " + name + ", policy " + policy);
      test(fg::compile(f, {.engine = engine, .policy = policy}));
    }
}
