// Ahead-of-time output: programs traced, compiled for a target, and printed as files.
#include <fulgurite/emitted.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <map>

#include "ahead/c_target.h"
#include "ahead/cuda_target.h"
#include "ahead/opencl_target.h"
#include "ahead/signature.h"
#include "base/text.h"
#include "emit/names.h"
#include "emit/portable_prelude.h"
#include "emit/printer.h"
#include "emitted_together.h"
#include "keys.h"
#include "pipeline.h"
#include "soac/rename.h"
#include "tool/explanation.h"
#include "trace/traced.h"

namespace fulgurite {
namespace {

constexpr std::size_t usual_last_level_cache = std::size_t{32} << 20;

emit::Level level_named(const std::string& cpu) {
  for (const emit::Level level : {emit::Level::v4, emit::Level::v3, emit::Level::v2})
    if (cpu == "x86-64-" + std::string(name_of(level))) return level;
  if (cpu == name_of(emit::Level::generic)) return emit::Level::generic;
  throw DeviceError(
      fmt::format("C cannot be emitted for '{}': use x86-64-v4, x86-64-v3, x86-64-v2 or generic", cpu));
}

// One value for each position among the parameters or results; constants of the trace have none.
std::vector<ahead::Value> values_of(const std::vector<detail::ToolValue>& components,
                                    const std::vector<EmittedName>& names, std::string_view what,
                                    const std::string& program, const std::vector<std::string>& usual) {
  std::vector<ahead::Value> values;
  unsigned last = 0;
  for (const detail::ToolValue& component : components) {
    if (component.is_constant) continue;
    if (component.position != last) values.emplace_back().rank = component.rank;
    last = component.position;
    values.back().kinds.push_back(static_cast<scalar::Kind>(component.kind));
  }
  if (!names.empty() && names.size() != values.size())
    throw TraceError(fmt::format("{} has {} {}s, and there are {} names for them: give one for each", program,
                                 values.size(), what, names.size()));
  for (std::size_t k = 0; k < values.size(); ++k) {
    ahead::Value& value = values[k];
    value.name = names.empty() ? usual[k] : names[k].name;
    if (!names.empty()) value.components = names[k].components;
    if (value.components.empty())
      for (std::size_t c = 0; c < value.kinds.size(); ++c) value.components.push_back(std::to_string(c));
    if (value.components.size() != value.kinds.size())
      throw TraceError(
          fmt::format("the elements of {} have {} components, and there are {} names for them: give one "
                      "for each",
                      value.name, value.kinds.size(), value.components.size()));
  }
  return values;
}

// The traced program with the author's names for its parameters.
soac::Program renamed(soac::Program program, const std::vector<ahead::Value>& parameters) {
  scalar::Arena& arena = *program.arena;
  soac::Renaming renaming(arena, soac::Renaming::Binders::keep);
  std::map<scalar::Var, scalar::Expr> extents;  // components of one parameter have the same
  std::size_t p = 0;
  for (const ahead::Value& value : parameters)
    for (std::size_t c = 0; c < value.kinds.size(); ++c, ++p) {
      const scalar::Var old = program.params[p];
      const scalar::VarInfo info = arena.info(old);
      const std::string name = value.kinds.size() == 1 ? value.name : value.name + "_" + value.components[c];
      scalar::Expr fresh;
      if (value.rank == 0) {
        fresh = arena.fresh(info.type, name);
      } else {
        std::vector<scalar::Expr> shape;
        for (std::size_t k = 0; k < info.shape.size(); ++k) {
          scalar::Expr& extent = extents[info.shape[k].var()];
          if (!extent) {
            const std::string axis = value.rank == 1 ? "_size" : fmt::format("_size{}", k);
            extent = arena.fresh(info.shape[k].type(), value.name + axis);
            renaming.bind(info.shape[k].var(), extent);
          }
          shape.push_back(extent);
        }
        fresh = arena.fresh_array(info.type.kind, shape, name);
      }
      renaming.bind(old, fresh);
      program.params[p] = fresh.var();
    }
  for (soac::Stm& s : program.body) s = renaming(std::move(s));
  renaming.in_place(program.results);
  return program;
}

std::string origin_of(const tool::Operation& o, std::string_view begin, std::string_view end) {
  const std::string place = tool::place(o.where);
  return place.empty() ? o.origin : fmt::format("{}{}{}{}", o.origin, begin, place, end);
}

std::string comment_of(const tool::LaunchReport& launch) {
  std::vector<std::string> fused;
  for (const tool::Operation& o : launch.fused)
    if (std::string text = origin_of(o, " (", ")"); std::ranges::find(fused, text) == fused.end())
      fused.push_back(std::move(text));
  const std::string text = origin_of(launch.operation, ", ", "");
  if (fused.empty()) return text;
  return text + "; fused in: " + base::join(fused, ", ", [](const std::string& f) { return f; });
}

// What is the same for all targets and levels.
struct Described {
  std::shared_ptr<const detail::TracedProgram> traced;
  soac::Program program;
  ahead::Program shell;  // names, captured arrays
};

Described described(const EmittedProgram& emitted, const std::vector<std::string>& others = {}) {
  const detail::ToolProgram& tool = emitted.program();
  std::size_t n_constants = 0;
  for (const detail::ToolValue& v : tool.parameters) n_constants += v.is_constant;
  if (emitted.constants().size() != n_constants)
    throw TraceError(
        fmt::format("{} has {} parameters that are not staged, and {} values for them: give one for each by "
                    "EmittedProgram(..).with(..)",
                    tool.name, n_constants, emitted.constants().size()));
  Described d;
  d.traced = tool.trace(emitted.constants());
  const soac::Program& program = d.traced->program();
  std::vector<std::string> usual;
  {
    emit::Names names;
    std::size_t p = 0;
    unsigned last = 0;
    for (const detail::ToolValue& v : tool.parameters) {
      if (v.is_constant) continue;
      const std::string name = program.arena->info(program.params[p++]).name;
      if (v.position != last) usual.push_back(names.fresh(name));
      last = v.position;
    }
  }
  ahead::Program& shell = d.shell;
  shell.name = tool.name;
  shell.parameters = values_of(tool.parameters, emitted.parameters(), "parameter", tool.name, usual);
  const unsigned n_results = tool.results.empty() ? 0 : tool.results.back().position;
  std::vector<std::string> results;
  for (unsigned r = 0; r < n_results; ++r)
    results.push_back(n_results == 1 ? "result" : fmt::format("result{}", r));
  shell.results = values_of(tool.results, emitted.results(), "result", tool.name, results);
  for (const detail::Capture& capture : d.traced->captures()) {
    ahead::Captured array;
    array.kind = static_cast<scalar::Kind>(capture.view.kind);
    std::size_t n = 1;
    for (int k = 0; k < capture.view.rank; ++k) {
      array.extents.push_back(capture.extents[k]);
      n *= static_cast<std::size_t>(capture.extents[k]);
    }
    array.elements.resize(n * scalar::size_of(array.kind));
    if (!array.elements.empty())
      std::memcpy(array.elements.data(), capture.view.on_host(), array.elements.size());
    shell.captured.push_back(std::move(array));
  }
  ahead::check_names(shell, others);
  d.program = renamed(program, shell.parameters);
  return d;
}

ahead::Program lowered(const Described& d, const Options& options, const runtime::Description& device,
                       const emit::Dialect& dialect) {
  pipeline::Report report = pipeline::compile(d.program, options, device);
  const tool::Explanation told = tool::explanation_of(report);
  ahead::Program program = d.shell;
  program.description = fmt::format("{}({}) -> {}", told.name,
                                    base::join(told.parameters, ", ", [](const std::string& p) { return p; }),
                                    base::join(told.results, ", ", [](const std::string& r) { return r; }));
  program.plan = report.lowered.plan;
  program.sites = pipeline::sites_of(report.optimised);
  emit::Names names;
  std::vector<std::pair<std::string, std::string>> known;  // texts under no name, and theirs
  for (std::size_t k = 0; k < report.lowered.kernels.size(); ++k) {
    kernel::Kernel kernel = report.lowered.kernels[k];
    kernel.name = "fg_kernel";
    const std::string anonymous = emit::print_phases(kernel, dialect);
    ahead::KernelText text;
    for (const auto& [same, name] : known)
      if (same == anonymous) text.name = name;
    if (text.name.empty()) {
      text.name = names.fresh(report.lowered.kernels[k].name);
      known.emplace_back(anonymous, text.name);
    }
    kernel.name = text.name;
    text.phases = emit::print_phases(kernel, dialect);
    for (const tool::LaunchReport& launch : told.launches)
      if (launch.kernel == report.lowered.kernels[k].name) {
        text.comment = comment_of(launch);
        break;
      }
    for (const kernel::Param& param : kernel.params) {
      const scalar::VarInfo& info = kernel.arena->info(param.name);
      if (param.role == kernel::Param::Role::scalar)
        text.scalars.push_back(info.type.kind);
      else
        text.buffers.push_back(param.role == kernel::Param::Role::input ? std::string() : info.name);
    }
    for (std::size_t phase = 0; phase < kernel.body.size(); ++phase) {
      const std::string name = fmt::format("{}_p{}", text.name, phase);
      const bool in_order = text.phases.find(name + "_in_order(") != std::string::npos;
      text.entries.push_back(in_order ? name + "_in_order" : name);
    }
    program.kernels.push_back(std::move(text));
  }
  return program;
}

void append(std::vector<EmittedFile>& files, std::vector<ahead::File> more) {
  for (ahead::File& file : more) files.push_back({std::move(file.name), std::move(file.text)});
}

std::vector<EmittedFile> as_c(const std::vector<EmittedProgram>& programs, const EmitOptions& wanted) {
  std::vector<EmittedFile> files;
  append(files, {ahead::c_common_header()});
  for (const EmittedProgram& program : programs) {
    const Described d = described(program);
    std::vector<ahead::Level> levels;
    for (const std::string& cpu : wanted.levels) {
      const emit::Level level = level_named(cpu);
      const runtime::Description device{.engine = "cpu",
                                        .name = cpu,
                                        .n_cores = 1,
                                        .memory = 0,
                                        .last_level_cache = usual_last_level_cache,
                                        .vector_bytes = emit::register_bytes(level),
                                        .is_host = true};
      const Options options{.engine = Engine::cpu,
                            .precision = wanted.precision,
                            .checks = wanted.checks,
                            .policy = wanted.policy};
      levels.push_back({level, level == emit::Level::generic ? std::string() : cpu,
                        lowered(d, options, device, emit::portable_c)});
    }
    append(files, ahead::c_files(levels));
  }
  return files;
}

// As for any device of CUDA that is sold today.
std::vector<EmittedFile> as_cuda(const std::vector<EmittedProgram>& programs, const EmitOptions& wanted) {
  const runtime::Description device{.engine = "cuda",
                                    .name = "any",
                                    .n_cores = 1,
                                    .memory = 0,
                                    .last_level_cache = usual_last_level_cache,
                                    .vector_bytes = 16,
                                    .is_host = false,
                                    .blocks_wait = true,
                                    .tells_occupancy = true,
                                    .has_shuffles = true};
  const Options options{.engine = Engine::cuda,
                        .precision = wanted.precision,
                        .checks = wanted.checks,
                        .policy = wanted.policy};
  std::vector<EmittedFile> files;
  append(files, ahead::cuda_common_headers());
  for (const EmittedProgram& program : programs)
    append(files, ahead::cuda_files(lowered(described(program, ahead::cuda_words()), options, device,
                                            emit::cuda_in_a_file)));
  return files;
}

// As for any device of OpenCL 1.2: a group does not wait for others, and its work-items share what every
// device has.
std::vector<EmittedFile> as_opencl(const std::vector<EmittedProgram>& programs, const EmitOptions& wanted) {
  const runtime::Description device{.engine = "opencl",
                                    .name = "any",
                                    .n_cores = 1,
                                    .memory = 0,
                                    .last_level_cache = std::size_t{1} << 20,
                                    .vector_bytes = 16,
                                    .is_host = false,
                                    .blocks_wait = false,
                                    .shared_memory = std::size_t{32} << 10};
  const Options options{.engine = Engine::opencl,
                        .precision = wanted.precision,
                        .checks = wanted.checks,
                        .policy = wanted.policy};
  std::vector<EmittedFile> files;
  append(files, ahead::opencl_common_headers());
  for (const EmittedProgram& program : programs)
    append(files, ahead::opencl_files(
                      lowered(described(program, ahead::opencl_words()), options, device, emit::opencl)));
  return files;
}

}  // namespace

std::vector<EmittedFile> emitted(const std::vector<EmittedProgram>& programs, Target target,
                                 const EmitOptions& options) {
  check_together(programs);
  switch (target) {
    case Target::cuda: return as_cuda(programs, options);
    case Target::opencl: return as_opencl(programs, options);
    case Target::c: break;
  }
  return as_c(programs, options);
}

void detail::write_emitted(const std::vector<EmittedProgram>& programs, Target target,
                           const std::filesystem::path& folder, const EmitOptions& options) {
  const std::vector<EmittedFile> files = emitted(programs, target, options);
  std::filesystem::create_directories(folder);
  for (const EmittedFile& file : files) {
    std::ofstream out(folder / file.name, std::ios::binary);
    out << file.text;
    out.close();
    if (!out) throw FormatError((folder / file.name).string() + " cannot be written");
  }
}

}  // namespace fulgurite
