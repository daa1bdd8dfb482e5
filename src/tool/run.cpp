#include "tool/run.h"

#include <fmt/format.h>
#include <fulgurite/npy.h>
#include <fulgurite/profile.h>
#include <fulgurite/stats.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>

#include "base/text.h"
#include "engines/engines.h"
#include "runtime/profile.h"
#include "scalar/value.h"
#include "tool/job.h"
#include "tool/literal.h"
#include "tool/npy_header.h"
#include "tool/profile.h"
#include "tool/progress.h"
#include "trace/traced.h"

namespace fulgurite::tool {
namespace {

using detail::ToolProgram;
using detail::ToolValue;
using Clock = std::chrono::steady_clock;

std::string counted(std::uint64_t n, const char* one, const char* several) {
  return fmt::format("{} {}", n, n == 1 ? one : several);
}

scalar::Kind kind_of(const ToolValue& v) {
  return static_cast<scalar::Kind>(v.kind);
}

std::string type_of(const ToolValue& v) {
  const std::string type = scalar::to_string(scalar::Type{kind_of(v), v.rank, 1});
  return v.is_constant ? "constant " + type : type;
}

// What the program calls its parameters, in their order; none where it names none.
std::vector<std::string> parameter_names(const ToolProgram& program) {
  if (program.parameter_names.empty()) return {};
  return detail::named_program(fmt::format("{}({})", program.name, program.parameter_names)).parameters;
}

// "reading" of "reading.time.value"; empty where there are no names.
std::string name_of(const std::vector<std::string>& names, const ToolValue& v) {
  return names.empty() ? "" : names[v.position - 1].substr(0, names[v.position - 1].find('.'));
}

// Components of one parameter or result stand in parentheses.
std::string types_of(const std::vector<ToolValue>& values, const std::vector<std::string>& names = {}) {
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool opens = i == 0 || values[i].position != values[i - 1].position;
    const bool closes = i + 1 == values.size() || values[i].position != values[i + 1].position;
    if (i > 0) text += ", ";
    if (opens && !names.empty()) text += name_of(names, values[i]) + ": ";
    text += opens && !closes ? "(" : "";
    text += type_of(values[i]);
    text += closes && !opens ? ")" : "";
  }
  return text;
}

scalar::Bits scalar_bits(const NpyArray& array) {
  return load(static_cast<scalar::Kind>(array.kind), array.elements.get());
}

bool is_file_name(const std::string& argument) {
  return argument.ends_with(".npy");
}

// A staged argument of the program: an array, or the bits of a scalar.
struct Argument {
  NpyArray array;
  scalar::Bits bits = 0;
};

scalar::Bits scalar_argument(const ToolProgram& program, std::size_t i, const std::string& text) {
  const ToolValue& parameter = program.parameters[i];
  try {
    return parse_literal(kind_of(parameter), text);
  } catch (const FormatError& e) {
    throw FormatError(
        fmt::format("argument {} of {} is {}: {}", i + 1, program.name, type_of(parameter), e.message()));
  }
}

Argument read_argument(const ToolProgram& program, std::size_t i, const std::string& text, Engine engine) {
  const ToolValue& parameter = program.parameters[i];
  const std::string what = fmt::format("argument {} of {}", i + 1, program.name);
  if (parameter.rank == 0 && !is_file_name(text)) return {{}, scalar_argument(program, i, text)};
  if (!is_file_name(text) && !std::filesystem::exists(text))
    throw FormatError(fmt::format("{} is an array {}: give the name of a .npy file, not '{}'", what,
                                  type_of(parameter), text));
  const Progress progress("reading " + text);
  Argument argument{read_for(engine, text)};
  const auto rank = static_cast<int>(argument.array.shape.size());
  if (argument.array.kind != parameter.kind || rank != parameter.rank) {
    const std::string advice =
        rank != parameter.rank
            ? fmt::format("give one with {}", counted(parameter.rank, "axis", "axes"))
            : fmt::format("convert it in NumPy with a.astype('{}')", numpy_type(kind_of(parameter)));
    throw FormatError(fmt::format("{} is {}, but {} holds {}: {}", what, type_of(parameter), text,
                                  to_string(AnyArray{argument.array.kind, argument.array.shape, nullptr}),
                                  advice));
  }
  if (rank == 0) argument.bits = scalar_bits(argument.array);
  return argument;
}

void check_outputs(const ToolProgram& program, const std::vector<std::string>& outputs) {
  if (!outputs.empty() && outputs.size() != program.results.size())
    throw UsageError(fmt::format("{} has {}: give -o {} times, or not at all", program.name,
                                 counted(program.results.size(), "result", "results"),
                                 program.results.size()));
  for (const std::string& output : outputs) check_writable(output);
}

std::string first_elements(const NpyArray& array) {
  constexpr std::int64_t most = 8;
  const auto kind = static_cast<scalar::Kind>(array.kind);
  const std::int64_t n = detail::element_count(array.shape);
  const auto n_shown = static_cast<std::size_t>(std::min(n, most));
  // No more bytes are sent of an array that lies on several ranks.
  char first[most * sizeof(std::uint64_t)];
  const bool lies_elsewhere = lies_on_ranks(array.elements);
  if (lies_elsewhere) read_first(array.elements, first, n_shown * scalar::size_of(kind));
  const auto* bytes = lies_elsewhere ? first : static_cast<const char*>(array.elements.get());
  std::string text;
  for (std::size_t i = 0; i < n_shown; ++i)
    text += " " + print_literal(kind, load(kind, bytes + i * scalar::size_of(kind)));
  return n > most ? text + " ..." : text;
}

void show(const ToolProgram& program, const std::vector<detail::ResultValue>& results,
          const std::vector<std::string>& outputs) {
  for (std::size_t i = 0; i < results.size(); ++i) {
    const detail::ResultValue& r = results[i];
    NpyArray array{program.results[i].kind, {r.extents, r.extents + r.rank}, r.data};
    if (r.rank == 0)  // little-endian: narrower kinds come first
      array.elements = std::shared_ptr<const void>(std::make_shared<const std::uint64_t>(r.bits));
    const std::string label =
        results.size() == 1 ? program.name : fmt::format("{} result {}", program.name, i + 1);
    const std::string file = outputs.empty() ? "" : " -> " + outputs[i];
    const std::string line =
        fmt::format("{}: {}{}{}{}", label, to_string(AnyArray{array.kind, array.shape, nullptr}),
                    r.rank == 0 ? "" : ":", first_elements(array), file);
    if (is_first_rank()) fmt::print("{}\n", line);
    if (outputs.empty() || (!lies_on_ranks(array.elements) && !is_first_rank())) continue;
    const Progress progress("writing " + outputs[i]);
    write_from_anywhere(outputs[i], array);
  }
}

double milliseconds(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double, std::milli>(to - from).count();
}

}  // namespace

