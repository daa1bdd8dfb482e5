// Programs of the array IR, as text, against the interpreter: on the cpu engine, or on the one that
// FULGURITE_TEST_ENGINE names.
#pragma once

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "../pipeline/engine_run.h"
#include "soac/parse.h"
#include "soac/print.h"

namespace fulgurite::testing_lower {

using soac::array_value;
using soac::scalar_value;
using soac::Value;

inline Options strict() {
  return testing_pipeline::tested(Precision::strict);
}

/// n small integers as elements of type T.
template <class T>
std::vector<T> numbers(std::int64_t n, int below, unsigned seed = 1) {
  std::minstd_rand random(seed);
  std::vector<T> list;
  for (std::int64_t i = 0; i < n; ++i)
    list.push_back(static_cast<T>(random() % static_cast<unsigned>(below)));
  return list;
}

/// The program as it was loaded gives the interpreter's bits for each of the lists of arguments.
inline void expect_agreement_of(const plan::Loaded& loaded, const soac::Program& program,
                                const std::vector<std::vector<Value>>& arguments) {
  for (const std::vector<Value>& args : arguments) {
    const std::vector<Value> expected = soac::interpret(program, args);
    const std::vector<Value> got = testing_pipeline::run_loaded(loaded, program, args);
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t i = 0; i < got.size(); ++i)
      EXPECT_TRUE(soac::same(got[i], expected[i]))
          << "result " << i << " is " << testing::PrintToString(got[i]) << " and should be "
          << testing::PrintToString(expected[i]) << "\n"
          << soac::print(program);
  }
}

/// The program of the text, compiled once.
inline void expect_agreement_for(const std::string& text, const std::vector<std::vector<Value>>& arguments,
                                 const Options& options = strict()) {
  const soac::Program program = soac::parse(text, "test.soac");
  expect_agreement_of(pipeline::load(program, options), program, arguments);
}

/// Expects agreement for one list of arguments.
inline void expect_agreement(const std::string& text, const std::vector<Value>& args) {
  expect_agreement_for(text, {args});
}

/// Around vectors, what all lanes take at a time in runs, and tiles, for vectors of 16 to 64 bytes.
inline const std::vector<std::int64_t> run_sizes = {
    0,    1,    2,    3,    7,    8,    15,   16,    17,    31,    32,    33,    63,    64,    65,    127,
    128,  129,  255,  256,  257,  300,  511,  512,   513,   767,   768,   1000,  1023,  1024,  1025,  4095,
    4096, 4097, 7679, 7680, 7681, 8192, 9999, 15871, 15872, 15873, 16127, 16128, 16129, 20000, 50001, 100003};
inline std::vector<std::int64_t> not_empty() {
  return {run_sizes.begin() + 1, run_sizes.end()};
}

/// Expects agreement for vectors of these sizes, of integers below a bound.
template <class T>
void expect_agreement_on(const std::string& text, const std::vector<std::int64_t>& of = run_sizes,
                         int below = 1000) {
  std::vector<std::vector<Value>> arguments;
  for (std::int64_t n : of) arguments.push_back({array_value(numbers<T>(n, below))});
  expect_agreement_for(text, arguments);
}

/// A program of pointers (x: i32[n]) into a table (y: T[50]), which are checked: gives the interpreter's
/// bits, and reports the first pointer that is outside.
template <class T>
void expect_checked_pointers(const std::string& text) {
  const soac::Program program = soac::parse(text, "test.soac");
  const plan::Loaded loaded = pipeline::load(program, strict());
  const Value table = array_value(numbers<T>(50, 1000));
  for (std::int64_t n : {1, 600, 40000}) {
    std::vector<std::int32_t> pointers = numbers<std::int32_t>(n, 50);
    std::vector<Value> args{array_value(pointers), table};
    const std::vector<Value> expected = soac::interpret(program, args),
                             got = testing_pipeline::run_loaded(loaded, program, args);
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_TRUE(soac::same(got[i], expected[i])) << i;
    for (std::int64_t at : {n - 1, n / 2, n / 3}) {
      pointers[static_cast<std::size_t>(at)] = 50 + static_cast<std::int32_t>(at % 7);
      args[0] = array_value(pointers);
      try {
        testing_pipeline::run_loaded(loaded, program, args);
        ADD_FAILURE() << "nothing was found";
      } catch (const IndexError& error) {
        EXPECT_NE(std::string(error.what()).find("at " + std::to_string(at)), std::string::npos)
            << error.what();
      }
    }
  }
}

/// Around vectors, blocks and tiles.
inline const std::vector<std::int64_t> sizes = {0, 1, 2, 15, 16, 17, 63, 64, 65, 1000, 16384, 16385, 50000};

}  // namespace fulgurite::testing_lower
