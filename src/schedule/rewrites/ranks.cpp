#include "schedule/rewrites/ranks.h"

#include "scalar/value.h"
#include "schedule/nest.h"
#include "schedule/rewrites/operators.h"
#include "schedule/rewrites/rewrite.h"
#include "soac/outputs.h"

namespace fulgurite::schedule {

using scalar::Expr;
using scalar::Kind;

namespace {

// The Scans that count the points of each class go to the body. The result is the place of a point.
Expr count_classes(scalar::Arena& arena, const soac::Outputs::Partitioned& partition, const soac::Stm& s,
                   std::vector<soac::Stm>& body, Ranks::Partition& ranked) {
  const auto classes = static_cast<std::int64_t>(partition.classes.bits());
  const Expr zero = arena.i64(0), one = arena.i64(1);
  Expr place = arena.i64(-1);
  for (std::int64_t c = 0; c < classes; ++c) {
    Expr is_of_class = equal(partition.point_class, c);
    Expr count = arena.fresh({Kind::i64}, "rank");
    soac::Scan scan{integer_sum(arena), {select(is_of_class, one, zero)}, false};
    body.push_back({{count.var()}, std::move(scan), s.where, ""});
    Expr first = c == 0 ? zero : arena.fresh({Kind::i64}, "first");
    place = select(is_of_class, first + count, place);
    ranked.counts.push_back(count);
    ranked.first.push_back(first);
  }
  return place;
}

}  // namespace

Ranks rank(scalar::Arena& arena, const soac::Stm& original, std::int64_t most_classes) {
  const soac::Soac& before = std::get<soac::Soac>(original.op);
  Ranks ranks{original, {}, before.scatters.size()};
  auto& op = std::get<soac::Soac>(ranks.s.op);
  soac::Outputs outputs = soac::take_outputs(ranks.s);
  std::vector<soac::Outputs::Partitioned> of_many_classes;
  for (std::size_t g = 0; g < outputs.partitions.size(); ++g) {
    soac::Outputs::Partitioned& partition = outputs.partitions[g];
    if (!partition.classes.is_constant() ||
        partition.classes.bits() > static_cast<std::uint64_t>(most_classes)) {
      of_many_classes.push_back(std::move(partition));
      continue;
    }
    Ranks::Partition ranked{g, {}, {}};
    const Expr place = count_classes(arena, partition, original, op.body.body, ranked);
    ranks.partitions.push_back(std::move(ranked));
    soac::Scatter scatter;
    scatter.of_equal = soac::OfEqual::unordered;
    scatter.shape = {product(arena, op.dims)};
    scatter.initial.params = {arena.fresh({Kind::i64}, "place").var()};
    for (Expr value : partition.values)  // of no use
      scatter.initial.results.push_back(arena.constant(value.kind(), scalar::zero(value.kind())));
    outputs.scatters.push_back(
        {std::move(scatter), {place}, std::move(partition.values), std::move(partition.arrays)});
  }
  outputs.partitions = std::move(of_many_classes);
  ranks.s = soac::with_outputs(std::move(ranks.s), std::move(outputs));
  if (!ranks.partitions.empty()) ranks.s = made_by(rewrite::ranks, arena, std::move(ranks.s));
  return ranks;
}

}  // namespace fulgurite::schedule
