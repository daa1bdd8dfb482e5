#include "walk/blocks/rows.h"

#include "schedule/nest.h"
#include "walk/blocks/row_major.h"

namespace fulgurite::walk::blocks {

Rows::Rows(const Phase& phase, soac::Lambda function)
    : at_(phase),
      arena_(phase.arena()),
      function_(std::move(function)),
      rest_{phase.computes().names, soac::Soac{phase.op().dims, {function_.params, {}, function_.results}},
            phase.computes().where, phase.computes().origin} {}

void Rows::take(const Emitter& e, const Block& block, Expr most) {
  const Expr all = schedule::product(arena_, at_.op().dims);
  dims_ = e.lower(at_.op().dims);
  if (dims_.size() > 1) is_small_ = e.lower(all < std::int64_t{1} << 32);
  first_ = e.lower(block.task * most);
  n_ = e.lower(min(all - first_, most));
}

void Rows::each(const Emitter& of_block, const Block& block, const OfThread& body) const {
  par(of_block, block,
      [&](const Emitter& e, Expr t) { e.if_then(e.bind(t < n_, "is_row"), [&] { body(e, t); }); });
}

Rows::Row Rows::row(const Emitter& e, Expr t) const {
  const Expr number = e.bind(first_ + t, "row");
  std::vector<Expr> indices = blocks::indices_of(e, number, dims_, is_small_);
  soac::Applied function = soac::apply(arena_, function_, indices);
  return {e.at_element(number), number, std::move(indices), std::move(function)};
}

void Rows::finish(const Row& row, std::span<const Expr> totals) const {
  const soac::Stm& reduction = row.function.body[0];
  walk::finish(row.e, reduction, totals);
  for (std::size_t k = 0; k < reduction.names.size(); ++k)
    row.e.bind_name(function_.body[0].names[k], row.e.lower(arena_.name(reduction.names[k])));
}

}  // namespace fulgurite::walk::blocks
