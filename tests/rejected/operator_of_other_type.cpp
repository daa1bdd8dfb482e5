// error: the operator takes two Exp of the array's element type
// or: an Exp of one type does not become one of another silently: write fg::cast<T>(x)
#include <fulgurite/fulgurite.h>
namespace fg = fulgurite;

fg::Exp<int> total(fg::Vec<int> x) {
  return fg::reduce([](fg::Exp<float> a, fg::Exp<float> b) { return a + b; }, 0, x);
}
