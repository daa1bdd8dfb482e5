// error: none is converted silently: write fg::cast<T>(x)
#include <fulgurite/fulgurite.h>
namespace fg = fulgurite;

fg::Exp<int> half_more(fg::Exp<int> x) {
  return x + 0.5f;
}
