// Programs compiled ahead of time, all in one file: plans and compiled kernels for levels of x86-64 (on
// AArch64, of AArch64), OpenCL C, CUDA code, and the programs themselves.
//   fg::bundle({{"rmse", rmse}, {"blur", blur}}, "programs.fgb");             where there is a compiler
//   fg::Bundle programs = fg::open("programs.fgb");                           where there need be none
//   auto f = programs.get<float(fg::Array<float>, fg::Array<float>)>("rmse");
// While a bundle is open, and where the environment variable FULGURITE_BUNDLE names it, fg::compile(f) finds
// the programs there that it holds. docs/guide/shipping.md tells more.
#pragma once

#include <fulgurite/compile.h>
#include <fulgurite/npy.h>

#include <span>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace fulgurite {

/// What a bundle's programs are compiled for. Arithmetic belongs to the level, not to the machine: a level's
/// code gives the same bits wherever it runs.
struct BundleOptions {
#if defined(__aarch64__)
  std::vector<std::string> cpu_levels = {"armv8-a"};  // what every processor of AArch64 runs
#else
  std::vector<std::string> cpu_levels = {"x86-64-v2", "x86-64-v3", "x86-64-v4"};  // levels of x86-64
#endif
  std::vector<std::string> cuda_architectures = {};  // "sm_90"; needs NVRTC, and no device
  bool opencl = true;                                // OpenCL C, for any device
  Precision precision = Precision::fast;
  Checks checks = Checks::on;
  std::string policy = default_policy();  // programs are found by Options with the same one
};

namespace detail {

struct NamedTrace {
  std::string name;
  std::shared_ptr<const TracedProgram> traced;
};
void write_bundle(const std::vector<NamedTrace>&, const std::string& path, const BundleOptions&);

/// A component of a parameter or result.
struct ComponentType {
  Kind kind;
  std::uint8_t rank;  // 0: a scalar
  friend bool operator==(const ComponentType&, const ComponentType&) = default;
};

// What a signature of real values is of staged ones, which may also be written.
template <class T>
struct AsStaged {
  using type = Exp<T>;
};
// clang-format off
template <class T, int N> struct AsStaged<Array<T, N>> { using type = Acc<T, N>; };
template <class T> struct AsStaged<Exp<T>> { using type = Exp<T>; };
template <class T, int N> struct AsStaged<Acc<T, N>> { using type = Acc<T, N>; };
template <Composed X> struct AsStaged<X> { using type = X; };
template <class X> requires requires { typename X::Staged; } struct AsStaged<X> { using type = typename X::Staged; };
template <class... Ts> struct AsStaged<std::tuple<Ts...>> { using type = std::tuple<typename AsStaged<Ts>::type...>; };
template <class A, class B>
struct AsStaged<std::pair<A, B>> { using type = std::pair<typename AsStaged<A>::type, typename AsStaged<B>::type>; };
// clang-format on
template <class T>
using StagedFor = typename AsStaged<std::decay_t<T>>::type;

template <class T>
struct ComponentsOf;
template <class T>
struct ComponentsOf<Exp<T>> {
  static void put(std::vector<ComponentType>& types) {
    for (Kind kind : leaf_kinds<T>) types.push_back({kind, 0});
  }
};
template <class T, int N>
struct ComponentsOf<Acc<T, N>> {
  static void put(std::vector<ComponentType>& types) {
    for (Kind kind : leaf_kinds<T>) types.push_back({kind, N});
  }
};
template <class... Ts>
struct ComponentsOf<std::tuple<Ts...>> {
  static void put(std::vector<ComponentType>& types) { (ComponentsOf<Ts>::put(types), ...); }
};
template <Composed X>
struct ComponentsOf<X> : ComponentsOf<typename X::Components> {};
template <class A, class B>
struct ComponentsOf<std::pair<A, B>> : ComponentsOf<std::tuple<A, B>> {};

class OpenBundle;  // src/bundle_calls.cpp
/// Throws FormatError unless there is such a program with these components.
std::shared_ptr<Variants> bundled_program(const std::shared_ptr<const OpenBundle>&, const std::string& name,
                                          std::span<const ComponentType> parameters,
                                          std::span<const ComponentType> results, Here where);

template <class Signature>
struct BundledAs;
template <class R, class... Ps>
struct BundledAs<R(Ps...)> {
  using type = Compiled<StagedFor<R>(StagedFor<Ps>...)>;
  static type get(const std::shared_ptr<const OpenBundle>& bundle, const std::string& name, Here where) {
    std::vector<ComponentType> parameters, results;
    (ComponentsOf<StagedFor<Ps>>::put(parameters), ...);
    ComponentsOf<StagedFor<R>>::put(results);
    return type(bundled_program(bundle, name, parameters, results, where));
  }
};

}  // namespace detail