const ToolProgram& program_named(const std::vector<ToolProgram>& programs, const std::string& name) {
  for (const ToolProgram& program : programs)
    if (program.name == name) return program;
  throw UsageError(fmt::format("there is no program '{}'; there are {}", name,
                               base::join(programs, ", ", [](const ToolProgram& p) { return p.name; })));
}

std::string signature(const ToolProgram& program) {
  return fmt::format("{}({}) -> {}", program.name, types_of(program.parameters, parameter_names(program)),
                     types_of(program.results));
}

void check_names(const ToolProgram& program) {
  const std::size_t n_names = parameter_names(program).size();
  const std::size_t n = program.parameters.empty() ? 0 : program.parameters.back().position;
  if (n_names != 0 && n_names != n)
    throw UsageError(fmt::format("fg::named({}, \"{}\") has {}, and {} has {}: name each of them",
                                 program.name, program.parameter_names, counted(n_names, "name", "names"),
                                 program.name, counted(n, "parameter", "parameters")));
}

std::string description(const ToolProgram& program) {
  const auto form = [](const ToolValue& v) {
    if (v.rank == 0) return fmt::format("a number of {}", scalar::name_of(kind_of(v)));
    return fmt::format("a .npy file of {}, {}", scalar::name_of(kind_of(v)),
                       counted(static_cast<std::uint64_t>(v.rank), "axis", "axes"));
  };
  const std::vector<std::string> names = parameter_names(program);
  std::string text = signature(program) + "\n";
  for (std::size_t i = 0; i < program.parameters.size(); ++i) {
    const ToolValue& v = program.parameters[i];
    const std::string name = name_of(names, v);
    text += fmt::format("  argument {}{}: {}, {}{}\n", i + 1, name.empty() ? "" : " (" + name + ")",
                        type_of(v), form(v), v.is_constant ? "; the program is traced with its value" : "");
  }
  for (std::size_t i = 0; i < program.results.size(); ++i)
    text +=
        fmt::format("  result {}: {}, {}\n", i + 1, type_of(program.results[i]), form(program.results[i]));
  return text;
}

