// PoCL as tests want it: nothing of the user's cache, and a machine that it understands.
#pragma once

#include <cstdlib>
#include <filesystem>

#include "kernels.h"

namespace fulgurite::runtime::test {

// Before the process first asks for OpenCL.
inline void prepare_pocl() {
  static const TemporaryDirectory cache;
  setenv("POCL_CACHE_DIR", cache.path().c_str(), 1);
  // Where there is no /sys, as in a bare root file system, PoCL's topology library finds no memory, and PoCL
  // aborts.
  if (!std::filesystem::exists("/sys/devices"))
    setenv("HWLOC_SYNTHETIC", "NUMANode:1(memory=4GB) core:2 pu:1", 0);
}

}  // namespace fulgurite::runtime::test
