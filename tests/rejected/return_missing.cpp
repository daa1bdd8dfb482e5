// error: a program returns what it computes, and this function returns nothing: write `return` before its
// last expression
#include <fulgurite/fulgurite.h>

namespace fg = fulgurite;

auto f = fg::compile([](fg::Vec<float> x) { fg::sum(x); });
