#include "harness/measure.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

namespace bench {
namespace {

using namespace std::chrono_literals;

// Plain sequential sums in f32 are this far off at 10^7 elements; they are told apart from wrong results.
constexpr double f32_rounding = 0.05;

double now_us() {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

class Timing {
 public:
  Timing(const Benchmark& benchmark, const Peer& peer, Memory& memory)
      : benchmark_(benchmark), peer_(peer), memory_(memory) {}

  bool is_limit() const { return peer_.name.starts_with("limit"); }
  const Peer& peer() const { return peer_; }

  double checked_call() {
    memory_.clear_outputs(benchmark_);
    prepare();
    peer_.run(memory_.data);
    if (peer_.publish) peer_.publish(memory_.data);
    return memory_.checksum(benchmark_);
  }

  void warm_up() {
    best_us_ = 1e30;
    const double start = now_us();
    for (int call = 0; call < 2 || (call < 5000 && now_us() - start < 10e3); ++call) {
      prepare();
      const double before = now_us();
      peer_.run(memory_.data);
      best_us_ = std::min(best_us_, now_us() - before);
      if (best_us_ > 50e3) break;
    }
  }

  void sample(double sample_ms) {
    const int batch =
        benchmark_.prepare ? 1 : std::max(1, static_cast<int>(std::ceil(3.0 / std::max(best_us_, 0.003))));
    const int least = best_us_ > 100e3 ? 2 : best_us_ > 20e3 ? 3 : 7;
    const double start = now_us();
    for (int count = 0; count < least || (count < 2000 && now_us() - start < sample_ms * 1e3); ++count) {
      const std::int64_t place = (static_cast<std::int64_t>(samples_.size()) * 7919) % (memory_.data.n - 1);
      memory_.swap_elements(benchmark_, place, place + 1);
      prepare();
      const double before = now_us();
      for (int call = 0; call < batch; ++call) peer_.run(memory_.data);
      samples_.push_back((now_us() - before) / batch);
      memory_.swap_elements(benchmark_, place, place + 1);
    }
  }

  Row row(double checksum, Verdict verdict) {
    std::sort(samples_.begin(), samples_.end());
    return {benchmark_.name, peer_.name,  memory_.data.n,  samples_[samples_.size() / 2],
            checksum,        samples_[0], samples_.size(), verdict};
  }

 private:
  void prepare() {
    if (benchmark_.prepare) benchmark_.prepare(memory_.data, memory_);
  }

  const Benchmark& benchmark_;
  const Peer& peer_;
  Memory& memory_;
  double best_us_ = 0;
  std::vector<double> samples_;
};

Verdict judge(const Benchmark& benchmark, double checksum, double reference) {
  const double error = std::fabs(checksum - reference);
  if (error <= benchmark.tolerance * std::fabs(reference) + 1e-12) return Verdict::ok;
  const bool rounded = benchmark.tolerance >= 2e-4 && error <= f32_rounding * std::fabs(reference);
  return rounded ? Verdict::rounding : Verdict::mismatch;
}

}  // namespace

const char* spelling(Verdict verdict) {
  switch (verdict) {
    case Verdict::ok: return "ok";
    case Verdict::rounding: return "rounding";
    case Verdict::limit: return "limit";
    case Verdict::mismatch: break;
  }
  return "MISMATCH";
}

std::vector<Row> measure(const Benchmark& benchmark, std::int64_t n, const std::vector<Peer>& peers,
                         Memory& memory, const Effort& effort) {
  memory.data.n = n;
  if (benchmark.set_up) benchmark.set_up(memory.data, memory);
  double reference = 0;
  std::vector<Timing> timings;
  for (const Peer& peer : peers) {
    Timing timing(benchmark, peer, memory);
    if (peer.name == reference_name) {
      reference = timing.checked_call();
    } else {
      timings.push_back(timing);
    }
  }

  std::vector<double> checksums(timings.size());
  std::vector<Verdict> verdicts(timings.size(), Verdict::ok);
  auto check = [&](std::size_t k) {
    checksums[k] = timings[k].checked_call();
    verdicts[k] = timings[k].is_limit() ? Verdict::limit
                                        : std::max(verdicts[k], judge(benchmark, checksums[k], reference));
  };
  for (int round = 0; round < effort.rounds; ++round) {
    for (std::size_t k = 0; k < timings.size(); ++k) {
      std::this_thread::sleep_for(15ms);
      if (round == 0) check(k);
      timings[k].warm_up();
      timings[k].sample(effort.sample_ms);
      if (round + 1 == effort.rounds) check(k);
    }
  }

  std::vector<Row> rows;
  for (std::size_t k = 0; k < timings.size(); ++k) rows.push_back(timings[k].row(checksums[k], verdicts[k]));
  return rows;
}

}  // namespace bench
