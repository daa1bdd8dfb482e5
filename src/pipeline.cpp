#include "pipeline.h"

#include "dump_labels.h"
#include "keys.h"
#include "open_bundles.h"

#include <fmt/format.h>

#include <unordered_map>

#include "base/debug.h"
#include "base/dump.h"
#include "base/fork_gate.h"
#include "base/hash.h"
#include "base/match.h"
#include "base/stack.h"
#include "distribute/footprints.h"
#include "distribute/inspect.h"
#include "distribute/unchain.h"
#include "emit/dialect.h"
#include "emit/printer.h"
#include "engines/engines.h"
#include "fuse/fuse.h"
#include "kernel/check.h"
#include "kernel/print.h"
#include "kernel/resources.h"
#include "plan/read_params.h"
#include "plan/text.h"
#include "runtime/build_all.h"
#include "runtime/build_id.h"
#include "runtime/disk_cache.h"
#include "runtime/host.h"
#include "runtime/join_map.h"
#include "runtime/profile.h"
#include "runtime/stats.h"
#include "schedule/nest.h"
#include "schedule/print.h"
#include "simplify/simplify.h"
#include "soac/check.h"
#include "soac/print.h"
#include "soac/room.h"
#include "tidy/passes.h"

namespace fulgurite::pipeline {

using base::dump, base::dumps;

namespace {

// Decisions that differ from lowering's.
struct Intervention {
  lower::EditSchedule edit = {};
  schedule::KeepsRewrite keeps = {};
};

// Measures a stage for FULGURITE_DUMP=time and for a profile.
class Timed {
 public:
  explicit Timed(std::string_view label) : span_(runtime::Activity::pass, label), timed_(label) {}

