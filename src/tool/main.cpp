// The command line of FULGURITE_MAIN: words in, one of the commands called, exit status out.
#include <fulgurite/bundle.h>
#include <fulgurite/explain.h>
#include <fulgurite/main.h>
#include <fulgurite/version.h>

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "base/text.h"
#include "engines/engines.h"
#include "runtime/mpi/device.h"
#include "tool/bisect.h"
#include "tool/emit.h"
#include "tool/inventory.h"
#include "tool/predict.h"
#include "tool/run.h"

namespace fulgurite::tool {
namespace {

using detail::ToolProgram;

enum Status { success = 0, failed = 1, misused = 2 };

void write_text(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw FormatError(path + " cannot be written");
}

// Options that several commands have.
struct Choices {
  std::string name;
  std::vector<std::string> arguments;
  std::string engine;
  bool no_fuse = false;
  std::string policy = default_policy();

  Options options() const {
    const engines::Row* named = engines::named(engine);
    Options options{.engine = named == nullptr ? default_engine() : named->engine};
    options.fuse = !no_fuse;
    options.name = name.c_str();
    options.policy = policy;
    return options;
  }
};

void add_engine(CLI::App* command, Choices& choices) {
  std::vector<std::string> names;
  for (const engines::Row& row : engines::all()) names.emplace_back(row.name);
  command
      ->add_option("--engine", choices.engine, engines::names() + "; $FULGURITE_ENGINE or cpu if not given")
      ->check(CLI::IsMember(names));
}

void add_policy(CLI::App* command, std::string& policy) {
  command
      ->add_option("--policy", policy,
                   "tuning numbers, as cheap_tile=8192,chain=16, or @ and the name of a file of them; "
                   "$FULGURITE_POLICY if not given")
      ->allow_extra_args(false);
}

// What is said of the program that is named beside --help, if one is.
std::string footer_of(const std::vector<ToolProgram>& programs, const std::string& name) {
  return name.empty() ? "NAME --help: what that program takes and gives"
                      : description(program_named(programs, name));
}

void add_run(CLI::App& app, const std::vector<ToolProgram>& programs, Choices& choices, RunRequest& request) {
  CLI::App* command = app.add_subcommand("run", "run a program on .npy files");
  command->footer([&] { return footer_of(programs, choices.name); });
  command->add_option("NAME", choices.name, "the program")->required();
  command->add_option("ARGUMENTS", choices.arguments,
                      "for an array the name of a .npy file, for a scalar a number, true or false");
  command
      ->add_option("-o,--output", request.outputs,
                   "a .npy file for the result; once for each of several results")
      ->allow_extra_args(false);
  add_engine(command, choices);
  command->add_flag("--time", request.time, "show how long reading, compiling and running took");
  command->add_option("--profile", request.profile,
                      "also write what it spends its time on, kernel by kernel, into this file (for "
                      "chrome://tracing or Perfetto)");
  command->add_option("--repeat", request.repeat, "run so many times")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  add_policy(command, choices.policy);
  command->add_flag("--no-fuse", choices.no_fuse, "leave every operation a kernel of its own");
  command->callback([&] {
    request.arguments = choices.arguments;
    run(program_named(programs, choices.name), request, choices.options());
  });
}

struct ExplainRequest {
  bool json = false;
  std::string svg, parameters, network = "100Gb,2us", memory = "20GB";
  Cluster cluster{.ranks = 0};
};

void add_cluster(CLI::App* command, ExplainRequest& request) {
  CLI::Option_group* options = command->add_option_group("ranks that need not be there (docs/cluster.md)");
  options->add_option("--ranks", request.cluster.ranks, "predict what they send, and how long a call takes")
      ->check(CLI::Range(1, 65536));
  options->add_option("--network", request.network, "bandwidth of a rank, and the latency of a message")
      ->allow_extra_args(false)
      ->capture_default_str();
  options->add_option("--memory", request.memory, "bytes a second that the kernels of a rank move")
      ->allow_extra_args(false)
      ->capture_default_str();
  options->add_option("--kept", request.cluster.kept, "of the elements of a filter")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  options->add_option("--iterations", request.cluster.iterations, "of loops whose end elements decide")
      ->check(CLI::Range(0, 1'000'000))
      ->capture_default_str();
}

bool has_all_arguments(const ToolProgram& program, const Choices& choices) {
  return choices.arguments.size() == program.parameters.size();
}

// Names a number of ranks: the wanted number, or the number of ranks here, if there are several.
bool tells_ranks(const ToolProgram& program, const Choices& choices, ExplainRequest& request,
                 Options& options) {
  const bool has_all = has_all_arguments(program, choices);
  if (request.cluster.ranks == 0) {
    if (options.engine != Engine::mpi || !has_all) return false;
    request.cluster.ranks = engines::device_of(options).describe().n_ranks;
    return request.cluster.ranks > 1;
  }
  if (!has_all)
    throw UsageError(
        fmt::format("what ranks send depends on all arguments, and there are {} instead of {}: {}",
                    choices.arguments.size(), program.parameters.size(), signature(program)));
  options.engine = Engine::cpu;  // the same kernels, and no MPI has to be here
  return true;
}

// Arguments of a call, in the order of the parameters; constants are kept apart.
struct Words {
  std::vector<std::string> constants, staged;
};
Words words_of(const ToolProgram& program, const std::vector<std::string>& given) {
  Words words;
  for (std::size_t i = 0; i < program.parameters.size(); ++i)
    (program.parameters[i].is_constant ? words.constants : words.staged).push_back(given[i]);
  return words;
}

// If several ranks are here, the first one prints.
void print_once(const std::string& text) {
  const auto* job = runtime::mpi::MpiDevice::if_started();
  if (job == nullptr || job->rank() == 0) fmt::print("{}", text);
}

void explain(const ToolProgram& program, const Choices& choices, ExplainRequest& request) {
  Options options = choices.options();
  const bool is_on_ranks = tells_ranks(program, choices, request, options);
  const Words words = has_all_arguments(program, choices) ? words_of(program, choices.arguments)
                                                          : Words{choices.arguments, {}};
  const auto traced = trace(program, words.constants);
  const std::string parameters = request.parameters.empty() ? program.parameter_names : request.parameters;
  const std::string name = fmt::format("{}({})", choices.name, parameters);
  options.name = name.c_str();
  if (!request.svg.empty())
    write_text(request.svg, detail::explanation(*traced, options, Explain::svg, words.staged));
  std::string text =
      detail::explanation(*traced, options, request.json ? Explain::json : Explain::text, words.staged);
  if (is_on_ranks) {
    parse_network(request.network, request.cluster);
    request.cluster.memory = parse_rate(request.memory);
    const Prediction predicted = detail::predict(*traced, options, request.cluster, words.staged);
    text = request.json ? with_prediction(text, predicted) : text + "\n" + predicted.text;
  }
  print_once(text);
}

void add_explain(CLI::App& app, const std::vector<ToolProgram>& programs, Choices& choices,
                 ExplainRequest& request) {
  CLI::App* command =
      app.add_subcommand("explain", "show what fused, which kernels there are, and the bytes they move");
  command->add_option("NAME", choices.name, "the program")->required();
  command->add_option(
      "ARGUMENTS", choices.arguments,
      "values of its parameters that are constants; or all arguments, to see what such a call runs and "
      "what several ranks send in it: a number, the extents of an array, as 1000x500, or the name of a "
      ".npy file");
  command->add_flag("--json", request.json, "as JSON");
  command->add_option("--svg", request.svg,
                      "also draw the data flow before and after fusion, into this file");
  command
      ->add_option("--parameters", request.parameters,
                   "what to call the parameters, as x,y; components of composite elements as point.x.y")
      ->allow_extra_args(false);
  add_engine(command, choices);
  add_policy(command, choices.policy);
  command->add_flag("--no-fuse", choices.no_fuse, "leave every operation a kernel of its own");
  add_cluster(command, request);
  command->callback([&] { explain(program_named(programs, choices.name), choices, request); });
}

void add_bisect(CLI::App& app, const std::vector<ToolProgram>& programs, Choices& choices, double& tolerance,
                bool& all_agree) {
  CLI::App* command = app.add_subcommand(
      "bisect", "find the rewrite or kernel pass that makes the program wrong on these files");
  command->add_option("NAME", choices.name, "the program")->required();
  command->add_option("ARGUMENTS", choices.arguments, "as for run");
  command->add_option("--tolerance", tolerance, "relative, of floats")->capture_default_str();
  add_policy(command, choices.policy);
  command->callback([&] {
    all_agree =
        bisect(program_named(programs, choices.name), choices.arguments, choices.options(), tolerance);
  });
}

struct BundleRequest {
  std::vector<std::string> names;
  std::string output;
  BundleOptions options;
  bool no_opencl = false, strict = false;
};

std::vector<detail::NamedTrace> traced_for(const BundleRequest& request,
                                           const std::vector<ToolProgram>& programs) {
  std::vector<detail::NamedTrace> traced;
  const auto is_constant = [](const detail::ToolValue& value) { return value.is_constant; };
  for (const ToolProgram& program : programs) {
    if (request.names.empty() ? std::ranges::any_of(program.parameters, is_constant)
                              : std::ranges::find(request.names, program.name) == request.names.end())
      continue;
    traced.push_back({program.name, trace(program, {})});
  }
  for (const std::string& name : request.names) program_named(programs, name);
  return traced;
}

void add_bundle(CLI::App& app, const std::vector<ToolProgram>& programs, BundleRequest& request) {
  CLI::App* command = app.add_subcommand(
      "bundle", "compile programs for other machines, into one file that fg::open and FULGURITE_BUNDLE take");
  command->add_option("NAMES", request.names,
                      "the programs; all that have no parameters that are constants, if not given");
  command->add_option("-o,--output", request.output, "the file")->required()->allow_extra_args(false);
  command->add_option("--cpu", request.options.cpu_levels, "levels of x86-64")
      ->delimiter(',')
      ->capture_default_str();
  command
      ->add_option("--cuda", request.options.cuda_architectures,
                   "architectures of CUDA devices, such as sm_90")
      ->delimiter(',');
  command->add_flag("--no-opencl", request.no_opencl, "no OpenCL C");
  add_policy(command, request.options.policy);
  command->add_flag("--strict", request.strict, "a * b + c rounds twice");
  command->callback([&] {
    request.options.opencl = !request.no_opencl;
    if (request.strict) request.options.precision = Precision::strict;
    detail::write_bundle(traced_for(request, programs), request.output, request.options);
  });
}

void add_cache(CLI::App& app, CacheAction& action) {
  CLI::App* command = app.add_subcommand("cache", "show the compiled programs and kernels kept on disk");
  CLI::Option_group* actions = command->add_option_group("actions");
  actions->add_flag_callback("--list", [&] { action = CacheAction::list; }, "show every entry");
  actions->add_flag_callback(
      "--verify", [&] { action = CacheAction::verify; }, "check every entry, remove damaged ones");
  actions->add_flag_callback("--clear", [&] { action = CacheAction::clear; }, "remove all entries");
  actions->require_option(0, 1);
  command->callback([&] { show_cache(action); });
}

void add_emit(CLI::App& app, const std::vector<ToolProgram>& programs, EmitRequest& request) {
  CLI::App* command = app.add_subcommand("emit", "write programs as source that an application includes");
  command
      ->add_option("NAMES", request.functions,
                   "the programs; FUNCTION=NAME calls what is written of program NAME FUNCTION")
      ->required();
  std::vector<std::string> targets;
  for (const auto& [name, target] : detail::target_names) targets.emplace_back(name);
  command
      ->add_option_function<std::string>(
          "--target",
          [&](const std::string& wanted) {
            request.target =
                std::ranges::find(detail::target_names, std::string_view(wanted), &detail::TargetName::name)
                    ->target;
          },
          "the language")
      ->required()
      ->check(CLI::IsMember(targets));
  command->add_option("-o,--out", request.folder, "the folder for the files")->required();
  const auto add_names = [&](const char* option, std::vector<std::string>& to, const char* what) {
    command->add_option(option, to, what)->allow_extra_args(false);
  };
  add_names(
      "--parameters", request.parameters,
      "names of the parameters, as x,y; components of composite elements as point.x.y; of one of several "
      "functions as FUNCTION:x,y");
  add_names("--results", request.results, "names of the results, in the same way");
  add_names("--constants", request.constants,
            "values of the parameters that are not staged, in the same way");
  command->add_option("--precision", request.precision, "strict: no contraction, a * b + c rounds twice")
      ->check(CLI::IsMember({"fast", "strict"}))
      ->capture_default_str();
  command->add_flag("--no-checks", request.no_checks, "no checks of indices and divisors");
  command
      ->add_option(
          "--levels", request.levels,
          "of target c: the processors that get code of their own, from the best to the least; generic: any")
      ->delimiter(',')
      ->check(CLI::IsMember({"x86-64-v4", "x86-64-v3", "x86-64-v2", "generic"}));
  add_policy(command, request.policy);
  command->callback([&] { emit_programs(programs, request); });
}

// CLI11 would say that a command is missing.
void refuse_unknown_command(const CLI::App& app, std::string_view word) {
  const auto commands = app.get_subcommands([](const CLI::App*) { return true; });
  const auto named = [&](const CLI::App* command) { return command->get_name() == word; };
  if (word.starts_with('-') || std::any_of(commands.begin(), commands.end(), named)) return;
  throw UsageError(fmt::format("there is no command '{}'; there are {}", word,
                               base::join(commands, ", ", [](const CLI::App* c) { return c->get_name(); })));
}

std::string names_of(const std::vector<ToolProgram>& programs) {
  return base::join(programs, ", ", [](const ToolProgram& program) { return program.name; });
}

// What was printed may stand in a buffer until here.
void check_output() {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  throw FormatError(fmt::format("the standard output cannot be written: {}", std::strerror(errno)));
}

// Where the first of several arguments of a call or macro ends: a comma outside of parentheses and strings.
std::size_t end_of_first(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (in_string) {
      at += c == '\\' ? 1 : 0;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '(' || c == '[' || c == '{') {
      ++depth;
    } else if (c == ')' || c == ']' || c == '}') {
      --depth;
    } else if (c == ',' && depth == 0) {
      return at;
    }
  }
  return text.size();
}

// The exit status. Help may be asked for of a program that there is not.
int parse_and_run(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
    return success;
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? success : misused;
  }
}

