// A row of docs/semantics.md as a program.
#pragma once

#include "values.h"

namespace fulgurite::soac {

struct SemanticsRow {
  std::string name;
  std::string program;
  std::vector<Value> args;
  std::vector<Value> results;
  std::string error = "";    // kind of the error that is raised instead: "IndexError"
  std::string message = "";  // its message
  /// Under Precision::fast, on hardware with fused multiply-add, where that is not `results`.
  std::vector<Value> contracted = {};
  const std::vector<Value>& results_under(bool is_fast) const {
    return is_fast && !contracted.empty() ? contracted : results;
  }
};

/// A program of one map over x and y of one kind: elements of `results`, separated by commas, in terms of a
/// and b.
template <class A, class R>
SemanticsRow elementwise(std::string name, const std::string& expression, const std::vector<A>& a,
                         const std::vector<A>& b, const std::vector<R>& result) {
  const std::string in(scalar::name_of(kind_of<A>)), out(scalar::name_of(kind_of<R>));
  return {std::move(name),
          "program(x: " + in + "[n], y: " + in + "[m]) { r: " + out +
              "[n] = map (i < n) { let a = x[i] let b = y[i] return " + expression +
              " } return r } sites { 1 arithmetic @\"row.cpp\":1 \"zero divisor\" }",
          {array_value(a), array_value(b)},
          {array_value(result)}};
}
template <class A, class R>
SemanticsRow elementwise(std::string name, const std::string& expression, const std::vector<A>& a,
                         const std::vector<R>& result) {
  return elementwise(std::move(name), expression, a, a, result);
}

}  // namespace fulgurite::soac
