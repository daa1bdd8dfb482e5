// What a program is made of: structure that tests state and `explain` shows.
#pragma once

#include <string>

#include "soac/ir.h"

namespace fulgurite::soac {

/// A Soac that only maps.
bool is_map(const Soac&);
/// A Soac of one point, whatever the sizes are.
bool is_one_point(const Soac&);
/// A Soac that only reduces elements of arrays as they are, in their order: reduce(op, xs...) of the source.
bool is_reduce(const Soac&);
/// A Soac with a Scan in its body, with a Scatter, with a Partition. It may be any of these three at once.
bool is_scan(const Soac&);
bool is_scatter(const Soac&);
bool is_partition(const Soac&);

struct Counts {
  int soac = 0, map = 0, reduce = 0, redomap = 0;  // at every depth; soac is the sum of the others
  int scan = 0, scatter = 0, partition = 0;        // of the Soacs, those with one or more
  int branch = 0, loop = 0, check = 0;             // If, Loop, Check
  int sort = 0, call = 0;                          // Sort, Call
  int arrays = 0;  // bound by statements outside functions, results of the program left out
  friend bool operator==(const Counts&, const Counts&) = default;
};
Counts count(const Program&);
/// "soac 1, map 0, reduce 1, redomap 0, if 0, loop 0, check 0, arrays 0"; before "if", "scan 1" and so on
/// where there are some.
std::string to_string(const Counts&);

}  // namespace fulgurite::soac
