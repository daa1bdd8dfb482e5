#include "simplify/unrolled.h"

#include <algorithm>
#include <unordered_set>

#include "base/match.h"
#include "soac/literal.h"
#include "soac/outputs.h"
#include "soac/sums.h"
#include "soac/walk.h"

namespace fulgurite::simplify {

using base::as;
using scalar::Arena;
using scalar::Expr;
using scalar::Op;
using scalar::Var;
using soac::Lambda;
using soac::Soac;
using soac::Stm;

namespace {

// Thrown where something cannot be unrolled.
struct Stuck {};
[[noreturn]] void stuck() {
  throw Stuck{};
}

using Exprs = std::vector<Expr>;

/// Evaluates a body symbolically: each name that it binds has an expression, each array one for every
/// element.
class Unroller {
 public:
  Unroller(Arena& arena, std::int64_t most) : arena_(arena), most_(most) {}

  Unrolled run(const Lambda& body) {
    Unrolled done;
    statements(body.body, done.body);
    for (Expr result : body.results) {
      Unrolled::Result& to = done.results.emplace_back();
      if (result.type().rank > 0 && arrays_.contains(result.var()))
        to.elements = arrays_.at(result.var());
      else
        to.value = value(result);
    }
    return done;
  }

 private:
  // ---- expressions

  Expr value(Expr e) {
    if (e.is_constant()) return e;
    const auto known = memo_.find(e);
    if (known != memo_.end()) return known->second;
    if (++steps_ > unroll_limits.steps) stuck();
    const Expr result = value_of(e);
    memo_.emplace(e, result);
    return result;
  }
  Exprs values(std::span<const Expr> exprs) {
    Exprs all;
    for (Expr e : exprs) all.push_back(value(e));
    return all;
  }
  Expr value_of(Expr e) {
    if (e.is_name()) {
      const auto found = scalars_.find(e.var());
      return found == scalars_.end() ? e : found->second;
    }
    if (e.args().empty()) return e;
    if (e.op() != Op::index) return scalar::rebuild(arena_, e, values(e.args()));
    const Exprs indices = values(e.args().subspan(1));
    const auto array = arrays_.find(e.arg(0).var());
    if (array != arrays_.end()) return element(e, array->second, indices);
    Exprs args{e.arg(0)};
    args.insert(args.end(), indices.begin(), indices.end());
    return scalar::rebuild(arena_, e, args);
  }
  // An element of an array whose elements are all known. Constant indices leave some of the elements, and the
  // other indices select one of these.
  Expr element(Expr read, const Exprs& elements, const Exprs& indices) {
    const std::vector<std::int64_t> shape = shape_of(read.arg(0).var());
    std::vector<std::int64_t> numbers{0};  // of the elements that constant indices leave
    Expr place = arena_.i64(0);            // which of these is read
    bool is_constant = true;
    for (std::size_t d = 0; d < indices.size(); ++d) {
      std::int64_t first = 0, last = shape[d] - 1;
      if (indices[d].is_constant()) {
        first = last = static_cast<std::int64_t>(indices[d].bits());
        if (first < 0 || first >= shape[d]) stuck();
      } else {
        place = place * shape[d] + indices[d];
        is_constant = false;
      }
      std::vector<std::int64_t> longer;
      for (std::int64_t number : numbers)
        for (std::int64_t index = first; index <= last; ++index) longer.push_back(number * shape[d] + index);
      numbers = std::move(longer);
    }
    if (!is_constant && (read.site() != 0 || numbers.empty())) stuck();
    const auto at = [&](std::size_t k) { return elements[static_cast<std::size_t>(numbers[k])]; };
    Expr chosen = at(numbers.size() - 1);
    for (std::size_t k = numbers.size(); k-- > 1;)
      chosen = select(equal(place, static_cast<std::int64_t>(k - 1)), at(k - 1), chosen);
    count_selects(chosen, static_cast<std::int64_t>(numbers.size()) - 1);
    return chosen;
  }
  // Where there are many elements, an array in memory is quicker than a chain of selects.
  void count_selects(Expr chosen, std::int64_t n) {
    steps_ += 2 * n;
    if (!chosen_.insert(chosen).second) return;
    selects_ += n;
    if (selects_ > unroll_limits.selects) stuck();
  }

  // ---- names

