// Functions of rows and of sizes that nothing bounds, on every engine against the interpreter.
#pragma once

#include "engines.h"

#include <random>
#include <tuple>

namespace unbounded_sizes {

using fg::i64, fg::Ragged, fg::RaggedArray;
using Ints = std::vector<int>;
using Rows = std::vector<Ints>;

inline int plain(int x) {
  return x;
}
template <class T, int N>
auto plain(const fg::Array<T, N>& x) {
  return x.to_vector();
}
template <class T>
auto plain(const RaggedArray<T>& x) {
  return x.to_vectors();
}
template <class... T>
auto plain(const std::tuple<T...>& x) {
  return std::apply([](const auto&... each) { return std::tuple{plain(each)...}; }, x);
}

template <class F, class... Xs>
void as_interpreted(F program, const std::vector<std::tuple<Xs...>>& calls) {
  const auto interpreted = fg::compile(program, {.engine = fg::Engine::interpreter});
  on_every_engine(program, [&](const auto& f) {
    for (const auto& call : calls)
      EXPECT_EQ(plain(std::apply(f, call)), plain(std::apply(interpreted, call)));
  });
}

// No rows, empty ones, rows of one element, long ones among short ones.
inline std::vector<std::tuple<RaggedArray<int>>> all_rows() {
  std::mt19937 random(7);
  std::vector<std::tuple<RaggedArray<int>>> calls;
  Ints many(150);
  for (int& length : many) length = static_cast<int>(random() % 5);
  many[70] = 90;
  for (const Ints& lengths :
       {Ints{}, Ints{0}, Ints{0, 0}, Ints{1}, Ints{4, 0, 1, 10, 2}, Ints{0, 40}, many}) {
    Rows rows;
    for (int length : lengths) {
      rows.emplace_back();
      for (int k = 0; k < length; ++k) rows.back().push_back(static_cast<int>(random() % 12));
    }
    calls.emplace_back(RaggedArray<int>(rows));
  }
  return calls;
}
template <class F>
void on_rows(F of_row) {
  as_interpreted([of_row](Ragged<int> r) { return fg::map(of_row, fg::rows(r)); }, all_rows());
}
inline std::vector<std::tuple<Ints>> all_sizes() {
  return {{Ints{}}, {Ints{0}}, {Ints{3, 0, 10, 4, 1, 7}}, {Ints{0, 0, 65, 1}}};
}
template <class F>
void on_sizes(F of_size) {
  as_interpreted([of_size](Vec<int> x) { return fg::map(of_size, x); }, all_sizes());
}

// n numbers in no order.
inline Vec<int> numbers(Exp<int> n) {
  return fg::generate(n, [=](Exp<i64> i) { return (fg::cast<int>(i) * 7 + 3) % (n + 1); });
}
// Which number stands where counts.
inline Exp<int> digest(Vec<int> v) {
  return fg::sum(v * (fg::iota<int>(v.size()) + 1)) + 100 * fg::cast<int>(v.size());
}
inline Exp<int> at_or(Vec<int> v, Exp<i64> i, int otherwise) {
  return fg::cond(i >= 0 && i < v.size(), [&] { return v[i]; }, [&] { return Exp<int>(otherwise); });
}
inline Exp<bool> is_large(Exp<int> x) {
  return x > 4;
}

}  // namespace unbounded_sizes
