// What the lanes of a warp tell each other without memory: each holds a value, and reads the values of
// others. In CUDA a shuffle instruction; OpenCL and CPUs go through hidden memory.
#pragma once

#include <fulgurite/functions.h>
#include <fulgurite/kernel/arrays.h>

#pragma GCC visibility push(default)

namespace fulgurite::kernel {

namespace warp {

inline Index lane(Here where) {
  return Index(fulgurite::detail::Parts<std::int64_t>{fulgurite::detail::block::lane(where)});
}

}  // namespace warp

/// f(x) of each element x of a part, or f(lane, x) with its number, by a lane of the warp for each; f may
/// shuffle what it holds. Inside of warps(); the part has 2^k <= 32 elements, and a warp 32 or a multiple of
/// them, in parts of neighbours. Throws ShapeError for other sizes, TraceError elsewhere.
inline constexpr struct Lanes {
  template <class F, class T>
  auto operator()(const F& f, const Pull<T>& a, Here where = Here::current()) const {
    constexpr bool counts = std::is_invocable_v<const F&, Index, Exp<T>>;
    const auto apply = [f](const Index& lane, const Exp<T>& x) {
      if constexpr (counts)
        return f(lane, x);
      else
        return f(x);
    };
    using R = typename fulgurite::detail::ResultOf<
        std::decay_t<decltype(apply(std::declval<Index>(), std::declval<Exp<T>>()))>>::Element;
    return Push<R, Level::warp>(a.size(), [=](const typename Push<R, Level::warp>::Write& write) {
      fulgurite::detail::block::lanes(
          a.size(),
          [&](fulgurite::detail::Value i) {
            const Index lane(fulgurite::detail::Parts<std::int64_t>{i});
            write(lane, Exp<R>(apply(lane, a[lane])));
          },
          where);
    });
  }
} lanes{};

/// What lane `from` of the part holds, the number taken modulo the part's size. In the function given to
/// lanes(), outside of branches and loops there: all lanes come by. Throws TraceError elsewhere.
inline constexpr struct ShuffleFrom {
  template <class T>
  Exp<T> operator()(const Exp<T>& x, const Index& from, Here where = Here::current()) const {
    using namespace fulgurite::detail;
    return unflattened<Exp<T>>(block::shuffle(x.parts(), from.value(), where));
  }
} shuffle{};

/// What the lane `by` lower holds, or higher; a lane's own value where there is none.
inline constexpr struct ShuffleUp {
  template <class T>
  Exp<T> operator()(const Exp<T>& x, std::int64_t by, Here where = Here::current()) const {
    const Index lane = warp::lane(where);
    return shuffle(x, select(lane < by, lane, lane - by), where);
  }
} shuffle_up{};
inline constexpr struct ShuffleDown {
  template <class T>
  Exp<T> operator()(const Exp<T>& x, std::int64_t by, Here where = Here::current()) const {
    const Index lane = warp::lane(where);
    const std::int64_t n = fulgurite::detail::block::n_lanes(where);
    return shuffle(x, select(lane < n - by, lane + by, lane), where);
  }
} shuffle_down{};
/// What the lane holds whose number differs in the bits of `mask`.
inline constexpr struct ShuffleXor {
  template <class T>
  Exp<T> operator()(const Exp<T>& x, std::int64_t mask, Here where = Here::current()) const {
    return shuffle(x, warp::lane(where) ^ mask, where);
  }
} shuffle_xor{};

/// Running results of a part of at most 32 elements, inclusive, of any associative operator: Kogge and
/// Stone's network in registers.
inline constexpr struct WarpScan {
  template <class T, class Op>
  Push<T, Level::warp> operator()(const Op& op, const Pull<T>& a, Here where = Here::current()) const {
    return lanes(
        [op, n = a.size(), where](Index lane, Exp<T> x) {
          for (std::int64_t by = 1; by < n; by *= 2) {
            const Exp<T> before = shuffle_up(x, by, where);
            x = select(lane < by, x, Exp<T>(op(before, x)));
          }
          return x;
        },
        a, where);
  }
} warp_scan{};
/// The result of all elements of a part of at most 32, in each lane; the operator is associative and
/// commutative.
inline constexpr struct WarpReduce {
  template <class T, class Op>
  Push<T, Level::warp> operator()(const Op& op, const Pull<T>& a, Here where = Here::current()) const {
    return lanes(
        [op, n = a.size(), where](Exp<T> x) {
          for (std::int64_t by = 1; by < n; by *= 2) x = op(x, shuffle_xor(x, by, where));
          return x;
        },
        a, where);
  }
} warp_reduce{};

}  // namespace fulgurite::kernel

#pragma GCC visibility pop
