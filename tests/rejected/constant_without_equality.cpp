// error: give its type an operator==, or make it an Exp, Vec or Mat
#include <fulgurite/fulgurite.h>

namespace fg = fulgurite;

struct Settings {
  int steps;
};
auto f = fg::compile([](fg::Vec<float> x, Settings) { return fg::sum(x); });
