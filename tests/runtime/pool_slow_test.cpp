// The pool of a process that has little memory left.
#include <fulgurite/error.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "runtime/pool.h"

namespace fulgurite::runtime {
namespace {

// Addresses that this process uses now, in bytes.
rlim_t addresses_used() {
  rlim_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
}

// In a process of its own with 1 GiB of addresses to spare: 600 MiB are kept by the pool, then others are
// asked for.
void allocate_beyond_limit() {
  BufferPool pool(std::size_t{8} << 30);
  const rlim_t all = addresses_used() + (std::size_t{1} << 30);
  const rlimit limit{all, all};
  if (setrlimit(RLIMIT_AS, &limit) != 0) std::exit(10);
  std::vector<void*> blocks;
  for (int i = 0; i < 6; ++i) blocks.push_back(pool.allocate(100 << 20));
  for (void* block : blocks) pool.release(block, 100 << 20);
  if (pool.retained_bytes() < 600 << 20) std::exit(11);
  void* block = pool.allocate(700 << 20);  // there is room only once the pool is empty
  if (pool.retained_bytes() != 0) std::exit(12);
  try {
    pool.allocate(900 << 20);
  } catch (const OutOfMemory& error) {
    const std::string text = error.what();
    if (text.find(std::to_string(900 << 20)) == std::string::npos) std::exit(13);
    pool.release(block, 700 << 20);
    pool.release(pool.allocate(700 << 20), 700 << 20);  // and life goes on
    std::exit(0);
  }
  std::exit(14);
}

// Sanitizers need more addresses than this test leaves them.
TEST(Pool, SlowOutOfMemoryEmptiesThePoolThenThrows) {
  EXPECT_EXIT(allocate_beyond_limit(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace fulgurite::runtime
