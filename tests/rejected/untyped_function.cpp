// error: whose parameter types are written out (no auto)
#include <fulgurite/fulgurite.h>

auto f = fulgurite::compile([](auto x) { return x; });
