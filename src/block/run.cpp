// A recorded kernel on an engine: from arguments to the launch and its results.
#include <fmt/format.h>
#include <fulgurite/array.h>
#include <fulgurite/error.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/check.h"
#include "base/fork_gate.h"
#include "base/stack.h"
#include "block/block_kernel.h"
#include "block/explain.h"
#include "engines/engines.h"
#include "kernel/emulate.h"
#include "kernel/resources.h"
#include "plan/execute.h"
#include "scalar/type.h"
#include "scalar/value.h"

namespace fulgurite::detail::block {
namespace {

std::size_t size_of(detail::Kind kind) {
  return scalar::size_of(static_cast<scalar::Kind>(kind));
}

struct Arguments {
  std::vector<std::int64_t> extents;  // of the arrays, of a matrix two
  std::vector<std::size_t> elements;  // of the arrays
  std::vector<const void*> data;      // of each component of an argument; null for scalars
  std::vector<std::int64_t> scalars;  // of the kernel: the user's, extents, blocks
  std::int64_t n_blocks = 0;
  std::vector<std::vector<std::int64_t>> result_shapes;
};

std::size_t n_elements(std::span<const std::int64_t> extents) {
  std::size_t n = 1;
  for (std::int64_t extent : extents) n *= static_cast<std::size_t>(extent);
  return n;
}

Arguments arguments_of(const Kernel& k, std::span<const ArgumentView> views) {
  Arguments given;
  std::size_t next = 0;
  for (const Input& input : k.inputs) {
    for (std::size_t c = 0; c < input.components.size(); ++c) {
      const ArgumentView& view = views[next + c];
      given.data.push_back(input.is_scalar ? nullptr : view.on_host());
      if (input.is_scalar) given.scalars.push_back(static_cast<std::int64_t>(view.bits));
    }
    if (!input.is_scalar) {
      const std::span extents(views[next].extents, static_cast<std::size_t>(input.rank));
      given.extents.insert(given.extents.end(), extents.begin(), extents.end());
      given.elements.push_back(n_elements(extents));
    }
    next += input.components.size();
  }
  given.scalars.insert(given.scalars.end(), given.extents.begin(), given.extents.end());

  const std::unordered_map<scalar::Var, std::int64_t> values = k.by_name(given.scalars);
  const auto value = [&](scalar::Expr e) {
    return static_cast<std::int64_t>(
        scalar::value_of(e, [&](scalar::Var name) { return static_cast<scalar::Bits>(values.at(name)); }));
  };
  for (const Requirement& r : k.requirements) {
    if (value(r.condition) != 0) continue;
    std::vector<std::int64_t> quoted;
    for (scalar::Expr e : r.operands) quoted.push_back(value(e));
    plan::raise({plan::SiteText::Error::shape, r.where, r.message}, quoted);
  }
  given.n_blocks = value(k.n_blocks);
  given.scalars.push_back(given.n_blocks);
  for (const std::vector<scalar::Expr>& shape : k.shapes) {
    std::vector<std::int64_t>& extents = given.result_shapes.emplace_back();
    for (scalar::Expr extent : shape) extents.push_back(value(extent));
  }
  return given;
}

/// What the results contain before the launch: an updated argument's elements, else perhaps one value
/// everywhere.
struct Former {
  const void* data = nullptr;
  std::optional<std::uint64_t> each = {};
  bool exists() const { return data != nullptr || each; }
};
std::vector<Former> former_contents(const Kernel& k, const Arguments& given) {
  std::vector<std::size_t> first{0};
  for (const Input& input : k.inputs) first.push_back(first.back() + input.components.size());
  std::vector<Former> former;
  for (const Output& output : k.outputs)
    for (std::size_t c = 0; c < output.components.size(); ++c) {
      former.push_back({nullptr, output.initial});
      if (output.updates >= 0)
        former.back().data = given.data[first[static_cast<std::size_t>(output.updates)] + c];
    }
  return former;
}

std::vector<ResultValue> results_for(const Kernel& k, const Arguments& given) {
  const std::vector<Former> former = former_contents(k, given);
  std::vector<ResultValue> results;
  for (std::size_t r = 0; r < k.outputs.size(); ++r)
    for (detail::Kind kind : k.outputs[r].components) {
      const std::vector<std::int64_t>& shape = given.result_shapes[r];
      const std::size_t n = n_elements(shape);
      const Former before = former[results.size()];
      ResultValue& result = results.emplace_back();
      result.kind = static_cast<std::uint8_t>(kind);
      result.rank = static_cast<int>(shape.size());
      std::copy(shape.begin(), shape.end(), result.extents);
      const std::shared_ptr<void> memory = allocate_elements(n, size_of(kind));
      if (before.data != nullptr) std::memcpy(memory.get(), before.data, n * size_of(kind));
      for (std::size_t i = 0; i < n && before.each; ++i)  // of any kind: the low bytes
        std::memcpy(static_cast<std::byte*>(memory.get()) + i * size_of(kind), &*before.each, size_of(kind));
      result.data = memory;
    }
  return results;
}

// The buffers of the kernel, in its order.
struct HostBuffer {
  void* data;
  std::size_t bytes;
  bool is_result, has_contents;
  bool is_new() const { return is_result && !has_contents; }
  bool is_scratch() const { return !is_result && !has_contents; }
};
std::vector<HostBuffer> buffers_of(const Kernel& k, const Arguments& given,
                                   std::span<const ResultValue> results) {
  std::vector<HostBuffer> buffers;
  std::size_t next = 0, array = 0;
  for (const Input& input : k.inputs) {
    for (detail::Kind kind : input.components) {
      const void* data = given.data[next++];
      if (!input.is_scalar && !input.is_updated)
        buffers.push_back({const_cast<void*>(data), given.elements[array] * size_of(kind), false, true});
    }
    if (!input.is_scalar) ++array;
  }
  const std::vector<Former> former = former_contents(k, given);
  std::vector<bool> is_scratch;
  for (const Output& output : k.outputs)
    is_scratch.insert(is_scratch.end(), output.components.size(), output.is_scratch);
  for (std::size_t r = 0; r < results.size(); ++r)
    buffers.push_back({const_cast<void*>(results[r].data.get()),
                       n_elements({results[r].extents, static_cast<std::size_t>(results[r].rank)}) *
                           size_of(static_cast<detail::Kind>(results[r].kind)),
                       !is_scratch[r], former[r].exists()});
  return buffers;
}

[[noreturn]] void raise(const Kernel& k, const runtime::Failure& failure) {
  const soac::SiteInfo& site = k.sites.at(static_cast<std::size_t>(failure.site) - 1);
  const std::int64_t values[] = {failure.value, failure.bound};
  plan::raise(
      {static_cast<plan::SiteText::Error>(site.error), {site.where.file, site.where.line}, site.message},
      values, failure.position());
}

// Looks for what memory does not show, in copies of the arrays as they were before the launch.
class Expected {
 public:
  Expected(const Kernel& k, std::span<const HostBuffer> buffers) {
    if (!k.expecting) return;
    expecting_ = &*k.expecting;
    for (const HostBuffer& b : buffers) {
      if (b.is_scratch()) continue;
      std::span<std::byte> bytes(static_cast<std::byte*>(b.data), b.bytes);
      if (b.is_result) bytes = copies_.emplace_back(bytes.begin(), bytes.end());
      arguments_.push_back({bytes, b.has_contents});
    }
  }
  void require(std::span<const scalar::Bits> scalars, std::uint64_t seed) const {
    if (expecting_ == nullptr) return;
    constexpr std::size_t all = 1000;  // of other faults, too
    kernel::Emulation result = kernel::emulate(expecting_->ir, arguments_, scalars,
                                               {.seed = seed,
                                                .shared_limit = std::numeric_limits<std::int64_t>::max(),
                                                .most_findings = all,
                                                .expectations = &expecting_->expectations});
    std::erase_if(result.findings,
                  [](const kernel::Finding& f) { return f.fault != kernel::Fault::unexpected; });
    kernel::require_sound(expecting_->ir, result);
  }

