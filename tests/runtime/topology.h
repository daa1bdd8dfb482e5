// Where there is no /sys, as in a bare root file system, PoCL's topology library finds no memory, and PoCL
// aborts: what tests tell it then.
#pragma once

#include <cstdlib>
#include <filesystem>

namespace fulgurite::runtime::test {

/// Before the process first asks for OpenCL. Gives true, for variables that are set before main.
inline bool tell_topology() {
  if (!std::filesystem::exists("/sys/devices"))
    setenv("HWLOC_SYNTHETIC", "NUMANode:1(memory=4GB) core:2 pu:1", 0);
  return true;
}

}  // namespace fulgurite::runtime::test
