// Maps over few points, each of which folds many, fold all of them in one pass over these: the sums of three
// columns are one reduction with three accumulators, and so is the product of a tall narrow matrix and
// itself. Otherwise three lanes would have work, each reading far from the others. After fusion, for what it
// makes is longer text.
#include <algorithm>

#include "base/match.h"
#include "simplify/simplify.h"
#include "soac/literal.h"
#include "soac/rename.h"
#include "soac/walk.h"

namespace fulgurite::simplify {

using base::as;
using scalar::Arena;
using scalar::Expr;
using scalar::Var;
using soac::Lambda;
using soac::Soac;
using soac::Stm;

namespace {

// As many as fit into a processor's registers.
constexpr std::int64_t most_accumulators = 16;
// Operations of all points together: more take longer than reading once more what they share.
constexpr std::int64_t most_operations = 512;

// Whether it only reduces, and what it reduces is expressions.
bool only_reduces(const Soac& op) {
  return !op.reductions.empty() && op.scatters.empty() && op.partitions.empty() && op.body.body.empty();
}

std::int64_t operations(const Soac& op) {
  std::int64_t n = 0;
  scalar::for_each_node(op.body.results, [&](Expr e) { n += !e.args().empty(); });
  return n;
}

class FewFolds {
 public:
  FewFolds(Arena& arena, soac::PassContext& context) : arena_(arena), context_(context) {}

  // Not among the points of a Soac: those are many already.
  std::vector<Stm> scope(std::vector<Stm> stms) {
    std::vector<Stm> out;
    for (Stm& s : stms) {
      if (fold(s, out)) continue;
      for (auto& inner : soac::nested_in(s))
        if (inner.role == soac::Role::branch || inner.role == soac::Role::iteration)
          inner.lambda->body = scope(std::move(inner.lambda->body));
      out.push_back(std::move(s));
    }
    return out;
  }

 private:
  bool is_foldable(const Stm& s) const {
    const auto* op = as<Soac>(s.op);
    if (!op || !op->reductions.empty() || !op->scatters.empty() || !op->partitions.empty() ||
        op->axes_behind > 0)
      return false;
    const auto n_points = soac::few_points(op->dims);
    if (!n_points || *n_points == 0 || *n_points > most_accumulators || soac::may_fail(op->body))
      return false;
    soac::Vars bound;
    soac::add_bound(op->body, bound);
    std::int64_t n_accumulators = 0, n_operations = 0;
    for (const Stm& inner : op->body.body) {
      if (as<soac::Let>(inner.op)) continue;
      const auto* folds = as<Soac>(inner.op);
      if (!folds || !only_reduces(*folds) || soac::few_points(folds->dims)) return false;
      soac::Vars sizes;
      soac::add_mentioned(folds->dims, sizes);
      if (std::ranges::any_of(sizes, [&](Var size) { return bound.contains(size); })) return false;
      n_accumulators += *n_points * std::ssize(inner.names);
      n_operations += *n_points * operations(*folds);
    }
    const bool are_scalars = std::ranges::all_of(op->body.results, [](Expr e) { return e.type().rank == 0; });
    return are_scalars && n_accumulators > 0 && n_accumulators <= most_accumulators &&
           n_operations <= most_operations;
  }

  bool fold(const Stm& s, std::vector<Stm>& out) {
    if (!is_foldable(s)) return false;
    const auto& op = std::get<Soac>(s.op);
    std::vector<soac::Applied> points;
    for (const std::vector<Expr>& indices : indices_of(op.dims))
      points.push_back(soac::apply(arena_, op.body, indices));
    for (std::size_t k = 0; k < op.body.body.size(); ++k)
      if (as<Soac>(points[0].body[k].op))
        out.push_back(side_by_side(points, k));
      else
        for (soac::Applied& point : points) out.push_back(std::move(point.body[k]));
    for (std::size_t r = 0; r < s.names.size(); ++r) {
      std::vector<Expr> elements;
      for (const soac::Applied& point : points) elements.push_back(point.results[r]);
      out.push_back(soac::literal(arena_, elements[0].kind(), op.dims, elements, s.where));
      out.back().names = {s.names[r]};
    }
    context_.log.push_back(soac::event_of(soac::Event::Kind::collapsed, s,
                                          "its few points fold in one pass over what they read"));
    return true;
  }

  std::vector<std::vector<Expr>> indices_of(const std::vector<Expr>& dims) {
    std::vector<std::vector<Expr>> all{{}};
    for (Expr extent : dims) {
      std::vector<std::vector<Expr>> longer;
      for (const std::vector<Expr>& before : all)
        for (std::uint64_t i = 0; i < extent.bits(); ++i) {
          longer.push_back(before);
          longer.back().push_back(arena_.i64(static_cast<std::int64_t>(i)));
        }
      all = std::move(longer);
    }
    return all;
  }

  // Statement k of all points, which are one fold over one space.
  Stm side_by_side(std::vector<soac::Applied>& points, std::size_t k) {
    Stm all = std::move(points[0].body[k]);
    auto& op = std::get<Soac>(all.op);
    const std::vector<Expr> indices = arena_.names(op.body.params);
    for (std::size_t p = 1; p < points.size(); ++p) {
      Stm& other = points[p].body[k];
      auto& folds = std::get<Soac>(other.op);
      soac::Applied body = soac::apply(arena_, folds.body, indices);
      std::ranges::move(body.body, std::back_inserter(op.body.body));
      std::ranges::move(body.results, std::back_inserter(op.body.results));
      std::ranges::move(folds.reductions, std::back_inserter(op.reductions));
      std::ranges::move(other.names, std::back_inserter(all.names));
    }
    return all;
  }

  Arena& arena_;
  soac::PassContext& context_;
};

soac::Program run_few_folds(soac::Program program, soac::PassContext& context) {
  program.body = FewFolds(*program.arena, context).scope(std::move(program.body));
  return program;
}

}  // namespace

const soac::Pass few_folds{
    "few_folds", "maps over few points that each fold many fold all of them in one pass", run_few_folds};

}  // namespace fulgurite::simplify
