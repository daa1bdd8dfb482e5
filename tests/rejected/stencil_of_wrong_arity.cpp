// error: the function given to stencil takes one neighbourhood for each array
#include <fulgurite/fulgurite.h>

namespace fg = fulgurite;

auto f(fg::Vec<float> x, fg::Vec<float> y) {
  return fg::stencil([](auto u) { return u(-1) + u(1); }, fg::boundary::clamp, x, y);
}
