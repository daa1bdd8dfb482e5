// Rows that loops change inside of a map, element by element or in slices: what is read of a row as it was is
// what it was, wherever the row lies. Every engine gives what the interpreter gives, errors among it.
#include "engines.h"

namespace {

using Index = Exp<fg::i64>;
using Pairs = Vec<std::tuple<float, float>>;
template <class T>
using Rows = fg::Array<T, 2>;

template <class T>
Rows<T> rows(fg::i64 n, fg::i64 columns, int factor = 7) {
  std::vector<T> x(static_cast<std::size_t>(n * columns));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<T>(static_cast<int>(i) * factor % 23 - 5);
  return {std::move(x), {n, columns}};
}

// What f gives, or the kind of the error that it throws: of several that fail any one is told.
template <class F>
std::pair<decltype(std::declval<F>()().to_vector()), std::string> outcome(F f) {
  try {
    return {f().to_vector(), ""};
  } catch (const fg::Error& e) {
    const std::string what = e.what();
    return {{}, what.substr(what.find("fulgurite::"), what.find("Error") - what.find("fulgurite::"))};
  }
}

constexpr fg::i64 all_rows[] = {0, 1, 3, 17}, all_columns[] = {0, 1, 2, 5, 16, 33, 67};

/// A program of two matrices and a number gives on every engine what it gives on the interpreter.
template <class T, class F>
void check(F f) {
  const auto on_all_inputs = [](const auto& compiled) {
    std::vector<std::pair<std::string, std::pair<std::vector<T>, std::string>>> outcomes;
    for (const fg::i64 n : all_rows)
      for (const fg::i64 columns : all_columns)
        for (const fg::i64 number : {0, 1, 2, 7}) {
          const Rows<T> x = rows<T>(n, columns), y = rows<T>(n, columns, 11);
          const std::string of =
              std::to_string(n) + " x " + std::to_string(columns) + ", " + std::to_string(number);
          outcomes.emplace_back(of, outcome([&] { return compiled(x, y, number); }));
        }
    return outcomes;
  };
  const auto wanted = on_all_inputs(fg::compile(f, {.engine = fg::Engine::interpreter}));
  for (const auto& [name, engine] : tested_engines()) {
    if (engine == fg::Engine::interpreter) continue;
    SCOPED_TRACE("engine " + name);
    const ParallelOnDevice is_parallel(engine);
    const auto is = on_all_inputs(fg::compile(f, {.engine = engine}));
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      ASSERT_EQ(is[k].second.second, wanted[k].second.second) << wanted[k].first;
      ASSERT_EQ(is[k].second.first, wanted[k].second.first) << wanted[k].first;
    }
  }
}

/// Checks a function of two rows and a number.
template <class T, class F>
void check_rows(F f) {
  check<T>([=](Mat<T> x, Mat<T> y, Index number) {
    return fg::map(
        [=](Vec<T> a, Vec<T> b) {
          const Vec<T> of_one_size = fg::generate(a.size(), [=](Index i) { return b[i]; });
          return f(a, of_one_size, number);
        },
        fg::rows(x), fg::rows(y));
  });
}

template <class T>
Vec<T> swapped(Vec<T> x, Index i, Index j) {
  return fg::with(fg::with(x, i, x[j]), j, x[i]);
}

Index wrapped(Index i, Index n) {
  return i % fg::max(n, 1);
}

TEST(ChangedRows, ElementOfItself) {
  const auto f = [](auto a, auto b, Index) {
    return fg::iterate(
        fg::max(a.size() - 1, 0), [&](Index i, auto x) { return fg::with(x, i + 1, x[i + 1] - x[i] + b[i]); },
        a);
  };
  check_rows<float>(f);
  check_rows<double>(f);
  check_rows<int>(f);
}

TEST(ChangedRows, SharedAtTheBeginningAndNeededAfterwards) {
  check_rows<int>([](Vec<int> a, Vec<int> b, Index number) {
    const Vec<int> both = a + b;
    const auto loop = [&](Vec<int> from) {
      return fg::iterate(
          number,
          [&](Index i, Vec<int> x) { return fg::with(x, wrapped(i, x.size()), both[0] + fg::cast<int>(i)); },
          from);
    };
    return fg::concat(fg::concat(loop(both), loop(a)), both);
  });
}

