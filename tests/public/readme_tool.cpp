// What README.md says beside its first program that fulgurite.h has: explain, engines, every program a tool.
#include <fulgurite/fulgurite.h>

#include <cstdio>
#include <vector>

namespace fg = fulgurite;
using fg::Exp, fg::Vec;

namespace {

Exp<float> rmse(Vec<float> x, Vec<float> y) {
  auto d = x - y;
  return fg::sqrt(fg::sum(d * d) / fg::cast<float>(x.size()));
}

[[maybe_unused]] void on_engines(const std::vector<float>& x, const std::vector<float>& y) {
  for (fg::Engine engine : {fg::Engine::interpreter, fg::Engine::cpu, fg::Engine::opencl})
    std::printf("rmse %g\n", static_cast<double>(fg::compile(rmse, {.engine = engine})(x, y)));
  fg::explain(fg::compile(rmse));
}

}  // namespace

FULGURITE_MAIN(rmse)
