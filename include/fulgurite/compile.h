// compile(f): a function on staged values made a function on real ones. f is called once, with staged
// arguments, to learn what it computes; the callable runs the compiled program and may be called from several
// threads at once. run(f, arguments...) does both, once.
#pragma once

#include <fulgurite/array.h>
#include <fulgurite/executable.h>
#include <fulgurite/results.h>

#include <atomic>
#include <memory>
#include <mutex>

namespace fulgurite {
namespace detail {

/// One component of a parameter of a traced function.
struct ParameterInfo {
  Kind kind;
  std::uint8_t rank;
  bool first;         // the first component of its parameter; the others share its shape
  unsigned argument;  // the position among the caller's arguments, from 1
};

/// Calls f once with staged parameters. Throws TraceError, ShapeError, and what f throws. `retrace`: f was
/// traced before.
std::shared_ptr<const TracedProgram> trace(const char* name, std::span<const ParameterInfo> parameters,
                                           Body f, bool retrace, Here where);
/// build (executable.h), with the arrays that the program captured as further arguments.
std::shared_ptr<const Executable> instantiate(std::shared_ptr<const TracedProgram>, const Options&);
/// Makes an array of the host a further parameter of the program being traced, the same one if it is captured
/// again.
Value capture(const Capture&, Here where);
/// Says once that a function is traced for ever new constants.
void warn_of_retraces(const char* name, unsigned traces, Here where);

/// A parameter of a user's function: staged, or a C++ value that is a constant of the trace.
template <class P>
struct Parameter {
  static constexpr bool is_staged = false;
  static constexpr std::size_t n_parts = 0;
  using Argument = const P&;
};
template <class T>
struct Parameter<Exp<T>> {
  static constexpr bool is_staged = true;
  static constexpr std::size_t n_parts = n_leaves<T>;
  static constexpr int rank = 0;
  using Element = T;
  using Argument = const T&;
  static void view(const T& argument, ArgumentView* views) {
    for_each_leaf(argument, [&](std::size_t i, auto leaf) {
      views[i] = {static_cast<std::uint8_t>(kind_of<decltype(leaf)>()), 0, nullptr, nullptr, bits_of(leaf)};
    });
  }
};
template <class T, int N>
struct Parameter<Acc<T, N>> {
  static constexpr bool is_staged = true;
  static constexpr std::size_t n_parts = n_leaves<T>;
  static constexpr int rank = N;
  using Element = T;
  using Argument = const ArrayArgument<T, N>&;
  static void view(const ArrayArgument<T, N>& argument, ArgumentView* views) { argument.view_as(views); }
};

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

// The signature of a function pointer, lambda or other function object.
template <class F>
struct SignatureOf {
  static_assert(sizeof(F) == 0,
                "a program is a function, or a lambda or function object whose parameter types are written "
                "out (no auto)");
  using type = void();
};
template <class F>
  requires requires { &F::operator(); }
struct SignatureOf<F> : SignatureOf<decltype(&F::operator())> {};
template <class R, class... Ps>
struct SignatureOf<R (*)(Ps...)> {
  using type = std::decay_t<R>(std::decay_t<Ps>...);
};
// clang-format off
template <class R, class... Ps> struct SignatureOf<R (*)(Ps...) noexcept> : SignatureOf<R (*)(Ps...)> {};
template <class C, class R, class... Ps> struct SignatureOf<R (C::*)(Ps...)> : SignatureOf<R (*)(Ps...)> {};
template <class C, class R, class... Ps> struct SignatureOf<R (C::*)(Ps...) const> : SignatureOf<R (*)(Ps...)> {};
template <class C, class R, class... Ps> struct SignatureOf<R (C::*)(Ps...) noexcept> : SignatureOf<R (*)(Ps...)> {};
template <class C, class R, class... Ps> struct SignatureOf<R (C::*)(Ps...) const noexcept> : SignatureOf<R (*)(Ps...)> {};
// clang-format on

/// A user's function with the tracing of it; P... are its parameters.
template <class R, class... Ps>
class Traceable {
 public:
  /// The values of the parameters that are not staged.
  using Constants = decltype(std::tuple_cat(
      std::declval<std::conditional_t<Parameter<Ps>::is_staged, std::tuple<>, std::tuple<Ps>>>()...));

