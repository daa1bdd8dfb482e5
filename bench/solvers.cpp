// Solvers and other step by step programs beside plain OpenMP. In each round ours and the peer run in turn,
// 15 ms of rest before each; a ratio is the median of the ratios of the rounds, the last one of the least
// times.
#include "solvers_cases.h"

#include "rounds.h"

namespace {

// Short ones run several times together.
constexpr double together_us = 8000;

const double* begin_of(const double& x) {
  return &x;
}
template <class T, int N>
const T* begin_of(const bench::fg::Array<T, N>& x) {
  return x.data();
}

struct Measure {
  bench::Options options;

  template <class F, class Call, class T, class Peer>
  void operator()(const std::string& name, const F& program, const Call& call, std::vector<T> theirs,
                  const Peer& by_hand) const {
    if (!options.wants(name)) return;
    const auto compiled = bench::fg::compile(program);
    decltype(call(compiled)) result = call(compiled);
    const auto ours = [&] { result = {}, result = call(compiled); };
    const auto peer = [&] { by_hand(theirs.data()); };
    peer();
    for (std::size_t i = 0; i < theirs.size(); ++i) {
      const double is = static_cast<double>(begin_of(result)[i]), wanted = static_cast<double>(theirs[i]);
      if (!(std::abs(is - wanted) <= 1e-3 * (1 + std::abs(wanted))))
        throw std::runtime_error(fmt::format("{}: element {} is {}, not {}", name, i, is, wanted));
    }
    const auto times = bench::in_turn(options, together_us, {ours, peer});
    fmt::print("| {} | {:.0f} | {:.0f} | {:.2f} | {:.2f} |\n", name, bench::median(times[0]),
               bench::median(times[1]), bench::median_ratio(times[0], times[1]),
               bench::ratio_of_least(times[0], times[1]));
    std::fflush(stdout);
  }
};

}  // namespace

int main(int argc, char** argv) {
  const Measure measure{
      bench::options_of(argc, argv, "Solvers and other step by step programs, beside OpenMP")};
  fmt::print("| program | us | peer us | ours / peer | of least times |\n|---|---|---|---|---|\n");
  bench::alignments(2048, 64, measure);
  bench::options(65536, 1024, 16, 8, measure);
  bench::local_volatilities(64, 128, 64, 32, measure);
  bench::factors(1024, 32, measure);
  bench::sweeps(1024, 1024, 20, measure);
  bench::transposition_sorts(16384, measure);
  bench::lives(4096, 64, 50, measure);
  bench::oscillations(16384, 10, measure);
  return 0;
}
