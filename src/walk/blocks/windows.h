// What the points of a strip read of arrays around them, in shared memory (schedule/blocks/windows.h).
//
// Rows of a strip, and of what it reads, are numbered one after the other, each as much longer than it is
// that element v of the numbers is as far after a multiple of the warp's size as it is in memory: warps of
// consecutive numbers touch whole sectors. Element v of a window is in place v modulo the window's size, so
// that rows which the next points need as well stay where they are. What counts within a block fits into 32
// bits; so do places, being modulo a power of two.
#pragma once

#include "schedule/blocks/windows.h"
#include "walk/blocks/phase.h"

namespace fulgurite::walk::blocks {

/// The points of a block: indices of the axes before the last two, and of the last one those from
/// `first_column` on.
struct Strip {
  std::vector<Expr> outer;
  Expr first_column, n_columns;
};

/// The threads of a block take numbers from 0 on, less than n; `begin` is the number of the first one, seen
/// from the array.
///
/// body(x) for each x of [0, n): thread t takes the x for which begin + x is t more than a multiple of the
/// block's size.
void share(const Emitter& of_thread, const Block&, Expr t, Expr begin, Expr n,
           const std::function<void(Expr)>& body);
/// body(x, row, column) for the same numbers, of which each row has `length`.
void share_rows(const Emitter& of_thread, const Block&, Expr t, Expr begin, Expr n, Expr length,
                const std::function<void(Expr x, Expr row, Expr column)>& body);

/// The length of rows of at least n that begin where rows of `extent` do, as seen from a warp.
Expr pitch_of(Expr n, Expr extent);

class StagedWindows {
 public:
  /// With memory for the windows of a strip.
  StagedWindows(const Emitter&, const Phase&, std::span<const schedule::Window>, const Strip&);

  /// The phase's statement, reading the windows.
  soac::Stm reading() const;
  /// For a space of one axis: brings the elements that the strip reads.
  void stage_line(const Emitter&, const Block&) const;
  /// Brings the rows that points of rows [from, to) read and that are not there yet; the block began at
  /// `first`.
  void stage_rows(const Emitter&, const Block&, Expr first, Expr from, Expr to) const;
  /// How many rows of points, of at least `length` numbers each, the windows hold what they read of.
  Expr rows_at_once(Expr length) const;

 private:
  struct Placed {
    const schedule::Window* of;
    std::int64_t size;  // elements that there is room for
    Var shared;
    std::vector<Expr> outer, base;
    Expr begin, end;  // columns that are read and there
    Expr first;       // the column before them that the window begins with
    Expr pitch;       // of its rows
  };
  Placed placed(const Emitter&, const schedule::Window&, std::int64_t size, const Strip&);
  Expr is_there(const Emitter&, const Placed&) const;
  Expr place_of(const Emitter&, const Placed&, std::span<const std::int64_t> distance) const;
  Expr in_window(const Placed&, Expr number) const;
  void stage_rows(const Emitter&, const Block&, const Placed&, Expr first, Expr from, Expr to) const;
  void copy(const Emitter&, const Placed&, Expr row, Expr column, Expr place) const;
  Expr element(const Emitter&, const schedule::Window&, std::span<const Expr> indices) const;
  bool has_rows() const { return at_.op().dims.size() > 1; }
  Expr narrow(Expr x) const { return cast(x, Kind::u32); }
  Expr wide(Expr x) const { return cast(x, Kind::i64); }

  const Phase& at_;
  scalar::Arena& arena_;
  std::vector<Placed> placed_;
  std::unordered_map<std::uint32_t, Expr> elements_;  // that are read, by their nodes
};

}  // namespace fulgurite::walk::blocks