 private:
  const runtime::Span span_;
  const base::Timed timed_;
};

bool runs_blocks(const Options& options) {
  return engines::row(options.engine).runs_blocks;
}

lower::Options lowering_options(const Options& options, const schedule::Policy& policy,
                                const runtime::Description& device) {
  lower::Options lowering;
  lowering.lanes = policy.lanes;
  lowering.blocks = policy.blocks;
  lowering.target = {device.vector_bytes,
                     static_cast<std::int64_t>(device.last_level_cache),
                     static_cast<std::int64_t>(device.shared_memory),
                     device.tells_occupancy,
                     device.adds_quarters,
                     device.has_shuffles};
  lowering.schedule = runs_blocks(options) ? lower::Schedule::blocks : lower::Schedule::lanes;
  lowering.checks = options.checks == Checks::on;
  lowering.blocks_wait = device.blocks_wait;
  lowering.is_shared_by_ranks = device.n_ranks > 1;
  return lowering;
}

base::Digest key_of(const soac::Program& traced, const Options& options, const schedule::Policy& policy) {
  const runtime::Description device = engines::device_of(options).describe();
  lower::Options lowering = lowering_options(options, policy, device);
  std::string text = fmt::format(
      "{} {}\n{} {} {} {} {} {} {} {} {} {} {} {} {}\n{}\n{} {}", version, runtime::build_id(),
      runtime::host().identity, static_cast<int>(options.engine), static_cast<int>(options.precision),
      lowering.checks, options.fuse, lowering.blocks_wait, lowering.target.vector_bytes,
      lowering.target.last_level_cache, lowering.target.shared_memory, lowering.target.tells_occupancy,
      lowering.target.adds_quarters, lowering.target.has_shuffles, lowering.is_shared_by_ranks,
      schedule::changes(policy), traced.sites.size(), soac::canonical(traced));
  return base::digest(text);
}

tidy::Route route_of(const lower::LaunchNote& note, const Options& options) {
  if (runs_blocks(options)) return note.launch ? tidy::Route::blocks : tidy::Route::user_on_gpu;
  return note.launch ? tidy::Route::lanes : tidy::Route::user_on_cpu;
}

kernel::PassOptions pass_options(const lower::LaunchNote& note, const runtime::Description& device) {
  kernel::PassOptions options{.vector_bytes = device.vector_bytes};
  if (!note.launch) return options;
  const schedule::Vectors vectors = schedule::vectors_of(*note.launch);
  options.transposed_lanes = vectors.lanes;
  options.ahead = vectors.ahead;
  return options;
}

void describe_blocks(const kernel::Kernel& kernel, plan::KernelText& text) {
  kernel::Interface interface = kernel::interface_of(kernel);
  text.arguments = std::move(interface.arguments);
  text.block_sizes = std::move(interface.block_sizes);
  text.can_fail = interface.can_fail;
  text.shared_bytes = std::move(interface.shared_bytes);
}

// For a debugger, lines of kernels for the CPU say which of the user's they are of.
bool has_user_lines(const Options& options) {
  return engines::row(options.engine).dialect == &emit::c && base::debugs("gdb");
}

// Its phases begin with the line, until a statement is of another one.
kernel::Kernel with_line(kernel::Kernel kernel, const soac::Location& where) {
  if (where.line == 0) return kernel;
  kernel.lines.push_back({where.file, where.line});
  for (kernel::Stm& phase : kernel.body) {
    auto* par = base::as<kernel::Par>(phase.op);
    if (par == nullptr || par->body.empty() || par->body.front().line != 0) continue;
    par->body.front().line = static_cast<std::uint32_t>(kernel.lines.size());
  }
  return kernel;
}

std::string source_of(const kernel::Kernel& kernel, const soac::Location& where, const Options& options) {
  const emit::Dialect* dialect = engines::row(options.engine).dialect;
  if (dialect == nullptr) return kernel::print(kernel);
  if (!has_user_lines(options)) return emit::print(kernel, *dialect);
  emit::Dialect with_lines = *dialect;
  with_lines.user_line = "#line {0} \"{1}\"";
  return emit::print(with_line(kernel, where), with_lines);
}

// Any thread's stack has room for a kernel on the CPU whose arrays take no more.
constexpr std::int64_t small_locals = std::int64_t{16} << 10;

// What its tasks touch is found out, and none waits for another where that can be.
void distribute_kernel(kernel::Kernel& kernel, plan::KernelText& text) {
  const Timed timed("distribute");
  distribute::Distributed distributed = distribute::inspect(distribute::unchain(std::move(kernel)));
  kernel::check(distributed.kernel, kernel::Stage::threads, "distribute");
  if (dumps("distribute")) dump("distribute", kernel::print(distributed.kernel));
  text.n_phases = static_cast<std::int32_t>(distributed.kernel.body.size());
  text.footprints = distribute::footprints_of(distributed).words();
  kernel = std::move(distributed.kernel);
}

void emit_kernel(lower::Lowered& lowered, std::size_t k, const Options& options,
                 const runtime::Description& device, kernel::PassContext& context) {
  kernel::Kernel& kernel = lowered.kernels[k];
  if (device.n_ranks > 1) distribute_kernel(kernel, lowered.plan.kernels[k]);
  {
    Timed timed("tidy");
    const lower::LaunchNote& note = lowered.notes[k];
    kernel::check(kernel, kernel::Stage::threads, "lower");
    kernel = tidy::run(route_of(note, options), std::move(kernel), pass_options(note, device), context);
  }
  Timed timed("emit");
  if (runs_blocks(options))
    describe_blocks(kernel, lowered.plan.kernels[k]);
  else if (const std::int64_t bytes = kernel::local_bytes(kernel); bytes > small_locals)
    lowered.plan.kernels[k].shared_bytes = {static_cast<std::int32_t>(bytes)};
  lowered.plan.kernels[k].source = source_of(kernel, lowered.notes[k].where, options);
}

// Finishes a kernel that equals an earlier one, but for the lines that it comes from: takes the earlier text.
void repeat_kernel(lower::Lowered& lowered, std::size_t earlier, std::size_t k) {
  std::vector<kernel::Location> lines = std::move(lowered.kernels[k].lines);
  lowered.kernels[k] = lowered.kernels[earlier];
  lowered.kernels[k].lines = std::move(lines);
  const plan::KernelText& known = lowered.plan.kernels[earlier];
  plan::KernelText& text = lowered.plan.kernels[k];
  text.source = known.source;
  text.arguments = known.arguments;
  text.block_sizes = known.block_sizes;
  text.can_fail = known.can_fail;
  text.shared_bytes = known.shared_bytes;
  text.n_phases = known.n_phases;
  text.footprints = known.footprints;
}

// Optimised program to plan and kernels with their texts.
lower::Lowered emit_kernels(const soac::Program& optimised, const Options& options,
                            const schedule::Policy& policy, const runtime::Description& device,
                            kernel::PassContext& context, const Intervention& change) {
  lower::Lowered lowered;
  {
    Timed timed("lower");
    lower::Options lowering = lowering_options(options, policy, device);
    lowering.edit_schedule = change.edit;
    lowering.keeps_rewrite = change.keeps;
    lowered = lower::lower(optimised, lowering);
  }
  for (const lower::LaunchNote& note : lowered.notes)
    if (note.launch && dumps("schedule")) dump("schedule", schedule::print(*optimised.arena, *note.launch));
  // A program of many operations often has equal kernels.
  std::unordered_map<std::string, std::size_t> first_with_text;
  for (std::size_t k = 0; k < lowered.kernels.size(); ++k) {
    const std::string text = kernel::print(lowered.kernels[k]);
    if (dumps("lower")) dump("lower", text);
    const auto [first, is_new] = first_with_text.emplace(text, k);
    const auto tidied_alike = [](const lower::LaunchNote& a, const lower::LaunchNote& b) {
      const auto vectors = [](const lower::LaunchNote& note) {
        return note.launch ? schedule::vectors_of(*note.launch) : schedule::Vectors();
      };
      return !a.launch == !b.launch && vectors(a) == vectors(b);
    };
    const bool is_known = !is_new && tidied_alike(lowered.notes[first->second], lowered.notes[k]);
    if (is_known)
      repeat_kernel(lowered, first->second, k);
    else
      emit_kernel(lowered, k, options, device, context);
    if (dumps("kernel")) dump("kernel", kernel::print(lowered.kernels[k]));
    if (dumps("source")) dump("source", lowered.plan.kernels[k].source);
  }
  return lowered;
}

void set_thresholds(soac::PassContext& context, const Options& options, const schedule::Policy& policy,
                    const runtime::Description& device) {
  if (runs_blocks(options)) {
    context.least_part = policy.blocks.block_in_place_part;
    context.least_whole = policy.blocks.block_in_place_whole;
  } else {
    const bool is_shared = device.n_ranks > 1;
    context.least_part = is_shared ? policy.lanes.in_place_part_of_ranks : policy.lanes.in_place_part;
    context.least_whole = policy.lanes.in_place_whole;
  }
}

Report compile_here(const soac::Program& traced, const Options& options, const schedule::Policy& policy,
                    const runtime::Description& device, const Intervention& change = {}) {
  Report report;
  report.policy = policy;
  report.traced = traced;
  soac::PassContext context;
  if (!options.fuse) context.gas = 0;
  set_thresholds(context, options, policy, device);
  report.optimised = optimise(soac::with_room_sites(traced), context, options.precision);
  report.events = std::move(context.log);
  for (soac::Event& event : report.events)
    if (!options.fuse && event.kind == soac::Event::Kind::kept) event.reason = "fusion is off";
  kernel::PassContext unlimited;
  report.lowered = emit_kernels(report.optimised, options, policy, device, unlimited, change);
  if (dumps("plan")) dump("plan", plan::print(report.lowered.plan, false));
  return report;
}

// "rmse, program.cpp:12"
std::string label_of(const plan::Loaded& loaded, const plan::KernelText& kernel) {
  const Where where = plan::where_of(loaded, kernel);
  if (where.line == 0) return loaded.plan.name;
  const std::size_t folder = where.file.rfind('/');
  const std::string file = folder == where.file.npos ? where.file : where.file.substr(folder + 1);
  return fmt::format("{}, {}:{}", loaded.plan.name, file, where.line);
}

// A cached program's kernels are cached too; loading them is cheaper than starting threads, so one is used.
plan::Loaded build_kernels(plan::Plan plan, bool is_new, std::vector<plan::SiteText> sites,
                           const Options& options, runtime::Device& device) {
  plan::find_read_params(plan);
  const runtime::Description described = device.describe();
  plan::Loaded loaded = plan::without_kernels(std::move(plan), device, described);
  if (described.n_ranks > 1) loaded.identity = base::digest(plan::print(loaded.plan, true)).hex();
  loaded.sites = std::move(sites);
  std::vector<runtime::KernelSource> sources;
  for (const plan::KernelText& kernel : loaded.plan.kernels)
    sources.push_back({kernel.name, kernel.source, kernel.n_phases, kernel.arguments, kernel.block_sizes,
                       kernel.can_fail, kernel.shared_bytes, kernel.footprints, label_of(loaded, kernel)});
  Timed timed("build");
  const int n_cores = runtime::host().n_cores;
  if (options.background)
    loaded.later = std::make_unique<const runtime::BackgroundBuild>(*loaded.device, std::move(sources),
                                                                    is_new ? n_cores : 0);
  else
    loaded.kernels = runtime::build_all(*loaded.device, sources, is_new ? n_cores : 1);
  return loaded;
}

// Programs that this process has compiled or found, by key_of().
runtime::JoinMap<std::string, std::shared_ptr<const plan::Plan>>& programs() {
  static auto* map = new runtime::JoinMap<std::string, std::shared_ptr<const plan::Plan>>;
  return *map;
}

struct FoundPlan {
  std::shared_ptr<const plan::Plan> plan;
  bool is_new;
};
FoundPlan find_or_compile(const soac::Program& traced, const Options& options) {
  check_dump_labels(passes(Precision::fast));
  base::check_debug_words();
  const schedule::Policy policy = policy_of(options);
  const auto compiled = [&] {
    return compile_here(traced, options, policy, engines::device_of(options).describe()).lowered.plan;
  };
  // What is printed, or tells of lines, is made anew, whatever the caches have.
  if (base::dumps_anything() || has_user_lines(options))
    return {std::make_shared<const plan::Plan>(compiled()), true};
  base::Digest key = key_of(traced, options, policy);
  bool found = false, is_new = false;
  auto make = [&]() -> std::shared_ptr<const plan::Plan> {
    runtime::DiskCache& disk = runtime::DiskCache::shared();
    if (auto text = disk.read(runtime::EntryKind::program, key)) {
      runtime::counters.program_hits.add();
      return std::make_shared<plan::Plan>(plan::parse(*text));
    }
    is_new = true;
    plan::Plan plan = compiled();
    disk.write(runtime::EntryKind::program, key, plan::print(plan, true));
    return std::make_shared<plan::Plan>(std::move(plan));
  };
  auto plan = programs().get(key.hex(), make, &found);
  if (found) runtime::counters.program_hits.add();
  return {plan, is_new};
}

}  // namespace

std::span<const soac::Pass* const> passes(Precision precision) {
  using namespace simplify;
  static constexpr const soac::Pass* fast[] = {&contract,
                                               &simplify::simplify,
                                               &hoist,
                                               &selection,
                                               &unordered,
                                               &fuse::fuse,
                                               &fuse::in_place,
                                               &fuse::merge,
                                               &simplify::simplify,
                                               &fields,
                                               &fuse::across,
                                               &few_folds,
                                               &fma_sum,
                                               &flattened,
                                               &small_arrays,
                                               &former_elements,
                                               &fuse::updates_together,
                                               &largest_sizes};
  static const std::vector<const soac::Pass*> strict = [] {
    std::vector<const soac::Pass*> all(std::begin(fast), std::end(fast));
    std::erase(all, &simplify::contract);
    std::erase(all, &simplify::fma_sum);
    return all;
  }();
  return precision == Precision::fast ? std::span<const soac::Pass* const>(fast) : strict;
}

namespace {

soac::Program run(const soac::Pass& pass, soac::Program program, soac::PassContext& context) {
  const Timed timed(pass.name);
  const bool wanted = dumps(pass.name);
  const std::string before = wanted ? soac::print(program) : std::string();
  program = pass.run(std::move(program), context);
  soac::check(program, pass.name);
  if (wanted) base::dump_change(pass.name, before, soac::print(program));
  return program;
}

}  // namespace

soac::Program optimise(soac::Program program, soac::PassContext& context, Precision precision) {
  if (dumps("traced")) dump("traced", soac::print(program));
  for (const soac::Pass* pass : passes(precision)) program = run(*pass, std::move(program), context);
  return program;
}

soac::Program specification(soac::Program traced, Precision precision) {
  if (precision == Precision::strict) return traced;
  soac::PassContext context;
  return run(simplify::contract, std::move(traced), context);
}

Report compile(const soac::Program& traced, const Options& options) {
  return compile(traced, options, engines::device_of(options).describe());
}

Report compile(const soac::Program& traced, const Options& options, const runtime::Description& device) {
  return compile(traced, options, device, {});
}

Report compile(const soac::Program& traced, const Options& options, const runtime::Description& device,
               const lower::EditSchedule& edit) {
  check_dump_labels(passes(Precision::fast));
  const schedule::Policy policy = policy_of(options);
  return base::with_stack(base::deep_stack,
                          [&] { return compile_here(traced, options, policy, device, {edit, {}}); });
}

plan::Loaded load(const soac::Program& traced, const Options& options) {
  const base::CompilingSection section;
  return base::with_stack(base::deep_stack, [&] {
    if (auto from_bundle = bundles::find(traced, options)) {
      from_bundle->is_bundled = true;
      return std::move(*from_bundle);
    }
    const FoundPlan found = find_or_compile(traced, options);
    plan::Plan plan = *found.plan;
    plan.name = traced.name;  // others that are equal may have been compiled first
    return build_kernels(std::move(plan), found.is_new, sites_of(traced), options,
                         engines::device_of(options));
  });
}

plan::Loaded load(const soac::Program& traced, const Options& options, const runtime::Description& machine,
                  runtime::Device& device) {
  const base::CompilingSection section;
  return base::with_stack(base::deep_stack, [&] {
    plan::Plan plan = compile_here(traced, options, policy_of(options), machine).lowered.plan;
    return build_kernels(std::move(plan), true, sites_of(traced), options, device);
  });
}

namespace {

plan::Loaded load_anew(const soac::Program& program, const Options& given, kernel::PassContext& context,
                       const Intervention& change) {
  const base::CompilingSection section;
  // Before lowering adds statements: the plan's sites are the program's.
  const soac::Program optimised = soac::with_room_sites(program);
  Options options = given;
  options.background = false;
  return base::with_stack(base::deep_stack, [&] {
    runtime::Device& device = engines::device_of(options);
    plan::Plan plan =
        emit_kernels(optimised, options, policy_of(options), device.describe(), context, change).plan;
    return build_kernels(std::move(plan), true, sites_of(optimised), options, device);
  });
}

}  // namespace

plan::Loaded load_optimised(const soac::Program& optimised, const Options& options) {
  kernel::PassContext unlimited;
  return load_optimised(optimised, options, unlimited);
}

plan::Loaded load_optimised(const soac::Program& optimised, const Options& options,
                            kernel::PassContext& context) {
  return load_anew(optimised, options, context, {});
}

plan::Loaded load_rewritten(const soac::Program& optimised, const Options& options,
                            const schedule::KeepsRewrite& keeps) {
  kernel::PassContext unlimited;
  return load_anew(optimised, options, unlimited, {{}, keeps});
}

plan::Loaded load_edited(const soac::Program& optimised, const Options& options,
                         const lower::EditSchedule& edit) {
  kernel::PassContext unlimited;
  return load_anew(optimised, options, unlimited, {edit, {}});
}

}  // namespace fulgurite::pipeline
