#include "schedule/rewrites/few_points.h"

#include <algorithm>
#include <iterator>

#include "schedule/rewrites/ragged.h"
#include "schedule/rewrites/rewrite.h"
#include "schedule/rewrites/slice.h"
#include "schedule/rewrites/versions.h"
#include "soac/count.h"
#include "soac/operation.h"
#include "soac/outputs.h"
#include "soac/rename.h"
#include "soac/walk.h"

namespace fulgurite::schedule {

using scalar::Arena, scalar::Expr, scalar::Kind, scalar::Var;
using soac::Lambda, soac::Stm;

namespace {

class FewPoints {
 public:
  FewPoints(Arena& arena, const Stm& s)
      : arena_(arena),
        s_(s),
        op_(std::get<soac::Soac>(s.op)),
        to_(op_.scatters[0]),
        n_points_(op_.dims[0]),
        n_places_(to_.shape[0]) {}

  // post; sort by place; scan; update; store
  std::vector<Stm> operator()() {
    std::vector<Stm> all;
    const std::vector<Expr> posted = arrays(), sorted = arrays();
    all.push_back(post(posted));
    all.push_back(sort(posted, sorted));
    const std::vector<Expr> values(sorted.begin() + 1, sorted.end());
    std::vector<Expr> totals;
    for (Expr value : values) totals.push_back(array(value.kind(), "total"));
    all.push_back(join(sorted[0], values, totals));
    const std::vector<Expr> updates = arrays();
    all.push_back(update(sorted[0], totals, updates));
    all.push_back(store(updates));
    for (std::size_t k = 0; k + 1 < all.size(); ++k)
      all[k] = made_by(rewrite::few_points, arena_, std::move(all[k]));
    return all;
  }

 private:
  Expr i64(std::int64_t value) { return arena_.i64(value); }
  Expr at(Expr array, Expr i) { return arena_.index(array, std::span(&i, 1)); }
  Expr array(Kind kind, const char* name) { return arena_.fresh_array(kind, {n_points_}, name); }
  Expr index() { return arena_.fresh({Kind::i64}, "i"); }
  Stm statement(const std::vector<Expr>& names, soac::Operation op) {
    std::vector<Var> bound;
    for (Expr name : names) bound.push_back(name.var());
    return {std::move(bound), std::move(op), s_.where, s_.origin};
  }
  const soac::Reduction& by() const { return to_.combine[0]; }
  std::vector<Expr> arrays() {
    std::vector<Expr> all{array(Kind::i64, "place")};
    for (Expr value : to_.initial.results) all.push_back(array(value.kind(), "value"));
    return all;
  }
  // Whether point i differs from the one at `other`, which is there if `exists`.
  Stm differs(Expr name, Expr places, Expr i, Expr exists, Expr other) {
    const Expr own = at(places, i), others = at(places, other);
    return statement(
        {name},
        soac::If{exists, {{}, {}, {logical_not(equal(own, others))}}, {{}, {}, {arena_.boolean(true)}}});
  }

  // What is outside comes last.
  Stm post(const std::vector<Expr>& posted) {
    Lambda body = op_.body;
    const Expr place = cast(body.results[0], Kind::i64);
    const Expr is_inside = (i64(0) <= place) & (place < n_places_);
    body.results[0] = select(is_inside, place, n_places_);
    const Expr point = index();
    soac::Applied renamed = soac::apply(arena_, body, std::span(&point, 1));
    return statement(posted, soac::Soac{op_.dims, {{point.var()}, renamed.body, renamed.results}});
  }

  Stm sort(const std::vector<Expr>& posted, const std::vector<Expr>& sorted) {
    soac::Sort by_place{posted, {}};
    for (Expr array : posted) by_place.key.params.push_back(arena_.fresh({array.kind()}, "x").var());
    by_place.key.results = {cast(arena_.name(by_place.key.params[0]), Kind::u64)};
    return statement(sorted, std::move(by_place));
  }

  Stm join(Expr places, const std::vector<Expr>& values, const std::vector<Expr>& totals) {
    soac::Reduction without_neutral = by();
    without_neutral.neutral.clear();
    soac::Scan scan{by_segments_of(arena_, {std::move(without_neutral)}, s_.where), {}};
    const Expr i = index(), begins = arena_.fresh({Kind::boolean}, "begins");
    scan.operands.push_back(cast(begins, Kind::i32));
    std::vector<Expr> names{arena_.fresh({Kind::i32}, "begins")};
    for (Expr value : values) {
      scan.operands.push_back(at(value, i));
      names.push_back(arena_.fresh({value.kind()}, "total"));
    }
    const std::vector<Expr> results(names.begin() + 1, names.end());
    Lambda f{{i.var()},
             {differs(begins, places, i, i64(0) < i, i - 1), statement(names, std::move(scan))},
             results};
    return statement(totals, soac::Soac{{n_points_}, std::move(f)});
  }

