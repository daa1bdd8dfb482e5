// Rows of unequal lengths on the host, what sequential loops make of them, and programs that are given them.
#pragma once

#include "engines.h"

#include <algorithm>
#include <numeric>
#include <random>

using fg::i64, fg::Ragged, fg::RaggedArray;
using Ints = std::vector<int>;
using Rows = std::vector<Ints>;
using Pair = std::tuple<int, float>;

inline Rows rows_of(const Ints& lengths, unsigned seed) {
  std::mt19937 random(seed);
  Rows rows;
  for (int length : lengths) {
    rows.emplace_back();
    for (int k = 0; k < length; ++k) rows.back().push_back(static_cast<int>(random() % 21) - 10);
  }
  return rows;
}
inline std::vector<Rows> all_rows() {
  Ints many(200);
  std::mt19937 random(5);
  for (int& length : many) length = static_cast<int>(random() % 4 == 0 ? random() % 70 : random() % 3);
  std::vector<Rows> all;
  for (const Ints& lengths :
       {Ints{}, Ints{0}, Ints{0, 0, 0}, Ints{1}, Ints{40}, Ints{0, 3, 0, 1, 5, 0}, Ints{2, 0, 0, 33}, many})
    all.push_back(rows_of(lengths, 3));
  return all;
}
template <class F>
inline Ints of_rows(const Rows& rows, F f) {
  Ints results;
  for (const Ints& row : rows) results.push_back(f(row));
  return results;
}
template <class F>
inline Rows each_row(Rows rows, F f) {
  for (Ints& row : rows) row = f(row);
  return rows;
}
inline Ints flat(const Rows& rows) {
  Ints all;
  for (const Ints& row : rows) all.insert(all.end(), row.begin(), row.end());
  return all;
}
inline Ints sorted(Ints row) {
  std::ranges::sort(row);
  return row;
}
inline Ints scanned(Ints row) {
  std::partial_sum(row.begin(), row.end(), row.begin());
  return row;
}
inline Ints odd(Ints row) {
  std::erase_if(row, [](int x) { return x % 2 == 0; });
  return row;
}
inline Ints distinct(Ints row) {
  std::ranges::sort(row);
  row.erase(std::unique(row.begin(), row.end()), row.end());
  return row;
}
inline int sum_of(const Ints& row) {
  return std::accumulate(row.begin(), row.end(), 0);
}

/// test(f, rows) on every engine; on those with blocks of threads also where rows of three elements are long.
template <class F, class Test>
void on_all_rows(F program, Test test) {
  const auto on_each = [&](const auto& f) {
    for (const Rows& rows : all_rows()) {
      SCOPED_TRACE(::testing::PrintToString(rows.size()) + " rows");
      test(f, rows);
    }
  };
  on_every_engine(program, on_each);
  for (const auto& [name, engine] : tested_engines()) {
    if (engine == fg::Engine::interpreter || engine == fg::Engine::cpu || engine == fg::Engine::mpi) continue;
    SCOPED_TRACE("engine " + name + ", long rows");
    on_each(fg::compile(program, {.engine = engine, .policy = "ragged_long=2"}));
  }
}
