// Functions that Fulgurite emitted as C, called from C++: the headers declare them extern "C".
#include <iostream>
#include <stdexcept>
#include <vector>

#include "average.h"

float mean(const std::vector<float>& x) {
  float result = 0;
  fg_error error{};
  fg_call call{};
  call.error = &error;
  if (average(x.data(), static_cast<std::int64_t>(x.size()), &result, &call) != FG_OK)
    throw std::runtime_error(error.text);
  return result;
}

int main() {
  std::cout << "average " << mean({1, 2, 6}) << '\n';
}
