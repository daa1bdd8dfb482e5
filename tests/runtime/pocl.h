// PoCL as tests want it: nothing of the user's cache, and a machine that it understands.
#pragma once

#include <cstdlib>

#include "temporary_directory.h"
#include "topology.h"

namespace fulgurite::runtime::test {

// Before the process first asks for OpenCL.
inline void prepare_pocl() {
  static const TemporaryDirectory cache;
  setenv("POCL_CACHE_DIR", cache.path().c_str(), 1);
  tell_topology();
}

}  // namespace fulgurite::runtime::test
