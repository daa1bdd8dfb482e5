// The table of engines: each has a row, and what is asked of rows is found.
#include "engines/engines.h"

#include <fulgurite/error.h>

#include <gtest/gtest.h>

#include <set>

namespace fulgurite::engines {
namespace {

TEST(Engines, EachHasARowUnderItsName) {
  std::set<std::string_view> found;
  for (const Row& r : all()) {
    EXPECT_EQ(&row(r.engine), &r);
    EXPECT_EQ(named(r.name), &r);
    EXPECT_NE(r.device, nullptr) << r.name;
    found.insert(r.name);
  }
  EXPECT_EQ(found, (std::set<std::string_view>{"cpu", "interpreter", "opencl", "cuda", "emulator", "mpi"}));
  EXPECT_EQ(names(), "cpu, interpreter, opencl, cuda, emulator or mpi");
}

TEST(Engines, WhatNoneIsIsNotFound) {
  EXPECT_THROW(row(static_cast<Engine>(99)), DeviceError);
  EXPECT_EQ(named("gpu"), nullptr);
  EXPECT_EQ(of_language("fortran"), nullptr);
  EXPECT_EQ(of_memory(dlpack::DeviceType::cpu), nullptr) << "memory of the host is no engine's";
}

TEST(Engines, AreFoundByWhatTheyRun) {
  EXPECT_EQ(of_language("c")->engine, Engine::cpu);
  EXPECT_EQ(of_language("cuda")->engine, Engine::cuda);
  EXPECT_EQ(of_target(bundled::TargetEngine::opencl)->engine, Engine::opencl);
  EXPECT_EQ(of_memory(dlpack::DeviceType::cuda)->engine, Engine::cuda);
}

TEST(Engines, ThatHaveOneDeviceRefuseOthers) {
  for (const Engine engine : {Engine::cpu, Engine::interpreter, Engine::emulator}) {
    EXPECT_EQ(&device_of(engine, 0), &device_of(engine, -1));
    EXPECT_THROW(device_of(engine, 1), DeviceError);
  }
}

}  // namespace
}  // namespace fulgurite::engines