  virtual ~Traceable() = default;
  virtual std::shared_ptr<const TracedProgram> trace(const char* name, const Constants&, bool retrace,
                                                     Here) const = 0;
};

template <class F, class R, class... Ps>
class TraceableFunction final : public Traceable<R, Ps...> {
 public:
  using Constants = typename Traceable<R, Ps...>::Constants;

  explicit TraceableFunction(F f) : f_(std::move(f)) {}

  std::shared_ptr<const TracedProgram> trace(const char* name, const Constants& constants, bool retrace,
                                             Here where) const override {
    std::vector<ParameterInfo> parameters;
    unsigned argument = 0;
    (declare<Ps>(parameters, ++argument), ...);
    const auto body = [&](std::span<const Value> values) {
      Unflatten rest(values);
      return call(constants, rest, std::index_sequence_for<Ps...>());
    };
    return detail::trace(name, parameters, Body(body), retrace, where);
  }

 private:
  template <class P>
  static void declare(std::vector<ParameterInfo>& parameters, unsigned argument) {
    if constexpr (Parameter<P>::is_staged) {
      for (std::size_t leaf = 0; leaf < Parameter<P>::n_parts; ++leaf)
        parameters.push_back(
            {leaf_kinds<typename Parameter<P>::Element>[leaf], Parameter<P>::rank, leaf == 0, argument});
    }
  }
  // The number of constants before parameter i.
  template <std::size_t i>
  static constexpr std::size_t constants_before() {
    constexpr bool staged[] = {Parameter<Ps>::is_staged..., true};
    std::size_t n = 0;
    for (std::size_t k = 0; k < i; ++k) n += !staged[k];
    return n;
  }
  template <class P, std::size_t i>
  static P argument(const Constants& constants, Unflatten& rest) {
    if constexpr (Parameter<P>::is_staged) {
      return rest.next<P>();
    } else {
      return std::get<constants_before<i>()>(constants);
    }
  }
  template <std::size_t... i>
  Values call(const Constants& constants, Unflatten& rest, std::index_sequence<i...>) const {
    // Braces: arguments are taken from left to right.
    std::tuple<Ps...> arguments{argument<Ps, i>(constants, rest)...};
    return flattened<R>(std::apply(const_cast<F&>(f_), std::move(arguments)));
  }

  F f_;
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

}  // namespace detail

template <class Signature>
class Compiled;

/// A compiled program. A parameter Exp<T> is called with a T, an Acc<T, N> with an Array<T, N> or fg::view,
/// for rank 1 also with a std::vector, std::span, std::array or C array of T (those of composites are
/// copied). Other parameters are constants of the trace: f is traced again for each new value. Results: a T
/// for Exp<T>, an Array<T, N> for Acc<T, N>, a std::tuple for several. Calls raise ShapeError, IndexError,
/// ArithmeticError for what the program says, OutOfMemory. Copies share the program.
template <class R, class... Ps>
class Compiled<R(Ps...)> {
  using Traceable = detail::Traceable<R, Ps...>;
  using Constants = typename Traceable::Constants;

 public:
  using Result = typename detail::HostResult<R>::type;

  Compiled(std::unique_ptr<const Traceable> f, const Options& options, detail::Here where)
      : state_(std::make_shared<State>(std::move(f), options, where)) {
    if constexpr (std::tuple_size_v<Constants> == 0) state_->add(Constants());
  }