int run_command(CLI::App& app, const std::vector<ToolProgram>& programs, int argc, char** argv) {
  try {
    for (const ToolProgram& program : programs) check_names(program);
    refuse_unknown_command(app, argc > 1 ? argv[1] : "-");
    const int status = parse_and_run(app, argc, argv);
    check_output();
    return status;
  } catch (const UsageError& e) {
    fmt::print(stderr, "{}\n", e.what());
    return misused;
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}\n", e.what());
    return failed;
  }
}

}  // namespace
}  // namespace fulgurite::tool

namespace fulgurite::detail {

std::vector<std::string> tool_names(std::string_view arguments_of_macro) {
  using tool::end_of_first;
  std::vector<std::string> names;
  for (std::string_view rest = arguments_of_macro;;) {
    const std::size_t comma = end_of_first(rest);
    std::string_view name = rest.substr(0, comma);
    if (const std::size_t call = name.find("named("); call != name.npos) {
      name.remove_prefix(call + std::string_view("named(").size());
      name = name.substr(0, end_of_first(name));
    }
    name.remove_prefix(std::min(name.find_first_not_of(" \t\n&"), name.size()));
    name = name.substr(0, name.find_last_not_of(" \t\n") + 1);
    if (const std::size_t scope = name.rfind("::"); scope != name.npos) name.remove_prefix(scope + 2);
    names.emplace_back(name);
    if (comma == rest.size()) return names;
    rest.remove_prefix(comma + 1);
  }
}

int tool_main(int argc, char** argv, const std::vector<ToolProgram>& programs) {
  using namespace fulgurite::tool;
  CLI::App app(programs.empty() ? "Fulgurite's devices and cache" : "Array programs: " + names_of(programs));
  app.require_subcommand(1);
  app.set_version_flag("--version", "Fulgurite " FULGURITE_VERSION_STRING);
  Choices choices;
  RunRequest run_request;
  ExplainRequest explain_request;
  BundleRequest bundle_request;
  EmitRequest emit_request;
  CacheAction cache_action = CacheAction::summary;
  double tolerance = 1e-4;
  bool all_agree = true;
  const bool has_programs = !programs.empty();
  if (has_programs) {
    add_run(app, programs, choices, run_request);
    add_explain(app, programs, choices, explain_request);
    app.add_subcommand("list", "show the programs, their parameters and results")->callback([&] {
      list_programs(programs);
    });
  }
  app.add_subcommand("devices", "show what programs can run on")->callback(list_devices);
  if (has_programs) add_bundle(app, programs, bundle_request);
  add_cache(app, cache_action);
  if (has_programs) {
    add_bisect(app, programs, choices, tolerance, all_agree);
    add_emit(app, programs, emit_request);
  }
  const int status = run_command(app, programs, argc, argv);
  return status == success && !all_agree ? failed : status;
}

}  // namespace fulgurite::detail
