// Descriptions of what a kernel's function gets, and what it may return.
#pragma once

#include <fulgurite/compile.h>
#include <fulgurite/kernel/accumulate.h>
#include <fulgurite/kernel/arrays.h>
#include <fulgurite/kernel/tiles.h>

#include <optional>
#include <tuple>

#pragma GCC visibility push(default)

namespace fulgurite::kernel {

/// What a kernel's function gets. block<T>(n): Pull<T>, n neighbouring elements of an array for each block,
/// whose size is a multiple of n; with `fill` it need not be: the last block reads `fill` after the end, and
/// results as large as their blocks are cut where the array ends.
template <class T>
struct BlockOf {
  std::int64_t n;
  std::optional<T> fill;
};
template <class T>
BlockOf<T> block(std::int64_t n) {
  return {n, {}};
}
template <class T>
BlockOf<T> block(std::int64_t n, const T& fill) {
  return {n, fill};
}
/// whole<T>(): Whole<T>, all of an array, at any index, for each block.
template <class T>
struct WholeArray {};
template <class T>
WholeArray<T> whole() {
  return {};
}
/// scalar<T>(): Exp<T>.
template <class T>
struct ScalarArgument {};
template <class T>
ScalarArgument<T> scalar() {
  return {};
}

/// updated<T>(): Updated<T>, an array that the kernel changes: one of its results is update() of it, or it.
template <class T>
struct UpdatedArray {};
template <class T>
UpdatedArray<T> updated() {
  return {};
}

namespace arguments {

using fulgurite::detail::block::Argument;
using fulgurite::detail::block::Input;

// For each description: the Input it makes, the C++ argument of a call, and what the function gets.
template <class D>
struct Of;
template <class T>
struct Of<BlockOf<T>> {
  using Element = T;
  static constexpr bool is_scalar = false;
  static Input input(const BlockOf<T>& d) {
    Input made{
        {fulgurite::detail::leaf_kinds<T>.begin(), fulgurite::detail::leaf_kinds<T>.end()}, d.n, false, {}};
    if (d.fill)
      fulgurite::detail::for_each_leaf(
          *d.fill, [&](std::size_t, auto leaf) { made.fill.push_back(fulgurite::detail::bits_of(leaf)); });
    return made;
  }
  static Pull<T> give(const BlockOf<T>& d, const Argument& a) {
    return Pull<T>(d.n, [element = a.element](Index i) {
      return fulgurite::detail::unflattened<Exp<T>>(element(i.value()));
    });
  }
};
template <class T>
struct Of<WholeArray<T>> {
  using Element = T;
  static constexpr bool is_scalar = false;
  static Input input(const WholeArray<T>&) {
    return {{fulgurite::detail::leaf_kinds<T>.begin(), fulgurite::detail::leaf_kinds<T>.end()}, 0, false, {}};
  }
  static Whole<T> give(const WholeArray<T>&, const Argument& a) {
    return Whole<T>(Index(fulgurite::detail::Parts<std::int64_t>{a.size}), [element = a.element](Index i) {
      return fulgurite::detail::unflattened<Exp<T>>(element(i.value()));
    });
  }
};
template <class T>
struct Of<UpdatedArray<T>> {
  using Element = T;
  static constexpr bool is_scalar = false;
  static Input input(const UpdatedArray<T>&) {
    Input made = Of<WholeArray<T>>::input({});
    made.is_updated = true;
    return made;
  }
  static Updated<T> give(const UpdatedArray<T>&, const Argument& a) {
    const Whole<T> whole = Of<WholeArray<T>>::give({}, a);
    return {whole.size(), [whole](Index i) { return whole[i]; }, a};
  }
};
template <class T>
struct Of<ScalarArgument<T>> {
  using Element = T;
  static constexpr bool is_scalar = true;
  static Input input(const ScalarArgument<T>&) {
    return {{fulgurite::detail::leaf_kinds<T>.begin(), fulgurite::detail::leaf_kinds<T>.end()}, 0, true, {}};
  }
  static Exp<T> give(const ScalarArgument<T>&, const Argument& a) {
    return fulgurite::detail::unflattened<Exp<T>>(a.scalar);
  }
};

/// How many axes the array of a description has.
template <class D>
constexpr int rank_of() {
  if constexpr (requires { Of<D>::rank; })
    return Of<D>::rank;
  else
    return 1;
}

/// Among the types of results: an array of this many axes. Plain T is an array of one.
template <class T, int N>
struct RankedResult {};
template <class T>
struct ArrayOf {
  using Type = Acc<T, 1>;
};
template <class T, int N>
struct ArrayOf<RankedResult<T, N>> {
  using Type = Acc<T, N>;
};

// What a function returns: one array, or a tuple or pair of them.
template <class R>
struct ResultsOf {
  using Types = std::tuple<typename PushableOf<R>::Element>;
  static void put(const R& r, std::vector<fulgurite::detail::block::Result>& to, Here where) {
    using T = typename PushableOf<R>::Element;
    static_assert(PushableOf<R>::level == Level::block || !PushableOf<R>::is_push,
                  "a kernel returns pull arrays, or push arrays of a block");
    const Push<T> pushed = push<Level::block>(r, where);
    to.push_back(
        {{{fulgurite::detail::leaf_kinds<T>.begin(), fulgurite::detail::leaf_kinds<T>.end()}, r.size()},
         [pushed](const auto& write) { pushed([&](Index i, Exp<T> x) { write(i.value(), x.parts()); }); }});
  }
};
template <class T>
struct ResultsOf<Accumulated<T>> {
  using Types = std::tuple<T>;
  static void put(const Accumulated<T>& r, std::vector<fulgurite::detail::block::Result>& to, Here where,
                  int updates = -1) {
    using fulgurite::detail::Value;
    fulgurite::detail::block::Result result{{{fulgurite::detail::kind_of<T>()}, 0, updates}, {}};
    expects(0 <= r.size(), "a result cannot have {0} elements", {r.size()}, where);
    if (updates < 0) result.output.initial = fulgurite::detail::bits_of(r.initial());
    result.size = r.size().value();
    result.operation = r.operation();
    result.change = [r](const std::function<Value(Value, Value)>& change) {
      r([&](const Index& i, const Exp<T>& x) {
        return Exp<T>(fulgurite::detail::Parts<T>{change(i.value(), x.value())});
      });
    };
    to.push_back(std::move(result));
  }
};
template <class T>
struct ResultsOf<AccumulatedInto<T>> {
  using Types = std::tuple<T>;
  static void put(const AccumulatedInto<T>& r, std::vector<fulgurite::detail::block::Result>& to,
                  Here where) {
    ResultsOf<Accumulated<T>>::put(r.changes, to, where, r.updates);
  }
};
template <class T>
struct ResultsOf<Tiled<T>> {
  using Types = std::tuple<T>;
  static void put(const Tiled<T>& r, std::vector<fulgurite::detail::block::Result>& to, Here) {
    to.push_back({{{fulgurite::detail::leaf_kinds<T>.begin(), fulgurite::detail::leaf_kinds<T>.end()},
                   r.elements.size(),
                   r.updates},
                  [pushed = r.elements](const auto& write) {
                    pushed([&](Index i, Exp<T> x) { write(i.value(), x.parts()); });
                  },
                  fulgurite::detail::block::Tiling{
                      r.tiles.count().value(),
                      [tiles = r.tiles](fulgurite::detail::Value i) {
                        return tiles.place(Index(fulgurite::detail::Parts<std::int64_t>{i})).value();
                      }},
                  r.size.value()});
  }
};
template <class T>
struct ResultsOf<Updated<T>> {  // it has been written to
  using Types = std::tuple<T>;
  static void put(const Updated<T>& r, std::vector<fulgurite::detail::block::Result>& to, Here) {
    to.push_back({{{fulgurite::detail::leaf_kinds<T>.begin(), fulgurite::detail::leaf_kinds<T>.end()},
                   0,
                   r.argument()},
                  [](const auto&) {}});
  }
};
template <class... Rs>
struct ResultsOf<std::tuple<Rs...>> {
  using Types = decltype(std::tuple_cat(std::declval<typename ResultsOf<Rs>::Types>()...));
  static void put(const std::tuple<Rs...>& rs, std::vector<fulgurite::detail::block::Result>& to,
                  Here where) {
    std::apply([&](const Rs&... r) { (ResultsOf<Rs>::put(r, to, where), ...); }, rs);
  }
};
template <class A, class B>
struct ResultsOf<std::pair<A, B>> {
  using Types = typename ResultsOf<std::tuple<A, B>>::Types;
  static void put(const std::pair<A, B>& rs, std::vector<fulgurite::detail::block::Result>& to, Here where) {
    ResultsOf<A>::put(rs.first, to, where);
    ResultsOf<B>::put(rs.second, to, where);
  }
};

}  // namespace arguments

}  // namespace fulgurite::kernel

#pragma GCC visibility pop
