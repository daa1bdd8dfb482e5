// The rows of docs/semantics.md that say which sums take a product without rounding it first.
#pragma once

#include "semantics_row.h"

namespace fulgurite::soac {

inline void add_contraction_rows(std::vector<SemanticsRow>& rows) {
  auto add = [&](SemanticsRow row) { rows.push_back(std::move(row)); };
  add(elementwise<float, float>("contraction", "fma(a, b, -1f)", {1.f / 3, 0.1f}, {3, 10},
                                {std::fma(1.f / 3, 3.f, -1.f), std::fma(0.1f, 10.f, -1.f)}));
  // Products whose rounding shows: (1 + e)^2 is 1 + 2e + e^2, of which the last is rounded off.
  const float e = 0x1p-12f, one_e = 1 + e, square = 1 + 2 * e;
  const auto contracts = [&](std::string name, const std::string& expression, float rounded,
                             float contracted) {
    SemanticsRow row =
        elementwise<float, float>(std::move(name), expression, {one_e, 3}, {-square, 0}, {rounded, 9});
    row.contracted = {array_value<float>({contracted, 9})};
    add(row);
  };
  contracts("contraction", "a * a + b", 0, e * e);
  contracts("contraction", "a * a - -b", 0, e * e);
  contracts("contraction", "b - a * -a", 0, e * e);
  contracts("contraction", "b - -(a * a)", 0, e * e);
  add(elementwise<float, float>("contraction_of_two", "a * b - (a * 2f) * (b * 0.5f)", {0.1f, one_e, 7},
                                {0.3f, one_e, -0.7f}, {0, 0, 0}));
  add(elementwise<float, float>("contraction_of_two", "abs(a * b) - abs((a * 2f) * (b * 0.5f))",
                                {0.1f, one_e, 7}, {0.3f, one_e, -0.7f}, {0, 0, 0}));
  add(elementwise<float, float>("contraction_of_two",
                                "select(a < b, a * b, b * (a * 1.5f)) - (a * 2f) * (b * 0.5f)", {0.1f, one_e},
                                {0.3f, one_e + 1}, {0, 0}));
  add(elementwise<float, float>("contraction_of_shared", "(a * b - a) + (a * b) / 2f", {one_e}, {one_e},
                                {(square - one_e) + square / 2}));
  {
    SemanticsRow row{
        "contraction_of_arrays",
        "program(x: f32[n], y: f32[m]) { p: f32[n] = map (i < n) { x[i] * x[i] } s: f32[n] = map "
        "(i_1 < n) { y[i_1] + p[i_1] } q: f32[n] = map (i_2 < n) { x[i_2] * x[i_2] } t: f32[n] = "
        "map (i_3 < n) { q[i_3] + y[i_3] } u: f32[n] = map (i_4 < n) { q[i_4] - p[i_4] } return s, "
        "t, u }",
        {array_value<float>({one_e, 3}), array_value<float>({-square, 0})},
        {array_value<float>({0, 9}), array_value<float>({0, 9}), array_value<float>({0, 0})}};
    add(row);  // both products are used twice
    row.program =
        "program(x: f32[n], y: f32[m]) { p: f32[n] = map (i < n) { x[i] * x[i] } s: f32[n] = map (i_1 < n) { "
        "y[i_1] + p[i_1] } return s }";
    row.results = {array_value<float>({0, 9})};
    row.contracted = {array_value<float>({e * e, 9})};
    add(row);
  }
  add(elementwise<float, float>("same_bits", "fma(a, a, b)", {one_e}, {-square}, {e * e}));
  contracts("same_bits", "a * a + b", 0, e * e);
}

}  // namespace fulgurite::soac