  Result operator()(typename detail::Parameter<Ps>::Argument... arguments) const {
    std::array<detail::ArgumentView, (detail::Parameter<Ps>::n_parts + ... + 0)> views;
    std::array<detail::ResultValue, detail::HostResult<R>::n_parts> values;
    [[maybe_unused]] detail::ArgumentView* view = views.data();
    (detail::view_argument<Ps>(arguments, view), ...);
    executable(std::tuple_cat(detail::constant_argument<Ps>(arguments)...)).call(views, values);
    detail::ResultValue* value = values.data();
    return detail::HostResult<R>::take(value);
  }

  /// The program for these constants, for reports on it.
  template <class ConstantReferences = std::tuple<>>
  const detail::Executable& executable(const ConstantReferences& constants = {}) const {
    for (const Variant* v = state_->first.load(std::memory_order_acquire); v; v = v->next.get())
      if (v->constants == constants) return *v->program;
    return state_->add(Constants(constants));
  }
  /// f traced once more, for explain.
  template <class ConstantReferences = std::tuple<>>
  std::shared_ptr<const detail::TracedProgram> traced(const ConstantReferences& constants = {}) const {
    return state_->f->trace(state_->options.name, Constants(constants), false, state_->where);
  }
  const Options& options() const { return state_->options; }

 private:
  struct Variant {
    Constants constants;
    std::shared_ptr<const detail::Executable> program;
    std::unique_ptr<const Variant> next;
  };
  // The variants form a list that only grows at its head: calls read it without a lock.
  struct State {
    State(std::unique_ptr<const Traceable> f_, const Options& options_, detail::Here where_)
        : f(std::move(f_)), options(options_), where(where_) {}
    State(const State&) = delete;
    ~State() { delete first.load(); }

    const detail::Executable& add(Constants constants) {
      const std::lock_guard lock(adding);
      for (const Variant* v = first.load(); v; v = v->next.get())
        if (v->constants == constants) return *v->program;
      auto traced = f->trace(options.name, constants, first.load() != nullptr, where);
      auto program = detail::instantiate(std::move(traced), options);
      auto variant = std::make_unique<Variant>(Variant{std::move(constants), std::move(program), nullptr});
      if (++n_variants == 16) detail::warn_of_retraces(options.name, n_variants, where);
      variant->next.reset(first.load());
      first.store(variant.get(), std::memory_order_release);
      return *variant.release()->program;
    }

    std::unique_ptr<const Traceable> f;
    Options options;
    detail::Here where;
    std::atomic<const Variant*> first{nullptr};
    std::mutex adding;
    unsigned n_variants = 0;
  };
  std::shared_ptr<State> state_;
};

namespace detail {

template <class F>
auto make_traceable(F f) {
  return []<class R, class... Ps>(F g, R (*)(Ps...)) -> std::unique_ptr<const Traceable<R, Ps...>> {
    return std::make_unique<const TraceableFunction<F, R, Ps...>>(std::move(g));
  }(std::move(f), static_cast<typename SignatureOf<F>::type*>(nullptr));
}

}  // namespace detail

/// Traces and compiles f: a function pointer, lambda or function object with typed parameters. Throws what f
/// throws, TraceError, ShapeError for shapes that can never fit, DeviceError and CompileError of the engine;
/// where f has parameters that are not staged, these come with the first call.
template <class F>
auto compile(F f, const Options& options = {}, detail::Here where = detail::Here::current()) {
  using Function = std::decay_t<F>;
  return Compiled<typename detail::SignatureOf<Function>::type>(
      detail::make_traceable<Function>(std::move(f)), options, where);
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
    capture.view = {static_cast<std::uint8_t>(detail::leaf_kinds<T>[leaf]), N, capture.data.get(), nullptr,
                    0};
    for (int k = 0; k < N; ++k) capture.extents[k] = array.size(k);
    parts[leaf] = detail::capture(capture, where);
  }
  return Acc<T, N>(parts);
}

/// One call of f: compile(f)(arguments...). fg::run([&] { return fg::sum(fg::iota(n)); }) runs an expression.
template <class F, class... Arguments>
auto run(F f, const Arguments&... arguments) {
  return compile(std::move(f))(arguments...);
}

}  // namespace fulgurite
