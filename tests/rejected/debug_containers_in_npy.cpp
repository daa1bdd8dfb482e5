// error: is not compiled with _GLIBCXX_DEBUG, which changes the layout of std::vector
#define _GLIBCXX_DEBUG
#include <fulgurite/npy.h>

int main() {
  return fulgurite::read_npy<float>("x.npy").size() == 0 ? 1 : 0;
}
