// Sorting by a comparison. One that compares a key of each element is a sort by that key. Others merge,
// written in the language: blocks are sorted by counting for each element the elements of its block that come
// before it; then runs are merged in pairs, where an element's new place is its index in its own run and the
// number of elements of the other run that come before it, found by bisection. Of equal elements the one that
// stood first comes first, in a block by its index, in a pair by its run. All elements find their places
// independently of each other; every pass doubles the length of the runs.
#include <fulgurite/control.h>
#include <fulgurite/functions.h>
#include <fulgurite/staged_layout.h>

#include <algorithm>

#include "trace/comparison.h"
#include "trace/items.h"
#include "trace/operators.h"
#include "trace/store.h"

namespace fulgurite::trace {

namespace {

using Number = Exp<i64>;

constexpr i64 block = 32;

// The vectors that are sorted; the first `n_keys` of them decide.
class Sorting {
 public:
  Sorting(Tracer& t, const detail::Body& less, std::span<const Value> vectors, std::size_t n_keys,
          const char* origin, const Here& where)
      : t_(t),
        less_(less),
        vectors_(t.exprs(vectors, where)),
        n_keys_(n_keys),
        origin_(origin),
        where_(where),
        size_(staged(t.shape(vectors_[0])[0])) {}

  Values blocks_sorted() const {
    return moved([&](const Number& i) { return place_in_block(i); });
  }
  Values pairs_merged(const Number& width) const {
    return moved([&](const Number& i) { return place_in_pair(i, width); });
  }

 private:
  Number staged(Expr e) const { return Number(detail::Parts<i64>{t_.value(e)}); }
  Values key(const Number& i) const {
    const Expr index = t_.expr(i.value(), where_);
    return t_.values(elements(t_, std::span(vectors_).first(n_keys_), {&index, 1}));
  }

  // Whether y stands before x in the order, where `y_is_first` says which of them stood first: equal elements
  // stay in that order. One call of `less`: the one that stood first does not come later unless the other is
  // less.
  Exp<bool> comes_before(const Values& y, const Values& x, const Exp<bool>& y_is_first) const {
    Values left, right;
    for (std::size_t k = 0; k < n_keys_; ++k) {
      left.push_back(detail::apply("select", {y_is_first.value(), x[k], y[k]}, where_));
      right.push_back(detail::apply("select", {y_is_first.value(), y[k], x[k]}, where_));
    }
    left.insert(left.end(), right.begin(), right.end());
    return Exp<bool>(detail::Parts<bool>{less_(left)[0]}) != y_is_first;
  }

  Number place_in_block(const Number& i) const {
    const Number begin = i - i % block;
    const Values x = key(i);
    const Number before = iterate(
        least(size_ - begin, block),
        [&](const Number& k, const Number& count) {
          const Number j = begin + k;
          const Values y = key(j);
          return count + cast<i64>(comes_before(y, x, j < i));
        },
        i64{0}, where_);
    return begin + before;
  }

  Number place_in_pair(const Number& i, const Number& width) const {
    const Number run = i / width, begin = run * width;
    const Exp<bool> is_left = run % 2 == 0;
    const Number after = begin + width, before = begin - width;
    const Number other = select(is_left, after, before);
    const Number first = least(other, size_), last = least(other + width, size_);
    const Values x = key(i);
    const auto [found, end] =
        while_loop([](const Number& low, const Number& high) { return low < high; },
                   [&](const Number& low, const Number& high) {
                     const Number middle = low + (high - low) / 2;
                     const Values y = key(middle);
                     const Exp<bool> is_before = comes_before(y, x, !is_left);
                     return std::tuple{select(is_before, middle + 1, low), select(is_before, high, middle)};
                   },
                   first, last, where_);
    const Number in_own = i - begin, in_other = found - first;
    return least(begin, other) + (in_own + in_other);
  }

  static Number least(const Number& a, const Number& b) { return fulgurite::min(a, b); }

  // The vectors with each element at the place computed of its index; the places are a permutation.
  template <class F>
  Values moved(F&& place) const {
    const Exprs shape = shape_of(t_, vectors_[0]);
    soac::Scatter scatter{shape,
                          contents(t_, 1, origin_, where_, [&](const Exprs&) { return zeros(); }),
                          {},
                          soac::OfEqual::unordered};
    return store(t_, shape, std::move(scatter), origin_, where_, [&](const Exprs& indices) {
      Exprs to{t_.expr(place(staged(indices[0])).value(), where_)};
      return Stored{std::move(to), elements(t_, vectors_, indices)};
    });
  }
  Exprs zeros() const {
    Exprs zeros;
    for (Expr v : vectors_) zeros.push_back(t_.arena().constant(v.kind(), 0));
    return zeros;
  }

  Tracer& t_;
  const detail::Body& less_;
  const Exprs vectors_;
  const std::size_t n_keys_;
  const char* origin_;
  const Here where_;
  const Number size_;
};

Values merged(Tracer& t, const detail::Body& less, std::span<const Value> vectors, std::size_t n_keys,
              const char* origin, const Here& where) {
  const Value size = detail::extent(vectors[0], 0, where);
  Values state = Sorting(t, less, vectors, n_keys, origin, where).blocks_sorted();
  state.insert(state.begin(), detail::literal(block));
  const auto unsorted = [&](std::span<const Value> now) {
    return Values{detail::apply("lt", {now[0], size}, where)};
  };
  const auto pairs = [&](std::span<const Value> now) {
    const Number width(detail::Parts<i64>{now[0]});
    Values next = Sorting(t, less, now.subspan(1), n_keys, origin, where).pairs_merged(width);
    next.insert(next.begin(), (width * 2).value());
    return next;
  };
  const std::size_t widths[] = {1, vectors.size()};
  state = detail::while_loop(detail::Body(unsorted), detail::Body(pairs), state, widths, where);
  state.erase(state.begin());
  return state;
}

}  // namespace
}  // namespace fulgurite::trace

namespace fulgurite::detail {

using namespace trace;

Values sort(Body less, std::span<const Value> vectors, std::size_t n_keys, const char* origin, Here where) {
  Tracer& t = Tracer::current(where);
  const Exprs given = t.exprs(vectors, where);
  if (const auto order = key_order(t, less, kinds_of(std::span(given).first(n_keys)), where))
    return t.values(sorted(t, given, *order, Expr(), origin, where));
  return merged(t, less, vectors, n_keys, origin, where);
}

Values sort_rows(Body less, std::span<const Value> vectors, std::size_t n_keys, Value offsets,
                 const char* origin, Here where) {
  Tracer& t = Tracer::current(where);
  const Exprs given = t.exprs(vectors, where);
  const Expr segments = t.expr(offsets, where);
  if (const auto order = key_order(t, less, kinds_of(std::span(given).first(n_keys)), where))
    return t.values(sorted(t, given, *order, segments, origin, where));
  // Merged as a whole, then sorted by rows: as sorts are stable, rows stay in order.
  Values all(vectors.begin(), vectors.end());
  all.push_back(t.value(item_of_each(t, segments, t.shape(given[0])[0], origin, where)));
  all = merged(t, less, all, n_keys, origin, where);
  std::ranges::rotate(all, all.end() - 1);
  Values by_row = sort(all, 1, origin, where);
  by_row.erase(by_row.begin());
  return by_row;
}

}  // namespace fulgurite::detail
