#include "schedule/shared_operands.h"

#include <algorithm>

#include "schedule/rewrites/slice.h"
#include "schedule/rows.h"

namespace fulgurite::schedule {

namespace {

bool reads(Expr e) {
  bool found = false;
  scalar::for_each_node(std::span(&e, 1),
                        [&](Expr each) { found = found || each.op() == scalar::Op::index; });
  return found;
}

/// Looks for the largest operands that are shared.
class OperandSearch {
 public:
  OperandSearch(Var row, Var column, Var folded) : row_(row), column_(column), folded_(folded) {}

  void in(Expr e) {
    // A product that a sum takes without rounding is no value.
    const bool is_value = e.op() != scalar::Op::fma_sum && reads(e) && mentions(e, folded_);
    const bool of_row = mentions(e, row_), of_column = mentions(e, column_);
    if (is_value && of_row != of_column) return add(e, of_column ? found_.by_rows : found_.by_columns);
    all_are_shared_ = all_are_shared_ && !(is_value && of_column && e.op() == scalar::Op::index);
    for (Expr arg : e.args()) in(arg);
  }
  SharedOperands found() const { return all_are_shared_ ? found_ : SharedOperands(); }

 private:
  static void add(Expr e, std::vector<Expr>& to) {
    if (std::ranges::find(to, e) == to.end()) to.push_back(e);
  }

  const Var row_, column_, folded_;
  SharedOperands found_;
  bool all_are_shared_ = true;
};

}  // namespace

SharedOperands shared_operands(const Surroundings& at, const soac::Soac& op) {
  const std::size_t n = op.dims.size();
  if (n < 2 || op.dims[n - 2].is_constant(1) || !reduces_or_places_rows(at, op)) return {};
  const auto& inner = std::get<soac::Soac>(op.body.body[0].op);
  if (inner.dims.size() != 1 || makes_arrays(op) || !inner.body.body.empty()) return {};
  OperandSearch search(op.body.params[n - 2], op.body.params[n - 1], inner.body.params[0]);
  for (Expr result : inner.body.results) search.in(result);
  return search.found();
}

bool lies_along(scalar::Arena& arena, Expr operand, Var axis) {
  bool found = false;
  scalar::for_each_node(std::span(&operand, 1), [&](Expr e) {
    if (e.op() != scalar::Op::index) return;
    const auto affine = scalar::affine_in(arena, e.args().back(), axis);
    found = found || (affine && affine->coefficient.is_constant(1));
  });
  return found;
}

Var first_array(Expr operand) {
  std::optional<Var> array;
  scalar::for_each_node(std::span(&operand, 1), [&](Expr e) {
    if (!array && e.op() == scalar::Op::index) array = e.arg(0).var();
  });
  return *array;
}

bool is_shared_by_rows(const Nest& nest, const Stage& stage) {
  return nest.cuts[stage.at].axis + 2 == nest.axes.size();
}

}  // namespace fulgurite::schedule
