#include "tool/inventory.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fulgurite/error.h>

#include <algorithm>
#include <chrono>

#include "runtime/cpu/device.h"
#include "runtime/cuda/catalogue.h"
#include "runtime/cuda/nvrtc.h"
#include "runtime/disk_cache.h"
#include "runtime/opencl/api.h"
#include "runtime/opencl/catalogue.h"
#include "tool/run.h"

namespace fulgurite::tool {
namespace {

std::string size_text(double bytes) {
  constexpr const char* units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  for (; bytes >= 1024 && unit + 1 < std::size(units); ++unit) bytes /= 1024;
  return unit == 0 ? fmt::format("{} bytes", bytes) : fmt::format("{:.1f} {}", bytes, units[unit]);
}
std::string size_text(std::size_t bytes) {
  return size_text(static_cast<double>(bytes));
}

std::string time_text(std::filesystem::file_time_type time) {
  const auto system = std::chrono::file_clock::to_sys(time);
  return fmt::format("{:%Y-%m-%d %H:%M}",
                     fmt::localtime(std::chrono::system_clock::to_time_t(
                         std::chrono::time_point_cast<std::chrono::system_clock::duration>(system))));
}

// Numbered as FULGURITE_OPENCL_DEVICE counts.
void list_opencl_devices() {
  try {
    int number = 0;
    for (const runtime::opencl::DeviceEntry& device : runtime::opencl::list_devices(runtime::opencl::api())) {
      fmt::print("opencl {:<5} {}\n", number++, device.name);
      fmt::print("             {} compute units, {} memory, at most {} in one array; {}, driver {}\n",
                 device.n_compute_units, size_text(device.memory), size_text(device.largest_buffer),
                 device.platform, device.driver);
    }
  } catch (const DeviceError& error) {
    fmt::print("opencl       none: {}\n", error.message());
  }
}

std::string cuda_version(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

// What NVRTC is there for a driver.
std::string nvrtc_text(int driver_version) {
  try {
    return "NVRTC " + cuda_version(runtime::cuda::nvrtc(driver_version).version());
  } catch (const DeviceError& error) {
    return error.message();
  }
}

// Numbered as FULGURITE_CUDA_DEVICE counts.
void list_cuda_devices() {
  try {
    int number = 0;
    for (const runtime::cuda::DeviceEntry& device : runtime::cuda::list_devices(runtime::cuda::driver())) {
      fmt::print("cuda {:<7} {}\n", number++, device.name);
      fmt::print(
          "             {} multiprocessors, {} memory, compute capability {}.{}; driver for CUDA {}, {}\n",
          device.n_multiprocessors, size_text(device.memory), device.capability / 10, device.capability % 10,
          cuda_version(device.driver_version), nvrtc_text(device.driver_version));
    }
  } catch (const DeviceError& error) {
    fmt::print("cuda         none: {}\n", error.message());
  }
}

}  // namespace

void list_programs(const std::vector<detail::ToolProgram>& programs) {
  for (const detail::ToolProgram& program : programs) fmt::print("{}\n", signature(program));
}

void list_devices() {
  const runtime::Description cpu = runtime::cpu::CpuDevice::shared().describe();
  fmt::print("{}          {}\n", cpu.engine, cpu.name);
  fmt::print("             {} cores, vectors of {} bits, {} last-level cache, {} memory\n", cpu.n_cores,
             cpu.vector_bytes * 8, size_text(cpu.last_level_cache), size_text(cpu.memory));
  list_opencl_devices();
  list_cuda_devices();
  fmt::print("interpreter  the reference: slow, one core\n");
}

void show_cache(CacheAction action) {
  runtime::DiskCache& cache = runtime::DiskCache::shared();
  if (cache.path().empty()) {
    fmt::print("no cache on disk (FULGURITE_CACHE is set to nothing)\n");
    return;
  }
  if (action == CacheAction::clear) {
    fmt::print("{}: {} files removed\n", cache.path().string(), cache.clear());
    return;
  }
  if (action == CacheAction::verify) {
    const runtime::DiskCache::Verdict verdict = cache.verify();
    fmt::print("{}: {} entries, {} damaged and removed\n", cache.path().string(), verdict.n_entries,
               verdict.n_damaged);
    return;
  }
  std::vector<runtime::DiskCache::Entry> entries = cache.list();
  if (action == CacheAction::list) {
    std::sort(entries.begin(), entries.end(),
              [](const auto& a, const auto& b) { return a.last_use > b.last_use; });
    for (const auto& entry : entries)
      fmt::print("{}  {}  {:>12}  {}\n", entry.kind == runtime::EntryKind::program ? "program" : "kernel ",
                 entry.key, size_text(entry.bytes), time_text(entry.last_use));
  }
  const auto programs = std::count_if(entries.begin(), entries.end(),
                                      [](const auto& e) { return e.kind == runtime::EntryKind::program; });
  fmt::print("{}: {} programs, {} kernels, {} of at most {}\n", cache.path().string(), programs,
             static_cast<std::ptrdiff_t>(entries.size()) - programs, size_text(cache.size()),
             size_text(cache.size_limit()));
}

}  // namespace fulgurite::tool
