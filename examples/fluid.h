// Smoke in a box: Jos Stam's stable fluids ("Stable Fluids", 1999; "Real-Time Fluid Dynamics for Games",
// 2003), the program that Accelerate's CUDA back end is measured with (Chakravarty and others 2011). Fields
// are matrices of cells: the density of the smoke, and the velocity of the air across the columns and down
// the rows, in cells a unit of time. Each step adds what the sources give, spreads it by diffusion, carries
// it along the velocity, and takes from the velocity what would gather or thin the air.
#pragma once

#include <fulgurite/fulgurite.h>

#include <tuple>

namespace fluid {

namespace fg = fulgurite;
using fg::Exp, fg::i64, fg::Mat;

/// How a field goes on behind the walls: as the cell before the wall, times this. The velocity through a wall
/// changes its sign there, so that it is zero in the wall.
struct Walls {
  float at_sides = 1, at_ends = 1;
};
inline constexpr Walls of_density{}, of_across{-1, 1}, of_down{1, -1};

inline constexpr int sweeps = 20;  // of each linear system

/// The cell at (i, j), which may be behind a wall.
inline Exp<float> cell(Mat<float> x, Walls walls, Exp<i64> i, Exp<i64> j) {
  auto last_row = x.size(0) - 1, last_column = x.size(1) - 1;
  auto nearest = x(fg::clamp(i, i64{0}, last_row), fg::clamp(j, i64{0}, last_column));
  auto sign = [](Exp<i64> at, Exp<i64> last, float behind) {
    return fg::select(at < 0 || at > last, behind, 1.0f);
  };
  return nearest * (sign(j, last_column, walls.at_sides) * sign(i, last_row, walls.at_ends));
}

/// x of: self * x - weight * (the sum of x's four neighbours) = b, by sweeps of Jacobi's method from `start`.
inline Mat<float> solve(Exp<float> weight, Exp<float> self, Walls walls, Mat<float> b, Mat<float> start) {
  auto relaxed = [&](auto x, auto right) {
    return (right(0, 0) + weight * ((x(-1, 0) + x(1, 0)) + (x(0, -1) + x(0, 1)))) / self;
  };
  return fg::iterate(
      sweeps,
      [&](Mat<float> x) {
        auto behind = [&](Exp<i64> i, Exp<i64> j) { return cell(x, walls, i, j); };
        return fg::stencil(relaxed, fg::boundary::function(behind), x, b);
      },
      start);
}

/// After the time for which `amount` is rate times time. The implicit step: stable however large that is.
inline Mat<float> diffuse(Exp<float> amount, Walls walls, Mat<float> x) {
  return solve(amount, 1.0f + 4.0f * amount, walls, x, x);
}

/// Each cell takes what was where its content comes from, between the four cells there.
inline Mat<float> advect(Exp<float> dt, Walls walls, Mat<float> x, Mat<float> across, Mat<float> down) {
  auto rows = x.size(0), columns = x.size(1);
  return fg::generate({rows, columns}, [&](Exp<i64> i, Exp<i64> j) {
    auto from = [&](Exp<i64> at, Exp<float> velocity, Exp<i64> n) {
      return fg::clamp(fg::cast<float>(at) - dt * velocity, -0.5f, fg::cast<float>(n) - 0.5f);
    };
    auto y = from(i, down(i, j), rows), z = from(j, across(i, j), columns);
    auto above = fg::floor(y), left = fg::floor(z);
    auto t = y - above, s = z - left;
    auto at = [&](int k, int l) { return cell(x, walls, fg::cast<i64>(above) + k, fg::cast<i64>(left) + l); };
    return (1.0f - t) * ((1.0f - s) * at(0, 0) + s * at(0, 1)) + t * ((1.0f - s) * at(1, 0) + s * at(1, 1));
  });
}

/// The velocity without what diverges: less the gradient of a pressure whose Laplacian is the divergence.
inline std::tuple<Mat<float>, Mat<float>> project(Mat<float> across, Mat<float> down) {
  auto rows = across.size(0), columns = across.size(1);
  auto difference = [](Mat<float> x, Walls walls, Exp<i64> i, Exp<i64> j, int k, int l) {
    return 0.5f * (cell(x, walls, i + k, j + l) - cell(x, walls, i - k, j - l));
  };
  auto divergence = fg::generate({rows, columns}, [&](Exp<i64> i, Exp<i64> j) {
    return difference(across, of_across, i, j, 0, 1) + difference(down, of_down, i, j, 1, 0);
  });
  auto pressure = solve(1.0f, 4.0f, of_density, -divergence, fg::replicate({rows, columns}, 0.0f));
  auto gradient = [&](int k, int l) {
    return fg::generate({rows, columns}, [&, k, l](Exp<i64> i, Exp<i64> j) {
      return difference(pressure, of_density, i, j, k, l);
    });
  };
  return {across - gradient(0, 1), down - gradient(1, 0)};
}

/// The fields after time dt: of velocity first, then of the density that it carries. Sources give so much a
/// unit of time.
inline std::tuple<Mat<float>, Mat<float>, Mat<float>> fluid_step(Exp<float> dt, Exp<float> viscosity,
                                                                 Exp<float> diffusion, Mat<float> density,
                                                                 Mat<float> across, Mat<float> down,
                                                                 Mat<float> smoke, Mat<float> wind,
                                                                 Mat<float> fall) {
  auto [calm_across, calm_down] = project(diffuse(dt * viscosity, of_across, across + dt * wind),
                                          diffuse(dt * viscosity, of_down, down + dt * fall));
  auto [new_across, new_down] = project(advect(dt, of_across, calm_across, calm_across, calm_down),
                                        advect(dt, of_down, calm_down, calm_across, calm_down));
  auto spread = diffuse(dt * diffusion, of_density, density + dt * smoke);
  return {advect(dt, of_density, spread, new_across, new_down), new_across, new_down};
}

}  // namespace fluid
