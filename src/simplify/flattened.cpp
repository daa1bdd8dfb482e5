// A scatter of the elements of an array that was flattened is one over the axes of the array, where the
// points of a row store to places that are neighbours: these are whole vectors, and no point divides the
// number of an element to find its row. After fusion, which makes the scatter read the array itself.
#include <algorithm>

#include "base/match.h"
#include "simplify/simplify.h"
#include "soac/divided_index.h"
#include "soac/linear.h"
#include "soac/outputs.h"
#include "soac/walk.h"

namespace fulgurite::simplify {

using base::as;
using scalar::Arena;
using scalar::Expr;
using scalar::Var;
using soac::Soac;
using soac::Stm;

namespace {

// Shorter rows leave lanes without a point.
constexpr std::uint64_t least_row_of_scatter = 16;

class Flattened {
 public:
  Flattened(Arena& arena, soac::PassContext& context) : arena_(arena), context_(context) {}

  // Not in functions of elements, whose scatters are one point after the other.
  void scope(std::vector<Stm>& stms) {
    for (Stm& s : stms) {
      if (auto* op = as<Soac>(s.op)) {
        if (!may_have_axes(s)) continue;
        Soac by_axes = *op;
        if (!take_axes(by_axes) || !stores_along_rows(by_axes)) continue;
        *op = std::move(by_axes);
        context_.log.push_back(
            soac::event_of(soac::Event::Kind::collapsed, s, "it stores the rows of a flattened array"));
        continue;
      }
      for (auto& inner : soac::nested_in(s)) scope(inner.lambda->body);
    }
  }

 private:
  static bool may_have_axes(const Stm& s) {
    const auto& op = std::get<Soac>(s.op);
    const bool has_scan = std::ranges::any_of(
        op.body.body, [](const Stm& inner) { return as<soac::Scan>(inner.op) != nullptr; });
    return op.dims.size() == 1 && !op.scatters.empty() && op.partitions.empty() && !has_scan &&
           soac::view_of(s).mapped.empty();
  }

  bool take_axes(Soac& op) const {
    const std::vector<Expr> shape = shape_of_points(op);
    bool is_changed = false;
    for (std::size_t axis = shape.size(); axis-- > 1;) {
      if (shape[axis].is_constant() && shape[axis].bits() < least_row_of_scatter && !is_changed) return false;
      if (!take_rows(op, shape[axis])) break;
      is_changed = true;
    }
    if (is_changed && op.outer_axes > 0) op.outer_axes = op.dims.size();
    return is_changed;
  }

  // The shape of an array that the points read, which has one element for each of them.
  std::vector<Expr> shape_of_points(const Soac& op) const {
    std::vector<Expr> found;
    soac::for_each_root(op.body, [&](Expr root) {
      scalar::for_each_node(std::span(&root, 1), [&](Expr e) {
        if (e.op() != scalar::Op::index || e.args().size() < 3 || !found.empty()) return;
        const std::vector<Expr>& shape = arena_.info(e.arg(0).var()).shape;
        Expr size = shape[0];
        for (std::size_t axis = 1; axis < shape.size(); ++axis) size = size * shape[axis];
        const Expr times = soac::multiple(arena_, op.dims[0], size);
        if (times && times.is_constant(1)) found = shape;
      });
    });
    return found;
  }

  // The first axis becomes two, the inner one of this length, if points divide their index by it.
  bool take_rows(Soac& op, Expr length) const {
    const Expr index = arena_.name(op.body.params[0]);
    std::vector<soac::Divisor> divisors;
    for (Expr by : soac::divisors_of(op.body, index)) divisors.push_back({by, by});
    const soac::Rows rows = soac::rows_of(arena_, length, divisors);
    const Expr number = soac::multiple(arena_, op.dims[0], length);
    if (rows.multiples.empty() || !number) return false;
    const Expr row = arena_.fresh({scalar::Kind::i64}, "row"),
               column = arena_.fresh({scalar::Kind::i64}, "column");
    soac::divide(arena_, op.body, index, rows, row, column);
    op.dims[0] = number;
    op.dims.insert(op.dims.begin() + 1, length);
    op.body.params[0] = row.var();
    op.body.params.insert(op.body.params.begin() + 1, column.var());
    return true;
  }

  bool stores_along_rows(const Soac& op) const {
    const Var column = op.body.params.back();
    return std::ranges::all_of(soac::view_of(op).scatters, [&](const auto& scattered) {
      return soac::are_along(arena_, scattered.place, column);
    });
  }

  Arena& arena_;
  soac::PassContext& context_;
};

soac::Program run_flattened(soac::Program program, soac::PassContext& context) {
  Flattened(*program.arena, context).scope(program.body);
  return program;
}

}  // namespace

const soac::Pass flattened{"flattened", "scatters of flattened arrays are over the axes of the arrays",
                           run_flattened};

}  // namespace fulgurite::simplify
