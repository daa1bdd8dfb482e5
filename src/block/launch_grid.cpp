#include "block/launch_grid.h"

#include <fmt/format.h>

namespace fulgurite::detail::block {
namespace {

using Given = Inputs::Given;

Expr is_multiple(Expr n, Expr of) {
  return equal(n % of, 0);
}

// The launch is refused with a sentence about `what` unless the condition holds.
void require(Recorder& r, Expr condition, const std::string& what, std::string_view message,
             std::vector<Expr> quoted) {
  r.made->requirements.push_back({condition,
                                  fmt::format("{} of kernel '{}' {}", what, r.made->ir.name, message),
                                  std::move(quoted), r.where});
}

// The blocks of the launch that have neighbouring elements of an array.
Expr parts_of(Recorder& r, const Given& given, const std::string& what) {
  scalar::Arena& arena = r.code.arena();
  const Expr n = given.size, block = arena.i64(given.input.block);
  if (given.input.fill.empty())
    require(r, is_multiple(n, block), what,
            "has {0} elements, which are no blocks of {1}: give block() a value that stands behind the end",
            {n, block});
  return (n + (given.input.block - 1)) / block;
}

// Matrices that are dealt to the blocks of the launch are as many tiles in each direction.
void set_grid(Recorder& r, Expr down, Expr across, const std::string& what) {
  trace::Tracer& tracer = r.code.tracer();
  if (!r.launch.grid) {
    const Expr block = r.launch.block_number;
    r.launch.grid = {tracer.value(down), tracer.value(across), tracer.value(block / across),
                     tracer.value(block % across)};
    return;
  }
  const Expr before_down = tracer.expr(r.launch.grid->rows, r.where),
             before_across = tracer.expr(r.launch.grid->columns, r.where);
  const Expr same_down = equal(down, before_down), same_across = equal(across, before_across);
  require(r, same_down & same_across, what, "has {0} rows of {1} blocks, what is before it {2} of {3}",
          {down, across, before_down, before_across});
}

// The blocks of the launch that have tiles of a matrix.
Expr tiles_of(Recorder& r, const Given& given, const std::string& what) {
  scalar::Arena& arena = r.code.arena();
  const Expr rows = given.extents[0], columns = given.extents[1];
  const Expr tile_rows = arena.i64(given.input.tile_rows), tile_columns = arena.i64(given.input.tile_columns);
  const Expr rows_fit = is_multiple(rows, tile_rows), columns_fit = is_multiple(columns, tile_columns);
  require(r, rows_fit & columns_fit, what,
          "has {0} rows and {1} columns, which are no tiles of {2} rows and {3} columns",
          {rows, columns, tile_rows, tile_columns});
  const Expr down = rows / tile_rows, across = columns / tile_columns;
  set_grid(r, down, across, what);
  return down * across;
}

}  // namespace

void count_blocks(Recorder& r, const Inputs& inputs) {
  for (std::size_t k = 0; k < inputs.given().size(); ++k) {
    const Given& given = inputs.given()[k];
    const std::string what = fmt::format("argument {}", k + 1);
    if (given.input.tile_rows > 0) count_blocks(r, inputs, tiles_of(r, given, what), what);
    if (given.input.block != 0) count_blocks(r, inputs, parts_of(r, given, what), what);
  }
}

void count_blocks(Recorder& r, const Inputs& inputs, Expr blocks, const std::string& what) {
  inputs.require_known(blocks, "the number of blocks");
  Expr& all = r.made->n_blocks;
  if (!all) all = blocks;
  if (all == blocks) return;
  require(r, equal(blocks, all), what, "has {0} blocks, what is before it {1}", {blocks, all});
}

}  // namespace fulgurite::detail::block