TEST(ChangedRows, TwoChangePlaces) {
  check_rows<int>([](Vec<int> a, Vec<int> b, Index number) {
    const auto [x, y] = fg::iterate(
        number,
        [](Index i, Vec<int> p, Vec<int> q) {
          const Index at = wrapped(i, p.size());
          return std::tuple{q, fg::with(p, at, q[at] + 1)};
        },
        a, b);
    return fg::concat(x, y);
  });
  // A loop changes three rows, of which one takes another's former value.
  check_rows<float>([](Vec<float> a, Vec<float> b, Index number) {
    const auto [x, y, z, w] = fg::iterate(
        number,
        [](Index i, Vec<float> p, Vec<float> q, Vec<float> r, Vec<float> s) {
          const Index at = wrapped(i, p.size());
          return std::tuple{fg::with(q, at, r[at]), fg::with(r, at, s[at]), p, fg::with(q, at, 0.5F)};
        },
        a, b, a, b);
    return fg::concat(fg::concat(x, y), fg::concat(z, w));
  });
  check_rows<int>([](Vec<int> a, Vec<int> b, Index number) {  // both take the same
    const auto [x, y] = fg::iterate(
        number,
        [](Index i, Vec<int> p, Vec<int> q) {
          const Vec<int> next = fg::with(p, wrapped(i, p.size()), q[wrapped(i + 1, q.size())]);
          return std::tuple{next, next};
        },
        a, b);
    return x + y;
  });
}

TEST(ChangedRows, FormerValueIsReadAfterwards) {
  check_rows<int>([](Vec<int> a, Vec<int>, Index number) {
    return fg::iterate(
        number,
        [](Index i, Vec<int> x) { return swapped(x, wrapped(i, x.size()), wrapped(i * 3 + 1, x.size())); },
        a);
  });
  check_rows<int>([](Vec<int> a, Vec<int> b, Index number) {
    return fg::iterate(
        number,
        [&](Index i, Vec<int> x) {
          const Vec<int> changed = fg::with(x, wrapped(i, x.size()), b[wrapped(i, x.size())]);
          return changed + fg::reverse(x);
        },
        a);
  });
  check_rows<int>([](Vec<int> a, Vec<int>, Index number) {  // in a branch, and in an inner loop
    return fg::iterate(
        number,
        [](Index i, Vec<int> x) {
          const Index n = x.size();
          const Vec<int> changed = fg::with(x, wrapped(i, n), 100);
          return fg::iterate(
              2,
              [&](Index k, Vec<int> y) {
                return fg::with(y, wrapped(k + i, n), x[wrapped(k + i, n)] + y[wrapped(k, n)]);
              },
              changed);
        },
        a);
  });
}

/// A loop in each row whose state is the row and a number: one branch changes the row where it lies, the
/// other makes another one.
template <class Make>
void check_branch_beside_number(Make make) {
  check_rows<int>([=](Vec<int> a, Vec<int> b, Index number) {
    const auto [row, sum] = fg::iterate(
        number,
        [=](Index i, Vec<int> x, Exp<int> s) {
          const Index at = wrapped(i, x.size());
          return fg::cond((i & 1) == 1, [&] { return std::tuple{fg::with(x, at, s + b[at]), s + 1}; },
                          [&] { return make(x, at, s); });
        },
        a, 3);
    return fg::concat(row, fg::replicate(1, sum));
  });
}

