// Scatters without an operator, where the order of the points says which of several values for one place
// stays: the last one.
//
// Few points are stored by one task, in their order. Many are cut into tiles, and the destination into
// ranges of neighbouring elements. The task of a tile sorts its points by range (by counting, so those of a
// range stay in their order); then the task of a range stores the points that the tiles have for it, tile by
// tile. Nobody else writes to the range, which is small enough for a cache: where the destination is larger
// than that, this is as quick as stores in any order (the first of two steps of a radix sort, as in Merrill
// and Grimshaw, "High performance and scalable radix sorting", 2011).
//
// Before, lanes compute the places and values of all points and leave them in memory ("post" them), but for
// what can be read where it is: elements of arrays with the point's own number, and what all points share.
// Memory besides the result, for each point: the place (4 or 8 bytes) and the values, if they are computed;
// and where points are many, 4 bytes and the values again, and the tables of the tiles, at most an eighth of
// a byte.
#pragma once

#include "lower/frame.h"
#include "soac/outputs.h"

namespace fulgurite::lower {

class OrderedStores {
 public:
  /// Of a statement with neutral elements.
  OrderedStores(Launches&, const soac::Stm&);
  OrderedStores(const OrderedStores&) = delete;
  OrderedStores& operator=(const OrderedStores&) = delete;

  /// The statement without these scatters, and with what their points post as mapped results, last.
  const soac::Stm& posting() const { return posting_; }
  /// Whether the points of that still have something to do.
  bool posts_something() const;
  /// What stands in LaunchNote; absent if there are no such scatters.
  std::optional<ScatterPolicy> policy() const;

  /// Memory for what is posted.
  void start(Frame&);
  /// Behind the phase that posts.
  void phases(Frame&);

 private:
  /// A value of point j: of a posted array, or an expression in terms of `point_`.
  struct Posted {
    std::optional<Var> array;
    Expr expression;
  };
  struct Group {              // a scatter
    std::vector<Var> arrays;  // its results
    Expr size;
    Posted place;
    std::vector<Posted> values;
    // The points of the tiles by range: where a tile's points of range r begin, table[tile * (ranges + 1) +
    // r]; their places in the range; their values.
    Var table{}, places{};
    std::vector<Var> sorted;
  };
  struct Ranges {
    Expr shift, count;  // elements of a range as a power of two; ranges
  };

  Expr i64(std::int64_t value) { return arena_.i64(value); }
  bool is_readable(const soac::Soac&, Expr) const;
  Posted post(Expr value, bool may_read, std::vector<soac::Mapped>&);
  Expr place_of(const soac::Scatter&, std::span<const Expr> indices);
  Ranges ranges_of(const Group&);

  Expr value_of(const Emitter&, const Posted&, Expr j);
  void for_points(const Emitter&, const Group&, Expr begin, Expr end,
                  const std::function<void(Expr j, Expr place)>& body);
  void in_one_task(Frame&, const Group&);
  void sort_tiles(Frame&, const Group&, const Ranges&);
  void store_ranges(Frame&, const Group&, const Ranges&);

  Launches& launches_;
  scalar::Arena& arena_;
  soac::Stm posting_;
  std::vector<Group> groups_;
  std::vector<Var> posted_;
  Expr n_points_, point_;
  Expr are_few_;  // 1 or 0
};

}  // namespace fulgurite::lower
