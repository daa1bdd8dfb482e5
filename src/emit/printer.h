// Kernel IR to text. In: a kernel after vectorise (kernel::check with Stage::vectors holds), or for a
// language of threads (cuda, opencl) one before it (Stage::threads). Out: the complete translation unit, one
// function for each phase after the parts of the prelude that they use.
//
// Names are the kernel's own where they are legal and unique. A value that is used once is printed where it
// is used if it is short; values that are never used are not printed. The contract of a phase and its caller:
//   - buffers may be the same memory (an output in place of an input), so nothing is `restrict`: a
//   statement's loads come before its store;
//   - no address needs more than its element's alignment. Streaming stores stream where the address is
//   aligned to the vector's size, at most 64 bytes (an allocation of ours, an index that is a multiple of
//   the lanes), and are plain stores elsewhere;
//   - boolean elements are bytes: written as 0 or 1, read as "is not 0".
// In a language of threads:
//   - a task is a block of as many threads as its largest Par(block) has instances (kernel::block_sizes);
//   - the function <kernel>_p<number> takes all parameters of the kernel, scalars by value (a boolean as a
//   byte, 0 or 1), and if the kernel has a Fail the address of an fg_failure in global memory, all zero
//   before: an i32 lock, the i32 site (0: nothing failed), then i64 element, value, bound of the lowest
//   element that failed;
//   - all threads compute the statements outside of Par(block) alike, but only thread 0 does their stores,
//   atomics and fails; other threads see these after a Sync(block), as always. An atomic's old value is
//   handed to all;
//   - a thread waits for others by atomics, as the compiler may do a plain load only once;
//   - shared arrays have their places (tidy/shared_layout.h). CUDA wants more than 48 KiB of them as dynamic
//   shared memory: the launch gives kernel::shared_bytes of the phase.
#pragma once

#include <string>

#include "emit/dialect.h"

namespace fulgurite::emit {

/// The phases alone: what reads as the kernel.
std::string print_phases(const kernel::Kernel&, const Dialect&);

std::string print(const kernel::Kernel&, const Dialect&);

}  // namespace fulgurite::emit
