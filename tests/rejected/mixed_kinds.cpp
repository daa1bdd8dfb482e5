// error: operator*
#include <fulgurite/fulgurite.h>
namespace fg = fulgurite;

fg::Vec<float> scaled(fg::Vec<float> x, fg::Exp<int> k) {
  return x * k;
}
