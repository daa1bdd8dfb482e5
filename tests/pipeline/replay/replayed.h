// What the replay compiles: array programs, and kernels of the kernel language. Passes change the arena that
// the versions of a program share, so each function makes its programs anew for every machine.
#pragma once

#include <string>
#include <vector>

#include "kernel/ir.h"
#include "soac/ir.h"

#include <fulgurite/options.h>

namespace fulgurite::testing_replay {

struct ArrayProgram {
  std::string name;
  soac::Program program;
  Precision precision = Precision::fast;
  Checks checks = Checks::on;
};

/// Programs that stand in files: those of the passes' tests, the rows of docs/semantics.md, programs that
/// were once wrong, and what other tests trace.
std::vector<ArrayProgram> programs_of_files();

/// Programs of the benchmarks, the guide and the examples, as users trace them.
std::vector<ArrayProgram> traced_programs();

struct RecordedKernel {
  std::string name;
  kernel::Kernel kernel;  // kernel::Stage::threads
};

/// The papers' kernels, kernels that a generator draws, and what other tests record.
std::vector<RecordedKernel> recorded_kernels();

}  // namespace fulgurite::testing_replay