  // The last point of each place gets the place, and its old value joined with its points; others get -1.
  Stm update(Expr places, const std::vector<Expr>& totals, const std::vector<Expr>& updates) {
    const Expr i = index(), ends = arena_.fresh({Kind::boolean}, "ends"), place = at(places, i);
    const Expr stores = ends & (place < n_places_);
    soac::Applied before = soac::apply(arena_, to_.initial, std::span(&place, 1));
    std::vector<Expr> operands = before.results, own, values;
    for (Expr total : totals) own.push_back(at(total, i));
    operands.insert(operands.end(), own.begin(), own.end());
    soac::Applied joined = soac::apply(arena_, by().op, operands);
    for (Expr total : totals) values.push_back(arena_.fresh({total.kind()}, "value"));
    const Stm value = statement(values, soac::If{stores, {{}, joined.body, joined.results}, {{}, {}, own}});
    Lambda f{
        {i.var()}, {differs(ends, places, i, i + 1 < n_points_, i + 1), value}, {select(stores, place, -1)}};
    f.results.insert(f.results.end(), values.begin(), values.end());
    return statement(updates, soac::Soac{{n_points_}, std::move(f)});
  }

  // By itself, so that it can change the array where it lies.
  Stm store(const std::vector<Expr>& updates) {
    const Expr i = index();
    soac::Soac op{{n_points_}, {{i.var()}, {}, {}}};
    for (Expr update : updates) op.body.results.push_back(at(update, i));
    op.scatters.push_back(to_);
    op.scatters[0].combine.clear();
    op.scatters[0].of_equal = soac::OfEqual::unordered;
    Stm all = s_;
    all.op = std::move(op);
    return all;
  }

  Arena& arena_;
  const Stm& s_;
  const soac::Soac& op_;
  const soac::Scatter& to_;
  const Expr n_points_, n_places_;
};

// Whether the result is the same however values are grouped: other engines, and ranks, group them
// differently.
bool is_exact(const soac::Reduction& by) {
  for (std::size_t k = 0; k < by.op.results.size(); ++k) {
    const auto operation = soac::operation_of(by.op, k);
    const bool is_choice = operation == scalar::Op::min || operation == scalar::Op::max;
    if (scalar::is_float(by.op.results[k].kind()) && !is_choice) return false;
  }
  return true;
}

// The statement with some of its outputs, and with what they need of its body.
Stm with(Arena& arena, const Stm& s, soac::Outputs outputs) {
  Stm part = soac::with_outputs(s, std::move(outputs));
  Lambda& body = std::get<soac::Soac>(part.op).body;
  body = slice(arena, body, body.results);
  return part;
}

bool is_empty(const soac::Outputs& outputs) {
  return outputs.reductions.empty() && outputs.scatters.empty() && outputs.partitions.empty() &&
         outputs.mapped.empty();
}

// The statement's only scatter with an operator, and the rest of the statement, if it makes anything else.
struct Apart {
  Stm scatter;
  std::optional<Stm> rest;
};
std::optional<Apart> apart(Arena& arena, const Stm& s) {
  soac::Outputs rest = soac::outputs_of(s), scatter;
  const auto combines = [](const soac::Outputs::Scattered& of) { return !of.to.combine.empty(); };
  if (std::ranges::count_if(rest.scatters, combines) != 1) return {};
  const auto found = std::ranges::find_if(rest.scatters, combines);
  scatter.scatters.push_back(std::move(*found));
  rest.scatters.erase(found);
  if (is_empty(rest)) return Apart{s, {}};
  // One statement tells the failure of the lowest element; two would tell that of the first statement.
  if (soac::may_fail(s)) return {};
  return Apart{with(arena, s, std::move(scatter)), with(arena, s, std::move(rest))};
}

void add(Arena& arena, Stm s, const LanesPolicy& by, std::vector<Stm>& all) {
  const auto parts = apart(arena, s);
  auto few = parts ? sorted_by_place(arena, parts->scatter) : std::nullopt;
  if (!few) return all.push_back(std::move(s));
  const auto& op = std::get<soac::Soac>(parts->scatter.op);
  const Expr are_few = op.dims[0] <= op.scatters[0].shape[0] / by.sparse_places;
  if (are_few.is_constant(0)) return all.push_back(std::move(s));
  if (parts->rest) few->insert(few->begin(), made_by(rewrite::few_points, arena, *parts->rest));
  all.push_back(one_of(arena, s, are_few, std::move(*few), {s}));
}

}  // namespace

std::optional<std::vector<Stm>> sorted_by_place(Arena& arena, const Stm& s) {
  const auto& op = std::get<soac::Soac>(s.op);
  if (op.scatters.size() != 1 || op.scatters[0].combine.empty() || op.scatters[0].shape.size() != 1)
    return {};
  if (!op.reductions.empty() || !op.partitions.empty() || op.dims.size() != 1) return {};
  const soac::Scatter& to = op.scatters[0];
  if (s.names.size() != to.initial.results.size() || !to.initial.body.empty()) return {};
  if (soac::may_fail(to.initial) || soac::may_fail(to.combine[0].op) || !is_exact(to.combine[0])) return {};
  return FewPoints(arena, s)();
}

soac::Program sort_few_points(soac::Program program, const LanesPolicy& by) {
  Arena& arena = *program.arena;
  return rewrite_soacs(std::move(program), [&](Stm s, bool is_in_loop, std::vector<Stm>& all) {
    is_in_loop ? add(arena, std::move(s), by, all) : all.push_back(std::move(s));
  });
}

}  // namespace fulgurite::schedule
