#include "lower/gpu/ranks.h"

#include "lower/carry.h"
#include "lower/packing.h"
#include "soac/outputs.h"

namespace fulgurite::lower::gpu {

Ranks rank(scalar::Arena& arena, const soac::Stm& original) {
  const soac::Soac& before = std::get<soac::Soac>(original.op);
  Ranks ranks{original, {}, before.scatters.size()};
  auto& op = std::get<soac::Soac>(ranks.s.op);
  soac::Outputs outputs = soac::take_outputs(ranks.s);
  Expr n_points = arena.i64(1);
  for (Expr extent : op.dims) n_points = arena.mul(n_points, extent);
  std::vector<soac::Outputs::Partitioned> of_many_classes;
  for (std::size_t g = 0; g < before.partitions.size(); ++g) {
    soac::Outputs::Partitioned& partition = outputs.partitions[g];
    if (!has_few_classes(before.partitions[g])) {
      of_many_classes.push_back(std::move(partition));
      continue;
    }
    Ranks::Partition ranked{g, {}, {}};
    const auto classes = static_cast<std::int64_t>(partition.classes.bits());
    const Expr zero = arena.i64(0), one = arena.i64(1);
    Expr place = arena.i64(-1);
    for (std::int64_t c = 0; c < classes; ++c) {
      Expr is_of_class = arena.eq(partition.point_class, arena.i64(c));
      Expr count = arena.fresh({Kind::i64}, "rank");
      soac::Scan scan{integer_sum(arena), {arena.apply(Op::select, {is_of_class, one, zero})}, false};
      op.body.body.push_back({{count.var()}, std::move(scan), original.where, ""});
      Expr first = c == 0 ? zero : arena.fresh({Kind::i64}, "first");
      place = arena.apply(Op::select, {is_of_class, arena.add(first, count), place});
      ranked.counts.push_back(count);
      ranked.first.push_back(first);
    }
    ranks.partitions.push_back(std::move(ranked));
    soac::Scatter scatter;
    scatter.of_equal = soac::OfEqual::unordered;
    scatter.shape = {n_points};
    scatter.initial.results.assign(partition.values.size(), zero);  // of no use
    outputs.scatters.push_back(
        {std::move(scatter), {place}, std::move(partition.values), std::move(partition.arrays)});
  }
  outputs.partitions = std::move(of_many_classes);
  ranks.s = soac::with_outputs(std::move(ranks.s), std::move(outputs));
  return ranks;
}

}  // namespace fulgurite::lower::gpu
