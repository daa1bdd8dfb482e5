// Kernels as steps of array programs: with loops and conditions of the array language between them, kernels
// of blocks become programs over arrays that no block could hold.
#pragma once

#include <fulgurite/acc.h>
#include <fulgurite/kernel/kernel.h>

#pragma GCC visibility push(default)

namespace fulgurite::kernel {

namespace arguments {

template <class D>
using Staged = std::conditional_t<Of<D>::is_scalar, Exp<typename Of<D>::Element>,
                                  Acc<typename Of<D>::Element, rank_of<D>()>>;

template <class... Ts, class... Ds>
auto called(const Recorded<std::tuple<Ts...>, Ds...>& k, Here where, const Staged<Ds>&... given) {
  using namespace fulgurite::detail;
  Values values;
  (values.insert(values.end(), given.parts().begin(), given.parts().end()), ...);
  const Values results = block::call(k.get(), values, where);
  std::size_t next = 0;
  const auto take = [&]<class T>(std::type_identity<T>) {
    using A = typename ArrayOf<T>::Type;
    Parts<typename A::Element> parts;
    for (Value& part : parts) part = results[next++];
    return A(parts);
  };
  if constexpr (sizeof...(Ts) == 1)
    return (take(std::type_identity<Ts>()), ...);
  else
    return std::tuple<typename ArrayOf<Ts>::Type...>{take(std::type_identity<Ts>())...};
}

}  // namespace arguments

/// One launch of the kernel over arrays and scalars of the program that is being traced, one for each of its
/// descriptions; gives its results, a Vec or Mat or a tuple of them. An array that the kernel updates keeps
/// its old contents for programs that still read it; if none does, the kernel works in its memory. Raises
/// ShapeError where the arrays do not fit the kernel's blocks or what it expects() does not hold; on the
/// interpreter, which runs kernels on the emulator, KernelError. Throws TraceError in a function of elements.
template <class R, class D>
auto call(const Recorded<R, D>& k, const arguments::Staged<D>& a, Here where = Here::current()) {
  return arguments::called(k, where, a);
}
template <class R, class D, class E>
auto call(const Recorded<R, D, E>& k, const arguments::Staged<D>& a, const arguments::Staged<E>& b,
          Here where = Here::current()) {
  return arguments::called(k, where, a, b);
}
template <class R, class D, class E, class F>
auto call(const Recorded<R, D, E, F>& k, const arguments::Staged<D>& a, const arguments::Staged<E>& b,
          const arguments::Staged<F>& c, Here where = Here::current()) {
  return arguments::called(k, where, a, b, c);
}
template <class R, class D, class E, class F, class G>
auto call(const Recorded<R, D, E, F, G>& k, const arguments::Staged<D>& a, const arguments::Staged<E>& b,
          const arguments::Staged<F>& c, const arguments::Staged<G>& d, Here where = Here::current()) {
  return arguments::called(k, where, a, b, c, d);
}
template <class R, class D, class E, class F, class G, class H>
auto call(const Recorded<R, D, E, F, G, H>& k, const arguments::Staged<D>& a, const arguments::Staged<E>& b,
          const arguments::Staged<F>& c, const arguments::Staged<G>& d, const arguments::Staged<H>& e,
          Here where = Here::current()) {
  return arguments::called(k, where, a, b, c, d, e);
}

}  // namespace fulgurite::kernel

#pragma GCC visibility pop
