// Reductions and scans of a block as networks of an operator, and what is built from them. The operator is
// associative; where it is not commutative too, the order of elements is kept unless a function says
// otherwise. Their intermediate arrays are where the user says (Place). They are function objects, so that a
// user's function of the same name is never ambiguous.
#pragma once

#include <fulgurite/kernel/components.h>

#pragma GCC visibility push(default)

namespace fulgurite::kernel {

/// All elements by one instance, from left to right. a.size() >= 1.
inline constexpr struct SeqReduce {
  template <class T, class Op>
  Exp<T> operator()(const Op& op, const Pull<T>& a, Here where = Here::current()) const {
    if (a.size() == 0) fulgurite::detail::block::refuse("seq_reduce of no elements", where);
    Exp<T> sum = a[0];
    for (std::int64_t i = 1; i < a.size(); ++i) sum = op(sum, a[i]);
    return sum;
  }
} seq_reduce{};

/// Running results by one instance, inclusive, from left to right.
inline constexpr struct SeqScan {
  template <class T, class Op>
  Push<T, Level::thread> operator()(const Op& op, const Pull<T>& a) const {
    return {a.size(), [=](const typename Push<T, Level::thread>::Write& write) {
              if (a.size() == 0) return;
              Exp<T> sum = a[0];
              write(0, sum);
              for (std::int64_t i = 1; i < a.size(); ++i) {
                sum = op(sum, a[i]);
                write(i, sum);
              }
            }};
  }
} seq_scan{};

/// A tree over halves, with a sync after each level (DAMP 2012, section 1.3): the operator is commutative. An
/// array of one element.
inline constexpr struct TreeReduce {
  template <class T, class Op>
  Pull<T> operator()(const Op& op, Pull<T> a, Place place = Place::shared,
                     Here where = Here::current()) const {
    log2(a.size(), where);
    while (a.size() > 1) {
      const auto [low, high] = halve(a);
      a = sync(zip_with(op, low, high, where), place, where);
    }
    return a;
  }
} tree_reduce{};

/// A tree over neighbours (section 1.1), for any associative operator and any size of at least 1.
inline constexpr struct PairReduce {
  template <class T, class Op>
  Pull<T> operator()(const Op& op, Pull<T> a, Place place = Place::shared,
                     Here where = Here::current()) const {
    if (a.size() == 0) fulgurite::detail::block::refuse("a reduction of no elements", where);
    while (a.size() > 1) {
      const Pull<T> left = even(a), right = odd(a);
      const Pull<T> joined(right.size(),
                           [=](Index i) { return Exp<T>(elements::join(op, left, i, right, i)); });
      if (left.size() == right.size())
        a = sync(joined, place, where);
      else
        a = sync(conc_p(joined, Pull<T>(1, [=](Index) { return left[right.size()]; })), place, where);
    }
    return a;
  }
} pair_reduce{};

/// Running results, inclusive. Sklansky ("Conditional-sum addition logic", 1960; 2008 paper, section 2): the
/// two halves are scanned, then the last result of the lower half meets all of the upper one. Any size.
inline constexpr struct Sklansky {
  template <class T, class Op>
  Pull<T> operator()(const Op& op, const Pull<T>& a, Place place = Place::shared,
                     Here where = Here::current()) const {
    const std::int64_t n = a.size();
    if (n <= 1) return a;
    if (n % 2 != 0) return odd_size(op, a, place, where);
    const auto scanned = two([&](const Pull<T>& half) { return (*this)(op, half, place, where); }, a, where);
    return sync(fan(op, scanned, n / 2, where), place, where);
  }

 private:
  // The lower half is kept; one instance for each element of the upper half.
  template <class T, class Op>
  static Push<T> fan(const Op& op, const Pull<T>& a, std::int64_t half, Here where) {
    return Push<T>(a.size(), [=](const typename Push<T>::Write& write) {
      par(
          half,
          [&](Index i) {
            write(i, a[i]);
            write(i + half, Exp<T>(elements::join(op, a, half - 1, a, i + half)));
          },
          where);
    });
  }
  // With one element more than there are, so that halves are equal (of (n + 1) / 2); nothing reads its
  // result.
  template <class T, class Op>
  Pull<T> odd_size(const Op& op, const Pull<T>& a, Place place, Here where) const {
    const std::int64_t n = a.size();
    const Pull<T> padded(n + 1, [=](Index i) { return a[min(i, Index(n - 1))]; });
    const Pull<T> scanned = (*this)(op, padded, place, where);
    return Pull<T>(n, [=](Index i) { return scanned[i]; });
  }
} sklansky{};

/// Kogge and Stone (1973): log2(n) steps, in each of which element i meets element i - 2^k.
inline constexpr struct KoggeStone {
  template <class T, class Op>
  Pull<T> operator()(const Op& op, Pull<T> a, Place place = Place::shared,
                     Here where = Here::current()) const {
    for (std::int64_t by = 1; by < a.size(); by *= 2)
      a = sync(Push<T>(a.size(),
                       [=](const typename Push<T>::Write& write) {
                         par(by, [&](Index i) { write(i, a[i]); }, where);
                         par(
                             a.size() - by,
                             [&](Index i) { write(i + by, Exp<T>(elements::join(op, a, i, a, i + by))); },
                             where);
                       }),
               place, where);
    return a;
  }
} kogge_stone{};

/// Brent and Kung ("A regular layout for parallel adders", 1982): neighbours are joined, the joined ones
/// scanned, and what is between them filled in; about 2n applications of the operator. Any size.
inline constexpr struct BrentKung {
  template <class T, class Op>
  Pull<T> operator()(const Op& op, const Pull<T>& a, Place place = Place::shared,
                     Here where = Here::current()) const {
    const std::int64_t n = a.size();
    if (n <= 1) return a;
    const std::int64_t half = n / 2;
    const Pull<T> joined =
        sync(Pull<T>(half, [=](Index i) { return Exp<T>(elements::join(op, a, i * 2, a, i * 2 + 1)); }),
             place, where);
    const Pull<T> scanned = (*this)(op, joined, place, where);
    return sync(Push<T>(n,
                        [=](const typename Push<T>::Write& write) {
                          par(half, [&](Index i) { write(i * 2 + 1, scanned[i]); }, where);
                          par(1, [&](Index) { write(0, a[0]); }, where);
                          if (n > 2)
                            par((n - 1) / 2,
                                [&](Index i) {
                                  write(i * 2 + 2, Exp<T>(elements::join(op, scanned, i, a, i * 2 + 2)));
                                },
                                where);
                        }),
                place, where);
  }
} brent_kung{};

namespace networks {

/// The elements in memory.
template <class T>
memory::Stored<T> stored(const Pull<T>& a, Place place, Here where) {
  const memory::Stored<T> elements(memory::space_of(place), a.size(), where);
  par(a.size(), [&](Index i) { elements.store(i, a[i], where); }, where);
  fulgurite::detail::block::barrier(Level::block, where);
  return elements;
}
template <class T, class Op>
auto meet(const Op& op, const memory::Stored<T>& elements, Here where) {
  using fulgurite::detail::Parts, fulgurite::detail::Value;
  return [=](Value to, Value left, Value right) {
    const auto index = [](Value number) { return Index(Parts<std::int64_t>{number}); };
    const Pull<T> now = elements.read(where);
    elements.store(index(to), Exp<T>(kernel::elements::join(op, now, index(left), now, index(right))), where);
  };
}

}  // namespace networks

/// The array language reduces and scans the elements of a block by the same networks.
inline constexpr struct BlockReduce {
  /// An array of one element, the result of all; there is at least one. `commutative`: the order may change.
  template <class T, class Op>
  Pull<T> operator()(const Op& op, const Pull<T>& a, bool commutative = false, Place place = Place::shared,
                     Here where = Here::current()) const {
    const bool is_power = a.size() > 0 && std::has_single_bit(static_cast<std::uint64_t>(a.size()));
    if (!commutative || !is_power) return pair_reduce(op, a, place, where);
    const memory::Stored<T> elements = networks::stored(a, place, where);
    fulgurite::detail::block::join_all(a.size(), networks::meet(op, elements, where), where);
    return Pull<T>(1, [all = elements.read(where)](Index) { return all[0]; });
  }
} block_reduce{};

/// The scan of a block's elements by its threads, in place.
inline constexpr struct BlockScan {
  /// Running results, inclusive; of any associative operator.
  template <class T, class Op>
  Pull<T> operator()(const Op& op, const Pull<T>& a, Place place = Place::shared,
                     Here where = Here::current()) const {
    if (a.size() == 0) return a;
    const memory::Stored<T> elements = networks::stored(a, place, where);
    fulgurite::detail::block::join_up_to(a.size(), networks::meet(op, elements, where), where);
    return elements.read(where);
  }
} block_scan{};

/// The elements for which `keep` holds, in their order, at the front, and how many they are; what is after
/// them is `fill`.
inline constexpr struct BlockFilter {
  template <class T, class Keep>
  std::pair<Pull<T>, Pull<std::int32_t>> operator()(const Keep& keep, const Pull<T>& a, const Exp<T>& fill,
                                                    Place place = Place::shared,
                                                    Here where = Here::current()) const {
    const auto kept = [=](Index i) { return cast<std::int32_t>(Exp<bool>(keep(a[i]))); };
    const Pull<std::int32_t> counts = block_scan(plus, Pull<std::int32_t>(a.size(), kept), place, where);
    const memory::Stored<T> packed(memory::space_of(place), a.size(), where);
    par(a.size(), [&](Index i) { packed.store(i, fill, where); }, where);
    fulgurite::detail::block::barrier(Level::block, where);
    par(
        a.size(),
        [&](Index i) {
          fulgurite::detail::block::when(
              (kept(i) == 1).value(), [&] { packed.store(cast<std::int64_t>(counts[i]) - 1, a[i], where); },
              where);
        },
        where);
    fulgurite::detail::block::barrier(Level::block, where);
    return {packed.read(where), Pull<std::int32_t>(1, [=](Index) { return counts[counts.size() - 1]; })};
  }
} block_filter{};

}  // namespace fulgurite::kernel

#pragma GCC visibility pop
