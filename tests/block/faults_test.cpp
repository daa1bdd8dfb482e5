// One fault of each class in a kernel that is right without it: the emulator names the line that it stands
// on, whatever the order of threads. The line of an access is that of the function that makes it happen: the
// sync or commit that an array is written by, and for results the line of kernel().
#include <fmt/format.h>
#include <fulgurite/error.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "block/block_kernel.h"
#include "kernel/emulate.h"
#include "programs.h"

namespace fulgurite {
namespace {

using namespace papers;
using k::Index;

#ifdef FULGURITE_SANITIZED  // the same code in fewer orders
constexpr std::uint64_t seeds = 2;
#else
constexpr std::uint64_t seeds = 20;
#endif

constexpr std::int64_t n = 64;  // elements of a block: two warps

std::vector<int> numbers(std::int64_t blocks = 3) {
  std::vector<int> xs(static_cast<std::size_t>(n * blocks));
  for (std::size_t i = 0; i < xs.size(); ++i) xs[i] = static_cast<int>(i * 37 % 101);
  return xs;
}

template <class F>
void expect_sound(const F& f) {
  const auto kernel = k::kernel("sound", k::block<int>(n), f);
  for (std::uint64_t seed = 0; seed < seeds; ++seed)
    EXPECT_NO_THROW(k::execute(emulator(seed), kernel, numbers())) << seed;
}

/// What is said of f's kernel, which is the same in every order of threads but for who is named.
struct Said {
  unsigned line = 0;
  std::string message;
};
template <class F>
Said said_of(const F& f, unsigned& kernel_line) {
  kernel_line = __LINE__ + 1;
  const auto kernel = k::kernel("faulty", k::block<int>(n), f);
  Said said;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    try {
      k::execute(emulator(seed), kernel, numbers());
      ADD_FAILURE() << "nothing was found with seed " << seed << "\n" << k::to_ir(kernel);
    } catch (const KernelError& e) {
      EXPECT_NE(e.file().find("faults_test.cpp"), std::string::npos) << e.what();
      EXPECT_TRUE(seed == 0 || e.line() == said.line) << e.what();
      said = {e.line(), e.message()};
    }
  }
  return said;
}

// The lines are known when the kernel has been recorded, which may be in the same call.
void expect_says(const Said& said, const unsigned& line, std::string_view what,
                 const unsigned& other_line = 0) {
  EXPECT_EQ(said.line, line) << said.message;
  EXPECT_NE(said.message.find(what), std::string::npos) << said.message;
  if (other_line == 0) return;
  const std::string other = fmt::format("(line {})", other_line);
  EXPECT_NE(said.message.find(other), std::string::npos) << said.message;
}

TEST(Faults, ARemovedSync) {
  unsigned line = 0, result_line = 0;
  expect_sound([](Pull<int> a) { return k::reverse(k::sync(map_fusion(a))); });
  const auto racy = [&](Pull<int> a) {
    line = __LINE__ + 1;
    const Pull<int> b = k::commit(map_fusion(a));
    return k::reverse(b);
  };
  const Said said = said_of(racy, result_line);
  expect_says(said, line, "data race on shared 'arr0'", result_line);
  expect_says(said, line, "no barrier is between them: put a sync between the two");
}

TEST(Faults, ASyncThatIsMissingInARecursiveNetwork) {
  for (int missing = 0; missing < 6; ++missing) {  // the stage of the last merger, of threads 2^i apart
    unsigned line = 0, sync_line = 0, result_line = 0;
    const std::function<Pull<int>(Pull<int>)> sorter = [&](Pull<int> a) -> Pull<int> {
      if (a.size() == 1) return a;
      Pull<int> sorted = k::ilv(1, sorter, a);
      for (int i = k::log2(a.size()) - 1; i >= 0; --i) {
        if (a.size() == n && i == missing) {
          line = __LINE__ + 1;
          sorted = k::commit(k::vee(i, min, max, sorted));
        } else {
          sync_line = __LINE__ + 1;
          sorted = k::sync(k::vee(i, min, max, sorted));
        }
      }
      return sorted;
    };
    const Said said = said_of(sorter, result_line);
    expect_says(said, line, "data race on shared", missing == 0 ? result_line : sync_line);
  }
}

TEST(Faults, AnIndexOffByOneInGlobalMemory) {
  const auto differences = [](std::int64_t by) {
    return [by](Pull<int> a) { return Pull<int>(n, [a, by](Index i) { return a[i + by] - a[i]; }); };
  };
  expect_sound(differences(0));
  unsigned line = 0;
  const Said said = said_of(differences(1), line);
  expect_says(said, line, "reads global 'input0'[192], which has 192 elements: correct the index");
}

TEST(Faults, AnIndexOffByOneInSharedMemory) {
  expect_sound([](Pull<int> a) {
    const Pull<int> b = k::sync(a);
    return k::sync(Pull<int>(n, [b](Index i) { return b[n - 1 - i]; }));
  });
  unsigned line = 0, result_line = 0;
  const auto read = [&](Pull<int> a) {
    const Pull<int> b = k::sync(a);
    line = __LINE__ + 1;
    return k::sync(Pull<int>(n, [b](Index i) { return b[n - i]; }));
  };
  expect_says(said_of(read, result_line), line, "reads shared 'arr0'[64], which has 64 elements");
  const auto written = [&](Pull<int> a) {
    line = __LINE__ + 1;
    return k::reverse(k::sync(k::ix_map([](Index i) { return i - 1; }, k::push(a))));
  };
  expect_says(said_of(written, result_line), line, "writes shared 'arr0'[-1], which has 64 elements");
}

TEST(Faults, AShrunkSharedArray) {
  const auto to_be_written = [](std::int64_t size) {
    return [size](Pull<int> a) {
      return Push<int>(size, [a](const Push<int>::Write& write) {
        k::par(n / 2, [&](Index i) {
          write(i * 2, a[i]);
          write(i * 2 + 1, a[i + n / 2]);
        });
      });
    };
  };
  expect_sound([&](Pull<int> a) { return k::reverse(k::sync(to_be_written(n)(a))); });
  unsigned line = 0, result_line = 0;
  const auto shrunk = [&](Pull<int> a) {
    line = __LINE__ + 1;
    return k::reverse(k::sync(to_be_written(n - 1)(a)));
  };
  expect_says(said_of(shrunk, result_line), line, "writes shared 'arr0'[63], which has 63 elements");
}

TEST(Faults, MoreSharedMemoryThanThereIs) {
  unsigned line = 0;
  const auto large = k::kernel("large", k::block<int>(1 << 14), [&](Pull<int> a) {
    line = __LINE__ + 1;
    return k::reverse(k::sync(a));
  });
  try {
    k::execute(emulator(), large, std::vector<int>(1 << 14));
    ADD_FAILURE() << "64 KiB";
  } catch (const KernelError& e) {
    EXPECT_EQ(e.line(), line);
    EXPECT_NE(e.message().find("the threads of a block share 65536 bytes"), std::string::npos) << e.what();
  }
}

TEST(Faults, WhatNothingHasWritten) {
  const auto spread = [](bool to_all) {
    return [to_all](Pull<int> a) {
      return Push<int>(n, [=](const Push<int>::Write& write) {
        k::par(n / 2, [&](Index i) {
          write(i * 2, a[i]);
          if (to_all) write(i * 2 + 1, a[i]);
        });
      });
    };
  };
  expect_sound([&](Pull<int> a) { return k::reverse(k::sync(spread(true)(a))); });
  unsigned line = 0;
  const auto holes = [&](Pull<int> a) { return k::reverse(k::sync(spread(false)(a))); };
  expect_says(said_of(holes, line), line, "reads shared 'arr0'[1], which nothing has written");
}

TEST(Faults, TwoThreadsThatWriteOneElement) {
  const auto to = [](std::int64_t size, std::int64_t by) {
    return [=](Pull<int> a) {
      return Push<int>(
          size, [=](const Push<int>::Write& write) { k::par(n, [&](Index i) { write(i / by, a[i]); }); });
    };
  };
  expect_sound(to(n, 1));
  unsigned line = 0, sync_line = 0;
  expect_says(said_of(to(n / 2, 2), line), line, "threads write one element in one statement");
  expect_says(said_of(to(n / 2, 1), line), line, "data race on global 'result0'");  // blocks overlap
  const auto shared = [&](Pull<int> a) {
    sync_line = __LINE__ + 1;
    return k::reverse(k::sync(to(n, 2)(a)));
  };
  expect_says(said_of(shared, line), sync_line, "data race on shared 'arr0'");
}

TEST(Faults, CountsThatAreNoAtomics) {
  expect_sound(
      [](Pull<int> a) { return k::block_histogram(8, k::map([](Exp<int> x) { return x % 8; }, a)); });
  unsigned line = 0, result_line = 0;
  const auto counted = [&](Pull<int> a) {
    const Pull<int> none = k::sync(Pull<int>(8, [](Index) { return Exp<int>(0); }));
    line = __LINE__ + 1;
    return k::sync(Push<int>(8, [=](const Push<int>::Write& write) {
      k::par(n, [&](Index i) {
        const Index bin = cast<std::int64_t>(a[i] % 8);
        write(bin, none[bin] + 1);
      });
    }));
  };
  expect_says(said_of(counted, result_line), line, "data race on shared");
}

// The language has no barrier that only some threads reach: syncs are of whole arrays, and none stands in
// what one thread does.
TEST(Faults, ADivergentBarrier) {
  unsigned line = 0;
  try {
    k::kernel("divergent", k::block<int>(n), [&](Pull<int> a) {
      return Push<int>(n, [=, &line](const Push<int>::Write& write) {
        k::par(n, [&](Index i) {
          line = __LINE__ + 1;
          write(i, k::sync(a)[i]);
        });
      });
    });
    ADD_FAILURE() << "one thread waited for the others";
  } catch (const TraceError& e) {
    EXPECT_EQ(e.line(), line) << e.what();
    EXPECT_NE(e.message().find("sync outside of par()"), std::string::npos) << e.what();
  }
  // So the fault is one of the passes: a barrier of a recorded kernel, moved into a branch of some threads.
  const auto recorded = k::kernel("reversed", k::block<int>(n), [&](Pull<int> a) {
    line = __LINE__ + 1;
    return k::reverse(k::sync(a));
  });
  kernel::Kernel moved = recorded.get().ir;
  auto& task = std::get<kernel::Par>(moved.body[0].op).body;
  const auto barrier = std::ranges::find_if(
      task, [](const kernel::Stm& s) { return std::holds_alternative<kernel::Sync>(s.op); });
  ASSERT_NE(barrier, task.end());
  auto& first = std::get<kernel::Par>((barrier - 1)->op);
  auto& arena = *moved.arena;
  first.body.push_back({kernel::If{arena.name(first.name) < 40, {*barrier}, {}}, barrier->line});
  task.erase(barrier);
  std::vector<int> xs = numbers(1), ys(xs.size());
  const kernel::BufferArgument buffers[] = {{std::as_writable_bytes(std::span(xs)), true},
                                            {std::as_writable_bytes(std::span(ys)), false}};
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const kernel::Emulation e =
        kernel::emulate(moved, buffers, std::vector<scalar::Bits>{n, 1}, {.seed = seed});
    const auto found = std::ranges::find(e.findings, kernel::Fault::divergence, &kernel::Finding::fault);
    ASSERT_NE(found, e.findings.end());
    EXPECT_EQ(moved.lines.at(found->act.line - 1).line, line);
    EXPECT_EQ(found->element, 40);
    EXPECT_NE(kernel::message(moved, *found).find("40 of 64 threads come here"), std::string::npos);
  }
}

}  // namespace
}  // namespace fulgurite
