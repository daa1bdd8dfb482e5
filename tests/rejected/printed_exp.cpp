// error: a staged value has no value while the program is traced: print what the compiled program returns
#include <fulgurite/fulgurite.h>

#include <iostream>

namespace fg = fulgurite;

fg::Exp<float> total(fg::Vec<float> x) {
  std::cout << fg::sum(x);
  return fg::sum(x);
}
