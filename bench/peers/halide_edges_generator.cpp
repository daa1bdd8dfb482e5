// Writes Halide's pipeline of blurred edges, for this machine, into the current directory.
#include <Halide.h>

using namespace Halide;

int main() {
  Var x("x"), y("y"), strip("strip"), row("row");
  ImageParam image(Float(32), 2, "image");
  Func in = BoundaryConditions::repeat_edge(image);
  Func sums("sums"), blurred("blurred"), edges("edges");
  sums(x, y) = in(x, y - 1) + in(x, y) + in(x, y + 1);
  blurred(x, y) = (sums(x - 1, y) + sums(x, y) + sums(x + 1, y)) * (1 / 9.f);
  const Func edged = BoundaryConditions::repeat_edge(blurred, {{0, image.width()}, {0, image.height()}});
  const Expr right = edged(x + 1, y - 1) - edged(x - 1, y - 1) + 2 * (edged(x + 1, y) - edged(x - 1, y)) +
                     edged(x + 1, y + 1) - edged(x - 1, y + 1);
  const Expr down = edged(x - 1, y + 1) + 2 * edged(x, y + 1) + edged(x + 1, y + 1) - edged(x - 1, y - 1) -
                    2 * edged(x, y - 1) - edged(x + 1, y - 1);
  edges(x, y) = sqrt(right * right + down * down);
  edges.split(y, strip, row, 64, TailStrategy::GuardWithIf)
      .parallel(strip)
      .vectorize(x, 8, TailStrategy::ShiftInwards);
  blurred.store_at(edges, strip).compute_at(edges, row).fold_storage(y, 4).vectorize(x, 8);
  sums.compute_at(edges, row).vectorize(x, 8);
  const Target target = get_host_target().with_feature(Target::NoAsserts).with_feature(Target::NoBoundsQuery);
  edges.compile_to_static_library("halide_edges", {image}, "halide_edges", target);
}
