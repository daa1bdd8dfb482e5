// Faults that the emulator finds, as sentences.
#include "emulate_run.h"

namespace fulgurite::kernel {
namespace {

TEST(EmulateMessages, SayWhatToDo) {
  Kernel kernel = parse("kernel reversed(out y: f32[])\npar grid task < 1 {\n}\n");
  kernel.lines = {{"a.cpp", 20}, {"a.cpp", 21}, {"a.cpp", 22}, {"a.cpp", 23},
                  {"a.cpp", 24}, {"a.cpp", 25}, {"b.cpp", 26}, {"a.cpp", 27}};
  Finding f{Fault::race, {4, "s", 1, 3, true, false}, Act{7, "s", 1, 60, false, false}, Space::shared, 3, 64};
  EXPECT_EQ(
      message(kernel, f),
      "a.cpp:23: data race on shared 's'[3]: thread 3 writes, thread 60 reads (b.cpp:26), and no barrier "
      "is between them: put a sync between the two");
  f.other->line = 8;
  f.other->is_atomic = true;
  EXPECT_EQ(
      message(kernel, f),
      "a.cpp:23: data race on shared 's'[3]: thread 3 writes, thread 60 updates (line 27), and one of them "
      "is atomic and the other is not: make both atomic, or put a barrier between them");
  kernel.lines.clear();
  EXPECT_EQ(
      message(kernel, {Fault::out_of_bounds, {8, "y", 2, 63, true, false}, {}, Space::global, 192, 192}),
      "line 8 of kernel 'reversed': thread 63 of task 2 writes global 'y'[192], which has 192 elements: "
      "correct the index, or mask the access");
  EXPECT_EQ(message(kernel, {Fault::uninitialised, {0, "s", 0, -1, false, false}, {}, Space::shared, 9, 64}),
            "kernel 'reversed': task 0 itself reads shared 's'[9], which nothing has written: store to it "
            "first");
}

}  // namespace
}  // namespace fulgurite::kernel
