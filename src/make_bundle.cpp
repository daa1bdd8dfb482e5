// fg::bundle: programs compiled for every target, and the file written.
#include <fulgurite/bundle.h>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <unordered_map>

#include "base/fork_gate.h"
#include "base/text.h"
#include "bundled/contents.h"
#include "engines/engines.h"
#include "keys.h"
#include "open_bundles.h"
#include "pipeline.h"
#include "runtime/cpu/compiler.h"
#include "runtime/cuda/nvrtc.h"
#include "runtime/host.h"
#include "soac/print.h"
#include "trace/traced.h"

namespace fulgurite {

namespace {

using bundled::TargetEngine;

// The machines that targets are compiled for: nothing of the one that compiles. A cache of a common size
// decides when stores go around it.
constexpr std::size_t common_cache = std::size_t{4} << 20;

runtime::Description machine_of(TargetEngine engine, const std::string& architecture) {
  runtime::Description machine{.engine = {},
                               .name = architecture,
                               .n_cores = 1,
                               .memory = 0,
                               .last_level_cache = common_cache,
                               .vector_bytes = 16,
                               .is_host = false};
  if (engine == TargetEngine::cpu) {
    machine.last_level_cache = runtime::last_level_cache(architecture);
    machine.vector_bytes = runtime::vector_bytes(architecture);
    machine.is_host = true;
  } else if (engine == TargetEngine::cuda) {
    machine.blocks_wait = true;
    machine.tells_occupancy = true;
    machine.has_shuffles = true;
  } else {
    machine.shared_memory = bundles::opencl_shared_memory;
  }
  return machine;
}

// 90 of sm_90. Throws DeviceError.
int capability_of(const std::string& architecture) {
  const std::string digits = architecture.starts_with("sm_") ? architecture.substr(3) : "";
  if (digits.size() < 2 || digits.size() > 3 || digits.find_first_not_of("0123456789") != digits.npos)
    throw DeviceError(
        fmt::format("'{}' is no architecture of CUDA devices: write sm_90 or the like", architecture));
  return std::stoi(digits);
}

void check(const BundleOptions& options) {
  for (const std::string& level : options.cpu_levels)
    if (std::ranges::find(runtime::cpu_levels(), level) == runtime::cpu_levels().end())
      throw DeviceError(fmt::format("'{}' is no level that bundles are compiled for: write {}", level,
                                    fmt::join(runtime::cpu_levels(), ", ")));
  for (const std::string& architecture : options.cuda_architectures) capability_of(architecture);
}

// One bundle's compilations; kernels that are equal are compiled once.
class Maker {
 public:
  explicit Maker(const BundleOptions& options)
      : options_(options), policy_(schedule::policy_text(options.policy)) {}

  bundled::Program program(const detail::NamedTrace& named) {
    const soac::Program& traced = named.traced->program();
    bundled::Program program;
    program.name = named.name;
    program.key = pipeline::key_in_bundles(traced, options_.precision, options_.checks,
                                           schedule::parse_policy(policy_));
    program.is_strict = options_.precision == Precision::strict;
    program.is_unchecked = options_.checks == Checks::off;
    for (const soac::Var param : traced.params)
      program.params.push_back(type_of(traced.arena->info(param).type));
    for (const soac::Expr result : traced.results) program.results.push_back(type_of(result.type()));
    for (const detail::Capture& capture : named.traced->captures()) program.captures.push_back(kept(capture));
    program.params.resize(program.params.size() - program.captures.size());
    program.sites = pipeline::sites_of(traced);
    program.text = soac::print(traced);
    for (const std::string& level : options_.cpu_levels) add(program, traced, TargetEngine::cpu, level);
    for (const std::string& architecture : options_.cuda_architectures)
      add(program, traced, TargetEngine::cuda, architecture);
    if (options_.opencl) add(program, traced, TargetEngine::opencl, "");
    return program;
  }

