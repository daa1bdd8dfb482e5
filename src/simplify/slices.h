// The first few elements of sorted segments are read through slices, each of one segment, made at the point
// of a map over the segments:
//
//   sorted: f32[n] = sort (x) segments offsets by ...
//   ... = map (i < m) {
//     n: i64 = let offsets[i + 1] - offsets[i]
//     row: f32[n] = map (j < n) { sorted[offsets[i] + j] }
//
// which is how maps over rows are traced.
#pragma once

#include <unordered_map>

#include "soac/ir.h"

namespace fulgurite::simplify {

/// One segment of arrays that a Sort binds.
struct Slice {
  soac::Stm sort;
  scalar::Expr begin, extent;           // of the segment
  std::vector<std::size_t> components;  // which of the sort's arrays the slice has, for each of its names
};

/// The slices of a program that are made once for each segment.
class Slices {
 public:
  explicit Slices(const soac::Program&);

  /// What the statement is a slice of; null: it is none.
  const Slice* of(const soac::Stm&) const;

 private:
  struct Component {
    soac::Stm sort;
    std::size_t number = 0;
    int depth = 0;  // of the scope that the sort stands in
  };
  void find(const std::vector<soac::Stm>&, int depth);
  void add(const soac::Stm&, int depth);
  bool is_segment(const Component&, scalar::Expr begin, scalar::Expr extent, int depth) const;

  scalar::Arena& arena_;
  std::unordered_map<scalar::Var, Component> sorted_;    // by the names that sorts of segments bind
  std::unordered_map<scalar::Var, scalar::Expr> bound_;  // by Lets
  std::unordered_map<scalar::Var, int> depth_;           // of the Soac whose points are numbered so
  std::unordered_map<scalar::Var, Slice> slices_;        // by the first name that they bind
};

}  // namespace fulgurite::simplify
