// Patterns that take whole components: one function acts on several parts of the data at once. The parts are
// disjoint, so their syncs are one (2008 paper, section 6.3). Sizes of parts differ by one element where the
// array cannot be dealt evenly.
#pragma once

#include <fulgurite/kernel/patterns.h>

#include <optional>

#pragma GCC visibility push(default)

namespace fulgurite::kernel {

namespace groups {

/// `f` on n equal parts of the array at once.
template <class F, class T>
auto on(std::int64_t n, bool interleaved, Level level, const F& f, const Pull<T>& a, Here where) {
  using namespace fulgurite::detail;
  const std::int64_t size = a.size() / n;
  const block::Nest* const outer = block::nest(where);
  const block::Nest* const inner = block::within(outer, n, level, interleaved, where);
  const auto of_group = [=](std::int64_t each, const Index& group, const Index& i) {
    return interleaved ? i * n + group : group * each + i;
  };
  const auto group_here = [=] {  // among the groups of the outer one
    return Index(Parts<std::int64_t>{block::number(inner, where)}) % n;
  };
  const Pull<T> one(size, [=](Index i) { return a[of_group(size, group_here(), i)]; });
  const block::Entered entered(inner, where);
  const auto result = f(one);
  using Result = std::decay_t<decltype(result)>;
  static_assert(Pushable<Result>, "a component gives a pull or a push array");
  using R = typename PushableOf<Result>::Element;
  const std::int64_t each = result.size();
  if constexpr (PushableOf<Result>::is_push) {
    return Push<R, Level::block>(each * n, [=](const typename Push<R>::Write& write) {
      const block::Entered again(inner, where);
      result([&](Index i, Exp<R> x) { write(of_group(each, group_here(), i), x); });
    });
  } else {
    return Pull<R>(each * n, [=](Index i) {
      const Index group = interleaved ? i % n : i / each, local = interleaved ? i / n : i % each;
      const Index number = outer->parent == nullptr
                               ? group
                               : Index(Parts<std::int64_t>{block::number(outer, where)}) * n + group;
      const block::AsGroup as(inner, number.value(), where);
      return result[local];
    });
  }
}

/// Some of the parts that a pattern deals an array to, all of one size: element i of all of them together is
/// the array's element place(i).
struct Share {
  std::int64_t parts, size;
  std::function<Index(Index)> place;
};
/// Elements of a result: whose they are, and where they are among the elements of that share.
struct Found {
  Exp<bool> is_first;
  Index in_first, in_second;
};

/// `f` on the parts of both shares at once. `first_to` and `second_to` say where elements of the shares'
/// results go, `find` where the result's elements come from.
template <class F, class T>
auto on_both(const Share& first, const Share& second, bool interleaved, Level level, const F& f,
             const Pull<T>& a, Here where) {
  const auto on_share = [&](const Share& share) {
    const Pull<T> elements(share.parts * share.size,
                           [a, place = share.place](Index i) { return a[place(i)]; });
    return on(share.parts, interleaved, level, f, elements, where);
  };
  using Result = decltype(on_share(first));
  std::optional<Result> of_first, of_second;
  fulgurite::detail::block::side_by_side([&] { of_first = on_share(first); },
                                         [&] { of_second = on_share(second); }, where);
  return std::pair<Result, Result>(*std::move(of_first), *std::move(of_second));
}

/// One array of two, element i of which is where the functions say.
template <class A, class To, class Find>
auto joined(const std::pair<A, A>& both, const To& first_to, const To& second_to, const Find& find) {
  using R = typename PushableOf<A>::Element;
  const std::int64_t n = both.first.size() + both.second.size();
  if constexpr (PushableOf<A>::is_push) {
    return Push<R>(n, [=](const typename Push<R>::Write& write) {
      both.first([&](Index i, Exp<R> x) { write(first_to(i), x); });
      both.second([&](Index i, Exp<R> x) { write(second_to(i), x); });
    });
  } else {
    return Pull<R>(n, [=](Index i) {
      const Found found = find(i);
      return cond(
          found.is_first, [&] { return both.first[found.in_first]; },
          [&] { return both.second[found.in_second]; });
    });
  }
}

using Place = std::function<Index(Index)>;

/// Parts of neighbours, `n_first` of `size_first` elements, and after them others of another size.
template <class F, class T>
auto on_neighbours(std::int64_t n_first, std::int64_t size_first, std::int64_t n_second, Level level,
                   const F& f, const Pull<T>& a, Here where) {
  const std::int64_t border = n_first * size_first;
  const Share first{n_first, size_first, [](Index i) { return i; }},
      second{n_second, (a.size() - border) / n_second, [=](Index i) { return i + border; }};
  const auto both = on_both(first, second, false, level, f, a, where);
  const std::int64_t end = both.first.size();
  return joined(both, Place([](Index i) { return i; }), Place([=](Index i) { return i + end; }),
                [=](const Index& i) { return Found{i < end, i, i - end}; });
}

/// n interleaved parts, of which the first `longer` have one element more than the others.
template <class F, class T>
auto on_interleaved(std::int64_t n, std::int64_t longer, const F& f, const Pull<T>& a, Here where) {
  const std::int64_t shorter = n - longer;
  const auto first_place = Place([=](Index i) { return i / longer * n + i % longer; }),
             second_place = Place([=](Index i) { return i / shorter * n + longer + i % shorter; });
  const Share first{longer, a.size() / n + 1, first_place}, second{shorter, a.size() / n, second_place};
  const auto both = on_both(first, second, true, Level::block, f, a, where);
  const std::int64_t each_first = both.first.size() / longer, each_second = both.second.size() / shorter;
  if (each_first != each_second && each_first != each_second + 1)
    fulgurite::detail::block::refuse("the components' results do not interleave: they have " +
                                         std::to_string(each_first) + " and " + std::to_string(each_second) +
                                         " elements, of parts of " + std::to_string(first.size) + " and " +
                                         std::to_string(second.size),
                                     where);
  return joined(both, first_place, second_place, [=](const Index& i) {
    const Index part = i % n;
    return Found{part < longer, i / n * longer + part, i / n * shorter + part - longer};
  });
}

inline void require_parts(std::int64_t n, std::int64_t size, Here where) {
  if (size >= n) return;
  fulgurite::detail::block::refuse("a pattern of " + std::to_string(n) +
                                       " parts needs as many elements: the array has " + std::to_string(size),
                                   where);
}

}  // namespace groups

/// f on the first and on the second half; two_k: on 2^k parts of neighbours. Where their number does not
/// divide the array's size, the first parts have one element more than the others (of two: the first half, as
/// halve() has it), and f is recorded for both sizes. There are at least as many elements as parts.
template <class F, class T>
auto two_k(int k, const F& f, const Pull<T>& a, Here where = Here::current()) {
  const std::int64_t n = std::int64_t{1} << k, size = a.size() / n, longer = a.size() % n;
  groups::require_parts(n, a.size(), where);
  if (longer == 0) return groups::on(n, false, Level::block, f, a, where);
  return groups::on_neighbours(longer, size + 1, n - longer, Level::block, f, a, where);
}
template <class F, class T>
auto two(const F& f, const Pull<T>& a, Here where = Here::current()) {
  return two_k(1, f, a, where);
}
/// f on 2^i interleaved parts: component k gets the elements k, k + 2^i, k + 2 * 2^i ... (section 4). Where
/// parts have different sizes, so may the components' results, in the same way; else throws ShapeError.
template <class F, class T>
auto ilv(int i, const F& f, const Pull<T>& a, Here where = Here::current()) {
  const std::int64_t n = std::int64_t{1} << i, longer = a.size() % n;
  groups::require_parts(n, a.size(), where);
  if (longer == 0) return groups::on(n, true, Level::block, f, a, where);
  return groups::on_interleaved(n, longer, f, a, where);
}
/// f on each run of n elements, by a warp of its own: its syncs wait for the warp only. The last run may be
/// shorter.
template <class F, class T>
auto warps(std::int64_t n, const F& f, const Pull<T>& a, Here where = Here::current()) {
  if (n < 1) fulgurite::detail::block::refuse_size(n, where);
  // Each warp writes the part that it computed.
  const auto pushed = [&](const Pull<T>& part) { return push(f(part), where); };
  const std::int64_t whole = a.size() / n;
  if (a.size() % n == 0) return groups::on(whole, false, Level::warp, pushed, a, where);
  if (whole == 0) return groups::on(1, false, Level::warp, pushed, a, where);
  return groups::on_neighbours(whole, n, 1, Level::warp, pushed, a, where);
}

}  // namespace fulgurite::kernel

#pragma GCC visibility pop
