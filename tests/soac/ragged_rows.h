// The rows of docs/semantics.md about ragged arrays, which are offsets and values here, and about arrays
// inside functions of elements whose sizes nothing bounds.
#pragma once

#include "semantics_row.h"

namespace fulgurite::soac {

inline void add_ragged_rows(std::vector<SemanticsRow>& rows) {
  using i32 = std::int32_t;
  using i64 = std::int64_t;
  const auto add = [&](std::string name, const std::string& program, std::vector<Value> args,
                       std::vector<Value> results, std::string error = "", std::string message = "") {
    const std::string sites =
        " sites { 1 shape @\"row.cpp\":1 \"there are no offsets\" 2 shape @\"row.cpp\":2 \"offset {0} does "
        "not ascend to "
        "{1}\" 3 shape @\"row.cpp\":3 \"row {0} differs\" 4 index @\"row.cpp\":4 \"row {0} at position {at} "
        "is outside "
        "{range}\" 5 shape @\"row.cpp\":5 \"a size is not {0}\" }";
    rows.push_back({std::move(name), "program" + program + sites, std::move(args), std::move(results),
                    std::move(error), std::move(message)});
  };
  const Value values = array_value<i32>({5, 3, 4, 1, 2});
  const Value offsets = array_value<i64>({0, 3, 3, 5});

  const std::string none = "9223372036854775807";
  const std::string of_rows =
      "(a: i64[m], x: i32[l]) { check 1 <= m site 1 () bad: i64 = redomap (i < m) { select(i < m - 1, "
      "select(a[min(i + "
      "1, m - 1)] < a[i], i + 1, select(i == 0 & a[i] != 0, 0, " +
      none + ")), select(a[i] == l, " + none + ", i)) } reduce min comm neutral " + none +
      " check bad == " + none +
      " site 2 (bad, l) s: i32[m - 1] = map (r < m - 1) { n: i64 = let a[r + 1] - a[r] t: i32 = redomap (j < "
      "n) { "
      "x[a[r] + j] } reduce add comm neutral 0i32 return t } return s }";
  add("ragged_rows", of_rows, {offsets, values}, {array_value<i32>({12, 0, 3})});
  add("ragged_offsets", of_rows, {array_value<i64>({0}), array_value<i32>({})}, {array_value<i32>({})});
  add("ragged_offsets", of_rows, {array_value<i64>({}), values}, {}, "ShapeError", "there are no offsets");
  add("ragged_offsets", of_rows, {array_value<i64>({0, 4, 3, 5}), values}, {}, "ShapeError",
      "offset 2 does not ascend to 5");
  add("ragged_offsets", of_rows, {array_value<i64>({0, 4}), values}, {}, "ShapeError",
      "offset 1 does not ascend to 5");

  const std::string of_two =
      "(a: i64[m], b: i64[k], x: i32[l]) { check m == k site 1 () bad: i64 = redomap (i < m) { select(a[i] "
      "== b[i], " +
      none + ", i) } reduce min comm neutral " + none + " check bad == " + none +
      " site 3 (bad - 1) s: i32[l] = map (j < l) { x[j] + 1i32 } return s }";
  add("ragged_shapes", of_two, {offsets, offsets, values}, {array_value<i32>({6, 4, 5, 2, 3})});
  add("ragged_shapes", of_two, {offsets, array_value<i64>({0, 3, 4, 5}), values}, {}, "ShapeError",
      "row 1 differs");

  const std::string of_row =
      "(a: i64[m], x: i32[l], at: i64[k]) { s: i64[k] = map (i < k) { check 0 <= at[i] & at[i] < m - 1 site "
      "4 (at[i], "
      "m - 1) return a[at[i] + 1] - a[at[i]] } return s }";
  add("ragged_row", of_row, {offsets, values, array_value<i64>({2, 0, 1})}, {array_value<i64>({2, 3, 0})});
  add("ragged_row", of_row, {offsets, values, array_value<i64>({2, 3, -1})}, {}, "IndexError",
      "row 3 at position 1 is outside 0..2");

  const std::string of_inner =
      "(a: i64[m], x: i32[l]) { s: i32[m - 1] = map (r < m - 1) { n: i64 = let a[r + 1] - a[r] check 0 <= n "
      "site 5 (n) "
      "row: i32[n] = map (j < n) { x[a[r] + j] } sorted: i32[n] = sort (row) by (e: i32) { bitcast(u32, e) ^ "
      "2147483648u32 } t: i32 = redomap (j < n) { i32(j) * sorted[j] } reduce add comm neutral 0i32 return t "
      "} return "
      "s }";
  add("inner_sizes", of_inner, {offsets, values}, {array_value<i32>({14, 0, 2})});
  add("inner_sizes", of_inner, {array_value<i64>({0, 3, 1, 5}), values}, {}, "ShapeError",
      "a size is not -2");
}

}  // namespace fulgurite::soac
