// compile(f): a function on staged values made a function on real ones. f is called once, with staged
// arguments, to learn what it computes; the callable runs the compiled program and may be called from several
// threads at once. run(f, arguments...) does both, once.
//
// The C++ values that f captures are read when f is called, and are constants of the compiled program: what
// they become later changes nothing. compile(f) calls f before it returns; where f has parameters that are
// not staged, the first call with each new value of them calls f, which must then still be able to read what
// it captured by reference. Options::check_captures finds programs that rely on more.
#pragma once

#include <fulgurite/traceable.h>

#pragma GCC visibility push(default)

namespace fulgurite {
namespace detail {

/// build (executable.h), with the arrays that the program captured as further arguments.
std::shared_ptr<const Executable> instantiate(std::shared_ptr<const TracedProgram>, const Options&);
/// Makes an array of the host a further parameter of the program being traced, the same one if it is captured
/// again.
Value capture(const Capture&, Here where);

/// A function's compiled programs: one, or one for each value that its constants have had. Calls may come
/// from several threads at once; a call that finds its program takes no lock.
class [[gnu::visibility("default")]] Variants {
 public:
  virtual ~Variants();
  /// Traces and compiles where that was not done for these constants.
  virtual const Executable& find(const void* given_constants) = 0;
  /// The function traced once more, for explain.
  virtual std::shared_ptr<const TracedProgram> traced(const void* given_constants) const = 0;
  virtual const Options& options() const = 0;
  /// Whether all programs so far are compiled; wait() waits until they are.
  virtual bool are_ready() const noexcept = 0;
  virtual void wait() const = 0;
};
/// Compiles a function without constants at once.
std::shared_ptr<Variants> make_variants(Traceable, const Options&, Here where);

/// What a result is for the caller.
template <class R>
struct HostResult {
  using type = typename ResultOf<R>::Element;
  static constexpr std::size_t n_parts = n_leaves<type>;
  static type take(ResultValue*& values) {
    type result =
        from_leaves<type>([&]<class S>(std::size_t leaf) { return from_bits<S>(values[leaf].bits); });
    values += n_parts;
    return result;
  }
};
template <class T, int N>
struct HostResult<Acc<T, N>> {
  using type = Array<T, N>;
  static constexpr std::size_t n_parts = n_leaves<T>;
  static type take(ResultValue*& values) {
    typename type::Parts parts;
    typename type::Shape shape;
    for (std::size_t k = 0; k < N; ++k) shape[k] = values->extents[k];
    for (auto& part : parts) part = std::move(values++->data);
    return type(std::move(parts), shape);
  }
};
template <class... Rs>
struct HostResult<std::tuple<Rs...>> {
  using type = std::tuple<typename HostResult<Rs>::type...>;
  static constexpr std::size_t n_parts = (HostResult<Rs>::n_parts + ... + 0);
  static type take(ResultValue*& values) { return type{HostResult<Rs>::take(values)...}; }
};
template <class A, class B>
struct HostResult<std::pair<A, B>> {
  using type = std::pair<typename HostResult<A>::type, typename HostResult<B>::type>;
  static constexpr std::size_t n_parts = HostResult<A>::n_parts + HostResult<B>::n_parts;
  static type take(ResultValue*& values) {
    return type{HostResult<A>::take(values), HostResult<B>::take(values)};
  }
};

template <class P>
void view_argument(typename Parameter<P>::Argument argument, ArgumentView*& views) {
  if constexpr (Parameter<P>::is_staged) {
    Parameter<P>::view(argument, views);
    views += Parameter<P>::n_parts;
  }
}
template <class P>
auto constant_argument(typename Parameter<P>::Argument argument) {
  if constexpr (Parameter<P>::is_staged) {
    return std::tuple<>();
  } else {
    return std::tie(argument);
  }
}

// Whether a value can be the argument for a parameter, if that is a scalar.
template <class P, class X>
inline constexpr bool fits_scalar = true;
template <class T, class X>
inline constexpr bool fits_scalar<Exp<T>, X> = std::is_convertible_v<const X&, const T&>;

}  // namespace detail

template <class Signature>
class Compiled;

/// A compiled program. A parameter Exp<T> is called with a T, an Acc<T, N> with an Array<T, N> or fg::view,
/// for rank 1 also with a std::vector, std::span, std::array or C array of T (containers of composites are
/// copied). Other parameters are constants of the trace: f is traced again for each new value. Results: a T
/// for Exp<T>, an Array<T, N> for Acc<T, N>, a std::tuple for several. Calls raise ShapeError, IndexError,
/// ArithmeticError for what the program says, OutOfMemory. Copies share the program.
template <class R, class... Ps>
class Compiled<R(Ps...)> {
 public:
  using Result = typename detail::HostResult<R>::type;

