#include "engines/engines.h"

#include <fulgurite/error.h>

#include <fmt/format.h>

#include <algorithm>

#include "engines/emulator_device.h"
#include "runtime/cpu/device.h"
#include "runtime/cuda/device.h"
#include "runtime/mpi/device.h"
#include "runtime/opencl/device.h"

namespace fulgurite::engines {

namespace {

using bundled::TargetEngine;
using dlpack::DeviceType;
using runtime::Device;
using runtime::cuda::CudaDevice;
using runtime::opencl::OpenClDevice;

// In the order of the enumeration.
constexpr Row rows[] = {
    {.engine = Engine::cpu,
     .name = "cpu",
     .dialect = &emit::c,
     .device = [](int) -> Device& { return runtime::cpu::CpuDevice::shared(); },
     .runs_blocks = false,
     .target = TargetEngine::cpu},
    // It compiles nothing; explain() shows its programs with kernels of blocks on this machine.
    {.engine = Engine::interpreter,
     .name = "interpreter",
     .dialect = &emit::c,
     .device = [](int) -> Device& { return runtime::cpu::CpuDevice::shared(); },
     .interprets = true},
    {.engine = Engine::opencl,
     .name = "opencl",
     .title = "OpenCL",
     .dialect = &emit::opencl,
     .device = [](int number) -> Device& { return OpenClDevice::shared(number); },
     .one_device = false,
     .target = TargetEngine::opencl,
     .dlpack_type = DeviceType::opencl,
     .use_queue = [](void* queue) { OpenClDevice::use_queue(static_cast<runtime::opencl::Queue>(queue)); }},
    {.engine = Engine::cuda,
     .name = "cuda",
     .title = "CUDA",
     .dialect = &emit::cuda,
     .device = [](int number) -> Device& { return CudaDevice::shared(number); },
     .one_device = false,
     .explains_occupancy = true,
     .target = TargetEngine::cuda,
     .dlpack_type = DeviceType::cuda,
     .dlpack_number = [] { return CudaDevice::shared().number(); },
     .memory_is_address = true,
     .use_queue = [](void* queue) { CudaDevice::use_stream(static_cast<runtime::cuda::StreamId>(queue)); }},
    {.engine = Engine::emulator,
     .name = "emulator",
     .device = [](int) -> Device& { return EmulatorDevice::shared(); }},
    {.engine = Engine::mpi,
     .name = "mpi",
     .dialect = &emit::c,
     .device = [](int) -> Device& { return runtime::mpi::MpiDevice::shared(); },
     .runs_blocks = false},
};

const Row* find(const auto& holds) {
  const auto found = std::ranges::find_if(rows, holds);
  return found == std::end(rows) ? nullptr : found;
}

}  // namespace

std::span<const Row> all() {
  return rows;
}

const Row& row(Engine engine) {
  const Row* found = find([&](const Row& r) { return r.engine == engine; });
  if (found == nullptr) throw DeviceError("there is no such engine: use one of fulgurite::Engine");
  return *found;
}

const Row* named(std::string_view name) {
  return find([&](const Row& r) { return r.name == name; });
}

const Row* of_language(std::string_view dialect) {
  return find([&](const Row& r) { return r.dialect != nullptr && r.dialect->name == dialect; });
}

const Row* of_target(TargetEngine target) {
  return find([&](const Row& r) { return r.target == target; });
}

const Row* of_memory(DeviceType type) {
  return find([&](const Row& r) { return r.dlpack_type != DeviceType::cpu && r.dlpack_type == type; });
}

std::string names() {
  std::string text;
  for (const Row& r : rows) {
    const bool is_last = &r == std::end(rows) - 1;
    text += text.empty() ? "" : is_last ? " or " : ", ";
    text += r.name;
  }
  return text;
}

Device& device_of(Engine engine, int number) {
  const Row& of = row(engine);
  if (of.one_device && number > 0)
    throw DeviceError(
        fmt::format("there is no device {} of this engine, which has one: set Options::device to -1 or 0, or "
                    "the engine to opencl or cuda",
                    number));
  return of.device(number);
}
Device& device_of(const Options& options) {
  return device_of(options.engine, options.device);
}

}  // namespace fulgurite::engines
