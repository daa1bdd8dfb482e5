// Tests of the public interface run on every engine that this machine has, or on the one that
// FULGURITE_TEST_ENGINE names.
#pragma once

#include <fulgurite/fulgurite.h>

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "../runtime/topology.h"

namespace fg = fulgurite;
using fg::Exp, fg::Mat, fg::Vec;

inline const bool topology_is_told = fulgurite::runtime::test::tell_topology();

/// Whether this machine has a CUDA device and a compiler for it.
inline bool has_cuda() {
  static const bool has = [] {
    try {
      return fg::compile([](Exp<int> x) { return x + 1; }, {.engine = fg::Engine::cuda})(1) == 2;
    } catch (const fg::DeviceError&) {
      return false;
    }
  }();
  return has;
}

inline std::vector<std::pair<std::string, fg::Engine>> tested_engines() {
  std::vector<std::pair<std::string, fg::Engine>> usual = {{"interpreter", fg::Engine::interpreter},
                                                           {"cpu", fg::Engine::cpu}};
  const std::vector<std::pair<std::string, fg::Engine>> others = {
      {"opencl", fg::Engine::opencl}, {"emulator", fg::Engine::emulator}, {"mpi", fg::Engine::mpi}};
  const char* wanted = std::getenv("FULGURITE_TEST_ENGINE");
  // Where it is asked for, a device that is not there fails the tests.
  if (wanted == nullptr ? has_cuda() : std::string(wanted) == "cuda")
    usual.emplace_back("cuda", fg::Engine::cuda);
  if (wanted == nullptr) return usual;
  for (const auto& engine : usual)
    if (engine.first == wanted) return {engine};
  for (const auto& engine : others)
    if (engine.first == wanted) return {engine};
  return {};
}

/// While it lives no kernel runs but on a device that is not the host, by more than one of its threads.
class ParallelOnDevice {
 public:
  explicit ParallelOnDevice(fg::Engine engine)
      : is_device_(engine != fg::Engine::cpu && engine != fg::Engine::interpreter &&
                   engine != fg::Engine::mpi) {}
  ~ParallelOnDevice() {
    if (!is_device_) return;
    const fg::Stats after = fg::stats();
    EXPECT_EQ(after.device_launches - before_.device_launches, after.launches - before_.launches);
  }
  ParallelOnDevice(const ParallelOnDevice&) = delete;

 private:
  bool is_device_;
  fg::Stats before_ = fg::stats();
};

/// test(fg::compile(f)) on every engine.
template <class F, class Test>
void on_every_engine(F f, Test test) {
  for (const auto& [name, engine] : tested_engines()) {
    SCOPED_TRACE("engine " + name);
    const ParallelOnDevice is_parallel(engine);
    test(fg::compile(f, {.engine = engine}));
  }
}

/// The message of the error of type E that `f` throws; anything else fails the test.
template <class E, class F>
std::string message_of(F f) {
  try {
    f();
  } catch (const E& e) {
    return e.what();
  } catch (const std::exception& e) {
    ADD_FAILURE() << "another error: " << e.what();
    return "";
  }
  ADD_FAILURE() << "no error";
  return "";
}
template <class T>
std::vector<T> vector_of(const fg::Array<T, 1>& array) {
  return array.to_vector();
}
template <class T>
std::vector<T> vector_of(const fg::Array<T, 2>& array) {
  return array.to_vector();
}