TEST(ChangedRows, BranchGivesWhatTheRowWas) {
  using Number = Exp<int>;
  check_branch_beside_number(
      [](Vec<int> x, Index at, Number s) { return std::tuple{fg::with(x, at, s), s + x[at]}; });
  check_branch_beside_number(
      [](Vec<int> x, Index at, Number s) { return std::tuple{fg::rotate(x, 1), s + x[at]}; });
  check_branch_beside_number(
      [](Vec<int> x, Index at, Number s) { return std::tuple{fg::scan(fg::plus, 0, x), s + x[at]}; });
  check_branch_beside_number([](Vec<int> x, Index at, Number s) {
    return std::tuple{fg::scatter(x, fg::iota(fg::min(x.size(), 2)), fg::replicate(fg::min(x.size(), 2), s)),
                      s + x[at]};
  });
  check_branch_beside_number([](Vec<int> x, Index at, Number s) {
    const Vec<int> next =
        fg::iterate(2, [&](Index j, Vec<int> y) { return fg::with(y, wrapped(j, y.size()), x[at] + s); }, x);
    return std::tuple{next, s + x[at] + fg::sum(x)};
  });
  check_rows<int>([](Vec<int> a, Vec<int> b, Index number) {  // a queue
    const Vec<int> q = fg::concat(a, fg::replicate(1, 7));
    const auto [left, head, sum] = fg::iterate(
        number,
        [&](Index i, Vec<int> x, Index first, Exp<int> s) {
          return fg::cond(
              i % 3 == 2,
              [&] { return std::tuple{fg::with(x, first, 0), (first + 1) % x.size(), s + x[first]}; },
              [&] { return std::tuple{fg::with(x, (first + i) % x.size(), s + 1), first, s + 1}; });
        },
        q, fg::i64{0}, 0);
    return fg::concat(left + fg::sum(b), fg::replicate(1, sum));
  });
}

TEST(ChangedRows, ElementsThatAnInnerLoopReadsOfWhatItBeginsWith) {
  check_rows<int>([](Vec<int> a, Vec<int>, Index number) {  // sorted by insertion
    return fg::iterate(
        number,
        [](Index i, Vec<int> x) {
          const Index at = wrapped(i, x.size());
          const Exp<int> inserted = x[at];
          const auto [moved, place] = fg::while_loop(
              [&](Vec<int> y, Index j) { return j > 0 && y[fg::max(j - 1, 0)] > inserted; },
              [](Vec<int> y, Index j) { return std::tuple{fg::with(y, j, y[j - 1]), j - 1}; }, x, at);
          return fg::with(moved, place, inserted);
        },
        a);
  });
  check_rows<int>([](Vec<int> a, Vec<int> b, Index number) {  // two of them, one of which may be outside
    const Vec<int> both = a + b;
    return fg::iterate(
        number / 2,
        [&](Index k, Vec<int> x) {
          return fg::with(x, wrapped(k, x.size()), both[wrapped(number, x.size())] + both[number] + x[0]);
        },
        both);
  });
  check_rows<int>([](Vec<int> a, Vec<int> b, Index number) {  // one that iterations choose, and the whole
    const Vec<int> both = a + b;
    return fg::iterate(
        number,
        [&](Index k, Vec<int> x) {
          return fg::with(x, wrapped(k, x.size()), both[wrapped(k + 1, x.size())] + fg::sum(both));
        },
        both);
  });
}