 private:
  const Kernel::Expecting* expecting_ = nullptr;
  std::vector<std::vector<std::byte>> copies_;
  std::vector<kernel::BufferArgument> arguments_;
};

kernel::Emulation emulate(const Kernel& k, const Arguments& given, std::span<const HostBuffer> buffers,
                          const kernel::Runner& runner) {
  std::vector<kernel::BufferArgument> arguments;
  for (const HostBuffer& b : buffers)
    arguments.push_back({{static_cast<std::byte*>(b.data), b.bytes}, b.has_contents, b.is_new()});
  std::vector<scalar::Bits> scalars;
  for (std::int64_t bits : given.scalars) scalars.push_back(static_cast<scalar::Bits>(bits));
  const Expected expected(k, buffers);
  kernel::Emulation result = kernel::emulate(k.contracted, arguments, scalars,
                                             {.seed = runner.seed, .shared_limit = runner.shared_bytes});
  kernel::require_sound(k.contracted, result);
  expected.require(scalars, runner.seed);
  if (const auto& f = result.failure)
    raise(k, {static_cast<std::int32_t>(f->site), f->element, f->value, f->bound});
  return result;
}

// Memory of a device, given back at the end.
class Held {
 public:
  Held(runtime::Device& device, std::size_t bytes) : device_(device), memory_(device.allocate(bytes)) {}
  ~Held() { device_.release(memory_); }
  Held(const Held&) = delete;
  const runtime::Memory& memory() const { return memory_; }

