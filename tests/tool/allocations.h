// Sweeps over failing allocations: allocation_program, run as a process of its own.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "../runtime/temporary_directory.h"
#include "../runtime/topology.h"
#include "process.h"

namespace test {

/// Runs a sweep (allocation_program.cpp says what the words mean) without a cache of kernels or with one that
/// has all.
inline void expect_sound(const std::string& program, const std::string& words, bool is_cache_warm = false) {
  namespace fs = std::filesystem;
  fulgurite::runtime::test::tell_topology();
  const fulgurite::runtime::test::TemporaryDirectory directory;
  const fs::path folder = directory.path(), out = folder / "out.txt";
  const std::string command = "FULGURITE_CACHE='" + (is_cache_warm ? (folder / "cache").string() : "") +
                              "' FULGURITE_THREADS=1 timeout 300 '" + program + "' " + words;
  const Outcome run = shell(command, out);
  EXPECT_EQ(run.status, 0) << words << "\n" << run.out;
  EXPECT_NE(run.out.find("tried "), std::string::npos) << words << "\n" << run.out;
}

}  // namespace test
