// error: the blocks of a grid do not wait for each other
#include <fulgurite/kernel.h>

namespace k = fulgurite::kernel;

void wait(k::Push<int, k::Level::grid> a) {
  k::sync(a);
}
