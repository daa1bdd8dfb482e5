// Whole arrays dealt to the blocks of a launch: a tile is the elements of an array that one block has, which
// need not be neighbours. Kernels of tiles are the steps of programs over arrays that no block could hold
// (the swaps of DAMP 2012, section 4).
#pragma once

#include <fulgurite/functions.h>
#include <fulgurite/kernel/arrays.h>

#include <limits>
#include <string>

#pragma GCC visibility push(default)

namespace fulgurite::kernel {

/// An array in global memory whose size is known only when the kernel runs.
template <class T>
class Whole {
 public:
  Whole(Index size, std::function<Exp<T>(Index)> at) : size_(std::move(size)), at_(std::move(at)) {}
  const Index& size() const { return size_; }
  /// Not checked: the emulator finds what is out of range.
  Exp<T> operator[](const Index& i) const { return at_(i); }

 private:
  Index size_;
  std::function<Exp<T>(Index)> at_;
};

/// One that the kernel changes: reads give what it is when they are made. What one block writes no other
/// block reads. A kernel returns update() of it, or the array itself where it has written to it by write() or
/// atomic().
template <class T>
class Updated : public Whole<T> {
 public:
  Updated(Index size, std::function<Exp<T>(Index)> at, const fulgurite::detail::block::Argument& argument)
      : Whole<T>(std::move(size), std::move(at)),
        argument_(argument.number),
        store_(argument.store),
        change_(argument.change) {}
  int argument() const { return argument_; }
  /// Element i becomes x, in par(); nothing where there is no element i. Two threads do not write one
  /// element.
  void write(const Index& i, const Exp<T>& x) const { store_(i.value(), x.parts()); }
  template <class I>
    requires std::is_integral_v<I>
  void write(const Exp<I>& i, const Exp<T>& x) const {
    write(cast<std::int64_t>(i), x);
  }
  Exp<T> change(const char* operation, const Index& i, const Exp<T>& x) const {
    return Exp<T>(fulgurite::detail::Parts<T>{change_(operation, i.value(), x.value())});
  }

 private:
  int argument_;
  std::function<void(fulgurite::detail::Value, std::span<const fulgurite::detail::Value>)> store_;
  std::function<fulgurite::detail::Value(const char*, fulgurite::detail::Value, fulgurite::detail::Value)>
      change_;
};

/// The number of the block at hand, from 0 on.
inline Index block_number(Here where = Here::current()) {
  return Index(fulgurite::detail::Parts<std::int64_t>{fulgurite::detail::block::block_number(where)});
}

/// The launch is refused with a ShapeError of this sentence unless the condition holds, which is of sizes and
/// scalar arguments; the sentence quotes the values as {0}, {1} ...
inline void expects(const Exp<bool>& condition, std::string message, std::initializer_list<Index> quoted = {},
                    Here where = Here::current()) {
  fulgurite::detail::Values values;
  for (const Index& value : quoted) values.push_back(value.value());
  fulgurite::detail::block::expects(condition.value(), std::move(message), values, where);
}

namespace places {

inline Index quotient(const Index& a, const Index& b, Here where) {
  return Index(fulgurite::detail::Parts<std::int64_t>{
      fulgurite::detail::block::quotient(a.value(), b.value(), where)});
}
inline Index remainder(const Index& a, const Index& b, Here where) {
  return Index(fulgurite::detail::Parts<std::int64_t>{
      fulgurite::detail::block::remainder(a.value(), b.value(), where)});
}

}  // namespace places

/// How the elements of an array are dealt to blocks: `count` blocks, of sizes and scalar arguments, of n
/// elements each; element i of the block at hand is the array's element place(i). Tiles do not overlap.
class Tiles {
 public:
  Tiles(std::int64_t n, Index count, std::function<Index(Index)> place)
      : n_(n), count_(std::move(count)), place_(std::move(place)) {}
  std::int64_t n() const { return n_; }
  const Index& count() const { return count_; }
  Index place(const Index& i) const { return place_(i); }

