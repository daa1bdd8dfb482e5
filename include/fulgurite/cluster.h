// What a program would send and how long it would take on ranks that need not be there (docs/cluster.md):
// predict(f, {.ranks = 1024}, {"1000000", "1000000"}). Nothing is allocated, and no kernel runs.
#pragma once

#include <fulgurite/compile.h>

#include <cstdint>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace fulgurite {

/// Processes of a job on the engine mpi, and what each of them has.
struct Cluster {
  int ranks = 1;
  double latency = 2e-6;      // seconds that a message takes beside its bytes
  double bandwidth = 12.5e9;  // bytes a second that a rank sends
  double memory = 20e9;       // bytes a second that a rank's kernels move
  double operations = 80e9;   // a second, on a rank
  // Assumptions about values that elements decide, which cannot be known:
  double kept = 0.5;            // of a filter's elements
  std::int64_t iterations = 1;  // of each while_loop
};

/// The prediction for one call.
struct Prediction {
  double seconds = 0;                                    // of a call, and in it:
  double computing = 0, sending = 0, agreeing = 0;       // of kernels, of messages, of collective operations
  std::int64_t messages = 0, bytes = 0;                  // of all ranks
  std::int64_t messages_of_rank = 0, bytes_of_rank = 0;  // of the rank that sends most
  // Collective operations by which all ranks give something to all others; bytes have theirs, too.
  std::int64_t gatherings = 0;
  std::string limit;                     // what takes most of the time
  std::vector<std::string> assumptions;  // where elements decide
  std::string text;                      // for people: all of this, by kernels and phases
};

namespace detail {
Prediction predict(const TracedProgram&, const Options&, const Cluster&,
                   const std::vector<std::string>& arguments);
}  // namespace detail

/// `arguments`: for each staged parameter, and for each component of composite elements, a scalar's value; an
/// array's extents, "1000x500", of which each rank has its part as an earlier call leaves it, or
/// "1000x500@all", which every rank has, as it has what a .npy file of that name holds. `constants` as in
/// explain(). Throws FormatError for arguments that do not fit, and what compiling throws.
template <class Signature, class... Constants>
Prediction predict(const Compiled<Signature>& f, const Cluster& cluster,
                   const std::vector<std::string>& arguments, const Constants&... constants) {
  return detail::predict(*f.traced(constants...), f.options(), cluster, arguments);
}

}  // namespace fulgurite

#pragma GCC visibility pop
