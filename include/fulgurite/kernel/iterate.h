// Loops of a block whose rounds are counted, or ended, while the kernel runs: all threads go round equally
// often, and in each round they compute, wait, and exchange elements as outside of it. The state is arrays in
// memory of the block, each with two places: a round reads one and writes the other, so that one barrier a
// round is enough. (A loop of C++ around sync() is unrolled: as much code as there are rounds.)
#pragma once

#include <fulgurite/functions.h>
#include <fulgurite/kernel/matrix.h>

#include <string>
#include <tuple>
#include <utility>

#pragma GCC visibility push(default)

namespace fulgurite::kernel {

namespace loops {

/// Where the elements of an array of the state are in rounds of even and of odd number.
template <class T>
class Places {
 public:
  template <class A>
  Places(const A& initial, Place place, Here where)
      : n_(initial.size()), stored_(memory::space_of(place), 2 * n_, where), where_(where) {
    write(0, initial);
  }
  Pull<T> read(const Index& round) const {
    return Pull<T>(n_,
                   [all = stored_.read(where_), first = first_of(round)](Index i) { return all[first + i]; });
  }
  template <class A>
  void write(const Index& round, const A& a) const {
    using Of = PushableOf<A>;
    static_assert(Of::is && std::is_same_v<typename Of::Element, T>,
                  "the body of a loop returns arrays of the state's element types");
    static_assert(Of::level == Level::block || Of::level == Level::warp,
                  "the state of a block's loop is written by a block or a warp");
    if (a.size() != n_)
      fulgurite::detail::block::refuse("an array of the state has " + std::to_string(n_) +
                                           " elements, and the body of the loop makes it one of " +
                                           std::to_string(a.size()),
                                       where_);
    const Index first = first_of(round);
    push<Of::level>(a, where_)([&](Index i, Exp<T> x) { stored_.store(first + i, x, where_); });
  }

 private:
  Index first_of(const Index& round) const { return (round & 1) * n_; }

  std::int64_t n_;
  memory::Stored<T> stored_;
  Here where_;
};

template <class A>
struct StateOf {
  using Type = std::tuple<A>;
  static const Type from(const A& a) { return Type(a); }
};
template <class... As>
struct StateOf<std::tuple<As...>> {
  using Type = std::tuple<As...>;
  static const Type& from(const Type& all) { return all; }
};
template <class A, class B>
struct StateOf<std::pair<A, B>> {
  using Type = std::tuple<A, B>;
  static Type from(const std::pair<A, B>& both) { return {both.first, both.second}; }
};

template <class... As>
class State {
  static_assert((Pushable<As> && ...), "the state of a block's loop is pull and push arrays");

 public:
  State(const std::tuple<As...>& initial, Place place, Here where)
      : places_(std::apply(
            [&](const As&... a) {
              return std::tuple<Places<typename PushableOf<As>::Element>...>{{a, place, where}...};
            },
            initial)),
        where_(where) {
    wait();
  }
  /// What f makes of the state that the round reads.
  template <class F>
  auto with(const F& f, const Index& round) const {
    return std::apply(
        [&](const auto&... place) {
          if constexpr (std::is_invocable_v<const F&, Index, decltype(place.read(round))...>)
            return f(round, place.read(round)...);
          else
            return f(place.read(round)...);
        },
        places_);
  }
  template <class F>
  void step(const F& f, const Index& round) const {
    const auto made = with(f, round);
    const auto& next = StateOf<std::decay_t<decltype(made)>>::from(made);
    static_assert(std::tuple_size_v<std::decay_t<decltype(next)>> == sizeof...(As),
                  "the body of a loop returns as many arrays as the state has");
    [&]<std::size_t... i>(std::index_sequence<i...>) {
      (std::get<i>(places_).write(round + 1, std::get<i>(next)), ...);
    }(std::index_sequence_for<As...>());
    wait();
  }
  auto result(const Index& rounds) const {
    if constexpr (sizeof...(As) == 1)
      return std::get<0>(places_).read(rounds);
    else
      return std::apply([&](const auto&... place) { return std::tuple{place.read(rounds)...}; }, places_);
  }

 private:
  void wait() const { fulgurite::detail::block::barrier(Level::block, where_); }

  std::tuple<Places<typename PushableOf<As>::Element>...> places_;
  Here where_;
};
template <class... As>
State(const std::tuple<As...>&, Place, Here) -> State<As...>;

template <class A>
auto state_of(const A& a, Place place, Here where) {
  return State(StateOf<A>::from(a), place, where);
}

}  // namespace loops

namespace loops {

/// A step of a state that is a matrix, as one of its elements.
template <class F, class T>
auto of_elements(const F& f, const Matrix<T>& initial, Here where) {
  return
      [f, rows = initial.rows(), columns = initial.columns(), where](Index round, const Pull<T>& elements) {
        const Matrix<T> state = matrix(rows, columns, elements, where);
        const auto next = [&] {
          if constexpr (std::is_invocable_v<const F&, Index, Matrix<T>>)
            return push(f(round, state), where);
          else
            return push(f(state), where);
        }();
        if (next.rows() != rows || next.columns() != columns)
          fulgurite::detail::block::refuse("the state of a loop is a matrix of " +
                                               sizes::rows_and_columns(rows, columns) +
                                               ", and the body of the loop makes it one of " +
                                               sizes::rows_and_columns(next.rows(), next.columns()),
                                           where);
        return flat(next);
      };
}

}  // namespace loops

/// iterate(n, f, a): a, after n times a = f(a), or a = f(round, a) with the round's number 0, 1 ... n - 1
/// (none if n < 0). a is a pull or push array; a matrix; or a std::tuple of them, of which f gets each as an
/// argument, and returns a tuple. f returns arrays as large as the ones that it gets; it need not sync them,
/// which iterate() does, to the place that is said. Gives the pull array, or a tuple of them. It stands
/// outside of par(). Throws ShapeError if f changes a size, TraceError inside of par().
inline constexpr struct Iterate {
  template <class F, class A>
  auto operator()(const Index& n, const F& f, const A& a, Place place = Place::shared,
                  Here where = Here::current()) const {
    const auto state = loops::state_of(a, place, where);
    loop(0, n, [&](Index round) { state.step(f, round); }, where);
    return state.result(max(n, Index(0)));
  }
  template <class F, class T>
  Matrix<T> operator()(const Index& n, const F& f, const Matrix<T>& a, Place place = Place::shared,
                       Here where = Here::current()) const {
    const auto elements = (*this)(n, loops::of_elements(f, a, where), flat(push(a, where)), place, where);
    return matrix(a.rows(), a.columns(), elements, where);
  }
} iterate{};

/// while_loop(condition, f, a): a, after a = f(a) as long as condition(a) holds, an Exp<bool> that all
/// threads compute alike from elements of the state; both may take the round's number before the state. Else
/// as iterate().
inline constexpr struct WhileLoop {
  template <class Condition, class F, class A>
  auto operator()(const Condition& condition, const F& f, const A& a, Place place = Place::shared,
                  Here where = Here::current()) const {
    using fulgurite::detail::Value;
    const auto state = loops::state_of(a, place, where);
    const auto number = [](Value round) { return Index(fulgurite::detail::Parts<std::int64_t>{round}); };
    const Value rounds = fulgurite::detail::block::repeat(
        [&](Value round) { return Exp<bool>(state.with(condition, number(round))).value(); },
        [&](Value round) { state.step(f, number(round)); }, where);
    return state.result(number(rounds));
  }
} while_loop{};

}  // namespace fulgurite::kernel

#pragma GCC visibility pop
