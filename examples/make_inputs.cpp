// Writes the demonstration's inputs: ./make_inputs DIRECTORY [N]
// spot, strike, years: N options. measured, predicted: N values. field, rhs: a square of about N points with
// a hot disc and a cold one. still, smoke, wind, fall: such squares of the fluid. x, y: N points, of which
// centre_x, centre_y are the first 16.
#include <fulgurite/npy.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

namespace fg = fulgurite;

namespace {

std::vector<float> uniform(std::size_t n, float low, float high, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> draw(low, high);
  std::vector<float> values(n);
  for (float& value : values) value = draw(random);
  return values;
}

using Field = fg::Array<float, 2>;

// `value` in a square around (row, column), which are parts of the side, and 0 elsewhere.
Field spot(std::int64_t side, double row, double column, float value) {
  std::vector<float> cells(static_cast<std::size_t>(side * side));
  const auto at = [&](double part) { return static_cast<std::int64_t>(part * static_cast<double>(side)); };
  for (std::int64_t i = at(row - 0.04); i < at(row + 0.04); ++i)
    for (std::int64_t j = at(column - 0.04); j < at(column + 0.04); ++j)
      cells[static_cast<std::size_t>(i * side + j)] = value;
  return {cells, {side, side}};
}

// Charges of a plate: what the Poisson equation's solution rises and sinks around.
float charge(float y, float x) {
  auto disc = [&](float cy, float cx, float radius) {
    return std::hypot(y - cy, x - cx) < radius ? 1.0f : 0.0f;
  };
  return disc(0.35f, 0.3f, 0.08f) - disc(0.65f, 0.7f, 0.08f);
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 2) {
    std::fprintf(stderr, "usage: make_inputs DIRECTORY [N]\n");
    return 2;
  }
  const std::string directory = std::string(argv[1]) + "/";
  const std::size_t n = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 2'000'000;
  fg::write_npy(directory + "spot.npy", fg::Array<float>(uniform(n, 20, 120, 1)));
  fg::write_npy(directory + "strike.npy", fg::Array<float>(uniform(n, 20, 120, 2)));
  fg::write_npy(directory + "years.npy", fg::Array<float>(uniform(n, 0.1f, 10, 3)));
  fg::write_npy(directory + "measured.npy", fg::Array<float>(uniform(n, 0, 1, 4)));
  fg::write_npy(directory + "predicted.npy", fg::Array<float>(uniform(n, 0, 1, 5)));

  const auto side = static_cast<std::int64_t>(std::sqrt(static_cast<double>(n)));
  std::vector<float> rhs;
  for (std::int64_t i = 0; i < side; ++i)
    for (std::int64_t j = 0; j < side; ++j)
      rhs.push_back(-charge(static_cast<float>(i) / static_cast<float>(side),
                            static_cast<float>(j) / static_cast<float>(side)));
  fg::write_npy(directory + "field.npy", Field(std::vector<float>(rhs.size()), {side, side}));
  fg::write_npy(directory + "rhs.npy", Field(std::move(rhs), {side, side}));

  const auto speed = static_cast<float>(side);
  fg::write_npy(directory + "still.npy", spot(side, 0.5, 0.5, 0));
  fg::write_npy(directory + "smoke.npy", spot(side, 0.875, 0.5, 2));
  fg::write_npy(directory + "wind.npy", spot(side, 0.5, 0.4, speed / 4));
  fg::write_npy(directory + "fall.npy", spot(side, 0.875, 0.5, -speed));

  const std::vector<float> x = uniform(n, 0, 1, 6), y = uniform(n, 0, 1, 7);
  const auto n_centres = static_cast<std::ptrdiff_t>(std::min<std::size_t>(n, 16));
  fg::write_npy(directory + "x.npy", fg::Array<float>(x));
  fg::write_npy(directory + "y.npy", fg::Array<float>(y));
  fg::write_npy(directory + "centre_x.npy", fg::Array<float>({x.begin(), x.begin() + n_centres}));
  fg::write_npy(directory + "centre_y.npy", fg::Array<float>({y.begin(), y.begin() + n_centres}));
  return 0;
} catch (const fg::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
