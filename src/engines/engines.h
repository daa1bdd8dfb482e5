// The table of engines: each row says what an engine is called, how its kernels are printed, and what runs
// them. All code that depends on the engine asks its row, so that another engine is another row.
#pragma once

#include <fulgurite/dlpack.h>
#include <fulgurite/options.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "bundled/format.h"
#include "emit/dialect.h"
#include "runtime/device.h"

namespace fulgurite::engines {

struct Row {
  Engine engine;
  /// On command lines, in FULGURITE_ENGINE and in runtime::Description.
  std::string_view name;
  /// What messages about tensors and bundles call it.
  std::string_view title = {};
  /// The dialect of its kernels; null: kernel IR is what its device reads.
  const emit::Dialect* dialect = nullptr;
  /// A device by its number; -1 is the one that the environment or the engine chooses. Throws DeviceError
  /// where there is none. The engine has no other device than 0 if it has `one_device`.
  runtime::Device& (*device)(int number) = nullptr;
  bool one_device = true;
  /// Programs are not compiled: soac/interpret.h evaluates them.
  bool interprets = false;
  /// Its kernels are written for blocks of threads, not for a CPU's lanes.
  bool runs_blocks = true;
  /// explain() asks what the device's compiler made of kernels (runtime::Kernel::occupancy).
  bool explains_occupancy = false;
  /// The target of bundles whose code it runs; absent: it runs no code of bundles.
  std::optional<bundled::TargetEngine> target = {};
  /// DLPack's type of its devices, and the number among them of the device that it chooses.
  dlpack::DeviceType dlpack_type = dlpack::DeviceType::cpu;
  int (*dlpack_number)() = nullptr;
  /// Users hand over memory as an address, which may lie inside an allocation; else as a handle.
  bool memory_is_address = false;
  /// Makes it use the user's queue (fulgurite/device_memory.h); null: it has no queues.
  void (*use_queue)(void* queue) = nullptr;
};

std::span<const Row> all();

/// Throws DeviceError for a number that is no engine's.
const Row& row(Engine);
/// Null if no engine is called so.
const Row* named(std::string_view name);
/// The first whose dialect is called so; null if there is none.
const Row* of_language(std::string_view dialect);
/// Null if bundles have no code of the engine, or tensors are not in its memory.
const Row* of_target(bundled::TargetEngine);
const Row* of_memory(dlpack::DeviceType);

/// "cpu, interpreter, opencl, cuda, emulator or mpi".
std::string names();

/// A device of the engine: see Options::device. Throws DeviceError if there is none.
runtime::Device& device_of(Engine, int number = -1);
runtime::Device& device_of(const Options&);

}  // namespace fulgurite::engines
