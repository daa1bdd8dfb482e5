// Kernels put together at random from functions and patterns of the language, arrays of threads and of
// all memories, of several kinds, atomics, writes under conditions and loops, with syncs at random between
// them and in them, and components in components.
#pragma once

#include <fulgurite/kernel.h>

#include <random>
#include <vector>

namespace fulgurite::random_kernels {

namespace k = kernel;
using k::Index, k::Pull;

struct Step {
  enum Kind {
    reverse,
    add,
    ilv,
    ilv_1,
    vee,
    vee_1,
    odd_even,
    shift,
    riffle,
    fold,
    scan,
    own_array,
    ordered,
    in_rounds,
    loop,
    in_global,
    pairs,
    counted,
    two,
    interleaved,
    n_kinds
  };
  Kind kind;
  int number;
  bool is_synced;
  std::vector<Step> parts = {};
};
using Steps = std::vector<Step>;

// For 2^bits elements.
inline Steps drawn(std::mt19937& random, int bits, int most) {
  Steps steps;
  const auto n = static_cast<int>(random() % static_cast<unsigned>(most)) + 1;
  for (int i = 0; i < n; ++i) {
    Step step{static_cast<Step::Kind>(random() % Step::n_kinds), static_cast<int>(random() % 64),
              random() % 2 == 0};
    if (step.kind == Step::two || step.kind == Step::interleaved) {
      if (bits < 2) step.kind = Step::add;
      step.parts = drawn(random, bits - 1, 3);
    }
    steps.push_back(std::move(step));
  }
  return steps;
}

// Each instance has an array of its own, of which its element says what it takes.
inline k::Push<int> with_own_arrays(int by, const Pull<int>& a) {
  return k::Push<int>(a.size(), [=](const k::Push<int>::Write& write) {
    k::par(a.size(), [&](Index i) {
      const Pull<int> mine = k::sync(k::push<k::Level::thread>(
          Pull<int>(4, [=](const Index& j) { return (a[i] ^ by) + cast<int>(j) * a[i]; })));
      write(i, mine[cast<std::int64_t>(a[i] & 3)] - mine[by % 4]);
    });
  });
}
// Neighbours in order, by writes of which one branch is taken.
inline k::Push<int> in_order(const Pull<int>& a) {
  return k::Push<int>(a.size(), [=](const k::Push<int>::Write& write) {
    k::par(a.size() / 2, [&](Index t) {
      const Exp<int> x = a[2 * t], y = a[2 * t + 1];
      const Exp<int> less =
          cond(x < y, [&] { return write(2 * t, x), x; }, [&] { return write(2 * t, y), y; });
      k::when(x + 1 > less, [&] { write(2 * t + 1, select(x < y, y, x)); });
      k::when(!(x + 1 > less), [&] { write(2 * t + 1, Exp<int>(0)); });
    });
  });
}
// The round that the element says writes it, what it was after as many rounds of another loop.
inline k::Push<int> written_in_rounds(int by, const Pull<int>& a) {
  return k::Push<int>(a.size(), [=](const k::Push<int>::Write& write) {
    k::par(a.size(), [&](Index i) {
      iterate(
          4,
          [&](Index j, Exp<int> s) {
            k::when(cast<int>(j) == (a[i] & 3), [&] {
              write(i, while_loop([&](Exp<int> x) { return (x & 7) != by % 8; },
                                  [](Exp<int> x) { return x + 1; }, s));
            });
            return s * 3 + by;
          },
          a[i]);
    });
  });
}

// As numbers of other kinds, in an array of both memories.
inline Pull<int> as_pairs(int by, const Pull<int>& a) {
  using Pair = std::pair<double, std::int16_t>;
  const Pull<Pair> pairs = k::to_global(k::map(
      [](Exp<int> x) { return make<Pair>(cast<double>(x) / 2, cast<std::int16_t>(x)); }, k::reverse(a)));
  const Pull<std::int64_t> sums = k::sync(k::map(
      [=](Exp<Pair> p) { return cast<std::int64_t>(p.get<0>() * 2) * by + cast<std::int64_t>(p.get<1>()); },
      pairs));
  return k::map([](Exp<std::int64_t> x) { return cast<int>(x); }, sums);
}
// The least of the elements with equal last bits, and how many elements have these bits, some of which do not
// count.
inline Pull<int> counted(int by, const Pull<int>& a) {
  const auto place = [](Exp<int> x) { return x & 7; };
  const Pull<int> places = k::map(place, a);
  const Pull<int> least = k::sync(k::accumulate(min, 8, 1000, places, a));
  const Pull<std::uint32_t> counts = k::sync(k::accumulate(
      plus, by % 8 + 1, std::uint32_t{5}, places, k::map([](Exp<int>) { return Exp<std::uint32_t>(1); }, a)));
  return k::map(
      [=](Exp<int> x) {
        const Exp<int> at = place(x);
        return least[cast<std::int64_t>(at)] + cast<int>(counts[cast<std::int64_t>(at % (by % 8 + 1))]) * x;
      },
      a);
}

inline Pull<int> staged(const Steps& steps, Pull<int> a);
inline Pull<int> staged(const Step& s, const Pull<int>& a) {
  const int bit = s.number % k::log2(a.size());
  const auto component = [&](Pull<int> part) { return staged(s.parts, part); };
  switch (s.kind) {
    case Step::reverse: return k::reverse(a);
    case Step::add: return k::map([c = s.number](Exp<int> x) { return x + c; }, a);
    case Step::ilv: return k::sync(k::ilv(bit, min, max, a));
    case Step::ilv_1: return k::ilv_1(bit, min, max, a);
    case Step::vee: return k::sync(k::vee(bit, min, max, a));
    case Step::vee_1: return k::vee_1(bit, min, max, a);
    case Step::odd_even: return k::sync(k::conc_p(k::odd(a), k::even(a)));
    case Step::shift: return k::shift(s.number % 5 - 2, Exp<int>(7), a);
    case Step::riffle: return k::riffle(a);
    case Step::fold: return k::zip_with(plus, a, k::reverse(a));
    case Step::scan: return k::sklansky(plus, a);
    case Step::own_array: return k::sync(with_own_arrays(s.number, a));
    case Step::ordered: return k::sync(in_order(a));
    case Step::in_rounds: return k::sync(written_in_rounds(s.number, a));
    case Step::loop:  // with a sync, beside that of the state
      return k::iterate(
          s.number % 4,
          [](const Index& round, const Pull<int>& x) {
            return k::zip_with(
                plus, x, k::reverse(k::sync(k::map([=](Exp<int> e) { return e + cast<int>(round); }, x))));
          },
          a);
    case Step::in_global: return k::to_global(k::reverse(a));
    case Step::pairs: return as_pairs(s.number, a);
    case Step::counted: return counted(s.number, a);
    case Step::two: return k::two(component, a);
    default: return k::ilv(1, component, a);
  }
}
inline Pull<int> staged(const Steps& steps, Pull<int> a) {
  for (const Step& s : steps) {
    a = staged(s, a);
    if (s.is_synced) a = k::sync(a);
  }
  return a;
}

}  // namespace fulgurite::random_kernels