/// A function under the name that it has in the bundle. Its parameters are all staged: a lambda gives others
/// their values.
class BundleEntry {
 public:
  template <class F>
  BundleEntry(std::string name, F f, detail::Here where = detail::Here::current()) : name_(std::move(name)) {
    const detail::Traceable traceable = detail::make_traceable<std::decay_t<F>>(std::move(f));
    refuse_constants(traceable);
    traced_ = detail::trace(name_.c_str(), traceable, nullptr, false, where);
  }
  detail::NamedTrace named() const { return {name_, traced_}; }

 private:
  void refuse_constants(const detail::Traceable&) const;

  std::string name_;
  std::shared_ptr<const detail::TracedProgram> traced_;
};

/// Compiles the programs and writes the file, whole or not at all. Throws what fg::compile throws, and
/// FormatError if the file cannot be written or a name is there twice.
inline void bundle(const std::vector<BundleEntry>& programs, const std::string& path,
                   const BundleOptions& options = {}) {
  std::vector<detail::NamedTrace> named;
  for (const BundleEntry& program : programs) named.push_back(program.named());
  detail::write_bundle(named, path, options);
}

/// A program of a bundle whose types are known when the program runs.
class BundledProgram {
 public:
  struct Type {
    detail::Kind kind;
    int rank;  // 0: a scalar
  };

  BundledProgram(std::shared_ptr<detail::Variants> program, std::vector<Type> parameters,
                 std::vector<Type> results)
      : program_(std::move(program)), parameters_(std::move(parameters)), results_(std::move(results)) {}

  /// The types of the parameters; one of composite elements has a type for each of their scalars.
  const std::vector<Type>& parameters() const { return parameters_; }
  const std::vector<Type>& results() const { return results_; }
  /// Throws ShapeError for arguments of other kinds or ranks, and what the program says.
  std::vector<AnyArray> operator()(std::span<const AnyArray> arguments) const;

 private:
  std::shared_ptr<detail::Variants> program_;
  std::vector<Type> parameters_, results_;
};

/// A bundle that is open, as long as it or a program of it lives. Any number of threads may use it.
class Bundle {
 public:
  explicit Bundle(std::shared_ptr<const detail::OpenBundle> opened) : opened_(std::move(opened)) {}

  /// The names of its programs, in the order in which they were given.
  std::vector<std::string> names() const;

  /// get<float(fg::Array<float>)>("mean"), or the function's own signature, get<Exp<float>(Vec<float>)>. With
  /// code for this machine in the bundle, no compiler is used; otherwise the program is compiled here. Throws
  /// FormatError if there is no such program, its types are others or the file is damaged, and CompileError
  /// or DeviceError if it cannot be compiled here either.
  template <class Signature>
  auto get(const std::string& name, detail::Here where = detail::Here::current()) const {
    return detail::BundledAs<Signature>::get(opened_, name, where);
  }
  /// get() without types.
  BundledProgram program(const std::string& name, detail::Here where = detail::Here::current()) const;

 private:
  std::shared_ptr<const detail::OpenBundle> opened_;
};

/// Maps the file and checks it, but for its kernels, which are checked when their program is first got. Its
/// programs run on the engine and device of the options; precision and checks are the bundle's. Throws
/// FormatError for a file that is no bundle, is damaged, or is of another major version.
Bundle open(const std::string& path, const Options& options = {});

}  // namespace fulgurite

#pragma GCC visibility pop
