// error: is not compiled with _GLIBCXX_DEBUG, which changes the layout of std::vector
#define _GLIBCXX_DEBUG
#include <fulgurite/fulgurite.h>

fulgurite::Exp<float> total(fulgurite::Vec<float> x) {
  return fulgurite::sum(x);
}
