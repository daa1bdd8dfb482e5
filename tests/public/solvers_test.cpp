// Solvers and other step by step programs, at small sizes: every engine gives what loops by hand give.
#include "engines.h"

#include "solvers_cases.h"

namespace {

template <class T>
std::vector<T> elements_of(const T& x) {
  return {x};
}
template <class T, int N>
std::vector<T> elements_of(const fg::Array<T, N>& x) {
  return x.to_vector();
}

struct Compare {
  template <class F, class Call, class T, class Peer>
  void operator()(const std::string& name, const F& program, const Call& call, std::vector<T> wanted,
                  const Peer& by_hand) const {
    SCOPED_TRACE(name);
    by_hand(wanted.data());
    on_every_engine(program, [&](const auto& compiled) {
      const std::vector<T> are = elements_of(call(compiled));
      ASSERT_EQ(are.size(), wanted.size());
      for (std::size_t i = 0; i < are.size(); ++i) {
        if constexpr (std::is_integral_v<T>)
          ASSERT_EQ(are[i], wanted[i]) << i;
        else
          ASSERT_NEAR(are[i], wanted[i], 1e-3 * (1 + std::abs(static_cast<double>(wanted[i])))) << i;
      }
    });
  }
};
constexpr Compare compare;

TEST(Solvers, AlignmentsOfSequences) {
  bench::alignments(2, 1, compare);
  bench::alignments(6, 2, compare);
  bench::alignments(20, 5, compare);
  bench::alignments(35, 35, compare);
}

TEST(Solvers, OptionsOfPaths) {
  bench::options(8, 4, 2, 1, compare);
  bench::options(96, 16, 4, 3, compare);
}

TEST(Solvers, LocalVolatilities) {
  bench::local_volatilities(1, 3, 2, 1, compare);
  bench::local_volatilities(3, 18, 7, 3, compare);
}

TEST(Solvers, FactorsInBlocks) {
  bench::factors(32, 8, compare);
  bench::factors(32, 32, compare);
  bench::factors(64, 16, compare);
}

TEST(Solvers, SweepsByColours) {
  bench::sweeps(3, 3, 2, compare);
  bench::sweeps(4, 20, 3, compare);
  bench::sweeps(19, 37, 2, compare);
}

TEST(Solvers, TranspositionSorts) {
  for (const int n : {0, 1, 2, 3, 16, 51}) bench::transposition_sorts(n, compare);
}

TEST(Solvers, Lives) {
  bench::lives(1, 1, 2, compare);
  bench::lives(3, 2, 3, compare);
  bench::lives(20, 9, 4, compare);
}

TEST(Solvers, OscillatorsWithStepsOfTheirOwn) {
  bench::oscillations(1, 1, compare);
  bench::oscillations(37, 2, compare);
}

}  // namespace
