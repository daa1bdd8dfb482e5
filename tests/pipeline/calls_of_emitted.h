// Calls of emitted programs by an application that reads their arguments from a file, and writes their
// results to another; what the results have to be.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "cases_to_emit.h"
#include "engine_run.h"
#include "soac/interpret.h"

namespace fulgurite::emitted_programs {

inline void append(std::vector<std::byte>& to, const void* from, std::size_t bytes) {
  const auto* const begin = static_cast<const std::byte*>(from);
  to.insert(to.end(), begin, begin + bytes);
}

// Sums of floats are added in another order.
inline void expect_close(const Value& actual, const Value& expected) {
  if (!scalar::is_float(expected.kind)) {
    EXPECT_TRUE(same(actual, expected))
        << testing::PrintToString(actual) << "\ninterpreter: " << testing::PrintToString(expected);
    return;
  }
  ASSERT_EQ(actual.shape, expected.shape);
  const auto number = [&](const Value& v, std::size_t i) {
    return scalar::from_bits<double>(scalar::evaluate(scalar::Op::cast, v.kind, Kind::f64, v.at(i)));
  };
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double a = number(actual, i), b = number(expected, i);
    if (std::isnan(a) && std::isnan(b)) continue;
    if (a != b) {
      ASSERT_LE(std::abs(a - b), 1e-3 * std::max(1.0, std::abs(b))) << "element " << i;
    }
  }
}

inline std::vector<std::int64_t> sizes_of(const Case& c, std::int64_t most) {
  std::vector<std::int64_t> sizes = c.sizes;
  if (std::min(c.largest, most) > sizes.back()) sizes.push_back(std::min(c.largest, most));
  return sizes;
}

inline constexpr std::int64_t most_interpreted = 5000;
// Large arrays: whether the interpreter, or the cpu engine, computes what is expected of them.
enum class OfLarge : bool { interpreter, engine };

inline std::vector<Value> results_of(const detail::TracedProgram& traced, std::vector<Value> arguments,
                                     bool is_large, OfLarge which) {
  arguments = with_captured(traced, std::move(arguments));
  return is_large && which == OfLarge::engine
             ? testing_pipeline::run(traced.program(), arguments, Options{.engine = Engine::cpu})
             : soac::interpret(traced.program(), arguments);
}

struct Calls {
  std::vector<std::byte> arguments;
  std::vector<std::vector<Value>> expected;
  std::vector<std::string> names;
};

inline Calls calls_of(const std::vector<Case>& all, OfLarge of_large,
                      std::int64_t most = std::numeric_limits<std::int64_t>::max()) {
  Calls calls;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const detail::ToolProgram& tool = all[k].program.program();
    const auto traced = tool.trace(all[k].program.constants());
    soac::Program own = traced->program();
    own.params.resize(own.params.size() - traced->captures().size());
    for (const std::int64_t n : sizes_of(all[k], most)) {
      const std::vector<Value> arguments = all[k].arguments(own, n);
      const auto number = static_cast<std::int32_t>(k);
      append(calls.arguments, &number, sizeof number);
      for (const Value& v : arguments) {
        append(calls.arguments, v.shape.data(), v.shape.size() * sizeof v.shape[0]);
        append(calls.arguments, v.bytes.data(), v.bytes.size());
      }
      calls.expected.push_back(results_of(*traced, arguments, n > most_interpreted, of_large));
      calls.names.push_back(fmt::format("{} of {}", tool.name, n));
    }
  }
  return calls;
}

inline void expect_agreement(const std::string& compiler, const std::vector<std::byte>& results,
                             const Calls& calls) {
  SCOPED_TRACE(compiler);
  std::size_t at = 0;
  const auto take = [&](void* to, std::size_t bytes) {
    if (at + bytes > results.size()) throw std::runtime_error("results are missing");
    if (bytes > 0) std::memcpy(to, results.data() + at, bytes);
    at += bytes;
  };
  for (std::size_t k = 0; k < calls.expected.size(); ++k) {
    SCOPED_TRACE(calls.names[k]);
    for (const Value& e : calls.expected[k]) {
      Value value{e.kind, e.shape, std::vector<std::byte>(e.bytes.size())};
      take(value.shape.data(), e.shape.size() * sizeof(std::int64_t));
      ASSERT_EQ(value.shape, e.shape);
      take(value.bytes.data(), value.bytes.size());
      expect_close(value, e);
    }
  }
  EXPECT_EQ(at, results.size());
}

}  // namespace fulgurite::emitted_programs
