// Machines for which tests look at what programs are compiled to, whatever they run on.
#pragma once

#include "pipeline.h"

namespace fulgurite::testing_pipeline {

struct Machine {
  const char* name;
  Engine engine;
  runtime::Description device;
};

inline runtime::Description processor(int vector_bytes, std::size_t cache = std::size_t{32} << 20) {
  return {.engine = "cpu",
          .name = "a processor",
          .n_cores = 8,
          .memory = std::size_t{16} << 30,
          .last_level_cache = cache,
          .vector_bytes = vector_bytes,
          .is_host = true};
}

/// `as_cuda`: its blocks wait for others, and it says how many run at once.
inline runtime::Description accelerator(const char* engine, bool as_cuda) {
  return {.engine = engine,
          .name = "a device",
          .n_cores = 64,
          .memory = std::size_t{16} << 30,
          .last_level_cache = std::size_t{4} << 20,
          .vector_bytes = 16,
          .is_host = false,
          .blocks_wait = as_cuda,
          .tells_occupancy = as_cuda};
}

}  // namespace fulgurite::testing_pipeline
