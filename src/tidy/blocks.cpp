#include "tidy/blocks.h"

#include "kernel/check.h"
#include "tidy/dead.h"
#include "tidy/exchanges.h"
#include "tidy/permutes.h"
#include "tidy/strips.h"
#include "tidy/vectorise.h"
#include "tidy/windows.h"

namespace fulgurite::tidy {

kernel::Kernel blocks_to_vectors(kernel::Kernel kernel, int vector_bytes) {
  kernel = vectorise(strips(exchanges(std::move(kernel)), vector_bytes));
  kernel = share_windows(remove_dead(permutes(std::move(kernel))));
  kernel::check(kernel, kernel::Stage::vectors, "blocks_to_vectors");
  return kernel;
}

}  // namespace fulgurite::tidy
