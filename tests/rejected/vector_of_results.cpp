// error: a std::vector is no result of a function that is traced
#include <fulgurite/fulgurite.h>

#include <vector>

namespace fg = fulgurite;

auto f =
    fg::compile([](fg::Vec<float> x) { return std::vector<fg::Exp<float>>{fg::sum(x), fg::product(x)}; });
