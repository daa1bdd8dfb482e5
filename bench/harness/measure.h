// Times the peers of one benchmark at one size against each other.
#pragma once

#include <string>
#include <vector>

#include "harness/benchmarks.h"

namespace bench {

enum class Verdict { ok, rounding, mismatch, limit };

const char* spelling(Verdict verdict);

struct Row {
  std::string benchmark, peer;
  std::int64_t n = 0;
  double median_us = 0, checksum = 0, min_us = 0;
  std::size_t samples = 0;
  Verdict verdict = Verdict::ok;
};

struct Effort {
  int rounds = 20;       // short ones: how fast memory is changes from second to second
  double sample_ms = 4;  // a peer and round
};

// Rounds in which every peer runs in turn, so that all see the same moods of the machine; in each: a sleep,
// in which the workers of the peer before stop spinning, warm-up, samples. Before each sample two elements of
// each input change places, so that no result can be kept. The checksums of the first and of the last call,
// on outputs that were overwritten, are compared with the reference.
std::vector<Row> measure(const Benchmark& benchmark, std::int64_t n, const std::vector<Peer>& peers,
                         Memory& memory, const Effort& effort);

}  // namespace bench