TEST(ChangedRows, Branches) {
  check_rows<int>([](Vec<int> a, Vec<int> b, Index number) {
    return fg::iterate(
        number,
        [&](Index i, Vec<int> x) {
          const Index at = wrapped(i, x.size());
          return fg::cond(x[at] > 3, [&] { return fg::with(x, at, x[at] - b[at]); }, [&] { return x; });
        },
        a);
  });
  check_rows<int>([](Vec<int> a, Vec<int> b, Index number) {  // the other branch reads what it replaces
    return fg::iterate(
        number,
        [&](Index i, Vec<int> x) {
          const Index at = wrapped(i, x.size());
          return fg::cond(
              x[at] > 3, [&] { return fg::with(x, at, x[at] - b[at]); }, [&] { return fg::reverse(x) + b; });
        },
        a);
  });
  // Branches exchange two arrays, or change one of them.
  check_rows<int>([](Vec<int> a, Vec<int> b, Index number) {
    const auto [x, y] = fg::iterate(
        number,
        [](Index i, Vec<int> p, Vec<int> q) {
          const Index at = wrapped(i, p.size());
          const auto [r, s] = fg::cond((i & 1) == 0, [&] { return std::tuple{fg::with(p, at, q[at]), q}; },
                                       [&] { return std::tuple{q, p}; });
          return std::tuple{fg::with(r, at, s[at] + 1), s};
        },
        a, b);
    return fg::generate(a.size(), [=](Index j) { return x[j] * 1000 + y[j]; });
  });
  check_rows<int>([](Vec<int> a, Vec<int> b, Index number) {  // the former row is needed after the branches
    return fg::iterate(
        number,
        [&](Index i, Vec<int> x) {
          const Index at = wrapped(i, x.size());
          const Vec<int> y = fg::cond(
              x[at] > 3, [&] { return fg::with(x, at, b[at]); }, [&] { return fg::with(x, at, -1); });
          return y + x;
        },
        a);
  });
  check_rows<int>([](Vec<int> a, Vec<int> b, Index number) {  // one array twice
    return fg::iterate(
        number,
        [&](Index i, Vec<int> x) {
          const Index at = wrapped(i, x.size());
          const auto [y, z] = fg::cond(
              x[at] > 3, [&] { return std::tuple{x, x}; }, [&] { return std::tuple{fg::with(x, at, 9), b}; });
          const Vec<int> changed = fg::with(y, at, z[at] + 1);
          return fg::generate(x.size(), [&](Index j) { return changed[j] + z[j]; });
        },
        a);
  });
}

TEST(ChangedRows, WhileAndNestedLoops) {
  check_rows<int>([](Vec<int> a, Vec<int>, Index) {  // sorts by insertion
    return fg::iterate(
        fg::max(a.size() - 1, 0),
        [](Index i, Vec<int> x) {
          const auto [at, sorted] = fg::while_loop(
              [](Index j, Vec<int> y) { return j > 0 && y[fg::max(j - 1, 0)] > y[j]; },
              [](Index j, Vec<int> y) { return std::tuple{j - 1, swapped(y, j, j - 1)}; }, i + 1, x);
          return sorted;
        },
        a);
  });
  // An inner loop also needs the row as it was before.
  check_rows<int>([](Vec<int> a, Vec<int> b, Index number) {
    return fg::iterate(
        number,
        [&](Index i, Vec<int> x) {
          const Index n = x.size();
          const Vec<int> inner = fg::iterate(
              fg::min(i, n), [&](Index k, Vec<int> y) { return fg::with(y, k, x[n - 1 - k] + y[k]); }, x);
          return fg::with(inner, wrapped(i, n), x[wrapped(i, n)] + b[0]);
        },
        a);
  });
  // A loop changes an array that was made outside of it.
  check_rows<int>([](Vec<int> a, Vec<int>, Index number) {
    const Vec<int> doubled = a * 2;
    const auto [sum, x] = fg::iterate(
        number,
        [&](Index i, Exp<int> s, Vec<int> y) {
          const Vec<int> changed = fg::with(doubled, wrapped(i, y.size()), s);
          return std::tuple{s + fg::sum(changed), fg::with(y, wrapped(i, y.size()), changed[0])};
        },
        1, a);
    return fg::with(x, 0, sum);
  });
}

TEST(ChangedRows, Slices) {
  check_rows<int>([](Vec<int> a, Vec<int> b, Index number) {
    return fg::iterate(
        number,
        [&](Index i, Vec<int> x) {
          const fg::Range part{fg::min(i, x.size()), x.size()};
          return fg::with(x, part, x.slice(part.start, part.stop) * 2 + b.slice(part.start, part.stop));
        },
        a);
  });
  check_rows<int>([](Vec<int> a, Vec<int>, Index number) {  // of neighbours
    return fg::iterate(
        number,
        [](Index, Vec<int> x) {
          const Index n = fg::max(x.size() - 1, 0);
          return fg::with(x, fg::Range{x.size() - n, x.size()}, fg::take(x, n) + 1);
        },
        a);
  });
  check_rows<int>([](Vec<int> a, Vec<int> b, Index number) {  // at computed places
    return fg::iterate(
        number,
        [&](Index i, Vec<int> x) {
          const Vec<fg::i64> places = fg::map([&](Exp<int> p) { return fg::cast<fg::i64>(p) * 3 + i; }, b);
          return fg::scatter(x, places,
                             fg::map([](Exp<int> p, Exp<int> q) { return p + q; }, x, fg::reverse(x)));
        },
        a);
  });
}

