// Kernels: functions of the blocks of arrays, recorded once, printed as source, and run by any engine.
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
/// whose size is a multiple of n; with `fill` it need not be: the last block reads `fill` behind the end, and
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

/// A kernel that has been recorded. Immutable; copies share it.
template <class Results, class... Arguments>
class Recorded {
 public:
  explicit Recorded(std::shared_ptr<const fulgurite::detail::block::Kernel> kernel)
      : kernel_(std::move(kernel)) {}
  const fulgurite::detail::block::Kernel& get() const { return *kernel_; }

 private:
  std::shared_ptr<const fulgurite::detail::block::Kernel> kernel_;
};

/// How many threads a block has: the instances of statements that have more take turns, thread t doing those
/// with the numbers t, t + n, t + 2n ... A block of which no statement has n instances has fewer. Unless it
/// is said, a block has as many threads as most of its statements have instances, up to 1024.
struct Threads {
  std::int64_t n;
};
inline Threads threads(std::int64_t n) {
  return {n};
}

/// The name of a kernel, and where it is given.
struct Named {
  std::string name;
  Here where;
  Named(const char* given, Here at = Here::current()) : name(given), where(at) {}
  Named(std::string given, Here at = Here::current()) : name(std::move(given)), where(at) {}
};

/// Records f, a function of what the descriptions say that returns a pull or push array, tiled() or update(),
/// an Updated that it has written to, or a tuple of them: kernel("block_sum", block<int>(512), [](Pull<int>
/// a) { ... }). One block of the launch for each block of the arguments, and each tile of the results;
/// something says how many there are. `name` is the function's name in source code. Throws TraceError if it
/// cannot be, or is not known as a name of C, CUDA and OpenCL; ShapeError; and what f throws.
template <class... Parts>
auto kernel(Named name, const Parts&... descriptions_and_f);
/// The same with blocks of a stated number of threads, 1 to 1024; else throws ShapeError. Lanes that exchange
/// values are of whole warps.
template <class... Parts>
auto kernel(Named name, Threads threads, const Parts&... descriptions_and_f);

namespace arguments {

template <class Descriptions, class F>
struct Recording;
template <class... Ds, class F>
struct Recording<std::tuple<Ds...>, F> {
  using R = std::decay_t<decltype(std::declval<const F&>()(
      Of<Ds>::give(std::declval<const Ds&>(), std::declval<const Argument&>())...))>;
  template <class Types>
  struct As;
  template <class... Ts>
  struct As<std::tuple<Ts...>> {
    using type = Recorded<std::tuple<Ts...>, Ds...>;
  };
  using Type = typename As<typename ResultsOf<R>::Types>::type;

  static Type record(std::string name, const std::tuple<Ds...>& descriptions, const F& f,
                     std::optional<std::int64_t> threads, Here where) {
    std::vector<Input> inputs;
    std::apply([&](const Ds&... d) { (inputs.push_back(Of<Ds>::input(d)), ...); }, descriptions);
    return Type(fulgurite::detail::block::record(
        std::move(name), std::move(inputs),
        [&](std::span<const Argument> given) {
          std::vector<fulgurite::detail::block::Result> results;
          [&]<std::size_t... i>(std::index_sequence<i...>) {
            ResultsOf<R>::put(f(Of<Ds>::give(std::get<i>(descriptions), given[i])...), results, where);
          }(std::index_sequence_for<Ds...>());
          return results;
        },
        threads, where));
  }
};

template <class All, std::size_t... i>
auto first_of(const All& all, std::index_sequence<i...>) {
  return std::make_tuple(std::get<i>(all)...);
}

template <class... Parts>
auto recorded(Named name, std::optional<std::int64_t> threads, const Parts&... parts) {
  static_assert(sizeof...(Parts) >= 2, "kernel(name, descriptions of the arguments ..., function)");
  constexpr std::size_t n = sizeof...(Parts) - 1;
  const std::tuple<std::decay_t<const Parts&>...> all(parts...);
  const auto descriptions = first_of(all, std::make_index_sequence<n>());
  using F = std::tuple_element_t<n, std::decay_t<decltype(all)>>;
  return Recording<std::decay_t<decltype(descriptions)>, F>::record(name.name, descriptions, std::get<n>(all),
                                                                    threads, name.where);
}

}  // namespace arguments

template <class... Parts>
auto kernel(Named name, const Parts&... parts) {
  return arguments::recorded(std::move(name), {}, parts...);
}
template <class... Parts>
auto kernel(Named name, Threads threads, const Parts&... parts) {
  return arguments::recorded(std::move(name), threads.n, parts...);
}

