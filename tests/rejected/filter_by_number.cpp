// error: the function returns an Exp<bool>
#include <fulgurite/fulgurite.h>

namespace fg = fulgurite;

fg::Vec<int> f(fg::Vec<int> x) {
  return fg::filter([](fg::Exp<int> e) { return e % 2; }, x);
}
