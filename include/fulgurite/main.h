// FULGURITE_MAIN(rmse, saxpy): every program is a tool. The functions named become an executable that runs
// them on .npy files and reports on them:
//   ./rmse list                              programs and their parameters
//   ./rmse run rmse a.npy b.npy --time       --engine, -o e.npy, --repeat, --no-fuse, --policy
//   ./rmse explain rmse --svg rmse.svg       what fused, kernels, bytes moved
//   ./rmse bisect rmse a.npy b.npy           the rewrite that makes a result wrong
//   ./rmse bundle -o programs.fgb            --cpu x86-64-v3,x86-64-v4, --cuda sm_90, --no-opencl
//   ./rmse devices                           ./rmse cache --list
// A parameter Acc<T, N> is the name of a .npy file, an Exp<T> a literal (or a .npy file without axes);
// composite elements are one argument for each of their scalars, and a Ragged is its offsets, then its
// values. Parameters that are not staged are literals too.
#pragma once

#include <fulgurite/compile.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)

namespace fulgurite {

/// A function with the names of its parameters.
template <class F>
struct Named {
  F function;
  const char* parameters;
};

/// For FULGURITE_MAIN: the function with the names of its parameters, as "alpha, x, y", which C++ does not
/// tell. `list`, `run NAME --help` and `explain` show them; components of composite elements are named as in
/// "damp, reading.time.value". With another number of names than parameters every command fails.
template <class F>
Named<F> named(F function, const char* parameters) {
  return {std::move(function), parameters};
}

}  // namespace fulgurite

namespace fulgurite::detail {

/// One component of a parameter or result.
struct ToolValue {
  Kind kind;
  std::uint8_t rank;
  unsigned position;         // of the parameter or result, from 1; of a Ragged both arrays have one
  bool is_constant = false;  // a parameter that is not staged
};

struct ToolProgram {
  std::string name;
  std::vector<ToolValue> parameters, results;
  /// Takes the constants' bits, in the order of the parameters.
  std::function<std::shared_ptr<const TracedProgram>(std::span<const std::uint64_t> constants)> trace;
  /// "alpha, x, y"; empty: nobody has told.
  std::string parameter_names = {};
};

/// The whole of main(); gives its exit status: 0, 1 for an error, 2 for a command line that makes no sense.
int tool_main(int argc, char** argv, const std::vector<ToolProgram>& programs);
/// "f, ns::g, fg::named(h, "x, y")" gives f, g and h.
std::vector<std::string> tool_names(std::string_view arguments_of_macro);

template <class P>
void describe_parameter(std::vector<ToolValue>& values, unsigned& position) {
  if constexpr (Parameter<P>::is_staged) {
    for (std::size_t part = 0; part < Parameter<P>::n_parts; ++part) {
      if (part <= n_alone<P>) ++position;
      values.push_back({Parameter<P>::kinds[part], Parameter<P>::rank, position});
    }
  } else {
    static_assert(Scalar<P>,
                  "a parameter of a program of FULGURITE_MAIN is an Exp, an Acc, or one of bool, i8 to i64, "
                  "u8 to u64, float and double");
    values.push_back({kind_of<P>(), 0, ++position, true});
  }
}

template <class R>
struct ToolResult {
  static void describe(std::vector<ToolValue>& values, unsigned& position) {
    ++position;
    for (Kind kind : leaf_kinds<typename HostResult<R>::type>) values.push_back({kind, 0, position});
  }
};
template <class T, int N>
struct ToolResult<Acc<T, N>> {
  static void describe(std::vector<ToolValue>& values, unsigned& position) {
    ++position;
    for (Kind kind : leaf_kinds<T>) values.push_back({kind, N, position});
  }
};
template <class... Rs>
struct ToolResult<std::tuple<Rs...>> {
  static void describe(std::vector<ToolValue>& values, unsigned& position) {
    (ToolResult<Rs>::describe(values, position), ...);
  }
};
template <Composed X>
struct ToolResult<X> : ToolResult<typename X::Components> {};
template <class A, class B>
struct ToolResult<std::pair<A, B>> : ToolResult<std::tuple<A, B>> {};

template <class... Ps>
std::shared_ptr<const TracedProgram> trace_tool(const char* name, const Traceable& f,
                                                std::span<const std::uint64_t> bits, Here where) {
  KeptConstants<Ps...> kept;
  std::apply(
      [&](auto&... c) {
        ((c = from_bits<std::decay_t<decltype(c)>>(bits.front()), bits = bits.subspan(1)), ...);
      },
      kept);
  const GivenConstants<Ps...> given(kept);
  return trace(name, f, &given, false, where);
}

template <class R, class... Ps>
ToolProgram tool_program(Traceable f, std::string name, Here where, R (*)(Ps...)) {
  ToolProgram program;
  [[maybe_unused]] unsigned position = 0;
  program.parameters.reserve((Parameter<Ps>::n_parts + ... + sizeof...(Ps)));
  (describe_parameter<Ps>(program.parameters, position), ...);
  position = 0;
  ToolResult<R>::describe(program.results, position);
  program.trace = [f = std::make_shared<const Traceable>(std::move(f)), name,
                   where](std::span<const std::uint64_t> bits) {
    return trace_tool<Ps...>(name.c_str(), *f, bits, where);
  };
  program.name = std::move(name);
  return program;
}

template <class F>
ToolProgram tool_program_of(F function, const std::string& name, Here where) {
  return tool_program(make_traceable(std::move(function)), name, where,
                      static_cast<typename SignatureOf<F>::type*>(nullptr));
}
template <class F>
ToolProgram tool_program_of(Named<F> named, const std::string& name, Here where) {
  ToolProgram program = tool_program_of(std::move(named.function), name, where);
  program.parameter_names = named.parameters;
  return program;
}

template <class... Fs>
std::vector<ToolProgram> tool_programs(std::string_view names, Here where, Fs... functions) {
  std::vector<ToolProgram> programs;
  const std::vector<std::string> name = tool_names(names);
  (programs.push_back(tool_program_of(std::move(functions), name[programs.size()], where)), ...);
  return programs;
}

}  // namespace fulgurite::detail

#pragma GCC visibility pop

/// FULGURITE_MAIN(f, g) in place of main: an executable whose commands run, explain, emit, time and bundle
/// the functions f and g on .npy files; `./program --help` lists them. FULGURITE_MAIN(fg::named(f, "x, y"))
/// also says what f calls its parameters.
#define FULGURITE_MAIN(...)                                                                              \
  int main(int argc, char** argv) {                                                                      \
    return ::fulgurite::detail::tool_main(                                                               \
        argc, argv,                                                                                      \
        ::fulgurite::detail::tool_programs(#__VA_ARGS__, std::source_location::current(), __VA_ARGS__)); \
  }
