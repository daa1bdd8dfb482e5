// error: a kernel returns pull arrays, or push arrays of a block
#include <fulgurite/kernel.h>

namespace k = fulgurite::kernel;

void record() {
  k::kernel("it", k::block<int>(4), [](k::Pull<int> a) {
    return k::Push<int, k::Level::thread>(
        a.size(), [a](const auto& write) { k::loop(0, a.size(), [&](k::Index i) { write(i, a[i]); }); });
  });
}