/// The kernel as source text, with the names it was given (arguments are numbered: C++ does not tell the
/// names of parameters).
template <class... Ts>
std::string to_c(const Recorded<Ts...>& k) {
  return fulgurite::detail::block::text(k.get(), "c");
}
template <class... Ts>
std::string to_cuda(const Recorded<Ts...>& k) {
  return fulgurite::detail::block::text(k.get(), "cuda");
}
template <class... Ts>
std::string to_opencl(const Recorded<Ts...>& k) {
  return fulgurite::detail::block::text(k.get(), "opencl");
}
/// The kernel IR that all of them are printed from.
template <class... Ts>
std::string to_ir(const Recorded<Ts...>& k) {
  return fulgurite::detail::block::text(k.get(), "ir");
}

/// A picture (SVG) of which elements of a block meet in which stages: wires from left to right, comparators
/// as vertical lines, operators as dots (the figures of DAMP 2012 and of the 2008 paper). Throws TraceError
/// for a kernel whose connections depend on its data.
template <class... Ts>
std::string draw(const Recorded<Ts...>& k) {
  return fulgurite::detail::block::drawing(k.get());
}
/// Operators (a comparator is one) on the longest way from an input to a result.
template <class... Ts>
int depth(const Recorded<Ts...>& k) {
  return fulgurite::detail::block::depth(k.get());
}

namespace arguments {

template <class D>
struct Viewed {
  using T = typename Of<D>::Element;
  using Argument = std::conditional_t<Of<D>::is_scalar, T, fulgurite::detail::ArrayArgument<T, 1>>;
};

}  // namespace arguments

namespace arguments {

template <class... Ds>
std::vector<fulgurite::detail::ArgumentView> views_of(const typename Viewed<Ds>::Argument&... given) {
  std::vector<fulgurite::detail::ArgumentView> views;
  const auto view = [&]<class D>(std::type_identity<D>, const auto& argument) {
    using T = typename Of<D>::Element;
    constexpr std::size_t n = fulgurite::detail::n_leaves<T>;
    const std::size_t first = views.size();
    views.resize(first + n);
    if constexpr (Of<D>::is_scalar)
      fulgurite::detail::for_each_leaf(argument, [&](std::size_t leaf, auto value) {
        views[first + leaf] = {static_cast<std::uint8_t>(fulgurite::detail::leaf_kinds<T>[leaf]), 0, nullptr,
                               nullptr, fulgurite::detail::bits_of(value)};
      });
    else
      argument.view_as(&views[first]);
  };
  (view(std::type_identity<Ds>(), given), ...);
  return views;
}

}  // namespace arguments

/// Runs the kernel over arrays (Array<T, 1>, std::vector<T>, std::span) and scalars, one for each
/// description; gives the result's array, or a tuple of arrays. An updated array is copied: the argument
/// stays as it is. Throws ShapeError if an array's size is not a multiple of its block (and there is no
/// fill), arrays have different numbers of blocks, or what the kernel expects() does not hold; KernelError,
/// with the line of the kernel's function, if the emulator finds a fault.
template <class... Ts, class... Ds>
auto execute(Runner runner, const Recorded<std::tuple<Ts...>, Ds...>& k,
             const typename arguments::Viewed<Ds>::Argument&... given) {
  std::vector<fulgurite::detail::ResultValue> values =
      fulgurite::detail::block::run(k.get(), runner, arguments::views_of<Ds...>(given...));
  fulgurite::detail::ResultValue* next = values.data();
  if constexpr (sizeof...(Ts) == 1)
    return fulgurite::detail::HostResult<Acc<Ts..., 1>>::take(next);
  else
    return std::tuple{fulgurite::detail::HostResult<Acc<Ts, 1>>::take(next)...};
}

/// Runs it on the emulator and says what it counted. Throws as execute() does.
template <class... Ts, class... Ds>
Traffic traffic(const Recorded<std::tuple<Ts...>, Ds...>& k,
                const typename arguments::Viewed<Ds>::Argument&... given) {
  return fulgurite::detail::block::traffic(k.get(), arguments::views_of<Ds...>(given...));
}

/// The same as text: what the launch costs, and each stage with its line. Stages that follow each other and
/// would have the same row are one.
template <class... Ts, class... Ds>
std::string explain(const Recorded<std::tuple<Ts...>, Ds...>& k,
                    const typename arguments::Viewed<Ds>::Argument&... given) {
  return fulgurite::detail::block::explanation(k.get(), traffic(k, given...));
}

}  // namespace fulgurite::kernel

#pragma GCC visibility pop
