// Where the elements of the arrays of a job are: which rank has which bytes of which array. Every rank keeps
// the same table and changes it in the same way, so that nobody ever asks for what he needs: who has it
// knows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/mpi/intervals.h"

namespace fulgurite::runtime::mpi {

/// Where part r of `of` equal parts of n begins, and the one before it ends; without overflow.
inline std::int64_t part_of(std::int64_t n, std::int64_t r, std::int64_t of) {
  return n / of * r + n % of * r / of;
}

class Layout {
 public:
  /// Nobody has any of the bytes.
  Layout(std::size_t bytes, int n_ranks)
      : bytes_(static_cast<std::int64_t>(bytes)), of_rank_(static_cast<std::size_t>(n_ranks)) {}

  std::int64_t bytes() const { return bytes_; }
  int n_ranks() const { return static_cast<int>(of_rank_.size()); }
  const Intervals& of(int rank) const { return of_rank_[static_cast<std::size_t>(rank)]; }
  bool is_everywhere(const Intervals&) const;
  /// What some rank has.
  Intervals anywhere() const { return Intervals::together(of_rank_); }

  /// Rank r has the next bytes[r] bytes.
  void place_blocks(std::span<const std::int64_t> bytes);
  /// The layout becomes the one of a copy of the first bytes of memory with layout `of` (null: of the host,
  /// which all ranks have).
  void copied(const Layout* of, std::int64_t bytes);

  void received(int rank, const Intervals& bytes) { of_rank_[static_cast<std::size_t>(rank)].add(bytes); }
  /// Every rank has them, or has computed them.
  void computed_everywhere(const Intervals&);
  /// Rank r has computed computed[r], no two the same bytes; what others had of these bytes is old.
  void computed(std::span<const Intervals> computed);

 private:
  std::int64_t bytes_;
  std::vector<Intervals> of_rank_;
};

/// What ranks need of one array before they go on: of each rank the bytes that it lacks and others have. The
/// first rank after it that has a byte sends it.
struct Needs {
  Layout* layout = nullptr;
  std::byte* data = nullptr;
  bool is_changed_meanwhile = false;  // what is sent is copied first
  std::vector<Intervals> of_rank = {};
};
/// All ranks need the first bytes of an array.
Needs needs_of_all(Layout&, std::byte* data, std::int64_t bytes);

}  // namespace fulgurite::runtime::mpi
