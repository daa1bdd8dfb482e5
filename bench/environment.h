// What OpenMP's threads do between regions.
#pragma once

#include <unistd.h>

#include <cstdlib>

namespace bench {

/// OpenMP's workers spin for some 2 ms after a region, so that the next one begins at once, and sleep before
/// the next program runs. LLVM's read their environment before main() does, hence the new start; GCC's do so
/// anyhow, unless OMP_WAIT_POLICY=passive lets them sleep at once, with which peers take up to three times as
/// long. A process that has KMP_BLOCKTIME goes on.
inline void restart_with_environment(char** arguments) {
  if (std::getenv("KMP_BLOCKTIME")) return;
  setenv("KMP_BLOCKTIME", "2", 1);
  unsetenv("OMP_WAIT_POLICY");
  execv("/proc/self/exe", arguments);
}

}  // namespace bench
