// FULGURITE_MAIN(rmse, saxpy): every program is a tool. The functions named become an executable that runs
// them on .npy files and reports on them:
//   ./rmse list                              programs and their parameters
//   ./rmse run rmse a.npy b.npy --time       --engine, -o e.npy, --repeat, --no-fuse
//   ./rmse explain rmse --svg rmse.svg       what fused, kernels, bytes moved
//   ./rmse bisect rmse a.npy b.npy           the rewrite that makes a result wrong
//   ./rmse devices                           ./rmse cache --list
// A parameter Acc<T, N> is the name of a .npy file, an Exp<T> a literal (or a .npy file without axes);
// composite elements are one argument for each of their scalars. Parameters that are not staged are literals
// too.
#pragma once

#include <fulgurite/compile.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace fulgurite::detail {

/// One component of a parameter or result.
struct ToolValue {
  Kind kind;
  std::uint8_t rank;
  unsigned position;         // of the parameter or result, from 1
  bool is_constant = false;  // a parameter that is not staged
};

struct ToolProgram {
  std::string name;
  std::vector<ToolValue> parameters, results;
  /// Takes the constants' bits, in the order of the parameters.
  std::function<std::shared_ptr<const TracedProgram>(std::span<const std::uint64_t> constants)> trace;
};

/// The whole of main(); gives its exit status: 0, 1 for an error, 2 for a command line that makes no sense.
int tool_main(int argc, char** argv, const std::vector<ToolProgram>& programs);
/// "f, ns::g" gives f and g.
std::vector<std::string> tool_names(std::string_view arguments_of_macro);

template <class P>
void describe_parameter(std::vector<ToolValue>& values, unsigned position) {
  if constexpr (Parameter<P>::is_staged) {
    for (Kind kind : leaf_kinds<typename Parameter<P>::Element>)
      values.push_back({kind, Parameter<P>::rank, position});
  } else {
    static_assert(Scalar<P>,
                  "a parameter of a program of FULGURITE_MAIN is an Exp, an Acc, or one of bool, i8 to i64, "
                  "u8 to u64, float and double");
    values.push_back({kind_of<P>(), 0, position, true});
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
template <class A, class B>
struct ToolResult<std::pair<A, B>> : ToolResult<std::tuple<A, B>> {};

template <class R, class... Ps>
ToolProgram tool_program(std::shared_ptr<const Traceable<R, Ps...>> f, std::string name, Here where) {
  ToolProgram program;
  unsigned position = 0;
  (describe_parameter<Ps>(program.parameters, ++position), ...);
  position = 0;
  ToolResult<R>::describe(program.results, position);
  program.trace = [f = std::move(f), name, where](std::span<const std::uint64_t> bits) {
    typename Traceable<R, Ps...>::Constants constants;
    std::apply(
        [&](auto&... c) {
          ((c = from_bits<std::decay_t<decltype(c)>>(bits.front()), bits = bits.subspan(1)), ...);
        },
        constants);
    return f->trace(name.c_str(), constants, false, where);
  };
  program.name = std::move(name);
  return program;
}

template <class... Fs>
std::vector<ToolProgram> tool_programs(std::string_view names, Here where, Fs... functions) {
  std::vector<ToolProgram> programs;
  const std::vector<std::string> name = tool_names(names);
  auto add = [&]<class R, class... Ps>(std::unique_ptr<const Traceable<R, Ps...>> f) {
    programs.push_back(
        tool_program(std::shared_ptr<const Traceable<R, Ps...>>(std::move(f)), name[programs.size()], where));
  };
  (add(make_traceable<Fs>(std::move(functions))), ...);
  return programs;
}

}  // namespace fulgurite::detail

#define FULGURITE_MAIN(...)                                                                              \
  int main(int argc, char** argv) {                                                                      \
    return ::fulgurite::detail::tool_main(                                                               \
        argc, argv,                                                                                      \
        ::fulgurite::detail::tool_programs(#__VA_ARGS__, std::source_location::current(), __VA_ARGS__)); \
  }
