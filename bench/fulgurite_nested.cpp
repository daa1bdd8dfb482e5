// "fulgurite": loops and sums for each element.
#include "fulgurite_program.h"

namespace bench {

void add_fulgurite_nested(Peers& peers) {
  peers.add(
      "Mandelbrot", "fulgurite", [](Data& d) { Program<mandelbrot_set>::run(d.side); },
      [](Data& d) { copy(Program<mandelbrot_set>::result, d.out_ints); });
  peers.add(
      "NBody", "fulgurite",
      [](Data& d) {
        Program<n_body>::run(view(d.x, d.n), view(d.y, d.n), view(d.z, d.n), view(d.mass, d.n));
      },
      [](Data& d) {
        const auto& [x, y, z] = Program<n_body>::result;
        copy(x, d.out);
        copy(y, d.out2);
        copy(z, d.out3);
      });
  peers.add(
      "MatMul", "fulgurite",
      [](Data& d) {
        Program<matrix_product>::run(fg::view(d.left, {d.side, d.side}), fg::view(d.right, {d.side, d.side}));
      },
      [](Data& d) { copy(Program<matrix_product>::result, d.out); });
}

}  // namespace bench