  std::vector<std::int64_t> shape_of(Var array) {
    std::vector<std::int64_t> shape;
    const Exprs extents = arena_.info(array).shape;
    if (size_of(extents) < 0) stuck();
    for (Expr extent : extents) shape.push_back(static_cast<std::int64_t>(value(extent).bits()));
    return shape;
  }
  std::int64_t size_of(const Exprs& extents) {
    const auto n = soac::few_points(values(extents));
    if (!n || *n > most_) stuck();
    return *n;
  }
  void bind(Var name, Expr to) { scalars_[name] = to; }
  void bind(Var name, Exprs elements) {
    if (static_cast<std::int64_t>(elements.size()) > most_) stuck();
    arrays_[name] = std::move(elements);
  }
  // The elements of an array. Elements of an array that an enclosing scope binds are read from it.
  Exprs elements_of(Expr array) {
    const auto found = arrays_.find(array.var());
    if (found != arrays_.end()) return found->second;
    const std::vector<std::int64_t> shape = shape_of(array.var());
    Exprs elements;
    for_points(shape, [&](const Exprs& indices) { elements.push_back(arena_.index(array, indices)); });
    return elements;
  }
  template <class F>
  void for_points(const std::vector<std::int64_t>& shape, const F& f) {
    std::int64_t n = 1;
    for (std::int64_t extent : shape) n *= extent;
    for (std::int64_t number = 0; number < n; ++number) {
      Exprs indices(shape.size());
      std::int64_t rest = number;
      for (std::size_t d = shape.size(); d-- > 0; rest /= shape[d]) indices[d] = arena_.i64(rest % shape[d]);
      f(indices);
    }
  }
  // A parameter that is bound again, in the next iteration, changes what was computed from it.
  void start_round() { memo_.clear(); }

  // ---- statements

  void statements(const std::vector<Stm>& body, std::vector<Stm>& out) {
    for (const Stm& s : body) statement(s, out);
  }
  void statement(const Stm& s, std::vector<Stm>& out) {
    base::match(
        s.op, [&](const Soac& op) { soac(s, op, out); },
        [&](const soac::Scan& scan) {
          if (depth_ > 0) return running(s, scan, out);
          // This Scan belongs to a Soac that is not unrolled.
          soac::Scan moved{scan.reduction, values(scan.operands), scan.inclusive, scan.segments};
          if (moved.segments) moved.segments = value(moved.segments);
          out.push_back({s.names, std::move(moved), s.where, s.origin});
        },
        [&](const soac::Sort& sort) { sorted(s, sort, out); },
        [&](const soac::If& i) { branches(s, i, out); }, [&](const soac::Loop& l) { loop(s, l, out); },
        [&](const soac::Check& c) {
          const Expr condition = value(c.condition);
          if (!condition.is_constant(1))
            out.push_back({{}, soac::Check{condition, c.site, values(c.operands)}, s.where, s.origin});
        },
        [&](const soac::Call&) { stuck(); }, [&](const soac::Let& l) { bind(s.names[0], value(l.value)); });
  }

  Exprs apply(const Lambda& f, const Exprs& arguments, std::vector<Stm>& out) {
    start_round();
    for (std::size_t k = 0; k < arguments.size(); ++k) bind(f.params[k], arguments[k]);
    statements(f.body, out);
    return values(f.results);
  }

  // ---- Soacs

  struct Made {
    std::vector<std::vector<Exprs>> operands;   // of each reduction, of each point
    std::vector<std::vector<Exprs>> scattered;  // the elements of each array of each scatter
    std::vector<Exprs> mapped;
  };