std::vector<scalar::Bits> constants_of(const ToolProgram& program, const std::vector<std::string>& literals) {
  const auto wanted = std::count_if(program.parameters.begin(), program.parameters.end(),
                                    [](const ToolValue& p) { return p.is_constant; });
  if (static_cast<std::size_t>(wanted) != literals.size())
    throw UsageError(fmt::format("{} has {}, {} given: {}", program.name,
                                 counted(static_cast<std::uint64_t>(wanted), "constant", "constants"),
                                 literals.size(), signature(program)));
  std::vector<scalar::Bits> constants;
  for (std::size_t i = 0; i < program.parameters.size(); ++i) {
    const ToolValue& parameter = program.parameters[i];
    if (parameter.is_constant) constants.push_back(scalar_argument(program, i, literals[constants.size()]));
  }
  return constants;
}

std::shared_ptr<const detail::TracedProgram> trace(const ToolProgram& program,
                                                   const std::vector<std::string>& literals) {
  return program.trace(constants_of(program, literals));
}

Given read_arguments(const ToolProgram& program, const std::vector<std::string>& arguments, Engine engine) {
  if (arguments.size() != program.parameters.size())
    throw UsageError(fmt::format("{} takes {}, {} given: {}", program.name,
                                 counted(program.parameters.size(), "argument", "arguments"),
                                 arguments.size(), signature(program)));
  Given given;
  std::vector<std::pair<std::size_t, scalar::Bits>> staged;  // number of the parameter
  for (std::size_t i = 0; i < program.parameters.size(); ++i) {
    if (program.parameters[i].is_constant) {
      given.constants.push_back(arguments[i]);
      continue;
    }
    Argument argument = read_argument(program, i, arguments[i], engine);
    given.memory.push_back(std::move(argument.array));
    staged.emplace_back(i, argument.bits);
  }
  for (std::size_t k = 0; k < staged.size(); ++k) {
    const ToolValue& parameter = program.parameters[staged[k].first];
    const NpyArray& array = given.memory[k];
    given.views.push_back({static_cast<std::uint8_t>(parameter.kind), parameter.rank,
                           array.elements.at_hand(), array.shape.data(), staged[k].second,
                           array.elements.at_hand() == nullptr ? array.elements.storage() : nullptr});
  }
  return given;
}

void run(const ToolProgram& program, const RunRequest& request, const Options& options) {
  check_outputs(program, request.outputs);
  std::optional<Profile> profile;
  if (!request.profile.empty()) profile.emplace(request.profile);
  const auto start = Clock::now();
  const Given given = read_arguments(program, request.arguments, options.engine);
  const auto read = Clock::now();
  std::shared_ptr<const detail::TracedProgram> traced;
  std::shared_ptr<const detail::Executable> executable;
  {
    const Progress progress("compiling " + program.name);
    {
      const runtime::Span span(runtime::Activity::tracing, program.name);
      traced = trace(program, given.constants);
    }
    executable = detail::instantiate(traced, options);
  }
  const auto compiled = Clock::now();
  std::vector<detail::ResultValue> results;
  std::vector<double> times;
  const Stats built = stats();
  const Sent sent_before = sent();
  {
    const Progress progress("running " + program.name);
    for (int k = 0; k < request.repeat; ++k) {
      results.clear();  // the memory of earlier ones is free for the next
      results.resize(program.results.size());
      const auto before = Clock::now();
      executable->call(given.views, results);
      times.push_back(milliseconds(before, Clock::now()));
    }
  }
  const double moved = static_cast<double>(stats().bytes_moved - built.bytes_moved) / request.repeat;
  const std::string sent_by_ranks = request.time ? sent_since(sent_before, request.repeat) : "";
  show(program, results, request.outputs);
  if (profile) profile->write();
  if (!request.time || !is_first_rank()) return;
  std::sort(times.begin(), times.end());
  const double median = times[times.size() / 2];
  fmt::print("read    {:11.4f} ms\ncompile {:11.4f} ms (kernels compiled: {}, from the cache: {})\n",
             milliseconds(start, read), milliseconds(read, compiled), built.compilations, built.disk_hits);
  fmt::print("run     {:11.4f} ms", median);
  if (times.size() > 1)
    fmt::print(" (median of {}; {:.4f} to {:.4f})", times.size(), times.front(), times.back());
  if (moved > 0) fmt::print(", {:.4g} MB moved, {:.3g} GB/s", moved / 1e6, moved / 1e6 / median);
  fmt::print("\n{}", sent_by_ranks);
}

}  // namespace fulgurite::tool
