// Smoke over a burner, drawn: ./smoke SIDE STEPS EVERY FOLDER [--engine NAME] writes FOLDER/frame_0000.png
// and so on, one every so many steps. What a step gives the next takes; fields are read when they are drawn,
// and no sooner.
#include "fluid.h"
#include "png.h"

#include <fulgurite/stats.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace fg = fulgurite;

namespace {

using Field = fg::Array<float, 2>;

// `value` in a square of `extent` cells around (row, column), 0 elsewhere.
Field spot(std::int64_t side, std::int64_t row, std::int64_t column, std::int64_t extent, float value) {
  std::vector<float> cells(static_cast<std::size_t>(side * side));
  for (std::int64_t i = std::max<std::int64_t>(0, row - extent / 2); i < std::min(side, row + extent / 2 + 1);
       ++i)
    for (std::int64_t j = std::max<std::int64_t>(0, column - extent / 2);
         j < std::min(side, column + extent / 2 + 1); ++j)
      cells[static_cast<std::size_t>(i * side + j)] = value;
  return {cells, {side, side}};
}

}  // namespace

int main(int argc, char** argv) try {
  const bool has_engine = argc == 7 && std::strcmp(argv[5], "--engine") == 0;
  const long side = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 0;
  const long steps = argc > 2 ? std::strtol(argv[2], nullptr, 10) : 0;
  const long every = argc > 3 ? std::strtol(argv[3], nullptr, 10) : 0;
  if ((argc != 5 && !has_engine) || side < 1 || steps < 1 || every < 1) {
    std::fprintf(stderr, "usage: smoke SIDE STEPS EVERY FOLDER [--engine NAME]\n");
    return 2;
  }
  if (has_engine) setenv("FULGURITE_ENGINE", argv[6], 1);
  const std::filesystem::path folder = argv[4];
  std::filesystem::create_directories(folder);

  const auto step = fg::compile(fluid::fluid_step);
  const float dt = 0.1f, viscosity = 0, diffusion = 0, speed = static_cast<float>(side);
  const std::int64_t bottom = side - side / 8, middle = side / 2, width = side / 12 + 1;
  const Field smoke = spot(side, bottom, middle, width, 2), fall = spot(side, bottom, middle, width, -speed),
              wind = spot(side, middle, middle - width, width, speed / 4);
  Field density = spot(side, 0, 0, 0, 0), across = density, down = density;
  int n_frames = 0;
  const auto before = fg::stats();
  const auto start = std::chrono::steady_clock::now();
  for (long k = 1; k <= steps; ++k) {
    std::tie(density, across, down) =
        step(dt, viscosity, diffusion, density, across, down, smoke, wind, fall);
    if (k % every != 0) continue;
    char name[32];
    std::snprintf(name, sizeof name, "frame_%04d.png", n_frames++);
    write_png((folder / name).string(), density);
  }
  const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - start;
  std::printf("%ld steps of %ld x %ld cells, %.3f ms a step, %d pictures, %.3f MB copied\n", steps, side,
              side, spent.count() / static_cast<double>(steps), n_frames,
              static_cast<double>(fg::stats().bytes_copied - before.bytes_copied) / 1e6);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