 private:
  runtime::Device& device_;
  runtime::Memory memory_;
};

runtime::KernelSource source_of(const Kernel& k, const engines::Row& engine) {
  kernel::Interface interface = kernel::interface_of(k.contracted);
  constexpr std::int64_t most_lanes = 16;  // of 32 bits
  if (!engine.runs_blocks)
    interface.shared_bytes = {static_cast<std::int32_t>(kernel::local_bytes(k.contracted, most_lanes))};
  return {.name = k.ir.name,
          .text = text_for(k, engine),
          .arguments = std::move(interface.arguments),
          .block_sizes = std::move(interface.block_sizes),
          .can_fail = interface.can_fail,
          .shared_bytes = std::move(interface.shared_bytes)};
}

void launch(const Kernel& k, const engines::Row& engine, const Arguments& given,
            std::span<const HostBuffer> buffers) {
  runtime::Device& device = engine.device(-1);
  const auto built = k.built(device, engine);
  const bool is_host = device.describe().is_host;
  std::vector<std::unique_ptr<Held>> held;
  std::vector<void*> data;
  for (const HostBuffer& b : buffers) {
    if (is_host) {
      data.push_back(b.data);
      continue;
    }
    held.push_back(std::make_unique<Held>(device, b.bytes));
    if (b.has_contents) device.upload(held.back()->memory(), b.data, b.bytes);
    data.push_back(held.back()->memory().data);
  }
  const auto at_once = device.launch(*built, {data, given.scalars, {&given.n_blocks, 1}});
  const auto later = device.wait();
  if (at_once) raise(k, *at_once);
  if (later) raise(k, *later);
  if (is_host) return;
  for (std::size_t i = 0; i < buffers.size(); ++i)
    if (buffers[i].is_result) device.download(buffers[i].data, held[i]->memory(), buffers[i].bytes);
}

}  // namespace

std::shared_ptr<const runtime::Kernel> Kernel::built(runtime::Device& device,
                                                     const engines::Row& engine) const {
  const auto find = [&] {
    const auto same = [&](const auto& known) { return known.first == &device; };
    const auto found = std::find_if(built_.begin(), built_.end(), same);
    return found == built_.end() ? nullptr : found->second;
  };
  {
    const std::lock_guard lock(mutex_);
    if (auto known = find()) return known;
  }
  const base::CompilingSection section;
  const std::lock_guard lock(mutex_);
  if (auto known = find()) return known;
  auto kernel = base::with_stack(base::deep_stack, [&] { return device.build(source_of(*this, engine)); });
  return built_.emplace_back(&device, std::move(kernel)).second;
}

std::vector<ResultValue> run(const Kernel& k, kernel::Runner runner, std::span<const ArgumentView> views) {
  const Arguments given = arguments_of(k, views);
  std::vector<ResultValue> results = results_for(k, given);
  const std::vector<HostBuffer> buffers = buffers_of(k, given, results);
  const engines::Row* engine = engines::named(runner.engine);
  FULGURITE_CHECK(engine != nullptr, "no engine '{}'", runner.engine);
  if (engine->engine == Engine::emulator)
    emulate(k, given, buffers, runner);
  else if (given.n_blocks != 0)
    launch(k, *engine, given, buffers);
  return results;
}

kernel::Traffic traffic(const Kernel& k, std::span<const ArgumentView> views) {
  const Arguments given = arguments_of(k, views);
  if (given.n_blocks == 0) return {};
  const std::vector<ResultValue> results = results_for(k, given);
  return fulgurite::block::traffic_of(k.contracted,
                                      emulate(k, given, buffers_of(k, given, results), emulator()).counts);
}

}  // namespace fulgurite::detail::block