 private:
  std::int64_t n_;
  Index count_;
  std::function<Index(Index)> place_;
};

/// n neighbours; the launch is refused unless `size` is a multiple of n.
inline Tiles neighbours(const Index& size, std::int64_t n, Here where = Here::current()) {
  if (n <= 0) fulgurite::detail::block::refuse_size(n, where);
  expects(size % n == 0, "an array of {0} elements is no tiles of {1}", {size, n}, where);
  const Index block = block_number(where);
  return {n, size / n, [block, n](Index i) { return block * n + i; }};
}

/// `rows` rows of `columns` neighbours, `stride` elements from row to row; element i is in row i / columns.
/// The launch is refused unless the array is tiles of this kind: `stride` a positive multiple of `columns`,
/// `size` a multiple of rows * stride. `mirrored`: in the upper half of the rows places are counted from the
/// end of a row of `stride` elements, so that column c of row r meets column c of row rows - 1 - r where the
/// element meets the one as far from the other end (a vee over all of them; vSwap, DAMP 2012, section 4).
enum class Upper : std::uint8_t { straight, mirrored };
inline Tiles rows_apart(const Index& size, std::int64_t rows, std::int64_t columns, const Index& stride,
                        Upper upper = Upper::straight, Here where = Here::current()) {
  if (rows <= 0) fulgurite::detail::block::refuse_size(rows, where);
  if (columns <= 0) fulgurite::detail::block::refuse_size(columns, where);
  if (upper == Upper::mirrored && rows % 2 != 0)
    fulgurite::detail::block::refuse(
        "rows that are mirrored need an even number of them: there are " + std::to_string(rows), where);
  const std::int64_t most = std::numeric_limits<std::int64_t>::max() / rows;
  expects(0 < stride && stride <= most && stride % columns == 0,
          "rows of {0} neighbours cannot be {1} elements apart", {columns, stride}, where);
  const Index whole = clamp(stride, 1, most) * rows;  // what follows is refused, not divided by 0
  expects(places::remainder(size, whole, where) == 0,
          "an array of {0} elements is no tiles of {1} rows that are {2} apart", {size, rows, stride}, where);
  const Index in_a_row = max(stride / columns, 1);
  const Index block = block_number(where);
  const Index first = places::quotient(block, in_a_row, where) * whole,
              column = places::remainder(block, in_a_row, where) * columns;
  return {rows * columns, size / (rows * columns), [=](Index i) {
            const Index row = i / columns, in_row = column + i % columns;
            if (upper == Upper::straight) return first + row * stride + in_row;
            const Index place = select(row < rows / 2, in_row, stride - 1 - in_row);
            return first + row * stride + place;
          }};
}

/// The elements of the array that the block at hand has.
template <class T>
Pull<T> tile(const Whole<T>& a, const Tiles& tiles) {
  return {tiles.n(), [a, tiles](Index i) { return a[tiles.place(i)]; }};
}

/// What each block pushes, in its tile of an array: a result of a kernel.
template <class T>
struct Tiled {
  Index size;
  Tiles tiles;
  Push<T> elements;
  int updates = -1;  // the number of the argument that it was
};

/// A new array of `size` elements, a size of sizes and scalar arguments, of which each block's elements are
/// its tile. Every element is in one tile.
template <class A>
  requires Pushable<A>
auto tiled(const Index& size, const Tiles& tiles, const A& a, Here where = Here::current()) {
  using T = typename PushableOf<A>::Element;
  if (a.size() != tiles.n())
    fulgurite::detail::block::refuse(
        "a tile of " + std::to_string(tiles.n()) + " elements cannot take " + std::to_string(a.size()),
        where);
  expects(0 <= size, "a result cannot have {0} elements", {size}, where);
  expects(0 <= tiles.count(), "a launch cannot have {0} blocks", {tiles.count()}, where);
  return Tiled<T>{size, tiles, push<Level::block>(a, where)};
}
/// The array `to`, of which each block's elements become its tile; what is in no tile stays.
template <class T, class A>
  requires Pushable<A>
Tiled<T> update(const Updated<T>& to, const Tiles& tiles, const A& a, Here where = Here::current()) {
  static_assert(std::is_same_v<T, typename PushableOf<A>::Element>, "an array's elements keep their type");
  Tiled<T> result = tiled(to.size(), tiles, a, where);
  result.updates = to.argument();
  return result;
}

}  // namespace fulgurite::kernel

#pragma GCC visibility pop
