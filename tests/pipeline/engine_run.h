// Programs of the array IR on the cpu engine, or on the one that FULGURITE_TEST_ENGINE names, with the
// arguments and results of the interpreter.
#pragma once

#include <fulgurite/executable.h>
#include <fulgurite/stats.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "../soac/values.h"
#include "arguments_in_parts.h"
#include "pipeline.h"
#include "plan/execute.h"

namespace fulgurite::testing_pipeline {

/// An engine that has plans; `precision` as the engine has it.
inline Options tested(Precision precision = Precision::fast) {
  const char* wanted = std::getenv("FULGURITE_TEST_ENGINE");
  const std::string_view name = wanted == nullptr ? "cpu" : wanted;
  Options options;
  options.engine = name == "opencl"     ? Engine::opencl
                   : name == "cuda"     ? Engine::cuda
                   : name == "emulator" ? Engine::emulator
                   : name == "mpi"      ? Engine::mpi
                                        : Engine::cpu;
  options.precision = precision;
  return options;
}

/// The plan run once; on ranks, two times of three with arguments of which each has a part.
inline std::vector<detail::ResultValue> execute(const plan::Loaded& loaded, std::span<const soac::Value> args,
                                                std::size_t n_results) {
  std::vector<detail::ArgumentView> views;
  ArgumentsInParts parts;
  static std::uint64_t n_calls = 0;
  const std::uint64_t call = tested().engine == Engine::mpi ? ++n_calls : 0;
  for (const soac::Value& v : args) {
    detail::ArgumentView view;
    view.kind = static_cast<std::uint8_t>(v.kind);
    view.rank = static_cast<int>(v.shape.size());
    view.data = v.bytes.data();
    view.extents = v.shape.data();
    if (v.shape.empty())
      view.bits = v.at(0);
    else if (call % 3 != 0)
      parts.give(view, v, call + views.size());
    views.push_back(view);
  }
  std::vector<detail::ResultValue> results(n_results);
  plan::execute(loaded, views, results);
  return results;
}

/// The results of a program that is loaded, in the form of the interpreter's.
inline std::vector<soac::Value> results_of(const plan::Loaded& loaded, const soac::Program& program,
                                           std::span<const soac::Value> args) {
  const std::vector<detail::ResultValue> results = execute(loaded, args, program.results.size());
  std::vector<soac::Value> values;
  for (const detail::ResultValue& r : results) {
    const auto kind = static_cast<scalar::Kind>(r.kind);
    if (r.rank == 0) {
      values.push_back(soac::Value::scalar(kind, r.bits));
      continue;
    }
    soac::Value value{kind, {r.extents, r.extents + r.rank}, {}};
    std::size_t bytes = scalar::size_of(kind);
    for (std::int64_t extent : value.shape) bytes *= static_cast<std::size_t>(extent);
    value.bytes.resize(bytes);
    if (bytes > 0) std::memcpy(value.bytes.data(), r.data.get(), bytes);
    values.push_back(std::move(value));
  }
  return values;
}

/// As results_of, where every kernel has to run on the device, by more than one of its threads.
inline std::vector<soac::Value> run_loaded(const plan::Loaded& loaded, const soac::Program& program,
                                           std::span<const soac::Value> args) {
  const Stats before = stats();
  std::vector<soac::Value> values = results_of(loaded, program, args);
  const Stats after = stats();
  if (!loaded.is_host) {
    EXPECT_EQ(after.device_launches - before.device_launches, after.launches - before.launches);
  }
  return values;
}

inline std::vector<soac::Value> run(const soac::Program& program, std::span<const soac::Value> args,
                                    const Options& options) {
  return run_loaded(pipeline::load(program, options), program, args);
}

}  // namespace fulgurite::testing_pipeline
