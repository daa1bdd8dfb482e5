// Nests of a matrix product's kind, written in ten ways without its name, with operators on tuples and on
// structs of a user's: they get the tile of registers that matmul gets, with the same cuts.
#include <fulgurite/fulgurite.h>
#include <gtest/gtest.h>

#include <regex>
#include <sstream>

#include "machines.h"
#include "schedule/print.h"
#include "trace/traced.h"

namespace fulgurite::testing_pipeline {
namespace {

using Index = Exp<i64>;

/// How the version with tiles cuts its axes, without sizes, and how many operands are staged.
struct Tiles {
  std::vector<std::string> cuts;
  std::size_t n_staged = 0;
};
Tiles tiles_of(const soac::Program& program, int vector_bytes) {
  const pipeline::Report report =
      pipeline::compile(program, {.engine = Engine::cpu}, processor(vector_bytes));
  static const std::regex cut("(cut [0-9]) by .* ((grid|sequence|lane|registers)\\b).*"),
      stage("stage .* at [0-9] shared");
  Tiles found;
  for (const lower::LaunchNote& note : report.lowered.notes) {
    if (!note.launch) continue;
    std::istringstream text(schedule::print(*report.optimised.arena, *note.launch));
    bool is_within = false;
    for (std::string line; std::getline(text, line);) {
      if (line.find("phase \"") != line.npos) is_within = line.find("\"tiles\"") != line.npos;
      std::smatch parts;
      if (is_within && std::regex_search(line, parts, cut))
        found.cuts.push_back(parts[1].str() + " " + parts[2].str());
      if (is_within && std::regex_search(line, stage)) ++found.n_staged;
    }
  }
  return found;
}

template <class F>
Tiles tiles_of(const F& f, int vector_bytes) {
  return tiles_of(compile(f, {.engine = Engine::interpreter}).traced()->program(), vector_bytes);
}

/// That `f` has the cuts of a matmul whose sums round, or do not, and stages so many operands.
template <class F>
void expect_tiles(const F& f, bool rounds = true, std::size_t n_staged = 2) {
  for (const int vector_bytes : {16, 32, 64}) {
    SCOPED_TRACE("vectors of " + std::to_string(vector_bytes) + " bytes");
    const Tiles named = rounds
                            ? tiles_of([](Mat<float> a, Mat<float> b) { return matmul(a, b); }, vector_bytes)
                            : tiles_of([](Mat<int> a, Mat<int> b) { return matmul(a, b); }, vector_bytes);
    ASSERT_EQ(std::ranges::count(named.cuts, "cut 0 registers"), 1);
    const Tiles found = tiles_of(f, vector_bytes);
    EXPECT_EQ(found.cuts, named.cuts);
    EXPECT_EQ(found.n_staged, n_staged);
  }
}

/// [i, j] = f(l -> elements of row i and of column j)
auto at_all(const auto& a, const auto& b, auto f) {
  return generate({a.size(0), b.size(1)}, [=](Index i, Index j) {
    return f(a.size(1), [=](Index l) { return std::tuple{a(i, l), b(l, j)}; });
  });
}

struct Complex {
  float re, im;
};
struct Nearest {
  float distance;
  i64 place;
};

TEST(NamedForms, SumOfAGeneratedVector) {
  expect_tiles([](Mat<float> a, Mat<float> b) {
    return at_all(a, b, [](Index n, auto pair) {
      return sum(generate(n, [=](Index l) {
        const auto [x, y] = pair(l);
        return x * y;
      }));
    });
  });
}

TEST(NamedForms, ReductionByALambda) {
  expect_tiles([](Mat<float> a, Mat<float> b) {
    return at_all(a, b, [](Index n, auto pair) {
      return reduce([](Exp<float> x, Exp<float> y) { return x + y; }, 0.f, generate(n, [=](Index l) {
                      const auto [x, y] = pair(l);
                      return x * y;
                    }));
    });
  });
}

TEST(NamedForms, SumsAlongTheLastAxisOfACube) {
  expect_tiles([](Mat<float> a, Mat<float> b) {
    return sum(generate({a.size(0), b.size(1), a.size(1)},
                        [=](Index i, Index j, Index l) { return a(i, l) * b(l, j); }),
               axis(2));
  });
}

TEST(NamedForms, MapOfRowsAndColumns) {
  expect_tiles([](Mat<float> a, Mat<float> b) {
    return map(
        [=](Vec<float> x) {
          return map([=](Vec<float> y) { return sum(map([](auto p, auto q) { return p * q; }, x, y)); },
                     columns(b));
        },
        rows(a));
  });
}

TEST(NamedForms, ComplexProduct) {
  expect_tiles(
      [](Mat<Complex> a, Mat<Complex> b) {
        return at_all(a, b, [](Index n, auto pair) {
          return reduce(
              [](Exp<Complex> u, Exp<Complex> v) {
                const auto [p, q] = u;
                const auto [r, s] = v;
                return make<Complex>(p + r, q + s);
              },
              Complex{0, 0}, generate(n, [=](Index l) {
                const auto [x, y] = pair(l);
                const auto [p, q] = x;
                const auto [r, s] = y;
                return make<Complex>(p * r - q * s, p * s + q * r);
              }));
        });
      },
      true, 4);
}

TEST(NamedForms, TwoSumsInATuple) {
  expect_tiles(
      [](Mat<float> a, Mat<float> b) {
        return at_all(a, b, [](Index n, auto pair) {
          return reduce(
              [](Exp<std::tuple<float, float>> u, Exp<std::tuple<float, float>> v) {
                const auto [p, q] = u;
                const auto [r, s] = v;
                return std::tuple{p + r, q + s};
              },
              std::tuple{0.f, 0.f}, generate(n, [=](Index l) {
                const auto [x, y] = pair(l);
                return std::tuple{x * y, x * x * y};
              }));
        });
      },
      true, 3);
}

TEST(NamedForms, LeastSumAndItsPlace) {
  expect_tiles(
      [](Mat<float> a, Mat<float> b) {
        return at_all(a, b, [](Index n, auto pair) {
          return reduce(
              [](Exp<Nearest> u, Exp<Nearest> v) {
                const auto [p, k] = u;
                const auto [q, l] = v;
                return make<Nearest>(select(q < p, q, p), select(q < p, l, k));
              },
              Nearest{1e30f, -1}, generate(n, [=](Index l) {
                const auto [x, y] = pair(l);
                return make<Nearest>(x + y, l);
              }));
        });
      },
      false);
}

TEST(NamedForms, BooleanProduct) {
  expect_tiles(
      [](Mat<bool> a, Mat<bool> b) {
        return at_all(a, b, [](Index n, auto pair) {
          return any(generate(n, [=](Index l) {
            const auto [x, y] = pair(l);
            return x & y;
          }));
        });
      },
      false);
}

TEST(NamedForms, WeightedDistances) {
  expect_tiles([](Mat<float> a, Mat<float> b, Vec<float> w) {
    return at_all(a, b, [=](Index n, auto pair) {
      return sum(generate(n, [=](Index l) {
        const auto [x, y] = pair(l);
        return w[l] * (x - y) * (x - y);
      }));
    });
  });
}

TEST(NamedForms, LastOfAnOperatorThatDoesNotCommute) {
  expect_tiles(
      [](Mat<int> a, Mat<int> b) {
        return at_all(a, b, [](Index n, auto pair) {
          return reduce([](Exp<int> u, Exp<int> v) { return select(v != 0, v, u); }, 0,
                        generate(n, [=](Index l) {
                          const auto [x, y] = pair(l);
                          return select(x < y, x * y, 0);
                        }));
        });
      },
      false);
}

}  // namespace
}  // namespace fulgurite::testing_pipeline
