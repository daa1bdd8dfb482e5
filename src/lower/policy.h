// Tuning numbers of the CPU lowering: plain values chosen in one function from what the code does and what
// the host is, printable, and part of the program cache's key.
#pragma once

#include <cstdint>
#include <string>

#include "soac/linear.h"

namespace fulgurite::lower {

/// What the policy may know of the machine.
struct Target {
  int vector_bytes = 64;                     // widest vector register
  std::int64_t last_level_cache = 32 << 20;  // bytes
  std::int64_t shared_memory = 48 << 10;     // bytes that the threads of a block have together
  bool tells_occupancy = false;              // runtime::Description
  friend bool operator==(const Target&, const Target&) = default;
};

/// Most bytes that a task scans before its turn comes and keeps for then (scan_runs.h).
inline constexpr std::int64_t bytes_scanned_ahead = 1 << 16;

/// How one combinator becomes loops.
struct Policy {
  int lanes = 64;       // instances of a block's Par in the main loop: vector width times unrolling
  int tail_lanes = 16;  // of the masked loop over what is left: the vector width
  int scan_lanes = 64;  // that scan together: more apply the operator more often and pass less on
  int scan_steps = 0;   // points of the run that each of these lanes scans by itself, a multiple of their
                        // number (scan_runs.h); 0: lanes are neighbours
  std::int64_t tile = 16384;  // elements of one task; a function of the code only, so that results do not
                              // depend on threads
  int chain = 32;  // additions one float accumulator takes before it is added to an outer one (bounds the
                   // rounding error)
  bool linear = false;  // every access is element number = row-major number of the point: the space is walked
                        // as one axis
  bool rows = false;    // one row (point of the space) at a time in scalar code, with inner combinators as
                        // vector loops
  // Of reductions whose operator does not commute: each lane folds a run of neighbouring points.
  int run_lanes = 16;          // a power of two
  int run_steps = 16;          // points of its run that a lane takes in a round: what is fetched at once
  std::int64_t run = 0;        // most points of a run; 0: there are no such reductions
  std::int64_t ahead = 0;      // how many elements in front of what is read the cache is filled
  std::int64_t portion = 512;  // points whose places and values wait for the scalar code of a scatter with an
                               // operator
  std::int64_t streaming = 32 << 20;  // bytes read and written from which on stores bypass the caches
  // From as many bytes on memory decides how fast cheap reductions are: whether they touch what they load
  // (docs/performance.md).
  bool touch = false;
  friend bool operator==(const Policy&, const Policy&) = default;
};
std::string to_string(const Policy&);

/// How large arrays are sorted (radix.h, row_sort.h). Elements, unless it says otherwise.
struct SortPolicy {
  std::int64_t whole = 8192;      // most that are one row
  std::int64_t row = 8192;        // of a row, if there are not too many
  std::int64_t least_row = 512;   // of a row, as long as there are few rows
  std::int64_t most_rows = 2048;  // as many as are written to at once
  std::int64_t fits = 1 << 17;    // a row may be so long that it is sorted by one task, or
  std::int64_t shares = 32;       // this part of all
  std::int64_t points_a_sample = 32, least_samples = 1024, most_samples = 1 << 17;
  std::int64_t most_bits = 16;        // of keys, that samples are counted by
  std::int64_t inserted = 16;         // most of a row that need no digits
  std::int64_t least_digit_bits = 4;  // that a row is moved by at once, as a row's length has bits, up to
  std::int64_t digit_bits = 11;
  std::int64_t beyond_bits = 5;  // of keys, beyond the logarithm of their number, that are sorted by digits
  std::int64_t most_work = 16;   // steps of insertion for an element, on average
  std::int64_t tasks = 128;
  friend bool operator==(const SortPolicy&, const SortPolicy&) = default;
};
std::string to_string(const SortPolicy&);

/// How scatters keep the last of several values for a place (ordered_stores.h). Points, unless it says
/// otherwise.
struct ScatterPolicy {
  std::int64_t few = 1 << 20;   // most that one task stores
  std::int64_t tile = 1 << 16;  // that a task sorts by range
  int range_bits = 8;           // the destination is cut into at most 2 to this power ranges, each of
  int least_shift = 6;          // at least 2 to this power elements
  friend bool operator==(const ScatterPolicy&, const ScatterPolicy&) = default;
};
std::string to_string(const ScatterPolicy&);

/// Rough cost of one evaluation of the body, in additions; inner loops count as `loop` evaluations.
double cost(const scalar::Arena&, const soac::Lambda& body);

Policy choose(const scalar::Arena&, const soac::Soac&, const soac::EqualSizes&, const Target&);

}  // namespace fulgurite::lower
