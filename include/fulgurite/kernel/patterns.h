// Functions of pull and push arrays, and connection patterns: how components meet the elements of an array
// (DAMP 2012; "Obsidian", 2008, sections 2 and 4). None of them computes or stores anything by itself: they
// fuse into whoever syncs, commits or returns the array. Pull forms (`_1`) have one instance for each element
// and choose what it computes; push forms (the plain names) have one instance for each component and no
// choice. Functions that are handed to them are called when the array is written, which may be after the
// function that made it has returned: they capture by value. All sizes are known; a size that does not fit is
// a ShapeError at the line of the call.
#pragma once

#include <fulgurite/functions.h>
#include <fulgurite/kernel/arrays.h>

#include <bit>
#include <string>
#include <type_traits>

#pragma GCC visibility push(default)

namespace fulgurite::kernel {

/// The k for which n = 2^k. Throws ShapeError for other n.
inline int log2(std::int64_t n, Here where = Here::current()) {
  if (n < 1 || !std::has_single_bit(static_cast<std::uint64_t>(n)))
    fulgurite::detail::block::refuse("the size " + std::to_string(n) + " is not a power of two", where);
  return std::countr_zero(static_cast<std::uint64_t>(n));
}

namespace sizes {

inline void equal(const char* what, std::int64_t a, std::int64_t b, Here where) {
  if (a == b) return;
  fulgurite::detail::block::refuse(std::string(what) + " needs arrays of equal size: they have " +
                                       std::to_string(a) + " and " + std::to_string(b) + " elements",
                                   where);
}
inline void divides(const char* what, std::int64_t n, std::int64_t size, Here where) {
  if (n > 0 && size % n == 0) return;
  fulgurite::detail::block::refuse(std::string(what) + " needs a multiple of " + std::to_string(n) +
                                       " elements: the array has " + std::to_string(size),
                                   where);
}

}  // namespace sizes

/// The element type of what f gives for elements of these types.
template <class F, class... Es>
using ElementFrom =
    typename fulgurite::detail::ResultOf<std::decay_t<std::invoke_result_t<const F&, Es...>>>::Element;

/// f of each element.
template <class F, class T>
auto map(const F& f, const Pull<T>& a) {
  using R = ElementFrom<F, Exp<T>>;
  return Pull<R>(a.size(), [f, a](Index i) { return Exp<R>(f(a[i])); });
}
template <class F, class T, Level L>
auto map(const F& f, const Push<T, L>& a) {
  using R = ElementFrom<F, Exp<T>>;
  return Push<R, L>(a.size(), [f, a](const typename Push<R, L>::Write& write) {
    a([&](Index i, Exp<T> x) { write(i, Exp<R>(f(x))); });
  });
}
template <class F, class S, class T>
auto zip_with(const F& f, const Pull<S>& a, const Pull<T>& b, Here where = Here::current()) {
  using R = ElementFrom<F, Exp<S>, Exp<T>>;
  sizes::equal("zip_with", a.size(), b.size(), where);
  return Pull<R>(a.size(), [f, a, b](Index i) { return Exp<R>(elements::join(f, a, i, b, i)); });
}
inline constexpr auto pair_of = []<class S, class T>(const Exp<S>& a, const Exp<T>& b) {
  return make<std::pair<S, T>>(a, b);
};
template <class S, class T>
Pull<std::pair<S, T>> zip(const Pull<S>& a, const Pull<T>& b, Here where = Here::current()) {
  sizes::equal("zip", a.size(), b.size(), where);
  return {a.size(), [a, b](Index i) { return elements::join(pair_of, a, i, b, i); }};
}
template <class S, class T>
std::pair<Pull<S>, Pull<T>> unzip(const Pull<std::pair<S, T>>& a) {
  return {Pull<S>(a.size(), [a](Index i) { return a[i].template get<0>(); }),
          Pull<T>(a.size(), [a](Index i) { return a[i].template get<1>(); })};
}

/// The first n elements and the others; halve: n is half of them, one more where their number is odd.
template <class T>
std::pair<Pull<T>, Pull<T>> split_at(std::int64_t n, const Pull<T>& a, Here where = Here::current()) {
  if (n < 0 || n > a.size())
    fulgurite::detail::block::refuse(
        "split_at " + std::to_string(n) + " of an array of " + std::to_string(a.size()) + " elements", where);
  return {Pull<T>(n, [a](Index i) { return a[i]; }),
          Pull<T>(a.size() - n, [a, n](Index i) { return a[i + n]; })};
}
template <class T>
std::pair<Pull<T>, Pull<T>> halve(const Pull<T>& a, Here where = Here::current()) {
  return split_at((a.size() + 1) / 2, a, where);
}
/// The elements of even and of odd number.
template <class T>
Pull<T> even(const Pull<T>& a) {
  return {(a.size() + 1) / 2, [a](Index i) { return a[i * 2]; }};
}
template <class T>
Pull<T> odd(const Pull<T>& a) {
  return {a.size() / 2, [a](Index i) { return a[i * 2 + 1]; }};
}
/// An array as parts of equal size.
template <class T>
class Pieces {
 public:
  Pieces(std::int64_t n, Pull<T> whole) : n_(n), whole_(std::move(whole)) {}
  std::int64_t size() const { return whole_.size() / n_; }  // how many
  std::int64_t part_size() const { return n_; }
  Pull<T> operator[](const Index& number) const {
    return {n_, [n = n_, whole = whole_, number](Index i) { return whole[number * n + i]; }};
  }

