// A recorded kernel as text, and on an engine: from arguments to the launch and its results.
#include <fmt/format.h>
#include <fulgurite/array.h>
#include <fulgurite/error.h>

#include "block/block_kernel.h"
#include "block/network.h"
#include "emit/dialect.h"
#include "emit/printer.h"
#include "kernel/check.h"
#include "kernel/emulate.h"
#include "kernel/print.h"
#include "runtime/cpu/device.h"
#include "scalar/type.h"
#include "tidy/dead.h"
#include "tidy/strips.h"
#include "tidy/vectorise.h"
#include "tidy/windows.h"

namespace fulgurite::detail::block {
namespace {

using kernel::Stage;

std::string text_for_cpu(const Kernel& k) {
  const runtime::Description device = runtime::cpu::CpuDevice::shared().describe();
  kernel::Kernel lanes = tidy::vectorise(tidy::strips(k.ir, device.vector_bytes));
  lanes = tidy::share_windows(tidy::remove_dead(std::move(lanes)));
  kernel::check(lanes, Stage::vectors, "vectorise");
  return emit::print(lanes, emit::c);
}

struct Arguments {
  std::vector<std::int64_t> extents;
  std::vector<std::int64_t> scalars;  // of the kernel: the user's, extents, blocks
  std::vector<const void*> inputs;
  std::int64_t n_blocks = -1;
};

Arguments arguments_of(const Kernel& k, std::span<const ArgumentView> views, Here where) {
  Arguments given;
  std::size_t next = 0;
  int number = 0;
  for (const Input& input : k.inputs) {
    ++number;
    const ArgumentView& first = views[next];
    for (std::size_t c = 0; c < input.components.size(); ++c) {
      if (input.is_scalar)
        given.scalars.push_back(static_cast<std::int64_t>(views[next + c].bits));
      else
        given.inputs.push_back(views[next + c].data);
    }
    next += input.components.size();
    if (input.is_scalar) continue;
    const std::int64_t extent = first.extents[0];
    given.extents.push_back(extent);
    if (input.block == 0) continue;
    if (input.fill.empty() && extent % input.block != 0)
      throw ShapeError(
          fmt::format("argument {} of kernel '{}' has {} elements, which are no blocks of {}: give block() "
                      "a value that stands behind the end",
                      number, k.ir.name, extent, input.block),
          where);
    const std::int64_t blocks = (extent + input.block - 1) / input.block;
    if (given.n_blocks >= 0 && blocks != given.n_blocks)
      throw ShapeError(fmt::format("argument {} of kernel '{}' has {} blocks, those before it {}", number,
                                   k.ir.name, blocks, given.n_blocks),
                       where);
    given.n_blocks = blocks;
  }
  given.scalars.insert(given.scalars.end(), given.extents.begin(), given.extents.end());
  given.scalars.push_back(given.n_blocks);
  return given;
}

// Results as large as a block that may be short end where its array does.
std::int64_t extent_of(const Kernel& k, const Output& output, const Arguments& given) {
  std::size_t array = 0;
  for (const Input& input : k.inputs) {
    if (input.is_scalar) continue;
    if (!input.fill.empty() && input.block == output.block) return given.extents[array];
    ++array;
  }
  return given.n_blocks * output.block;
}

std::vector<ResultValue> results_for(const Kernel& k, const Arguments& given) {
  std::vector<ResultValue> results;
  for (const Output& output : k.outputs) {
    const std::int64_t extent = extent_of(k, output, given);
    for (detail::Kind kind : output.components) {
      ResultValue& result = results.emplace_back();
      result.kind = static_cast<std::uint8_t>(kind);
      result.rank = 1;
      result.extents[0] = extent;
      result.data = allocate_elements(static_cast<std::size_t>(extent),
                                      scalar::size_of(static_cast<scalar::Kind>(kind)));
    }
  }
  return results;
}

void run_on_cpu(const Kernel& k, const Arguments& given, std::span<const ResultValue> results) {
  runtime::cpu::CpuDevice& device = runtime::cpu::CpuDevice::shared();
  const auto built = device.build({k.ir.name, text_for_cpu(k)});
  std::vector<void*> buffers;
  for (const void* input : given.inputs) buffers.push_back(const_cast<void*>(input));
  for (const ResultValue& result : results) buffers.push_back(const_cast<void*>(result.data.get()));
  device.launch(*built, {buffers, given.scalars, {&given.n_blocks, 1}});
}

// Throws the first fault that the emulator finds, and what the kernel itself reports.
kernel::Emulation emulated(const Kernel& k, const Arguments& given, std::span<const ResultValue> results,
                           std::uint64_t seed) {
  std::vector<kernel::BufferArgument> buffers;
  std::size_t next = 0, array = 0;
  for (const Input& input : k.inputs) {
    if (input.is_scalar) continue;
    for (detail::Kind kind : input.components) {
      const auto bytes =
          static_cast<std::size_t>(given.extents[array]) * scalar::size_of(static_cast<scalar::Kind>(kind));
      buffers.push_back({{static_cast<std::byte*>(const_cast<void*>(given.inputs[next++])), bytes}, true});
    }
    ++array;
  }
  for (const ResultValue& result : results) {
    const auto bytes =
        static_cast<std::size_t>(result.extents[0]) * scalar::size_of(static_cast<scalar::Kind>(result.kind));
    buffers.push_back({{static_cast<std::byte*>(const_cast<void*>(result.data.get())), bytes}, false});
  }
  std::vector<scalar::Bits> scalars;
  for (std::int64_t bits : given.scalars) scalars.push_back(static_cast<scalar::Bits>(bits));
  kernel::Emulation result = kernel::emulate(k.ir, buffers, scalars, {.seed = seed});
  if (!result.findings.empty()) {
    const kernel::Finding& first = result.findings.front();
    const kernel::Location where = first.act.line == 0 ? kernel::Location() : k.ir.lines[first.act.line - 1];
    throw KernelError(kernel::message(k.ir, first), {where.file, where.line});
  }
  return result;
}

}  // namespace

std::string text(const Kernel& k, const char* language) {
  const std::string_view wanted = language;
  if (wanted == "ir") return kernel::print(k.ir);
  return text_for_cpu(k);
}

std::string drawing(const Kernel& k) {
  return fulgurite::block::draw(fulgurite::block::network_of(k.ir), k.ir.name);
}
int depth(const Kernel& k) {
  return fulgurite::block::network_of(k.ir).depth;
}

std::vector<ResultValue> run(const Kernel& k, kernel::Runner runner, std::span<const ArgumentView> views,
                             Here where) {
  const Arguments given = arguments_of(k, views, where);
  std::vector<ResultValue> results = results_for(k, given);
  if (given.n_blocks == 0) return results;
  if (std::string_view(runner.engine) == "emulator")
    emulated(k, given, results, runner.seed);
  else
    run_on_cpu(k, given, results);
  return results;
}

kernel::Traffic traffic(const Kernel& k, std::span<const ArgumentView> views, Here where) {
  const Arguments given = arguments_of(k, views, where);
  if (given.n_blocks == 0) return {};
  const kernel::PhaseCounts c = emulated(k, given, results_for(k, given), 0).counts.total;
  return {c.global_read + c.global_written,
          c.least_read + c.least_written,
          c.transactions,
          c.least_transactions,
          c.bank_conflicts,
          c.idle_lanes,
          c.lane_slots,
          c.block_barriers,
          c.warp_barriers,
          c.shared_bytes};
}

}  // namespace fulgurite::detail::block