TEST(ChangedRows, Tuples) {
  check<float>([](Mat<float> x, Mat<float> y, Index number) {
    return fg::map(
        [=](Vec<float> a, Vec<float> b) {
          const Pairs pairs = fg::zip(a, b);
          const auto last = fg::iterate(
              number,
              [](Index i, Pairs p) {
                const Index at = wrapped(i, p.size());
                const auto [u, v] = p[at];
                return fg::with(p, at, std::tuple{v, u + 1});
              },
              pairs);
          return fg::map([](Exp<std::tuple<float, float>> p) { return fg::get<0>(p) * 3 + fg::get<1>(p); },
                         last);
        },
        fg::rows(x), fg::rows(y));
  });
}

TEST(ChangedRows, MadeByThePoint) {
  check_rows<int>([](Vec<int> a, Vec<int> b, Index number) {  // without a loop
    const Vec<int> both = a + b;
    const Vec<int> once = fg::with(both, wrapped(number, a.size()), 5);
    return fg::with(once, wrapped(number * 2, a.size()), once[0] + 1);
  });
  check<int>([](Mat<int> x, Mat<int>, Index number) {  // a sieve
    return fg::generate(x.size(0), [=](Index point) {
      const Index n = x.size(1);
      const Vec<int> ones = fg::replicate(n, Exp<int>(1));
      return fg::iterate(
          fg::min(number, n),
          [&](Index k, Vec<int> sieve) {
            const auto [at, next] = fg::while_loop(
                [&](Index j, Vec<int>) { return j < n; },
                [&](Index j, Vec<int> s) { return std::tuple{j + k + 2, fg::with(s, j, s[j] - 1)}; },
                k + point, sieve);
            return next;
          },
          ones);
    });
  });
}

TEST(ChangedRows, IndicesOutside) {
  check_rows<int>([](Vec<int> a, Vec<int>, Index number) {
    return fg::iterate(number, [](Index i, Vec<int> x) { return fg::with(x, i + 3, x[i] + 1); }, a);
  });
  check_rows<int>([](Vec<int> a, Vec<int>, Index number) {
    return fg::iterate(number, [](Index i, Vec<int> x) { return swapped(x, i, 5 - i); }, a);
  });
  const auto program = [](Mat<int> x, Index first) {
    return fg::map(
        [=](Vec<int> row) {
          return fg::iterate(4, [&](Index i, Vec<int> y) { return fg::with(y, first + i, y[i] + 1); }, row);
        },
        fg::rows(x));
  };
  on_every_engine(program, [](const auto& f) {
    const Rows<int> x = rows<int>(3, 9);
    EXPECT_EQ(f(x, 5).to_vector().size(), 27U);
    EXPECT_TRUE(message_of<fg::IndexError>([&] {
                  f(x, 7);
                }).ends_with("IndexError: with: index 9 is outside an array of 9"));
    EXPECT_TRUE(message_of<fg::IndexError>([&] {
                  f(x, -2);
                }).ends_with("IndexError: with: index -2 is outside an array of 9"));
  });
}

// Lanes with trips of their own.
TEST(ChangedRows, LoopsOfUnequalLength) {
  check_rows<int>([](Vec<int> a, Vec<int> b, Index number) {
    const auto [left, x] =
        fg::while_loop([](Index n, Vec<int>) { return n > 0; },
                       [&](Index n, Vec<int> y) {
                         return std::tuple{n - 1, fg::with(y, n % y.size(), y[0] + b[n % y.size()])};
                       },
                       fg::cast<fg::i64>(a[0]) + number, a);
    return x;
  });
}

}  // namespace
