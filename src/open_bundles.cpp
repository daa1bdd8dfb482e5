#include "open_bundles.h"

#include <fmt/format.h>
#include <fulgurite/error.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <string_view>

#include "base/text.h"
#include "engines/engines.h"
#include "keys.h"
#include "runtime/host.h"
#include "runtime/stats.h"

namespace fulgurite::bundles {

namespace {

using bundled::File;
using bundled::TargetEngine;
using Files = std::vector<std::shared_ptr<const File>>;

// Never destroyed: programs may be compiled at exit.
struct Registry {
  std::mutex mutex;
  std::vector<std::weak_ptr<const File>> opened;
  std::string path_of_environment;
  std::shared_ptr<const File> of_environment;
};
Registry& registry() {
  static auto* all = new Registry;
  return *all;
}

// The bundles in which programs are looked for: the one opened last comes first; a bundle that the user names
// beside the program comes before all.
Files open_files() {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  Files files;
  if (const char* path = std::getenv("FULGURITE_BUNDLE"); path != nullptr && *path != 0) {
    if (all.of_environment == nullptr || all.path_of_environment != path) {
      all.of_environment = std::make_shared<const File>(path);
      all.path_of_environment = path;
    }
    files.push_back(all.of_environment);
  }
  std::erase_if(all.opened, [](const auto& file) { return file.expired(); });
  for (auto file = all.opened.rbegin(); file != all.opened.rend(); ++file)
    if (auto held = file->lock()) files.push_back(std::move(held));
  return files;
}

std::size_t rank_of_level(std::string_view level) {
  const auto levels = runtime::cpu_levels();
  return static_cast<std::size_t>(std::ranges::find(levels, level) - levels.begin());
}

// 90 of sm_90; 0 of anything else.
int capability_of(std::string_view architecture) {
  if (!architecture.starts_with("sm_")) return 0;
  int capability = 0;
  for (const char digit : architecture.substr(3)) {
    if (digit < '0' || digit > '9' || capability > 1000) return 0;
    capability = 10 * capability + (digit - '0');
  }
  return capability;
}

// How well a device runs the code of a target: better ones have more, 0 is not at all.
std::size_t fitness(const File::StoredTarget& target, Engine engine, const runtime::Description& device) {
  if (engines::row(engine).target != target.engine) return 0;
  switch (target.engine) {
    case TargetEngine::cpu: {
      const std::size_t wanted = rank_of_level(target.architecture),
                        reached = rank_of_level(device.architecture);
      const bool runs = reached < runtime::cpu_levels().size() && wanted <= reached;
      return runs ? 1 + wanted : 0;
    }
    case TargetEngine::cuda: {
      const int wanted = capability_of(target.architecture), reached = capability_of(device.architecture);
      const bool runs = wanted > 0 && wanted / 10 == reached / 10 && wanted <= reached;
      return runs ? static_cast<std::size_t>(wanted) : 0;
    }
    case TargetEngine::opencl: return device.shared_memory >= opencl_shared_memory ? 1 : 0;
  }
  return 0;
}

const File::StoredTarget* best_target(const File::StoredProgram& program, Engine engine,
                                      const runtime::Description& device) {
  const File::StoredTarget* best = nullptr;
  std::size_t fits = 0;
  for (const File::StoredTarget& target : program.targets)
    if (const std::size_t f = fitness(target, engine, device); f > fits) {
      best = &target;
      fits = f;
    }
  return best;
}

bool has_plans(Engine engine) {
  return engines::row(engine).target.has_value();
}

}  // namespace

std::shared_ptr<const File> open(const std::string& path) {
  auto file = std::make_shared<const File>(path);
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  all.opened.push_back(file);
  return file;
}

std::optional<plan::Loaded> load(const File& file, const File::StoredProgram& program,
                                 const Options& options) {
  if (!has_plans(options.engine)) return std::nullopt;
  runtime::Device& device = engines::device_of(options);
  const runtime::Description description = device.describe();
  const File::StoredTarget* target = best_target(program, options.engine, description);
  if (target == nullptr) return std::nullopt;
  File::StoredPlan stored = file.plan(program, *target);
  plan::Loaded loaded = plan::without_kernels(std::move(stored.plan), device, description);
  loaded.sites = program.sites;
  for (std::size_t k = 0; k < loaded.plan.kernels.size(); ++k) {
    const plan::KernelText& kernel = loaded.plan.kernels[k];
    const std::string_view code =
        file.blob(stored.codes[k], fmt::format("the code of kernel '{}' of '{}' ({})", kernel.name,
                                               program.name, targets_text(program)));
    loaded.kernels.push_back(device.load({kernel.name,
                                          {},
                                          kernel.n_phases,
                                          kernel.arguments,
                                          kernel.block_sizes,
                                          kernel.can_fail,
                                          kernel.shared_bytes},
                                         code));
  }
  return loaded;
}

std::optional<plan::Loaded> find(const soac::Program& traced, const Options& options) {
  if (!options.fuse || !has_plans(options.engine)) return std::nullopt;
  const Files files = open_files();
  if (files.empty()) return std::nullopt;
  const base::Digest key =
      pipeline::key_in_bundles(traced, options.precision, options.checks, pipeline::policy_of(options));
  for (const auto& file : files)
    for (const File::StoredProgram& program : file->programs()) {
      if (program.key != key) continue;
      auto loaded = load(*file, program, options);
      if (!loaded) continue;
      runtime::counters.program_hits.add();
      loaded->sites = pipeline::sites_of(traced);
      return loaded;
    }
  return std::nullopt;
}

std::string targets_text(const File::StoredProgram& program) {
  if (program.targets.empty()) return "no device";
  return base::join(program.targets, ", ", [](const File::StoredTarget& target) {
    const engines::Row* row = engines::of_target(target.engine);
    return target.architecture.empty() && row != nullptr ? std::string(row->title) : target.architecture;
  });
}

}  // namespace fulgurite::bundles