 private:
  std::int64_t n_;
  Pull<T> whole_;
};
/// Pieces of n neighbours.
template <class T>
Pieces<T> split_up(std::int64_t n, const Pull<T>& a, Here where = Here::current()) {
  sizes::divides("split_up", n, a.size(), where);
  return {n, a};
}
/// f of each part, by one instance: an array of the elements that it gives; or of the arrays, as large as the
/// parts, one after the other.
template <class F, class T>
auto map(const F& f, const Pieces<T>& parts, Here where = Here::current()) {
  using Result = std::decay_t<std::invoke_result_t<const F&, Pull<T>>>;
  if constexpr (Pushable<Result>) {
    using R = typename PushableOf<Result>::Element;
    return Push<R>(parts.size() * parts.part_size(), [=](const typename Push<R>::Write& write) {
      par(
          parts.size(),
          [&](Index t) {
            const Result made = f(parts[t]);
            sizes::equal("map of parts", parts.part_size(), made.size(), where);
            push<Level::thread>(made, where)([&](Index i, Exp<R> x) { write(t * parts.part_size() + i, x); });
          },
          where);
    });
  } else {
    using R = typename fulgurite::detail::ResultOf<Result>::Element;
    return Pull<R>(parts.size(), [f, parts](Index i) { return Exp<R>(f(parts[i])); });
  }
}
template <class T>
Pull<T> reverse(const Pull<T>& a) {
  return {a.size(), [a](Index i) { return a[a.size() - 1 - i]; }};
}
/// Element i is a[f(i)]; of a push array, what went to i goes to f(i).
template <class F, class T>
Pull<T> ix_map(const F& f, const Pull<T>& a) {
  return {a.size(), [f, a](Index i) { return a[f(i)]; }};
}
template <class F, class T, Level L>
Push<T, L> ix_map(const F& f, const Push<T, L>& a) {
  return {a.size(),
          [f, a](const typename Push<T, L>::Write& write) { a([&](Index i, Exp<T> x) { write(f(i), x); }); }};
}
/// Element i is a[i - by], `fill` where there is none.
template <class T>
Pull<T> shift(std::int64_t by, const Exp<T>& fill, const Pull<T>& a) {
  return {a.size(), [a, by, fill](Index i) {
            const Index from = i - by;
            return cond(0 <= from && from < a.size(), [&] { return a[from]; }, [&] { return fill; });
          }};
}

/// a, then b. The pull form chooses for each element.
template <class T>
Pull<T> conc(const Pull<T>& a, const Pull<T>& b) {
  return {a.size() + b.size(), [a, b](Index i) {
            return cond(i < a.size(), [&] { return a[i]; }, [&] { return b[i - a.size()]; });
          }};
}
/// The push form computes both with as many instances as the larger has elements (section 2).
template <class A, class B>
  requires Pushable<A> && Pushable<B>
auto conc_p(const A& a, const B& b) {
  using T = typename PushableOf<A>::Element;
  static_assert(std::is_same_v<T, typename PushableOf<B>::Element>,
                "conc_p joins arrays of one element type");
  constexpr Level level = PushableOf<A>::is_push ? PushableOf<A>::level : PushableOf<B>::level;
  const auto first = push<level>(a), second = push<level>(b);
  return Push<T, level>(a.size() + b.size(), [first, second](const typename Push<T, level>::Write& write) {
    first(write);
    second([&](Index i, Exp<T> x) { write(i + first.size(), x); });
  });
}

/// Neighbours as one element, and back. unpair chooses for each element, unpair_p has one instance for both.
template <class T>
Pull<std::pair<T, T>> pair(const Pull<T>& a, Here where = Here::current()) {
  sizes::divides("pair", 2, a.size(), where);
  return {a.size() / 2, [a](Index i) { return elements::join(pair_of, a, i * 2, a, i * 2 + 1); }};
}
template <class T>
Pull<T> unpair(const Pull<std::pair<T, T>>& a) {
  return {a.size() * 2, [a](Index i) {
            const Exp<std::pair<T, T>> both = a[i >> 1];
            return select((i & 1) == 0, both.template get<0>(), both.template get<1>());
          }};
}
template <class A>
  requires Pushable<A>
auto unpair_p(const A& a) {
  using T = std::tuple_element_t<0, typename PushableOf<A>::Element>;
  constexpr Level level = PushableOf<A>::level;
  const auto pairs = push<level>(a);
  return Push<T, level>(a.size() * 2, [pairs](const typename Push<T, level>::Write& write) {
    pairs([&](Index i, Exp<std::pair<T, T>> both) {
      write(i * 2, both.template get<0>());
      write(i * 2 + 1, both.template get<1>());
    });
  });
}

// Indices bit by bit.

/// The lowest n bits.
inline std::int64_t one_bits(int n) {
  return static_cast<std::int64_t>((std::uint64_t{1} << n) - 1);
}
/// A bit 0 at position i: the bits from there on move up.
inline Index insert_zero(int i, const Index& a) {
  return a + (a & ~one_bits(i));
}
inline Index flip_bit(int i, const Index& a) {
  return a ^ (std::int64_t{1} << i);
}
/// Bits i to i + j, both included (section 3.5).
inline Index flip_bits_from(int i, int j, const Index& a) {
  return a ^ (one_bits(j + 1) << i);
}

/// On each run of 2^(i+j+1) elements: f and g of the elements whose numbers differ in bits i to i + j, f's
/// result at the lower number and g's at the higher. ilv(i) is ilv_vee(i, 0), vee(j) is ilv_vee(0, j)
/// (section 3.4 and 3.5). One instance for each pair.
template <class F, class G, class T>
auto ilv_vee(int i, int j, const F& f, const G& g, const Pull<T>& a, Here where = Here::current()) {
  using R = ElementFrom<F, Exp<T>, Exp<T>>;
  sizes::divides("ilv_vee", std::int64_t{2} << (i + j), a.size(), where);
  return Push<R, Level::block>(a.size(), [=](const typename Push<R>::Write& write) {
    par(
        a.size() / 2,
        [&](Index t) {
          const Index low = insert_zero(i + j, t), high = flip_bits_from(i, j, low);
          const Exp<T> l = a[low], r = a[high];
          write(low, Exp<R>(f(l, r)));
          write(high, Exp<R>(g(l, r)));
        },
        where);
  });
}
template <class F, class G, class T>
auto ilv(int i, const F& f, const G& g, const Pull<T>& a, Here where = Here::current()) {
  return ilv_vee(i, 0, f, g, a, where);
}
template <class F, class G, class T>
auto vee(int j, const F& f, const G& g, const Pull<T>& a, Here where = Here::current()) {
  return ilv_vee(0, j, f, g, a, where);
}
/// ilv_vee() with one instance for each element, which chooses between f and g.
template <class F, class G, class T>
auto ilv_vee_1(int i, int j, const F& f, const G& g, const Pull<T>& a, Here where = Here::current()) {
  using R = ElementFrom<F, Exp<T>, Exp<T>>;
  sizes::divides("ilv_vee_1", std::int64_t{2} << (i + j), a.size(), where);
  return Pull<R>(a.size(), [=](Index ix) {
    const Exp<T> l = a[ix], r = a[flip_bits_from(i, j, ix)];
    return select((ix & (std::int64_t{1} << (i + j))) == 0, Exp<R>(f(l, r)), Exp<R>(g(l, r)));
  });
}
template <class F, class G, class T>
auto ilv_1(int i, const F& f, const G& g, const Pull<T>& a, Here where = Here::current()) {
  return ilv_vee_1(i, 0, f, g, a, where);
}
template <class F, class G, class T>
auto vee_1(int j, const F& f, const G& g, const Pull<T>& a, Here where = Here::current()) {
  return ilv_vee_1(0, j, f, g, a, where);
}

/// Comparators of elements that are more than their keys: the operand whose key is lower, and the other one,
/// whatever the keys are (min_by gives the first of equal ones).
template <class Key>
auto min_by(const Key& key) {
  return [key](const auto& a, const auto& b) { return select(key(a) <= key(b), a, b); };
}
template <class Key>
auto max_by(const Key& key) {
  return [key](const auto& a, const auto& b) { return select(key(a) <= key(b), b, a); };
}

/// `stages` stages by each instance on 2^stages elements that it holds: `component` gets the elements whose
/// numbers differ in bits i to i + stages - 1 (in their order) and gives as many.
template <class F, class T>
auto ilv_k(int i, int stages, const F& component, const Pull<T>& a, Here where = Here::current()) {
  const std::int64_t n = std::int64_t{1} << stages;
  sizes::divides("ilv_k", n << i, a.size(), where);
  const std::decay_t<F> each = component;  // where it is a function: a pointer to it
  return Push<T, Level::block>(a.size(), [=](const typename Push<T>::Write& write) {
    par(
        a.size() / n,
        [&](Index t) {
          const Index first = (t & one_bits(i)) + ((t & ~one_bits(i)) << stages);
          std::vector<Exp<T>> held;
          for (std::int64_t k = 0; k < n; ++k) held.push_back(a[first + (k << i)]);
          held = each(std::move(held));
          for (std::int64_t k = 0; k < n; ++k) write(first + (k << i), held[static_cast<std::size_t>(k)]);
        },
        where);
  });
}

/// f(low, high), a pair of elements, of each two neighbours (2008 paper, section 4).
template <class F, class T>
auto evens(const F& f, const Pull<T>& a, Here where = Here::current()) {
  sizes::divides("evens", 2, a.size(), where);
  return Push<T, Level::block>(a.size(), [=](const typename Push<T>::Write& write) {
    par(
        a.size() / 2,
        [&](Index t) {
          const auto [low, high] = elements::join(f, a, t * 2, a, t * 2 + 1);
          write(t * 2, Exp<T>(low));
          write(t * 2 + 1, Exp<T>(high));
        },
        where);
  });
}
/// The elements of the first half alternate with the elements of the second half.
template <class T>
Pull<T> riffle(const Pull<T>& a, Here where = Here::current()) {
  sizes::divides("riffle", 2, a.size(), where);
  const std::int64_t half = a.size() / 2;
  return {a.size(), [a, half](Index i) { return a[(i >> 1) + (i & 1) * half]; }};
}
/// f applied n times.
template <class F, class A>
A rep(int n, const F& f, A a) {
  for (int k = 0; k < n; ++k) a = f(a);
  return a;
}
/// The shuffle exchange network: n times riffle, evens(f), sync.
template <class F, class T>
Pull<T> shex(int n, const F& f, const Pull<T>& a, Place place = Place::shared, Here where = Here::current()) {
  return rep(n, [&](const Pull<T>& x) { return sync(evens(f, riffle(x, where), where), place, where); }, a);
}

/// f, then g.
template <class F, class G>
struct Composed {
  F f;
  G g;
  template <class A>
  auto operator()(const A& a) const {
    return g(f(a));
  }
};
/// A function of arrays that >> composes: k::then(f) >> g >> k::synced.
template <class F>
struct Then {
  F f;
  template <class A>
  auto operator()(const A& a) const {
    return f(a);
  }
  template <class G>
  friend auto operator>>(const Then& first, const G& second) {
    return Then<Composed<F, G>>{{first.f, second}};
  }
};
template <class F>
Then<F> then(F f) {
  return {std::move(f)};
}
inline constexpr struct {
  template <class A>
  auto operator()(const A& a, Here where = Here::current()) const {
    return sync(a, where);
  }
} synced{};

}  // namespace fulgurite::kernel

#pragma GCC visibility pop
