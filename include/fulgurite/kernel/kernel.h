// Kernels: functions of the blocks of arrays, recorded once, printed as source, and run by any engine.
#pragma once

#include <fulgurite/kernel/describe.h>
#include <fulgurite/kernel/matrix_arguments.h>

#include <optional>
#include <tuple>

#pragma GCC visibility push(default)

namespace fulgurite::kernel {

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

/// How many threads a block has: the instances of statements that have more take turns, thread t doing the
/// ones with the numbers t, t + n, t + 2n ... A block of which no statement has n instances has fewer. Unless
/// it is said, a block has as many threads as most of its statements have instances, up to 1024.
struct Threads {
  fulgurite::detail::block::ThreadShape shape;
};
inline Threads threads(std::int64_t n) {
  return {{.x = n}};
}
/// x * y threads, where threads of a row are neighbours: par(rows, columns) deals a matrix to them
/// by rows and columns. Others take their turns as with threads(x * y).
inline Threads threads(std::int64_t x, std::int64_t y) {
  return {{.x = x, .y = y, .is_matrix = true}};
}

/// The name of a kernel, and where it is given.
struct Named {
  std::string name;
  Here where;
  Named(const char* given, Here at = Here::current()) : name(given), where(at) {}
  Named(std::string given, Here at = Here::current()) : name(std::move(given)), where(at) {}
};

/// Records f, a function of what the descriptions say that returns a pull or push array or matrix, tiled() or
/// update(), an Updated that it has written to, or a tuple of them: kernel("block_sum", block<int>(512),
/// [](Pull<int> a) { ... }). One block of the launch for each block of the arguments, and each tile of the
/// results; something says how many there are. `name` is the function's name in source code. Throws
/// TraceError if it cannot be, or is not known as a name of C, CUDA and OpenCL; ShapeError; and what f
/// throws.
template <class... Parts>
auto kernel(Named name, const Parts&... descriptions_and_f);
/// Records f for blocks of a stated number of threads, 1 to 1024; else throws ShapeError. Lanes that exchange
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
                     std::optional<fulgurite::detail::block::ThreadShape> threads, Here where) {
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
auto recorded(Named name, std::optional<fulgurite::detail::block::ThreadShape> threads,
              const Parts&... parts) {
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
  return arguments::recorded(std::move(name), threads.shape, parts...);
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
/// for a kernel whose connections depend on its data; ShapeError if there are frames that do not have all
/// stages, or boxes that do not have all wires.
template <class... Ts>
std::string draw(const Recorded<Ts...>& k, const std::vector<PictureFrame>& frames = {}) {
  return fulgurite::detail::block::drawing(k.get(), frames);
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
  using Argument = std::conditional_t<Of<D>::is_scalar, T, fulgurite::detail::ArrayArgument<T, rank_of<D>()>>;
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

/// Runs the kernel over arrays (Array<T, 1>, std::vector<T>, std::span), matrices (Array<T, 2>, fg::view) and
/// scalars, one for each description; gives the result's array, or a tuple of arrays. An updated array is
/// copied: the argument stays as it is. Throws ShapeError if an array's size is not a multiple of its block
/// (and there is no fill), arrays have different numbers of blocks, or what the kernel expects() does not
/// hold; KernelError, with the line of the kernel's function, if the emulator finds a fault.
template <class... Ts, class... Ds>
auto execute(Runner runner, const Recorded<std::tuple<Ts...>, Ds...>& k,
             const typename arguments::Viewed<Ds>::Argument&... given) {
  std::vector<fulgurite::detail::ResultValue> values =
      fulgurite::detail::block::run(k.get(), runner, arguments::views_of<Ds...>(given...));
  fulgurite::detail::ResultValue* next = values.data();
  if constexpr (sizeof...(Ts) == 1)
    return fulgurite::detail::HostResult<typename arguments::ArrayOf<Ts>::Type...>::take(next);
  else
    return std::tuple{fulgurite::detail::HostResult<typename arguments::ArrayOf<Ts>::Type>::take(next)...};
}

/// Runs it on the emulator and says what it counted. Throws as execute() does.
template <class... Ts, class... Ds>
Traffic traffic(const Recorded<std::tuple<Ts...>, Ds...>& k,
                const typename arguments::Viewed<Ds>::Argument&... given) {
  return fulgurite::detail::block::traffic(k.get(), arguments::views_of<Ds...>(given...));
}

/// The counts of traffic() as text: what the launch costs, and each stage with its line. Stages that follow
/// each other and would have the same row are one.
template <class... Ts, class... Ds>
std::string explain(const Recorded<std::tuple<Ts...>, Ds...>& k,
                    const typename arguments::Viewed<Ds>::Argument&... given) {
  return fulgurite::detail::block::explanation(k.get(), traffic(k, given...));
}

}  // namespace fulgurite::kernel

#pragma GCC visibility pop