  explicit Compiled(std::shared_ptr<detail::Variants> variants) : variants_(std::move(variants)) {}

  Result operator()(typename detail::Parameter<Ps>::Argument... arguments) const {
    std::array<detail::ArgumentView, detail::n_parameter_parts<Ps...>> views;
    std::array<detail::ResultValue, detail::HostResult<R>::n_parts> values;
    [[maybe_unused]] detail::ArgumentView* view = views.data();
    (detail::view_argument<Ps>(arguments, view), ...);
    if constexpr (detail::has_constants<Ps...>) {
      const detail::GivenConstants<Ps...> given = std::tuple_cat(detail::constant_argument<Ps>(arguments)...);
      variants_->find(&given).call(views, values);
    } else {
      variants_->find(nullptr).call(views, values);
    }
    detail::ResultValue* value = values.data();
    return detail::HostResult<R>::take(value);
  }

  template <class... Xs>
    requires(sizeof...(Xs) != sizeof...(Ps))
  FULGURITE_REFUSED("a compiled program is called with one argument for each parameter of the function")
  void operator()(const Xs&...) const;
  template <class... Xs>
    requires(!(detail::fits_scalar<Ps, Xs> && ...))
  FULGURITE_REFUSED(
      "a parameter Exp<T> is called with a T: neither with an array nor with a staged value (inside a "
      "program, call the C++ function that was compiled)")
  void
  operator()(const Xs&...) const;

  /// The function traced once more, for reports on it: what it captured by reference still lives.
  template <class... Constants>
  std::shared_ptr<const detail::TracedProgram> traced(const Constants&... constants) const {
    static_assert(sizeof...(Constants) == std::tuple_size_v<detail::KeptConstants<Ps...>>,
                  "a value for each parameter that is not staged");
    const detail::KeptConstants<Ps...> kept(constants...);
    const detail::GivenConstants<Ps...> given(kept);
    return variants_->traced(&given);
  }
  const Options& options() const { return variants_->options(); }

  /// Options::background: whether all kernels are compiled, or were tried, so that no call waits for them.
  bool ready() const noexcept { return variants_->are_ready(); }
  /// Until all kernels are compiled. Throws what the compiler threw, unless a call did; the next call or
  /// wait() tries again.
  void wait() const { variants_->wait(); }

 private:
  std::shared_ptr<detail::Variants> variants_;
};

/// Traces and compiles f: a function pointer, lambda or function object with typed parameters. Throws what f
/// throws, TraceError, ShapeError for shapes that can never fit, DeviceError and CompileError of the engine;
/// where f has parameters that are not staged, these come with the first call. With Options::background it
/// returns before kernels are compiled, and a CompileError comes later.
template <class F>
auto compile(F f, const Options& options = {}, detail::Here where = detail::Here::current()) {
  using Function = std::decay_t<F>;
  return Compiled<typename detail::SignatureOf<Function>::type>(
      detail::make_variants(detail::make_traceable<Function>(std::move(f)), options, where));
}

/// A real array inside a function that is being traced: `[weights](Vec<float> x) { ... fg::constant(weights)
/// ... }`. The program keeps it, and reads it as it reads its arguments. Throws TraceError where nothing is
/// being traced.
template <class T, int N>
Acc<T, N> constant(const Array<T, N>& array, detail::Here where = detail::Here::current()) {
  detail::Parts<T> parts;
  for (std::size_t leaf = 0; leaf < parts.size(); ++leaf) {
    detail::Capture capture;
    capture.data = array.parts()[leaf];
    capture.view = {static_cast<std::uint8_t>(detail::leaf_kinds<T>[leaf]),
                    N,
                    capture.data.at_hand(),
                    nullptr,
                    0,
                    capture.data.storage()};
    for (int k = 0; k < N; ++k) capture.extents[k] = array.size(k);
    parts[leaf] = detail::capture(capture, where);
  }
  return Acc<T, N>(parts);
}

/// One call of f: compile(f)(arguments...). fg::run([&] { return fg::sum(fg::iota(n)); }) runs an expression.
template <class F, class... Arguments>
auto run(F f, const Arguments&... arguments) {
  Options options;
  options.check_captures = false;                           // what f captured has no time to change
  return compile(std::move(f), options, {})(arguments...);  // this line is not the caller's
}

}  // namespace fulgurite

#pragma GCC visibility pop
