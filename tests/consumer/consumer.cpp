// What a user's first program does with an installed Fulgurite. Exit status 0: everything was found and
// works.
#include <fulgurite/error.h>

#include <cstdio>
#include <cstring>

namespace fg = fulgurite;

int main() {
  try {
    throw fg::ShapeError("left is f32[3], right is f32[4]", {"consumer.cpp", 7});
  } catch (const fg::Error& e) {
    const bool as_promised =
        std::strcmp(e.what(), "consumer.cpp:7: fulgurite::ShapeError: left is f32[3], right is f32[4]") == 0;
    std::puts(e.what());
    return as_promised ? 0 : 1;
  }
}
