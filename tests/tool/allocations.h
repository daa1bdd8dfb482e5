// Sweeps over failing allocations: allocation_program, run as a process of its own.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "process.h"

namespace test {

/// Runs a sweep (allocation_program.cpp says what the words mean) without a cache of kernels or with one that
/// has all.
inline void expect_sound(const std::string& program, const std::string& words, bool is_cache_warm = false) {
  namespace fs = std::filesystem;
  std::string pattern = (fs::temp_directory_path() / "allocations_XXXXXX").string();
  ASSERT_NE(mkdtemp(pattern.data()), nullptr);
  const fs::path folder = pattern, out = folder / "out.txt";
  // PoCL aborts where its topology library finds no memory, as in a bare root file system.
  const std::string machine =
      fs::exists("/sys/devices") ? "" : "HWLOC_SYNTHETIC='NUMANode:1(memory=4GB) core:2 pu:1' ";
  const std::string command = machine + "FULGURITE_CACHE='" +
                              (is_cache_warm ? (folder / "cache").string() : "") +
                              "' FULGURITE_THREADS=1 timeout 300 '" + program + "' " + words;
  const Outcome run = shell(command, out);
  EXPECT_EQ(run.status, 0) << words << "\n" << run.out;
  EXPECT_NE(run.out.find("tried "), std::string::npos) << words << "\n" << run.out;
  fs::remove_all(folder);
}

}  // namespace test
