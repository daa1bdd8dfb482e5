#include "lower/gpu/ranks.h"

#include "lower/carry.h"
#include "lower/packing.h"
#include "soac/layout.h"

namespace fulgurite::lower::gpu {

namespace {

// The statement's outputs by kind, to be put together again.
struct Outputs {
  std::vector<Expr> results;
  std::vector<Var> names;
  void add(const Outputs& other) {
    results.insert(results.end(), other.results.begin(), other.results.end());
    names.insert(names.end(), other.names.begin(), other.names.end());
  }
};

}  // namespace

Ranks rank(scalar::Arena& arena, const soac::Stm& original) {
  Ranks ranks{original, {}, std::get<soac::Soac>(original.op).scatters.size()};
  auto& op = std::get<soac::Soac>(ranks.s.op);
  const soac::Soac& before = std::get<soac::Soac>(original.op);
  const soac::Layout layout = soac::layout_of(before);
  auto outputs = [&](const soac::Layout::Part& part) {
    const auto result = before.body.results.begin() + static_cast<std::ptrdiff_t>(part.result);
    const auto name = original.names.begin() + static_cast<std::ptrdiff_t>(part.name);
    return Outputs{{result, result + static_cast<std::ptrdiff_t>(part.n_results)},
                   {name, name + static_cast<std::ptrdiff_t>(part.n_names)}};
  };
  Outputs all, partitions;
  for (const auto& part : layout.reductions) all.add(outputs(part));
  for (const auto& part : layout.scatters) all.add(outputs(part));
  Expr n_points = arena.i64(1);
  for (Expr extent : op.dims) n_points = arena.mul(n_points, extent);
  op.partitions.clear();
  for (std::size_t g = 0; g < before.partitions.size(); ++g) {
    Outputs made = outputs(layout.partitions[g]);
    if (!has_few_classes(before.partitions[g])) {
      op.partitions.push_back(before.partitions[g]);
      partitions.add(made);
      continue;
    }
    Ranks::Partition ranked{g, {}, {}};
    const auto classes = static_cast<std::int64_t>(before.partitions[g].classes.bits());
    const Expr of = made.results[0], zero = arena.i64(0), one = arena.i64(1);
    Expr place = arena.i64(-1);
    for (std::int64_t c = 0; c < classes; ++c) {
      Expr is_of_class = arena.eq(of, arena.i64(c));
      Expr count = arena.fresh({Kind::i64}, "rank");
      soac::Scan scan{integer_sum(arena), {arena.apply(Op::select, {is_of_class, one, zero})}, false};
      op.body.body.push_back({{count.var()}, std::move(scan), original.where, ""});
      Expr first = c == 0 ? zero : arena.fresh({Kind::i64}, "first");
      place = arena.apply(Op::select, {is_of_class, arena.add(first, count), place});
      ranked.counts.push_back(count);
      ranked.first.push_back(first);
    }
    ranks.partitions.push_back(std::move(ranked));
    made.results[0] = place;
    made.names.erase(made.names.begin(), made.names.begin() + 2);
    soac::Scatter scatter;
    scatter.of_equal = soac::OfEqual::unordered;
    scatter.shape = {n_points};
    scatter.initial.results.assign(made.names.size(), zero);  // as many as values; of no use
    op.scatters.push_back(std::move(scatter));
    all.add(made);
  }
  all.add(partitions);
  all.add(outputs(layout.mapped));
  op.body.results = std::move(all.results);
  ranks.s.names = std::move(all.names);
  return ranks;
}

}  // namespace fulgurite::lower::gpu