 private:
  static bundled::ValueType type_of(const scalar::Type& type) { return {type.kind, type.rank}; }

  static bundled::CapturedArray kept(const detail::Capture& capture) {
    const auto kind = static_cast<scalar::Kind>(capture.view.kind);
    bundled::CapturedArray array{{kind, capture.view.rank}, {}, {}};
    std::size_t bytes = scalar::size_of(kind);
    for (int axis = 0; axis < capture.view.rank; ++axis) {
      array.extents.push_back(capture.extents[axis]);
      bytes *= static_cast<std::size_t>(capture.extents[axis]);
    }
    if (bytes != 0) array.bytes.assign(static_cast<const char*>(capture.data.get()), bytes);
    return array;
  }

  void add(bundled::Program& program, const soac::Program& traced, TargetEngine engine,
           const std::string& architecture) {
    Options options{.engine = engines::of_target(engine)->engine,
                    .precision = options_.precision,
                    .checks = options_.checks,
                    .name = program.name.c_str(),
                    .check_captures = false,
                    .policy = policy_};
    bundled::Target target{engine, architecture, {}, {}};
    target.plan = pipeline::compile(traced, options, machine_of(engine, architecture)).lowered.plan;
    for (plan::KernelText& kernel : target.plan.kernels) {
      target.codes.push_back(code_of(kernel, engine, architecture));
      kernel.source.clear();
    }
    program.targets.push_back(std::move(target));
  }

  std::string code_of(const plan::KernelText& kernel, TargetEngine engine, const std::string& architecture) {
    if (engine == TargetEngine::opencl) return kernel.source;
    const auto [known, is_new] = codes_.try_emplace(architecture + " " + kernel.name + "\n" + kernel.source);
    if (!is_new) return known->second;
    if (engine == TargetEngine::cpu)
      known->second = runtime::cpu::compile(kernel.name, kernel.source, {architecture});
    else
      known->second = runtime::cuda::nvrtc(latest_driver)
                          .compile({kernel.name, kernel.source, kernel.n_phases, kernel.arguments,
                                    kernel.block_sizes, kernel.can_fail, kernel.shared_bytes},
                                   capability_of(architecture));
    return known->second;
  }

  static constexpr int latest_driver = 99000;  // the newest NVRTC that there is
  const BundleOptions& options_;
  const std::string policy_;  // not the name of its file
  std::unordered_map<std::string, std::string> codes_;
};

// Written beside its place and renamed: the former file stays whole until then, for programs that have it
// mapped as well.
void write_file(const std::string& path, const std::string& bytes) {
  const std::string temporary = fmt::format("{}.{}.part", path, getpid());
  std::ofstream file(temporary, std::ios::binary);
  file << bytes;
  file.close();
  if (file && std::rename(temporary.c_str(), path.c_str()) == 0) return;
  unlink(temporary.c_str());
  throw FormatError(fmt::format(
      "the bundle {} cannot be written: see that its folder is there, may be written to, and has room",
      path));
}

}  // namespace

void BundleEntry::refuse_constants(const detail::Traceable& f) const {
  if (f.constants() != nullptr)
    throw TraceError(
        fmt::format("'{}' has parameters that are C++ values, for which a bundle has no place: bundle "
                    "a lambda that calls it with their values",
                    name_));
}

void detail::write_bundle(const std::vector<NamedTrace>& programs, const std::string& path,
                          const BundleOptions& options) {
  const base::CompilingSection section;
  check(options);
  Maker maker(options);
  std::vector<bundled::Program> made;
  for (const NamedTrace& program : programs) {
    if (std::ranges::find(made, program.name, &bundled::Program::name) != made.end())
      throw FormatError(fmt::format("two programs of the bundle {} are named '{}': give each its own name",
                                    path, program.name));
    made.push_back(maker.program(program));
  }
  write_file(path, bundled::file_of(made));
}

}  // namespace fulgurite
