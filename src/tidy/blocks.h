// A kernel of blocks of threads for a processor of vectors: all passes between what the kernel language
// records and what is printed as C, in order.
#pragma once

#include "kernel/ir.h"

namespace fulgurite::tidy {

/// In: kernel::Stage::threads; out: kernel::Stage::vectors. `vector_bytes`: of the target's vectors.
kernel::Kernel blocks_to_vectors(kernel::Kernel, int vector_bytes);

}  // namespace fulgurite::tidy
