// error: none is converted silently: write fg::cast<T>(x)
#include <fulgurite/fulgurite.h>
namespace fg = fulgurite;

fg::Vec<float> scaled(fg::Vec<float> x, fg::Exp<int> k) {
  return x * k;
}
