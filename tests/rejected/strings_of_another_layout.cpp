// error: is not compiled with _GLIBCXX_USE_CXX11_ABI=0, which changes the layout of std::string
#define _GLIBCXX_USE_CXX11_ABI 0
#include <fulgurite/error.h>

std::string text(const fulgurite::Error& error) {
  return error.message();
}
