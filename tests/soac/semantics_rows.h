// The rows of docs/semantics.md as programs with arguments and what must come out: exact values (but for
// which NaN) or an error. Run on every engine. Rows that are bounds or promises about several runs (ulp_2,
// float_sum_error ...) are tests of their own.
#pragma once

#include "contraction_rows.h"
#include "ragged_rows.h"

namespace fulgurite::soac {

inline std::vector<SemanticsRow> semantics_rows() {
  using i8 = std::int8_t;
  using i32 = std::int32_t;
  using i64 = std::int64_t;
  using u8 = std::uint8_t;
  using u32 = std::uint32_t;
  using u64 = std::uint64_t;
  const float inf = INFINITY, nan = NAN, tiny = 1e-40f;
  const i32 least = INT32_MIN, greatest = INT32_MAX;
  std::vector<SemanticsRow> rows;
  auto add = [&](SemanticsRow row) { rows.push_back(std::move(row)); };

  // Integers and booleans.
  add(elementwise<i8, i8>("integer_wraps", "a + b", {127, -128, 100}, {1, -1, 100}, {-128, 127, -56}));
  add(elementwise<i32, i32>("integer_wraps", "a * b - a", {greatest, least, 65536}, {2, -1, 65536},
                            {static_cast<i32>(0x7fffffffu), 0, -65536}));
  add(elementwise<i32, i32>("integer_wraps", "abs(a) + -b", {least, -5, least}, {0, 3, least},
                            {least, 2, 0}));
  add(elementwise<u8, u8>("integer_wraps", "a - b", {0, 5}, {1, 250}, {255, 11}));
  add(elementwise<i32, i32>("integer_division", "a /@1 b", {-7, 7, -7, 7}, {2, -2, -2, 2}, {-3, -3, 3, 3}));
  add(elementwise<i32, i32>("integer_division", "a %@1 b", {-7, 7, -7, 7}, {2, -2, -2, 2}, {-1, 1, -1, 1}));
  add(elementwise<i64, i64>("integer_division", "a /@1 b", {INT64_MAX, -9, 9007199254740993}, {3, 2, 1},
                            {INT64_MAX / 3, -4, 9007199254740993}));
  add(elementwise<u64, u64>("integer_division", "a /@1 b", {UINT64_MAX, UINT64_MAX}, {2, UINT64_MAX},
                            {UINT64_MAX / 2, 1}));
  add(elementwise<i32, i32>("integer_minimum_divided", "a /@1 b", {least, least}, {-1, 1}, {least, least}));
  add(elementwise<i32, i32>("integer_minimum_divided", "a %@1 b", {least, least}, {-1, 1}, {0, 0}));
  add(elementwise<i8, i8>("integer_minimum_divided", "a /@1 b", {-128, -128}, {-1, 2}, {-128, -64}));
  for (const char* operation : {"a /@1 b", "a %@1 b"}) {
    SemanticsRow row = elementwise<i32, i32>("division_by_zero", operation, {1, 2, 3}, {1, 0, 0}, {});
    row.error = "ArithmeticError";
    row.message = "zero divisor";
    add(row);
  }
  add(elementwise<i32, i32>("integer_division_up", "ceil_div(a, b)@1", {-7, 7, -7, 7, 8, least, greatest},
                            {2, -2, -2, 2, 2, -1, 2}, {-3, -3, 4, 4, 4, least, 1 << 30}));
  add(elementwise<i64, i64>("integer_division_up", "ceil_div(a, b)@1", {INT64_MAX, -9, INT64_MIN, 1},
                            {3, 2, -1, INT64_MAX}, {INT64_MAX / 3 + 1, -4, INT64_MIN, 1}));
  add(elementwise<u64, u64>("integer_division_up", "ceil_div(a, b)@1", {UINT64_MAX, UINT64_MAX, 0},
                            {2, UINT64_MAX, 7}, {UINT64_MAX / 2 + 1, 1, 0}));
  add(elementwise<i8, i8>("integer_division_up", "ceil_div(a, b)@1", {-128, -127, 127, 100}, {-1, 2, 2, 127},
                          {-128, -63, 64, 1}));
  {
    SemanticsRow row =
        elementwise<i32, i32>("integer_division_up", "ceil_div(a, b)@1", {1, 2, 3}, {1, 0, 0}, {});
    row.error = "ArithmeticError";
    row.message = "zero divisor";
    add(row);
  }
  add(elementwise<i32, i32>("shift_count", "a << b", {1, 1, 1, 3}, {33, 32, -1, 31}, {2, 1, least, least}));
  add(elementwise<i8, i8>("shift_count", "a << b", {1, 1, 3}, {8, -1, 6}, {1, -128, -64}));
  add(elementwise<i32, i32>("shift_right", "a >> b", {-8, 8, -1}, {1, 33, 31}, {-4, 4, -1}));
  add(elementwise<u32, u32>("shift_right", "a >> b", {0x80000000u, 8}, {31, 33}, {1, 4}));
  add(elementwise<i32, i32>("bit_counts", "popcount(a) * 10000i32 + clz(a) * 100i32 + ctz(a)",
                            {0, -1, 8, least}, {3232, 320000, 12803, 10031}));
  add(elementwise<i8, i8>("bit_counts", "clz(a) + popcount(b)", {0, 1, -1}, {0, 3, -1}, {8, 9, 8}));
  add(elementwise<bool, bool>("boolean_logic", "(a & b) == min(a, b)", {false, false, true, true},
                              {false, true, false, true}, {true, true, true, true}));
  add(elementwise<bool, bool>("boolean_logic", "(a | b) == max(a, b)", {false, false, true, true},
                              {false, true, false, true}, {true, true, true, true}));
  add(elementwise<bool, bool>("boolean_logic", "(a ^ b) & !(a < b)", {false, false, true, true},
                              {false, true, false, true}, {false, false, true, false}));
  add({"integer_sizes",
       "program(k: i64) { r: i64[3] = map (i < 3) { i * 4294967296 + k } return r }",
       {scalar_value<i64>(INT64_MAX - 10)},
       {array_value<i64>({INT64_MAX - 10, static_cast<i64>(UINT64_C(0x8000000000000000) + 4294967296 - 11),
                          static_cast<i64>(UINT64_C(0x8000000000000000) + 8589934592 - 11)})}});

  // Floating point.
  add(elementwise<float, float>("ieee_arithmetic", "a / b", {1, 2, 10}, {3, 3, 7},
                                {1.f / 3, 2.f / 3, 10.f / 7}));
  add(elementwise<double, double>("ieee_arithmetic", "a / b", {1, 2, 10}, {3, 3, 7},
                                  {1. / 3, 2. / 3, 10. / 7}));
  add(elementwise<float, float>("ieee_arithmetic", "sqrt(a)", {2, 3, 0, -0.f, inf, -1},
                                {std::sqrt(2.f), std::sqrt(3.f), 0, -0.f, inf, nan}));
  add(elementwise<float, float>("ieee_arithmetic", "round(a)", {2.5f, -2.5f, 0.49999997f, 8388609, -0.2f},
                                {3, -3, 0, 8388609, -0.f}));
  add(elementwise<float, float>("ieee_arithmetic", "rint(a)", {2.5f, 3.5f, -2.5f, 8388609, -0.2f},
                                {2, 4, -2, 8388609, -0.f}));
  add(elementwise<float, float>("ieee_arithmetic", "floor(a) + ceil(a) * 10f + trunc(a) * 100f",
                                {1.5f, -1.5f, 2}, {121, -112, 222}));
  add(elementwise<float, float>("ieee_arithmetic", "copysign(abs(a), b)", {1, -2, 3, -0.f}, {-1, 1, -0.f, 0},
                                {-1, 2, -3, 0}));
  add(elementwise<double, double>("float_remainder", "a % b", {7.5, -7.5, 7.5, 1, inf, 1},
                                  {2, 2, -2, 0, 2, inf}, {1.5, -1.5, 1.5, NAN, NAN, 1}));
  add(elementwise<float, float>("float_remainder", "a % b", {1e30f, -5.25f, 0.5f}, {3, 0.5f, 1e30f},
                                {std::fmod(1e30f, 3.f), -0.25f, 0.5f}));
  add(elementwise<float, float>("float_division_by_zero", "a / b", {1, -1, 0, 1}, {0, 0, 0, -0.f},
                                {inf, -inf, nan, -inf}));
  add(elementwise<float, float>("denormals", "a * b", {tiny, 1e-30f, 1e-45f}, {1, 1e-10f, 1},
                                {tiny, 1e-30f * 1e-10f, 1e-45f}));
  add(elementwise<float, float>("denormals", "a + b", {tiny, 1e-38f}, {tiny, -1.1e-38f},
                                {tiny + tiny, 1e-38f + -1.1e-38f}));
  add(elementwise<float, bool>("nan_comparison", "a == b | a < b | a <= b | a > b | a >= b", {nan, 1, nan},
                               {1, nan, nan}, {false, false, false}));
  add(elementwise<float, bool>("nan_comparison", "a != b", {nan, 1, 0}, {nan, nan, -0.f},
                               {true, true, false}));
  add(elementwise<float, bool>("nan_comparison", "!(a < b)", {nan, 1, 0}, {1, 2, nan}, {true, false, true}));
  add(elementwise<float, float>("nan_min_max", "min(a, b)", {nan, 1, nan, -inf}, {1, nan, nan, nan},
                                {1, 1, nan, -inf}));
  add(elementwise<float, float>("nan_min_max", "max(a, b)", {nan, 1, nan, 3}, {1, nan, nan, 2},
                                {1, 1, nan, 3}));
  add(elementwise<float, float>("zero_min_max", "abs(min(a, b)) + abs(max(a, b))", {0, -0.f}, {-0.f, 0},
                                {0, 0}));
  add(elementwise<float, float>("sign", "sign(a)", {3, -3, 0, -0.f, nan, inf, tiny},
                                {1, -1, 0, -0.f, nan, 1, 1}));
  add(elementwise<i32, i32>("sign", "sign(a)", {3, -3, 0}, {1, -1, 0}));
  add(elementwise<u32, u32>("nan_bits", "bitcast(u32, bitcast(f32, a))", {0x7fc12345u, 0xffc00001u},
                            {0x7fc12345u, 0xffc00001u}));
  add_contraction_rows(rows);
  add_ragged_rows(rows);
  add(elementwise<float, float>("no_reassociation", "(a + b) - b", {1, 1e-8f}, {1e8f, 1}, {0, 0}));
  add(elementwise<float, float>("no_reassociation", "a - a", {1, inf, nan}, {0, nan, nan}));
  add(elementwise<float, float>("no_reassociation", "a * 0f + 0f", {1, -1, inf}, {0, 0, nan}));

  // Conversions.
  add(elementwise<i32, i8>("integer_to_integer", "i8(a)", {200, -200, 127}, {-56, 56, 127}));
  add(elementwise<i64, u8>("integer_to_integer", "u8(a)", {-1, 256, 511}, {255, 0, 255}));
  add(elementwise<i8, u64>("integer_to_integer", "u64(a)", {-1, 1}, {UINT64_MAX, 1}));
  add(elementwise<float, i8>("float_to_integer", "i8(a)", {200, -200, -128.9f, 1.9f, -1.9f, nan, inf},
                             {127, -128, -128, 1, -1, 0, 127}));
  add(elementwise<float, u8>("float_to_integer", "u8(a)", {-3, -0.9f, 255.9f, 256, nan},
                             {0, 0, 255, 255, 0}));
  add(elementwise<float, i32>("float_to_integer", "i32(a)", {0x1p31f, -0x1p31f, 2147483520.f, nan, -inf},
                              {greatest, least, 2147483520, 0, least}));
  add(elementwise<double, i64>("float_to_integer", "i64(a)", {1e30, -1e30, NAN, 0x1p53, -0.5},
                               {INT64_MAX, INT64_MIN, 0, 1LL << 53, 0}));
  add(elementwise<double, u64>("float_to_integer", "u64(a)", {1e30, -1, 0x1p63, NAN},
                               {UINT64_MAX, 0, 1ULL << 63, 0}));
  add(elementwise<float, u32>("float_to_integer", "u32(a)", {0x1p32f, 4294967040.f, -1, nan},
                              {UINT32_MAX, 4294967040u, 0, 0}));
  add(elementwise<i32, float>("to_float", "f32(a)", {16777217, 16777219, least},
                              {16777216, 16777220, -0x1p31f}));
  add(elementwise<u64, float>("to_float", "f32(a)", {UINT64_MAX, 1}, {0x1p64f, 1}));
  add(elementwise<i64, double>("to_float", "f64(a)", {INT64_MAX, (1LL << 53) + 1, -1}, {0x1p63, 0x1p53, -1}));
  add(elementwise<double, float>("to_float", "f32(a)", {1e300, 0.1, -1e300, 1e-50}, {inf, 0.1f, -inf, 0}));
  add(elementwise<float, bool>("to_boolean", "bool(a)", {nan, 0, -0.f, tiny, -1},
                               {true, false, false, true, true}));
  add(elementwise<i32, bool>("to_boolean", "bool(a)", {0, 256, -1}, {false, true, true}));
  add(elementwise<bool, float>("to_boolean", "f32(a) + f32(i32(b))", {true, false}, {2, 0}));
  add(elementwise<float, u32>("bitcast", "bitcast(u32, a)", {1, -0.f, inf},
                              {0x3f800000u, 0x80000000u, 0x7f800000u}));

  // Evaluation.
  const std::string sites =
      " sites { 1 arithmetic @\"row.cpp\":1 \"zero divisor at {2}\" 2 index @\"row.cpp\":2 \"index {0} of "
      "{1} at {2}\""
      " 3 shape @\"row.cpp\":3 \"shapes {0} and {1} differ\" }";
  const Value ints = array_value<i32>({4, 0, 2, 0}), floats = array_value<float>({1, 2, 3, 4});
  add({"select_evaluates_both",
       "program(x: i32[n]) { r: i32[n] = map (i < n) { select(x[i] == 0i32, 0i32, 8i32 /@1 x[i]) } return r "
       "}" +
           sites,
       {ints},
       {},
       "ArithmeticError",
       "zero divisor at 1"});
  add({"cond_evaluates_one",
       "program(x: i32[n]) { r: i32[n] = map (i < n) { q: i32 = if x[i] == 0i32 { 0i32 } else { 8i32 /@1 "
       "x[i] } return q } return r }" +
           sites,
       {ints},
       {array_value<i32>({2, 0, 4, 0})}});
  add({"cond_evaluates_one",
       "program(x: i32[n]) { r: i32[n] = map (i < n) { let q = 8i32 /@1 x[i] s: i32 = if x[i] == 0i32 { 0i32 "
       "} else { q + q } return s } return r }" +
           sites,
       {ints},
       {array_value<i32>({4, 0, 8, 0})}});
  add({"cond_evaluates_one",
       "program(x: i32[n]) { k: i32 = loop (8i32) while (a: i32) { a > 0i32 } do (a: i32) { a - 3i32 } "
       "return k }" +
           sites,
       {ints},
       {scalar_value<i32>(-1)}});
  add({"unneeded_does_not_fail",
       "program(x: i32[n]) { r: i32[n] = map (i < n) { 8i32 /@1 x[i] } s: i32 = redomap (i < n) { x[i] } "
       "reduce add comm neutral 0i32 return s }" +
           sites,
       {ints},
       {scalar_value<i32>(6)}});
  add({"unneeded_does_not_fail",
       "program(x: i32[n]) { r: i32[n], q: i32[n] = map (i < n) { x[i] + 1i32, 8i32 /@1 x[i] } return r }" +
           sites,
       {ints},
       {array_value<i32>({5, 1, 3, 1})}});
  add({"unneeded_does_not_fail",
       "program(x: i32[n]) { a: i32, b: i32 = loop (1i32, 8i32) times n do (k: i64, p: i32, q: i32) { p * "
       "2i32, "
       "q /@1 x[k] } return a }" +
           sites,
       {ints},
       {scalar_value<i32>(16)}});
  add({"unneeded_does_not_fail",
       "program(x: i32[n]) { a: i32 = if n > 2 { 5i32 } else { 8i32 /@1 x[1]@2 } b: i32, c: i32 = if n > 2 { "
       "a, x[9]@2 } else { 0i32, 0i32 } return b }" +
           sites,
       {ints},
       {scalar_value<i32>(5)}});
  add({"checks_come_first",
       "program(x: i32[n], y: f32[m]) { s: i32 = redomap (i < n) { 8i32 /@1 x[i] } reduce add neutral 0i32 "
       "check n == m site 3 (n, m) return s }" +
           sites,
       {ints, array_value<float>({1})},
       {},
       "ShapeError",
       "shapes 4 and 1 differ"});
  add({"checks_come_first",
       "program(x: i32[n]) { s: i64 = redomap (i < n) { i64(x[i]) } reduce add neutral 0 check s == n site 3 "
       "(s, n) return s }" +
           sites,
       {ints},
       {},
       "ShapeError",
       "shapes 6 and 4 differ"});
  add({"checks_come_first",
       "program(x: i32[n]) { s: i64 = redomap (i < n) { 1 } reduce add neutral 0 check 9 < s site 3 (9, s) "
       "check x[9] == 0i32 site 3 (n, n) return s }" +
           sites,
       {ints},
       {},
       "ShapeError",
       "shapes 9 and 4 differ"});
  add({"lowest_element",
       "program(x: i32[n]) { r: i32[n] = map (i < n) { 8i32 /@1 x[n - 1 - i] } return r }" + sites,
       {ints},
       {},
       "ArithmeticError",
       "zero divisor at 0"});
  add({"lowest_element",
       "program(x: i32[n]) { r: i32[n, 3] = map (i < n, j < 3) { 8i32 /@1 (x[i] + i32(j)) } return r }" +
           sites,
       {ints},
       {},
       "ArithmeticError",
       "zero divisor at 3"});
  add({"nested_element",
       "program(x: i32[n]) { r: i32[n] = map (i < n) { s: i32 = redomap (j < 3) { 8i32 /@1 (x[i] - i32(j)) } "
       "reduce add neutral 0i32 return s } return r }" +
           sites,
       {array_value<i32>({4, 3, 2, 0})},
       {},
       "ArithmeticError",
       "zero divisor at 2"});
  add({"loop_trips",
       "program(t: i64) { a: i64 = loop (7) times t do (k: i64, s: i64) { s * 10 + k } b: i64 = loop (7) "
       "times "
       "t - 3 do (k: i64, s: i64) { s + k } return a, b }",
       {scalar_value<i64>(3)},
       {scalar_value<i64>(7012), scalar_value<i64>(7)}});

  // Arrays.
  for (i64 bad : {i64{4}, i64{-1}, INT64_MIN, INT64_MAX})
    add({"index_out_of_range",
         "program(x: f32[n], k: i64[m]) { r: f32[m] = map (i < m) { x[k[i]]@2 } return r }" + sites,
         {floats, array_value<i64>({0, 3, bad, bad})},
         {},
         "IndexError",
         "index " + std::to_string(bad) + " of 4 at 2"});
  add({"index_out_of_range",
       "program(x: f32[n], k: i64) { let a = x[k]@2 return a }" + sites,
       {floats, scalar_value<i64>(4)},
       {},
       "IndexError",
       "index 4 of 4 at 0"});
  add({"slice",
       "program(x: f32[n]) { r: f32[2] = map (i < 2) { x[3 - 2 * i] } return r }",
       {floats},
       {array_value<float>({4, 2})}});
  add({"equal_shapes",
       "program(x: f32[n], y: i32[m]) { check n == m site 3 (n, m) r: f32[n] = map (i < n) { x[i] + "
       "f32(y[i]) } return r }" +
           sites,
       {floats, array_value<i32>({1})},
       {},
       "ShapeError",
       "shapes 4 and 1 differ"});
  add({"negative_size",
       "program(k: i64) { r: i64[k] = map (i < k) { i } return r }",
       {scalar_value<i64>(-3)},
       {},
       "ShapeError"});
  add({"negative_size",
       "program(k: i64) { r: i64[k] = map (i < k) { i } return r }",
       {scalar_value<i64>(i64{1} << 60)},
       {},
       "OutOfMemory"});
  const Value none = array_value<float>({});
  add({"empty_arrays",
       "program(x: f32[n]) { r: f32[n] = map (i < n) { x[i] / 2f } s: f32 = redomap (i < n) { x[i] } reduce "
       "add comm neutral 0f return r, s }",
       {none},
       {none, scalar_value<float>(0)}});
  add({"empty_arrays",
       "program(x: f32[n, m]) { r: f32[n] = map (i < n) { s: f32 = redomap (j < m) { x[i, j] } reduce max "
       "comm neutral f32:-inf return s } t: f32[m, n] = map (i < m, j < n) { x[j, i] } return r, t }",
       {array_value<float>({2, 0}, {})},
       {array_value<float>({-inf, -inf}), array_value<float>({0, 2}, {})}});
  add({"nested_rows",
       "program(x: f32[n]) { r: f32[n, 3] = map (i < n) { q: f32[3] = map (j < 3) { x[i] * f32(j) } return q "
       "} return r }",
       {array_value<float>({1, 2})},
       {array_value<float>({2, 3}, {0, 1, 2, 0, 2, 4})}});

  // Reductions.
  add({"reduce_neutral",
       "program(x: f32[n]) { s: f32 = redomap (i < n) { x[i] } reduce max comm neutral f32:-inf return s }",
       {array_value<float>({nan, nan, nan})},
       {scalar_value<float>(-inf)}});
  add({"reduce_neutral",
       "program(x: f32[n]) { s: f32 = redomap (i < n) { x[i] } reduce add comm neutral 0f return s }",
       {array_value<float>({-0.f, -0.f})},
       {scalar_value<float>(0)}});
  add({"reduce_neutral",
       "program(x: i32[n]) { s: i32 = redomap (i < n) { x[i] } reduce mul comm neutral 1i32 return s }",
       {array_value<i32>({})},
       {scalar_value<i32>(1)}});
  add({"reduce_without_neutral",
       "program(x: f32[n]) { check 0 < n site 3 (0, n) s: f32 = redomap (i < n) { x[i] } reduce min comm "
       "return "
       "s }" +
           sites,
       {none},
       {},
       "ShapeError"});
  add({"reduce_without_neutral",
       "program(x: f32[n]) { check 0 < n site 3 (0, n) s: f32 = redomap (i < n) { x[i] } reduce min comm "
       "return "
       "s }" +
           sites,
       {floats},
       {scalar_value<float>(1)}});
  add({"fold_initial",
       "program(x: i32[n]) { s: i32 = redomap (i < n) { x[i] } reduce add comm neutral 0i32 initial 100i32 "
       "return s }",
       {ints},
       {scalar_value<i32>(106)}});
  add({"fold_initial",
       "program(x: i32[n]) { s: i32 = redomap (i < n) { x[i] } reduce add initial 100i32 return s }",
       {array_value<i32>({})},
       {scalar_value<i32>(100)}});
  // Affine maps a x + b under composition: associative, not commutative.
  const std::string compose = "reduce (a: i32, b: i32, c: i32, d: i32) { c * a, c * b + d } ";
  add({"reduce_order",
       "program(x: i32[n]) { p: i32, q: i32 = redomap (i < n) { x[i], i32(i) } " + compose +
           "neutral 1i32, 0i32 return p, q }",
       {array_value<i32>({2, 3, 5})},
       {scalar_value<i32>(30), scalar_value<i32>(7)}});
  add({"fold_initial",
       "program(x: i32[n]) { p: i32, q: i32 = redomap (i < n) { x[i], i32(i) } " + compose +
           "initial 7i32, 1i32 return p, q }",
       {array_value<i32>({2, 3, 5})},
       {scalar_value<i32>(210), scalar_value<i32>(37)}});
  add({"reduce_tuple",
       "program(x: f32[n]) { m: f32, k: i64 = redomap (i < n) { x[i], i } reduce (a: f32, i: i64, b: f32, j: "
       "i64) { select(b > a, b, a), select(b > a, j, i) } neutral f32:-inf, -1 return m, k }",
       {array_value<float>({3, 9, 9, 1})},
       {scalar_value<float>(9), scalar_value<i64>(1)}});
  // Scans, scatters, partitions.
  const std::string scan_maps = "scan (x[i], i32(i)) (a: i32, b: i32, c: i32, d: i32) { c * a, c * b + d } ";
  add({"scan_order",
       "program(x: i32[n]) { r: i32[n], t: i32[n] = map (i < n) { p: i32, q: i32 = " + scan_maps +
           "neutral 1i32, 0i32 return p, q } return r, t }",
       {array_value<i32>({2, 3, 5})},
       {array_value<i32>({2, 6, 30}), array_value<i32>({0, 1, 7})}});
  add({"scan_order",
       "program(x: i32[n]) { r: i32[n] = map (i < n) { s: i32 = scan exclusive (x[i]) add comm neutral 0i32 "
       "return s } return r }",
       {array_value<i32>({4, 5, 6})},
       {array_value<i32>({0, 4, 9})}});
  add({"scan_neutral",
       "program(x: f32[n]) { r: f32[n], t: f32[n] = map (i < n) { s: f32 = scan (x[i]) max comm neutral "
       "f32:-inf e: f32 = scan exclusive (x[i]) max comm neutral f32:-inf return s, e } return r, t }",
       {array_value<float>({nan, nan, 3})},
       {array_value<float>({-inf, -inf, 3}), array_value<float>({-inf, -inf, -inf})}});
  add({"scan_neutral",
       "program(x: f32[n]) { r: f32[n] = map (i < n) { s: f32 = scan (x[i]) add comm neutral 0f return s } "
       "return r }",
       {array_value<float>({-0.f, -0.f})},
       {array_value<float>({0, 0})}});
  add({"scan_initial",
       "program(x: i32[n]) { r: i32[n], t: i32[n] = map (i < n) { s: i32 = scan (x[i]) max neutral "
       "-2147483648i32 initial 5i32 e: i32 = scan exclusive (x[i]) max initial 5i32 return s, e } return r, "
       "t }",
       {array_value<i32>({4, 7, 6})},
       {array_value<i32>({5, 7, 7}), array_value<i32>({5, 5, 7})}});
  add({"scan_rows",
       "program(x: i32[m, n]) { r: i32[m, n] = map (i < m) { row: i32[n] = map (j < n) { s: i32 = scan (x[i, "
       "j]) add comm neutral 0i32 return s } return row } return r }",
       {array_value<i32>({2, 3}, {1, 2, 3, 4, 5, 6})},
       {array_value<i32>({2, 3}, {1, 3, 6, 4, 9, 15})}});
  add({"scan_rows",
       "program(x: i32[n]) { r: i32[n] = map (i < n) { s: i32 = scan (x[i]) add comm neutral 0i32 return s } "
       "return r }",
       {array_value<i32>({})},
       {array_value<i32>({})}});
  add({"scan_total",
       "program(x: i32[n]) { t: i32, r: i32[n] = redomap (i < n) { s: i32 = scan exclusive (x[i]) add comm "
       "neutral 0i32 return x[i], s } reduce add comm neutral 0i32 return t, r }",
       {array_value<i32>({4, 5, 6})},
       {scalar_value<i32>(15), array_value<i32>({0, 4, 9})}});
  const std::string quotient =
      "program(x: i32[n], k: i64) { m: i64 = let n /@1 k y: i32[m] = map (i < m) { x[i * k] } return y } "
      "sites { 1 arithmetic @\"row.cpp\":1 \"zero divisor\" }";
  add({"computed_size",
       quotient,
       {array_value<i32>({1, 2, 3, 4}), scalar_value<i64>(2)},
       {array_value<i32>({1, 3})}});
  add({"computed_size",
       quotient,
       {array_value<i32>({1, 2, 3, 4}), scalar_value<i64>(0)},
       {},
       "ArithmeticError",
       "zero divisor"});
  add({"computed_size",
       "program(x: i64[n]) { y: i64[n] = map (i < n) { x[i] + 1 } m: i64 = let y[0]@1 z: i64[m] = map (i < "
       "m) { "
       "i } return z } sites { 1 index @\"row.cpp\":1 \"index {0} of {1}\" }",
       {array_value<i64>({2, 9})},
       {array_value<i64>({0, 1, 2})}});
  const std::string scatter_into =
      "redomap (i < n) { p[i], i32(i) } scatter (m) (j: i64) { x[j] } return r } sites { 1 shape "
      "@\"row.cpp\":1 "
      "\"\" }";
  add({"scatter_outside",
       "program(x: i32[m], p: i64[n]) { r: i32[m] = " + scatter_into,
       {array_value<i32>({7, 8, 9}), array_value<i64>({-1, 3, 2, INT64_MAX, INT64_MIN})},
       {array_value<i32>({7, 8, 2})}});
  add({"scatter_outside",
       "program(p: i64[n]) { r: i32[2, 2] = redomap (i < n) { p[i], i, 5i32 } scatter (2, 2) (j: i64, k: "
       "i64) { "
       "0i32 } return r }",
       {array_value<i64>({1, 1, 0})},
       {array_value<i32>({2, 2}, {0, 0, 5, 5})}});
  add({"scatter_untouched",
       "program(x: i32[m], p: i64[n]) { r: i32[m] = " + scatter_into,
       {array_value<i32>({7, 8, 9}), array_value<i64>({1})},
       {array_value<i32>({7, 0, 9})}});
  add({"scatter_duplicates",
       "program(p: i64[n]) { r: i32[3] = redomap (i < n) { p[i], i32(i) } scatter (3) (j: i64) { -1i32 } "
       "return r }",
       {array_value<i64>({2, 0, 2, 7, 0, 2, -1})},
       {array_value<i32>({4, -1, 5})}});
  add({"scatter_duplicates",
       "program(p: i64[n]) { r: i32[2], s: f64[2] = redomap (i < n) { p[i], i32(i), f64(i) } scatter (2) (j: "
       "i64) { -1i32, 0.5 } return r, s }",
       {array_value<i64>({1, 0, 1, 1, 0})},
       {array_value<i32>({4, 3}), array_value<double>({4, 3})}});
  add({"combine_order",
       "program(p: i64[n]) { r: i32[2], t: i32[2] = redomap (i < n) { p[i], i32(i) + 2i32, i32(i) } scatter "
       "(2) "
       "(j: i64) { 10i32, i32(j) } combine (a: i32, b: i32, c: i32, d: i32) { c * a, c * b + d } neutral "
       "1i32, "
       "0i32 return r, t }",
       {array_value<i64>({0, 1, 0, 7})},
       {array_value<i32>({80, 30}), array_value<i32>({2, 4})}});
  add({"update_keeps_old",
       "program(x: i32[n]) { y: i32[n] = map (i < n) { x[i] * 2i32 } z: i32[n] = redomap (i < 1) { 1, 0i32 } "
       "scatter (n) (j: i64) { y[j] } return y, z }",
       {array_value<i32>({1, 2, 3})},
       {array_value<i32>({2, 4, 6}), array_value<i32>({2, 0, 6})}});
  add({"partition_stable",
       "program(x: i32[n]) { m: i64, o: i64[3], y: i32[m], z: i64[m] = redomap (i < n) { i64(x[i]) % 3, "
       "x[i], i "
       "} partition 2 of 2 return y, z }",
       {array_value<i32>({4, 3, 5, 6, 1, -1})},
       {array_value<i32>({3, 6, 4, 1}), array_value<i64>({1, 3, 0, 4})}});
  add({"partition_offsets",
       "program(x: i32[n]) { m: i64, o: i64[4], y: i32[m] = redomap (i < n) { i64(x[i]), x[i] } partition 3 "
       "of 1 "
       "return m, o }",
       {array_value<i32>({2, 0, 2, 9})},
       {scalar_value<i64>(3), array_value<i64>({0, 1, 1, 3})}});
  add({"loop_sizes",
       "program(x: i32[n]) { m: i64, y: i32[m] = loop (n, x) while (k: i64, a: i32[k]) { 1 < k } do (k: i64, "
       "a: "
       "i32[k]) { h: i64, o: i64[2], b: i32[h] = redomap (i < k) { select(i % 2 == 0, 0, -1), a[i] } "
       "partition 1 "
       "of 1 return h, b } return y }",
       {array_value<i32>({3, 1, 4, 1, 5, 9})},
       {array_value<i32>({3})}});
  return rows;
}

}  // namespace fulgurite::soac
