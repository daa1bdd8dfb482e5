// Every engine that there is, as one row of a table: what it is called, what prints its kernels, what runs
// them. Whoever asks what an engine is asks its row; another engine is another row.
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
  /// In messages about memory and code of others' for it.
  std::string_view title = {};
  /// Its kernels are printed in this dialect; null: as kernel IR.
  const emit::Dialect* dialect = nullptr;
  /// A device by its number; -1 is the one that the environment or the engine chooses. Throws DeviceError
  /// where there is none. The engine has no other device than 0 if it has `one_device`.
  runtime::Device& (*device)(int number) = nullptr;
  bool one_device = true;
  /// Programs are not compiled: soac/interpret.h evaluates them.
  bool interprets = false;
  /// Kernels are those of blocks of threads, not of a CPU's lanes.
  bool runs_blocks = true;
  /// explain() asks what the device's compiler made of kernels (runtime::Kernel::occupancy).
  bool explains_occupancy = false;
  /// Whose code bundles have for the engine; absent: bundles have none.
  std::optional<bundled::TargetEngine> target = {};
  /// Where DLPack says that the engine's memory is, and on which device of that type the chosen device is.
  dlpack::DeviceType dlpack_type = dlpack::DeviceType::cpu;
  int (*dlpack_number)() = nullptr;
  /// Memory that users hand over is an address, which may lie inside of an allocation, and not a handle.
  bool memory_is_address = false;
  /// Puts what the engine does into a queue of the user's (fulgurite/device_memory.h); null: it has none.
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

/// "cpu, interpreter, opencl, cuda or emulator".
std::string names();

/// A device of the engine: see Options::device. Throws DeviceError if there is none.
runtime::Device& device_of(Engine, int number = -1);
runtime::Device& device_of(const Options&);

}  // namespace fulgurite::engines
