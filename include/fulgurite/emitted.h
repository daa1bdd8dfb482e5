// What emit (emit.h) writes: programs under their authors' names, and the files that they become.
#pragma once

#include <fulgurite/main.h>

#include <filesystem>
#include <initializer_list>
#include <string>
#include <vector>

#pragma GCC visibility push(default)

namespace fulgurite {

/// c: functions on arrays of the host. cuda: functions on arrays of a device, for nvcc. opencl: host code in
/// C and kernels for any device of OpenCL 1.2.
enum class Target : std::uint8_t { c, cuda, opencl };

namespace detail {
struct TargetName {
  const char* name;
  Target target;
};
/// What targets are called on a command line.
inline constexpr TargetName target_names[] = {
    {"c", Target::c}, {"cuda", Target::cuda}, {"opencl", Target::opencl}};
}  // namespace detail

/// What a parameter or result is called; of composite elements also what their components are, in order.
struct EmittedName {
  std::string name;
  std::vector<std::string> components = {};

  EmittedName(const char* n) : name(n) {}  // NOLINT(google-explicit-constructor): {"measured", "predicted"}
  EmittedName(std::string n, std::vector<std::string> c = {})
      : name(std::move(n)), components(std::move(c)) {}
};

/// A function on staged values under the name that its code gets. Names that are not given are the ones that
/// explain shows (a, b ...), and `result`, or result0, result1 ...; components are 0, 1 ...
class EmittedProgram {
 public:
  template <class F>
  EmittedProgram(std::string name, F f, std::vector<EmittedName> parameters = {},
                 std::vector<EmittedName> results = {}, detail::Here where = detail::Here::current())
      : program_(detail::tool_program(detail::make_traceable(std::move(f)), std::move(name), where,
                                      static_cast<typename detail::SignatureOf<F>::type*>(nullptr))),
        parameters_(std::move(parameters)),
        results_(std::move(results)) {}
  /// For a program that is described already; constants are the bits of the parameters that are not staged.
  explicit EmittedProgram(detail::ToolProgram program, std::vector<EmittedName> parameters = {},
                          std::vector<EmittedName> results = {}, std::vector<std::uint64_t> constants = {})
      : program_(std::move(program)),
        parameters_(std::move(parameters)),
        results_(std::move(results)),
        constants_(std::move(constants)) {}

  /// The values of the parameters that are not staged, in order: a function has one program for each.
  template <class... Constants>
  EmittedProgram with(const Constants&... constants) && {
    constants_ = {detail::bits_of(constants)...};
    return std::move(*this);
  }

  /// What it was made of: the function, the names of its parameters and results, and the values of its
  /// parameters that are not staged, as 64 bits each.
  const detail::ToolProgram& program() const { return program_; }
  const std::vector<EmittedName>& parameters() const { return parameters_; }
  const std::vector<EmittedName>& results() const { return results_; }
  const std::vector<std::uint64_t>& constants() const { return constants_; }

 private:
  detail::ToolProgram program_;
  std::vector<EmittedName> parameters_, results_;
  std::vector<std::uint64_t> constants_;
};

/// How programs are emitted: precision and checks as in Options.
struct EmitOptions {
  Precision precision = Precision::fast;
  Checks checks = Checks::on;
  /// For Target::c, the processors that get code of their own, from the best to the least; the last one's
  /// code runs where none of the others can.
  std::vector<std::string> levels = {"x86-64-v4", "x86-64-v3", "x86-64-v2"};
  std::string policy = default_policy();  // Options::policy
};

/// A file's name, without a folder, and its contents.
struct EmittedFile {
  std::string name, text;
};

/// The files, without writing them. Throws TraceError for names that are not identifiers of all languages,
/// are keywords, or stand twice; what the functions and compiling throw.
std::vector<EmittedFile> emitted(const std::vector<EmittedProgram>&, Target, const EmitOptions& = {});
namespace detail {
void write_emitted(const std::vector<EmittedProgram>&, Target, const std::filesystem::path& folder,
                   const EmitOptions&);
}

}  // namespace fulgurite

#pragma GCC visibility pop