  void soac(const Stm& s, const Soac& op, std::vector<Stm>& out) {
    if (!op.partitions.empty() || op.axes_behind > 0) stuck();
    const Exprs dims = values(op.dims);
    const auto n = soac::few_points(dims);
    if (!n) stuck();
    std::vector<std::int64_t> shape;
    for (Expr extent : dims) shape.push_back(static_cast<std::int64_t>(extent.bits()));
    const soac::OutputView outputs = soac::view_of(s);
    Made made{std::vector<std::vector<Exprs>>(outputs.reductions.size()),
              {},
              std::vector<Exprs>(outputs.mapped.size())};
    for (const auto& scattered : outputs.scatters) made.scattered.push_back(contents(scattered.to, out));
    const auto around = std::exchange(running_, {});
    ++depth_;
    for_points(shape, [&](const Exprs& indices) {
      start_round();
      for (std::size_t d = 0; d < indices.size(); ++d) bind(op.body.params[d], indices[d]);
      statements(op.body.body, out);
      point(outputs, made);
    });
    --depth_;
    running_ = around;
    for (std::size_t g = 0; g < outputs.reductions.size(); ++g) {
      const Exprs totals = total(outputs.reductions[g].by, made.operands[g], out);
      for (std::size_t k = 0; k < totals.size(); ++k) bind(outputs.reductions[g].names[k], totals[k]);
    }
    for (std::size_t g = 0; g < outputs.scatters.size(); ++g)
      for (std::size_t k = 0; k < made.scattered[g].size(); ++k)
        bind(outputs.scatters[g].arrays[k], std::move(made.scattered[g][k]));
    for (std::size_t k = 0; k < made.mapped.size(); ++k)
      bind(outputs.mapped[k].array, std::move(made.mapped[k]));
  }

  void point(const soac::OutputView& outputs, Made& made) {
    for (std::size_t g = 0; g < outputs.reductions.size(); ++g)
      made.operands[g].push_back(values(outputs.reductions[g].operands));
    for (std::size_t g = 0; g < outputs.scatters.size(); ++g) {
      const auto& scattered = outputs.scatters[g];
      put(scattered.to, values(scattered.place), values(scattered.values), made.scattered[g]);
    }
    for (std::size_t k = 0; k < outputs.mapped.size(); ++k) {
      const Expr result = outputs.mapped[k].result;
      const Exprs elements = result.type().rank > 0 ? elements_of(result) : Exprs{value(result)};
      made.mapped[k].insert(made.mapped[k].end(), elements.begin(), elements.end());
    }
  }

  std::vector<Exprs> contents(const soac::Scatter& scatter, std::vector<Stm>& out) {
    if (!scatter.combine.empty()) stuck();
    size_of(scatter.shape);
    std::vector<std::int64_t> shape;
    for (Expr extent : values(scatter.shape)) shape.push_back(static_cast<std::int64_t>(extent.bits()));
    std::vector<Exprs> arrays(scatter.initial.results.size());
    for_points(shape, [&](const Exprs& indices) {
      const Exprs elements = apply(scatter.initial, indices, out);
      for (std::size_t k = 0; k < arrays.size(); ++k) arrays[k].push_back(elements[k]);
    });
    return arrays;
  }
  // A place that is not constant is compared with each place.
  void put(const soac::Scatter& scatter, const Exprs& place, const Exprs& stored,
           std::vector<Exprs>& arrays) {
    std::vector<std::int64_t> shape;
    for (Expr extent : values(scatter.shape)) shape.push_back(static_cast<std::int64_t>(extent.bits()));
    std::size_t number = 0;
    for_points(shape, [&](const Exprs& indices) {
      Expr is_here = arena_.boolean(true);
      for (std::size_t d = 0; d < indices.size(); ++d) is_here = is_here & equal(place[d], indices[d]);
      if (!is_here.is_constant(0))
        for (std::size_t k = 0; k < arrays.size(); ++k) {
          arrays[k][number] = select(is_here, stored[k], arrays[k][number]);
          if (!is_here.is_constant()) count_selects(arrays[k][number], 1);
        }
      ++number;
    });
    steps_ += static_cast<std::int64_t>(number);
  }

  // ---- sorts, reductions and Scans

  // By odd-even transposition, which is stable: neighbours change places only where the left key is larger.
  void sorted(const Stm& s, const soac::Sort& sort, std::vector<Stm>& out) {
    std::vector<Exprs> arrays;
    for (Expr array : sort.arrays) arrays.push_back(elements_of(array));
    const std::size_t n = arrays[0].size();
    if (sort.segments || static_cast<std::int64_t>(n) > unroll_limits.sorted) stuck();
    Exprs keys;
    for (std::size_t k = 0; k < n; ++k) {
      Exprs element;
      for (const Exprs& elements : arrays) element.push_back(elements[k]);
      keys.push_back(apply(sort.key, element, out)[0]);
    }
    start_round();
    arrays.push_back(std::move(keys));
    for (std::size_t round = 0; round < n; ++round)
      for (std::size_t k = round % 2; k + 1 < n; k += 2) {
        const Expr is_swapped = arrays.back()[k + 1] < arrays.back()[k];
        for (Exprs& each : arrays) {
          const Expr left = each[k], right = each[k + 1];
          each[k] = select(is_swapped, right, left);
          each[k + 1] = select(is_swapped, left, right);
        }
      }
    for (std::size_t k = 0; k < s.names.size(); ++k) bind(s.names[k], std::move(arrays[k]));
  }

