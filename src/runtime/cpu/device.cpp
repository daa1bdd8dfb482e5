#include "runtime/cpu/device.h"

#include <fmt/format.h>
#include <fulgurite/error.h>

#include <cstring>

#include "base/debug.h"
#include "runtime/cpu/compiler.h"
#include "runtime/host.h"
#include "runtime/pool.h"
#include "runtime/stats.h"

namespace fulgurite::runtime::cpu {
namespace {

CompileOptions options_for(const std::string& cpu) {
  return {.cpu = cpu, .lines = base::debugs("gdb")};
}

// Compiles a kernel that was not found. A CompileError is about the compiler's file, never about the kernel.
std::string compile_unknown(const KernelSource& source, const CompileOptions& options,
                            const DiskCache& disk) {
  try {
    return compile(source.name, source.text, options);
  } catch (const CompileError& error) {
    const std::string cache = disk.path().empty() ? "which is off" : disk.path().string();
    throw CompileError(fmt::format(
        "kernel '{}' is not in the cache ({}), and {}, or set FULGURITE_CACHE to a folder in which "
        "a process that had the plug-in left the program's kernels",
        source.name, cache, error.message()));
  }
}

}  // namespace

CpuDevice::CpuDevice(std::string cpu, DiskCache& disk) : cpu_(std::move(cpu)), disk_(disk) {}

CpuDevice& CpuDevice::shared() {
  static CpuDevice& device = *new CpuDevice(wanted_cpu());  // never destroyed: programs may run at exit
  return device;
}

Description CpuDevice::describe() const {
  const Host& h = host();
  return {.engine = "cpu",
          .name = h.processor,
          .n_cores = h.n_cores,
          .memory = h.memory,
          .last_level_cache = last_level_cache(cpu_),
          .vector_bytes = vector_bytes(cpu_),
          .is_host = true,
          .adds_quarters = adds_quarters(cpu_),
          .architecture = cpu_ == "native" ? std::string(host_level()) : cpu_};
}

Memory CpuDevice::allocate(std::size_t bytes) {
  return {BufferPool::shared().allocate(bytes), bytes};
}

void CpuDevice::release(Memory memory) noexcept {
  BufferPool::shared().release(memory.data, memory.bytes);
}

void CpuDevice::upload(Memory to, const void* from, std::size_t bytes) {
  if (bytes != 0) std::memcpy(to.data, from, bytes);
  counters.bytes_copied.add(bytes);
}

void CpuDevice::download(void* to, Memory from, std::size_t bytes) {
  if (bytes != 0) std::memcpy(to, from.data, bytes);
  counters.bytes_copied.add(bytes);
}

void CpuDevice::copy(Memory to, Memory from, std::size_t bytes) {
  upload(to, from.data, bytes);
}

std::shared_ptr<const Kernel> CpuDevice::build(const KernelSource& source) {
  const std::string what = fmt::format("{}\n{} {}\n{}", compiler_identity(options_for(cpu_)), source.name,
                                       source.n_phases, source.text);
  const base::Digest key = base::digest(what);
  bool found = false;
  auto kernel = kernels_.get(key, [&] { return load_or_compile(source, key); }, &found);
  if (found) counters.memory_hits.add();
  return kernel;
}

std::shared_ptr<const Kernel> CpuDevice::load(const KernelSource& source, std::string_view code) {
  return std::make_shared<CpuKernel>(source, code);
}

std::shared_ptr<const Kernel> CpuDevice::load_or_compile(const KernelSource& source,
                                                         const base::Digest& key) {
  const auto find = [&]() -> std::shared_ptr<const Kernel> {
    const auto object = disk_.read(EntryKind::kernel, key);
    if (!object) return nullptr;
    counters.disk_hits.add();
    return std::make_shared<CpuKernel>(source, *object);
  };
  return disk_.find_or_make(key, find, [&]() -> std::shared_ptr<const Kernel> {
    counters.misses.add();
    counters.compilations.add();
    const std::string object = compile_unknown(source, options_for(cpu_), disk_);
    auto kernel = std::make_shared<CpuKernel>(source, object);
    disk_.write(EntryKind::kernel, key, object);
    return kernel;
  });
}

std::optional<Failure> CpuDevice::launch(const Kernel& kernel, const Launch& launch) {
  return cpu::launch(static_cast<const CpuKernel&>(kernel), launch);
}

}  // namespace fulgurite::runtime::cpu
