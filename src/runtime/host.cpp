#include "runtime/host.h"

#include <fmt/format.h>
#include <fulgurite/error.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <thread>

#include "base/hash.h"
#include "base/made_once.h"
#include "runtime/cpu/levels.h"

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

namespace fulgurite::runtime {
namespace {

int usable_cores() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

// What the C library knows, or a common size where it knows nothing (containers and virtual machines hide
// it).
std::size_t size_or(int name, std::size_t otherwise) {
  const long size = sysconf(name);
  return size > 0 ? static_cast<std::size_t>(size) : otherwise;
}

std::size_t physical_memory() {
  return size_or(_SC_PHYS_PAGES, std::size_t{1} << 20) * size_or(_SC_PAGESIZE, 4096);
}

#if defined(__x86_64__)

int native_vector_bytes() {
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq"))
    return 64;
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? 32 : 16;
}

bool native_adds_quarters() {
  const int bytes = native_vector_bytes();
  if (bytes == 64) return __builtin_cpu_supports("avx512vnni") != 0;
  return bytes == 32 && __builtin_cpu_supports("avxvnni") != 0;
}

struct Leaf {
  unsigned a = 0, b = 0, c = 0, d = 0;
};

Leaf cpuid(unsigned leaf, unsigned sub = 0) {
  Leaf r;
  if (__get_cpuid_count(leaf, sub, &r.a, &r.b, &r.c, &r.d) == 0) return {};
  return r;
}

std::string processor_name() {
  std::string name;
  for (unsigned leaf = 0x80000002; leaf <= 0x80000004; ++leaf) {
    const Leaf r = cpuid(leaf);
    char text[16];
    std::memcpy(text, &r, sizeof text);
    name.append(text, sizeof text);
  }
  name.resize(std::strlen(name.c_str()));
  const auto end = name.find_last_not_of(' ');
  return end == std::string::npos ? "x86-64" : name.substr(0, end + 1);
}

// Vendor, model and feature bits; without the bits that name a core (leaf 1 EBX) or tell the operating
// system's doings apart.
std::string native_identity() {
  const Leaf vendor = cpuid(0), model = cpuid(1), features = cpuid(7), more = cpuid(7, 1),
             extended = cpuid(0x80000001);
  return "x86-64 " +
         base::digest(fmt::format("{:x}.{:x}.{:x} {:x} {:x}.{:x} {:x}.{:x}.{:x} {:x}.{:x} {:x}.{:x} {}",
                                  vendor.b, vendor.c, vendor.d, model.a, model.c, model.d, features.b,
                                  features.c, features.d, more.a, more.d, extended.c, extended.d,
                                  native_vector_bytes()))
             .hex();
}

#elif defined(__aarch64__)

int native_vector_bytes() {
  const std::size_t bytes = cpu::scalable_vector_bytes();
  return bytes >= 64 ? 64 : bytes >= 32 ? 32 : 16;
}
bool native_adds_quarters() {
  return false;
}

// The first word of a file of the system's, or what is to stand for it.
std::string word_of(const char* path, std::string_view otherwise) {
  std::ifstream file(path);
  std::string word;
  return file >> word ? word : std::string(otherwise);
}

// Implementer, variant, part and revision in one number (Arm Architecture Reference Manual, MIDR_EL1).
std::string main_id() {
  return word_of("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1", "unknown");
}

std::string processor_name() {
  return "AArch64 " + main_id();
}

std::string native_identity() {
  return "AArch64 " + base::digest(fmt::format("{} {:x} {:x} {}", main_id(), getauxval(AT_HWCAP),
                                               getauxval(AT_HWCAP2), cpu::scalable_vector_bytes()))
                          .hex();
}

#endif

// What one core may fill of the outermost cache. The kernel's account of the cache that core 0 shares comes
// first: sysconf adds up all caches of a processor whose cores are in several complexes.
std::size_t last_level_cache() {
  for (int index = 3; index > 0; --index) {
    std::ifstream file(fmt::format("/sys/devices/system/cpu/cpu0/cache/index{}/size", index));
    std::size_t kibibytes = 0;
    char unit = 0;
    if (file >> kibibytes >> unit && unit == 'K' && kibibytes > 0) return kibibytes << 10;
  }
  return size_or(_SC_LEVEL3_CACHE_SIZE, std::size_t{32} << 20);
}

Host ask() {
  return {.n_cores = usable_cores(),
          .l2_cache = size_or(_SC_LEVEL2_CACHE_SIZE, std::size_t{1} << 20),
          .last_level_cache = last_level_cache(),
          .memory = physical_memory(),
          .vector_bytes = native_vector_bytes(),
          .adds_quarters = native_adds_quarters(),
          .processor = processor_name(),
          .identity = native_identity()};
}

}  // namespace

const Host& host() {
  static constinit std::atomic<const Host*> answer{nullptr};
  return base::made_once(answer, [] { return std::make_unique<const Host>(ask()); });
}

std::span<const std::string_view> cpu_levels() {
  return cpu::levels;
}

std::string_view host_level() {
  const std::size_t n = cpu::n_levels_reached();
  return n == 0 ? std::string_view() : cpu::levels[n - 1];
}

std::size_t last_level_cache(std::string_view cpu) {
  if (cpu == "native") return host().last_level_cache;
  return std::size_t{32} << 20;
}

std::string wanted_cpu() {
  const char* wanted = std::getenv("FULGURITE_CPU");
  if (wanted == nullptr || *wanted == 0 || wanted == std::string_view("native")) return "native";
  const auto level = std::ranges::find(cpu::levels, wanted);
  if (level == cpu::levels.end())
    throw DeviceError(fmt::format("FULGURITE_CPU is '{}': set it to {} or native, or not at all", wanted,
                                  fmt::join(cpu::levels, ", ")));
  if (static_cast<std::size_t>(level - cpu::levels.begin()) >= cpu::n_levels_reached())
    throw DeviceError(
        fmt::format("FULGURITE_CPU is '{}', whose instructions {} does not have", wanted, host().processor));
  return wanted;
}

bool adds_quarters(std::string_view cpu) {
  return cpu == "native" && host().adds_quarters;
}

int vector_bytes(std::string_view cpu) {
  if (cpu == "native") return host().vector_bytes;
  if (cpu == "x86-64-v4") return 64;
  return cpu == "x86-64-v3" ? 32 : 16;
}

}  // namespace fulgurite::runtime