  // op(left, right). Of a sum of floats and a product, both are rounded together.
  Exprs joined(const soac::Reduction& r, const Exprs& left, const Exprs& right, std::vector<Stm>& out) {
    const std::size_t n = right.size();
    Exprs arguments = left;
    for (Expr operand : right) arguments.push_back(soac::by_itself(operand));
    Exprs sums = apply(r.op, arguments, out);
    for (std::size_t k = 0; k < n; ++k)
      if (right[k].op() == Op::fma_sum && soac::is_sum_of_floats(r, k))
        sums[k] = arena_.apply(Op::fast_fma, {right[k].arg(0), right[k].arg(1), left[k]});
    return sums;
  }
  static Exprs by_themselves(const Exprs& operands) {
    Exprs all;
    for (Expr operand : operands) all.push_back(soac::by_itself(operand));
    return all;
  }

  // Folds short chains of points and then the chains' results, both in order: rounding errors grow with the
  // length of a chain plus the number of chains.
  Exprs total(const soac::Reduction& r, const std::vector<Exprs>& operands, std::vector<Stm>& out) {
    start_round();
    Exprs so_far = values(r.neutral), initial = values(r.initial);
    if (so_far.empty() && operands.empty()) stuck();
    const auto chain = static_cast<std::size_t>(unroll_limits.chain);
    for (std::size_t from = 0; from < operands.size(); from += chain) {
      Exprs part = from == 0 ? so_far : Exprs();
      for (std::size_t k = from; k < std::min(from + chain, operands.size()); ++k)
        part = part.empty() ? by_themselves(operands[k]) : joined(r, part, operands[k], out);
      so_far = from == 0 ? part : joined(r, so_far, part, out);
    }
    return initial.empty() ? so_far : joined(r, initial, so_far, out);
  }

  void running(const Stm& s, const soac::Scan& scan, std::vector<Stm>& out) {
    const auto found = running_.find(&s);
    const Exprs operands = values(scan.operands);
    Exprs before;
    if (found != running_.end())
      before = found->second;
    else
      before = values(scan.reduction.initial.empty() ? scan.reduction.neutral : scan.reduction.initial);
    const Exprs now =
        before.empty() ? by_themselves(operands) : joined(scan.reduction, before, operands, out);
    if (!scan.inclusive && before.empty()) stuck();
    running_[&s] = now;
    // Only the operator's parameters have been bound since this point was computed.
    start_round();
    for (std::size_t k = 0; k < s.names.size(); ++k) bind(s.names[k], scan.inclusive ? now[k] : before[k]);
  }

  // ---- branches and loops

  // The scalars of results or state, arrays as their elements.
  Exprs flattened(std::span<const Expr> exprs) {
    Exprs all;
    for (Expr e : exprs) {
      const Exprs each = e.type().rank > 0 ? elements_of(e) : Exprs{value(e)};
      all.insert(all.end(), each.begin(), each.end());
    }
    return all;
  }
  // Gives the names these values, in the order of flattened().
  void bind_all(std::span<const Var> names, const Exprs& flat) {
    auto next = flat.begin();
    for (Var name : names) {
      const scalar::VarInfo info = arena_.info(name);
      if (info.type.rank == 0) {
        bind(name, *next++);
        continue;
      }
      const std::int64_t n = size_of(info.shape);
      if (flat.end() - next < n) stuck();
      bind(name, Exprs(next, next + n));
      next += n;
    }
    if (next != flat.end()) stuck();
  }
  Exprs fresh(const Exprs& like, std::vector<Var>& names) {
    Exprs all;
    for (Expr e : like) {
      all.push_back(arena_.fresh(e.type(), "element"));
      names.push_back(all.back().var());
    }
    return all;
  }

