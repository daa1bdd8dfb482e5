// How a program is to run: fg::compile(f, {.engine = fg::Engine::interpreter}). The defaults need no thought.
#pragma once

#include <fulgurite/abi.h>

#include <cstdint>
#include <string>

#pragma GCC visibility push(default)

namespace fulgurite {

/// Who runs a program. Results are the same everywhere, as docs/semantics.md says.
enum class Engine : std::uint8_t {
  cpu,          // this machine's cores, vectorised
  interpreter,  // the reference: slow, obvious
  opencl,
  cuda,
  emulator,  // runs what opencl runs thread by thread, and refuses races: slow, for tests
  mpi,       // the processes of an MPI job, each on its cores: docs/cluster.md
};

/// fast: a * b + c rounds once, where docs/semantics.md says so (`contraction`). strict: as it is written.
/// Under both, maps without transcendental functions give the interpreter's bits.
enum class Precision : std::uint8_t { fast, strict };

/// off: shapes, indices and divisors are believed; what breaks is undefined.
enum class Checks : std::uint8_t { on, off };

/// The engine that the environment variable FULGURITE_ENGINE names (cpu, interpreter, opencl, cuda,
/// emulator, mpi); cpu where it is not set. Throws DeviceError for another name.
Engine default_engine();

/// Whether `captures` is among the words of the environment variable FULGURITE_DEBUG.
bool captures_are_checked();

/// What the environment variable FULGURITE_POLICY says; empty where it is not set.
std::string default_policy();

/// How a program is compiled, and where it runs: fg::compile(f, {.engine = fg::Engine::opencl}).
struct Options {
  Engine engine = default_engine();
  Precision precision = Precision::fast;
  Checks checks = Checks::on;
  // Which of the engine's devices, as the tool's `devices` numbers them; -1: the one that
  // FULGURITE_OPENCL_DEVICE or FULGURITE_CUDA_DEVICE names, or the engine's choice. The other engines have
  // one. DeviceError if there is no such device.
  int device = -1;
  bool fuse = true;  // false: every operation a kernel of its own, for comparison
  // The program's name in reports and dumps. "rmse(measured, predicted)" also gives the names of its
  // parameters, for fg::explain: C++ does not tell them. Components of composite elements:
  // "damp(reading.time.value)".
  const char* name = "program";
  // For finding faults: every call traces the function again, and throws TraceError where that gives another
  // program than the compiled one, as when a C++ value that it captured by reference has changed.
  bool check_captures = captures_are_checked();
  // true: fg::compile(f) returns while kernels compile, on threads of their own. A call waits for the ones
  // that it launches, and what the compiler throws comes from the first call or wait() that needs the kernel.
  bool background = false;
  // Tuning numbers that differ from their defaults, "cheap_tile=8192, chain=16", or "@" and the name of a
  // file of them: docs/schedules.md has all of them, and says what each does. Sums of floats may differ in
  // their last bits between two policies. FormatError for what is no policy.
  std::string policy = default_policy();
};

}  // namespace fulgurite

#pragma GCC visibility pop
