// Arrays inside functions of elements whose sizes follow from elements of the same arrays: state that loops
// make longer and shorter, arrays in conditions of loops, as many classes as an element says. Sizes are tried
// (simplify/tried_sizes.h): each program also has points that want more than the first room of 64 elements.
#include "unbounded_sizes.h"

namespace {

using namespace unbounded_sizes;

// As many elements as the last element says, all of which follow from the number of elements.
Vec<int> more_of(Vec<int> v, int most) {
  const auto n = fg::cast<int>(v.size());
  const auto size = fg::cast<i64>(at_or(v, v.size() - 1, 1) % most + 1);
  return fg::generate(size, [=](Exp<i64> i) { return fg::cast<int>(i) * 3 + n % 5; });
}

TEST(TriedSizes, StatesThatGrow) {
  on_sizes([](Exp<int> n) {
    return digest(fg::while_loop([=](Vec<int> v) { return v.size() < fg::cast<i64>(n) * 9; },
                                 [](Vec<int> v) { return fg::concat(v, more_of(v, 4)); }, numbers(n)));
  });
  on_sizes([](Exp<int> n) {
    return digest(
        fg::iterate(n, [](Exp<i64>, Vec<int> v) { return fg::concat(more_of(v, 7), v); }, numbers(n)));
  });
  on_rows([](Vec<int> row) {  // another size each time
    return digest(fg::iterate(3, [](Vec<int> v) { return fg::sort(numbers(fg::sum(v) % 97)); }, row));
  });
}

TEST(TriedSizes, Stacks) {
  // Nodes of a tree in depth-first order: a node of size n has two of n - 1 and n - 2.
  on_sizes([](Exp<int> n) {
    const auto [left, count] = fg::while_loop(
        [](Vec<int> stack, Exp<int>) { return stack.size() > 0; },
        [](Vec<int> stack, Exp<int> k) {
          const auto top = stack[stack.size() - 1];
          const auto children = fg::generate(fg::cast<i64>(fg::clamp(top, 0, 2)),
                                             [=](Exp<i64> i) { return top - 1 - fg::cast<int>(i); });
          return std::tuple{fg::concat(fg::take(stack, stack.size() - 1), children), k + 1};
        },
        fg::replicate(1, fg::min(n, 10)), 0);
    return count + fg::cast<int>(left.size());
  });
}

// From each vertex: how far the others are, all together, by a frontier of all neighbours not seen before.
TEST(TriedSizes, BreadthFirstSearchOfEachVertex) {
  const auto program = [](Ragged<int> graph) {
    const auto n = graph.size();
    return fg::map(
        [&](Exp<i64> from) {
          const auto [frontier, distances, last] = fg::while_loop(
              [](Vec<int> front, Vec<int>, Exp<int>) { return front.size() > 0; },
              [&](Vec<int> front, Vec<int> before, Exp<int> d) {
                const auto all = fg::expand([&](Exp<int> v) { return graph.row(v).size(); },
                                            [&](Exp<int> v, Exp<i64> k) { return graph.row(v)[k]; }, front);
                const auto next = fg::filter([&](Exp<int> v) { return before[v] < 0; }, all);
                return std::tuple{next, fg::scatter(before, next, fg::replicate(next.size(), d + 1)), d + 1};
              },
              fg::replicate(1, fg::cast<int>(from)), fg::with(fg::replicate(n, -1), from, 0), 0);
          return fg::sum(distances) * 100 + last;
        },
        fg::iota(n));
  };
  std::mt19937 random(3);
  Rows large(40);
  for (Ints& row : large)
    for (int k = 0; k < 6; ++k) row.push_back(static_cast<int>(random() % 40));
  as_interpreted(program, std::vector<std::tuple<RaggedArray<int>>>{
                              {RaggedArray<int>(Rows{})},
                              {RaggedArray<int>(Rows{{0}})},
                              {RaggedArray<int>(Rows{{1, 2}, {3}, {3}, {4, 0}, {}, {0}})},
                              {RaggedArray<int>(large)}});
}

TEST(TriedSizes, SeveralStates) {
  on_sizes([](Exp<int> n) {
    const auto [a, b, c] = fg::iterate(
        4,
        [&](Vec<int> x, Vec<double> y, Vec<bool> z) {
          const auto size = fg::cast<i64>(y[0]) % 50;
          return std::tuple{fg::concat(x, fg::replicate(size, n)),
                            fg::concat(fg::replicate(x[x.size() - 1] % 9 + 1, y[0] * 1.5 + 1.0), y),
                            fg::concat(z, fg::replicate(size, !z[z.size() - 1]))};
        },
        fg::replicate(2, n), fg::replicate(1, fg::cast<double>(n)), fg::replicate(1, n > 3));
    return digest(a) + fg::cast<int>(fg::sum(b)) + fg::cast<int>(fg::count(c));
  });
  on_sizes([](Exp<int> n) {  // of two axes, of which one grows
    const auto rows = [&](Exp<int> k) {
      return fg::generate({fg::Index(k), fg::Index(3)},
                          [=](Exp<i64> i, Exp<i64> j) { return fg::cast<int>(i + j) + n; });
    };
    return fg::sum(fg::while_loop([](Mat<int> m) { return m.size(0) < 70; },
                                  [&](Mat<int> m) { return fg::concat(m, rows(m(0, 1) % 3 + 1)); }, rows(1)));
  });
}

TEST(TriedSizes, Branches) {
  on_sizes([](Exp<int> n) {
    return digest(
        fg::while_loop([](Vec<int> v) { return v.size() > 0 && v[0] < 30; },
                       [](Vec<int> v) {
                         return fg::cond(
                             v[0] % 2 == 0, [&] { return fg::concat(v + 3, more_of(v, 9)); },
                             [&] { return fg::concat(fg::take(v, v.size() / 2 + 1) + 1, more_of(v, 3)); });
                       },
                       fg::replicate(1, n)));
  });
  as_interpreted(  // sizes that are read at places in the array
      [](Vec<int> x) {
        return fg::map(
            [&](Exp<int> n) {
              return digest(fg::iterate(
                  2,
                  [&](Vec<int> v) {
                    return fg::cond(
                        n > 2, [&] { return fg::drop(v, fg::min(v.size(), 1)); },
                        [&] { return fg::concat(v, numbers(x[v[0]])); });
                  },
                  fg::replicate(1, n)));
            },
            x);
      },
      std::vector<std::tuple<Ints>>{{Ints{}}, {Ints{2, 0, 150, 1}}});
}

TEST(TriedSizes, LoopsInLoopsAndMaps) {
  on_sizes([](Exp<int> n) {
    const auto [all, sum] = fg::while_loop(
        [&](Vec<int>, Exp<int> s) { return s < n; },
        [&](Vec<int> v, Exp<int> s) {
          const auto inner =
              fg::while_loop([&](Vec<int> u) { return u.size() < v.size() + 5; },
                             [&](Vec<int> u) { return fg::concat(u, more_of(u, 4)); }, fg::sort(v));
          const auto even = fg::filter([](Exp<int> x) { return x % 2 == 0; }, inner);
          return std::tuple{fg::concat(even, more_of(inner, 3)), s + 1 + fg::cast<int>(even.size()) % 3};
        },
        numbers(n), 0);
    return digest(all) + sum;
  });
  on_rows([](Vec<int> row) {
    return fg::sum(fg::map(
        [](Exp<int> x) {
          return digest(fg::while_loop([&](Vec<int> v) { return fg::sum(v) < 8 * x; },
                                       [](Vec<int> v) { return fg::concat(v, more_of(v, 3)); },
                                       fg::replicate(1, x)));
        },
        row));
  });
  on_sizes([](Exp<int> n) {  // a size that is an element of an array of a tried size
    const auto v =
        fg::iterate(n, [](Exp<i64>, Vec<int> u) { return fg::concat(u, more_of(u, 7)); }, numbers(n));
    return digest(fg::sort(numbers(at_or(v, v.size() - 1, 2))));
  });
}

TEST(TriedSizes, ConditionsOfLoops) {
  on_sizes([](Exp<int> n) {
    return fg::while_loop(
        [=](Exp<int> k) {
          const auto sorted = fg::sort(numbers(n + k));
          return at_or(sorted, sorted.size() / 2, 0) < 40;
        },
        [](Exp<int> k) { return k + 7; }, 0);
  });
  on_sizes([](Exp<int> n) {
    return digest(
        fg::while_loop([](Vec<int> v) { return digest(fg::unique(fg::concat(v, more_of(v, 60)))) < 9000; },
                       [](Vec<int> v) { return fg::concat(v, more_of(v, 5)); }, fg::replicate(1, n)));
  });
}

TEST(TriedSizes, AsManyClassesAsAnElementSays) {
  as_interpreted(
      [](Vec<int> x) {
        return fg::map(
            [&](Exp<int> n) {
              const auto [values, begins] = fg::partition(n + 1, [&](Exp<int> e) { return e % (n + 1); }, x);
              return digest(values) + at_or(fg::cast<int>(begins), fg::cast<i64>(n), 0);
            },
            x);
      },
      all_sizes());
}

TEST(TriedSizes, InWhatFoldsScansAndFiltersPoints) {
  const auto grown = [](Exp<int> n) {
    return fg::while_loop([](Vec<int> v) { return fg::sum(v) < 900; },
                          [](Vec<int> v) { return fg::concat(v, more_of(v, 6)); }, fg::replicate(1, n));
  };
  as_interpreted(
      [=](Vec<int> x) {
        const auto digests = fg::map([=](Exp<int> n) { return digest(grown(n)); }, x);
        return std::tuple{fg::sum(digests), fg::scan(fg::plus, 0, digests),
                          fg::filter([=](Exp<int> n) { return digest(grown(n)) % 2 == 0; }, x),
                          fg::map([=](Exp<int> n) { return fg::Row(grown(n)); }, x)};
      },
      all_sizes());
  as_interpreted(  // in every iteration of a loop around the map
      [=](Vec<int> x) {
        return fg::iterate(
            3, [=](Vec<int> y) { return fg::map([=](Exp<int> n) { return digest(grown(n)) % 11; }, y); }, x);
      },
      all_sizes());
}

TEST(TriedSizes, FailAsTheyDoElsewhere) {
  on_every_engine(
      [](Vec<int> x) {
        return fg::map(
            [&](Exp<int> n) {
              return digest(fg::while_loop(
                  [](Vec<int> v) { return fg::sum(v) < 300; },
                  [&](Vec<int> v) { return fg::concat(v, fg::replicate(v[v.size() - 1] % 3 + 1, x[n])); },
                  fg::replicate(1, n)));
            },
            x);
      },
      [](const auto& f) {
        EXPECT_EQ(f(Ints{1, 2, 2}).size(), 3);
        EXPECT_NE(message_of<fg::IndexError>([&] { f(Ints{1, 2, 7}); }).find("index 7 at position 2"),
                  std::string::npos);
      });
}

// Which values an operator meets follows from how an engine joins them.
TEST(TriedSizes, AreNotTriedInOperators) {
  const auto program = [](Vec<int> x) {
    return fg::reduce([](Exp<int> a, Exp<int> b) { return digest(fg::unique(numbers(fg::max(a, b)))); }, 0,
                      x);
  };
  for (const auto& [name, engine] : tested_engines()) {
    if (engine == fg::Engine::interpreter) continue;
    SCOPED_TRACE("engine " + name);
    const fg::Options options{.engine = engine};
    const std::string message = message_of<fg::ShapeError>([&] { fg::compile(program, options); });
    EXPECT_NE(message.find("unbounded_sizes.h:"), std::string::npos) << message;
    EXPECT_NE(message.find("how many that can be is not known"), std::string::npos) << message;
  }
}

}  // namespace