  void branches(const Stm& s, const soac::If& i, std::vector<Stm>& out) {
    const Expr condition = value(i.condition);
    if (condition.is_constant()) {
      const Lambda& taken = condition.bits() ? i.then_branch : i.else_branch;
      statements(taken.body, out);
      return bind_all(s.names, flattened(taken.results));
    }
    soac::If kept{condition, {}, {}};
    statements(i.then_branch.body, kept.then_branch.body);
    kept.then_branch.results = flattened(i.then_branch.results);
    statements(i.else_branch.body, kept.else_branch.body);
    kept.else_branch.results = flattened(i.else_branch.results);
    const Exprs &yes = kept.then_branch.results, &no = kept.else_branch.results;
    if (yes.size() != no.size()) stuck();
    const bool is_select = kept.then_branch.body.empty() && kept.else_branch.body.empty() &&
                           soac::is_total(yes) && soac::is_total(no);
    Exprs results;
    Stm stays{{}, {}, s.where, s.origin};
    if (is_select)
      for (std::size_t k = 0; k < yes.size(); ++k) results.push_back(select(condition, yes[k], no[k]));
    else
      results = fresh(yes, stays.names);
    bind_all(s.names, results);
    if (is_select) return;
    stays.op = std::move(kept);
    out.push_back(std::move(stays));
  }

  void loop(const Stm& s, const soac::Loop& l, std::vector<Stm>& out) {
    const Expr trips = l.trips ? value(l.trips) : Expr();
    Exprs state = flattened(l.initial);
    if (!trips || !trips.is_constant()) return kept_loop(s, l, trips, state, out);
    const auto n = static_cast<std::int64_t>(trips.bits());
    if (n > soac::most_of_literal) stuck();
    const std::span<const Var> params = std::span(l.body.params).subspan(1);
    for (std::int64_t round = 0; round < n; ++round) {
      start_round();
      bind(l.body.params[0], arena_.i64(round));
      bind_all(params, state);
      statements(l.body.body, out);
      state = flattened(l.body.results);
    }
    start_round();
    bind_all(s.names, state);
  }
  void kept_loop(const Stm& s, const soac::Loop& l, Expr trips, const Exprs& state, std::vector<Stm>& out) {
    soac::Loop kept{state, trips, {}, {}};
    std::span<const Var> params = l.body.params;
    start_round();
    if (trips) {
      kept.body.params.push_back(arena_.fresh({scalar::Kind::i64}, "k").var());
      bind(params[0], arena_.name(kept.body.params[0]));
      params = params.subspan(1);
    } else {
      bind_all(l.condition.params, fresh(state, kept.condition.params));
      statements(l.condition.body, kept.condition.body);
      kept.condition.results = values(l.condition.results);
    }
    bind_all(params, fresh(state, kept.body.params));
    statements(l.body.body, kept.body.body);
    kept.body.results = flattened(l.body.results);
    if (kept.body.results.size() != state.size()) stuck();
    start_round();
    Stm stays{{}, {}, s.where, s.origin};
    bind_all(s.names, fresh(state, stays.names));
    stays.op = std::move(kept);
    out.push_back(std::move(stays));
  }

  Arena& arena_;
  const std::int64_t most_;
  std::int64_t steps_ = 0, selects_ = 0;
  std::unordered_set<Expr> chosen_;  // elements that indices select at run time
  int depth_ = 0;                    // number of enclosing Soacs that are unrolled
  std::unordered_map<Var, Expr> scalars_;
  std::unordered_map<Var, Exprs> arrays_;
  std::unordered_map<Expr, Expr> memo_;
  std::unordered_map<const Stm*, Exprs> running_;  // the values of Scans at the last point that was unrolled
};

std::int64_t nodes_of(const Unrolled& done) {
  Exprs roots;
  const auto add = [&](Expr e) { roots.push_back(e); };
  for (const Stm& s : done.body) soac::for_each_root(s, add);
  for (const Unrolled::Result& result : done.results) {
    if (result.value) add(result.value);
    roots.insert(roots.end(), result.elements.begin(), result.elements.end());
  }
  std::int64_t n = 0;
  scalar::for_each_node(roots, [&](Expr) { ++n; });
  return n;
}

}  // namespace

std::optional<Unrolled> unrolled(Arena& arena, const Lambda& body, std::int64_t most) {
  try {
    Unrolled done = Unroller(arena, most).run(body);
    if (nodes_of(done) > unroll_limits.nodes) return {};
    return done;
  } catch (const Stuck&) {
    return {};
  }
}

}  // namespace fulgurite::simplify
