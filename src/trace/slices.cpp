// Folds and scans whose operator works on arrays. In general a loop over the slices, which carries the array
// so far, and for a scan the results so far. An operator that works element by element, on equal indices of
// its two operands, is a scalar operator for each place: then the loop and the map change places (section 3
// of the redomap paper), a map over the places of a reduction, or a scan, over the slices.
#include <fulgurite/staged_combinators.h>

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "soac/count.h"
#include "trace/operators.h"
#include "trace/tracer.h"

namespace fulgurite::trace {

namespace {

// The arrays that are folded, as components of slices.
struct Sliced {
  Tracer& t;
  Exprs arrays;
  detail::Operand operand;
  Here where;

  Exprs space() const { return outer_extents(t, arrays[0], operand, where); }
  Exprs slice(std::span<const Expr> indices) const {
    Exprs parts;
    for (Expr array : arrays) parts.push_back(argument(t, array, operand, indices, where));
    return parts;
  }
  // The indices of slice number `number` in the space.
  Exprs indices_of(Expr number) const {
    const Exprs extents = space();
    Exprs indices(extents.size());
    for (std::size_t k = extents.size(); k-- > 1;) {
      indices[k] = number % extents[k];
      number = number / extents[k];
    }
    indices[0] = number;
    return indices;
  }
};

// The operator applied to the array so far and slice number k, as the body of a loop.
struct Step {
  soac::Lambda lambda;  // k, the array so far; the array after
  Exprs so_far, slice;  // the operator's operands
  Exprs shape;          // of a slice
  bool keeps_shape;
};

Step step(const Sliced& of, const detail::Body& op) {
  Tracer& t = of.t;
  Scope scope(t, "reduce", of.where);
  const Expr k = scope.parameter(scalar::Kind::i64, "k");
  Step s;
  s.slice = of.slice(of.indices_of(k));
  s.shape.assign(t.shape(s.slice[0]).begin(), t.shape(s.slice[0]).end());
  for (Expr part : s.slice) s.so_far.push_back(scope.parameter(part.kind(), s.shape, "s"));
  Exprs operands = s.so_far;
  operands.insert(operands.end(), s.slice.begin(), s.slice.end());
  Exprs results = t.exprs(op(t.values(operands)), of.where);
  s.keeps_shape =
      std::ranges::all_of(results, [&](Expr e) { return std::ranges::equal(t.shape(e), s.shape); });
  s.lambda = scope.close(std::move(results));
  return s;
}

// The operator as one of scalars, if it is one: its results for the elements of the operands at `place`.
class Elementwise {
 public:
  Elementwise(Arena& arena, const Step& step, std::span<const Expr> place)
      : arena_(arena), place_(place), step_(step) {}

  std::optional<Exprs> results(std::span<const Expr> left, std::span<const Expr> right) {
    for (std::size_t i = 0; i < left.size(); ++i) {
      values_[step_.so_far[i].var()] = left[i];
      values_[step_.slice[i].var()] = right[i];
    }
    for (const soac::Stm& stm : step_.lambda.body)
      if (!values_.contains(stm.names.empty() ? Var{-1} : stm.names[0]) && !inline_map(stm)) return {};
    Exprs results;
    for (Expr e : step_.lambda.results) {
      const auto found = values_.find(e.var());
      if (found == values_.end()) return {};
      results.push_back(found->second);
    }
    return results;
  }

 private:
  // The elements of a map over the places, from the elements of its operands.
  bool inline_map(const soac::Stm& stm) {
    const auto* soac = std::get_if<soac::Soac>(&stm.op);
    const bool is_plain =
        soac != nullptr && soac->dims == step_.shape && soac->body.body.empty() && soac::is_map(*soac);
    if (!is_plain) return false;
    Exprs indices;
    std::unordered_map<Var, Expr> to_place;
    for (std::size_t k = 0; k < place_.size(); ++k) {
      indices.push_back(arena_.name(soac->body.params[k]));
      to_place[soac->body.params[k]] = place_[k];
    }
    scalar::Substitution at_place(arena_, [&](Expr e) {
      if (e.is_name()) {
        const auto found = to_place.find(e.var());
        return found == to_place.end() ? Expr() : found->second;
      }
      if (e.op() != Op::index || !std::ranges::equal(e.args().subspan(1), indices)) return Expr();
      const auto found = values_.find(e.arg(0).var());
      return found == values_.end() ? Expr() : found->second;
    });
    Exprs elements;
    for (Expr e : soac->body.results) {
      if (e.type().rank > 0) return false;
      elements.push_back(at_place(e));
    }
    // Nothing is read at other indices of what the operator gets or makes.
    bool is_elementwise = true;
    scalar::for_each_node(elements, [&](Expr e) {
      if (e.is_name() && (e.type().rank > 0 ? values_.contains(e.var()) : e.var() == step_.lambda.params[0]))
        is_elementwise = false;
    });
    for (std::size_t i = 0; i < elements.size(); ++i) values_[stm.names[i]] = elements[i];
    return is_elementwise;
  }

  Arena& arena_;
  const std::span<const Expr> place_;
  const Step& step_;
  std::unordered_map<Var, Expr> values_;  // by array, its element at the place
};

// A map over the places of a slice of reductions over the slices, if the operator is elementwise.
std::optional<Exprs> interchanged(const Sliced& of, const Step& step, const Exprs& neutral) {
  Tracer& t = of.t;
  std::optional<Exprs> folded;
  soac::Lambda body;
  {
    Scope places(t, "reduce", of.where);
    const Exprs place = index_parameters(places, step.shape.size());
    bool is_elementwise = true;
    soac::Lambda op = operation(t, kinds_of(of.arrays), "reduce", of.where, [&](const Exprs& ab) {
      const std::span<const Expr> operands(ab);
      auto results = Elementwise(t.arena(), step, place)
                         .results(operands.first(of.arrays.size()), operands.last(of.arrays.size()));
      is_elementwise = results.has_value();
      return results.value_or(Exprs());
    });
    if (!is_elementwise) return {};
    const bool commutative = is_known_commutative(op);
    soac::Reduction reduction{std::move(op), elements(t, neutral, place), {}, commutative};
    Scope points(t, "reduce", of.where);
    const Exprs indices = index_parameters(points, of.space().size());
    Exprs operands;
    for (Expr part : of.slice(indices)) operands.push_back(element(t, part, place));
    soac::Lambda each = points.close(std::move(operands));
    folded.emplace();
    for (Expr array : of.arrays) folded->push_back(t.fresh(array.kind(), "reduce"));
    t.add(*folded, soac::Soac{of.space(), std::move(each), {std::move(reduction)}}, "reduce", of.where);
    body = places.close(*folded);
  }
  Exprs names;
  for (Expr array : of.arrays) names.push_back(t.fresh_array(array.kind(), step.shape, "reduce"));
  t.add(names, soac::Soac{step.shape, std::move(body)}, "reduce", of.where);
  return names;
}

// The operator as one of scalars, if it is elementwise and the same at every place.
std::optional<soac::Lambda> scalar_operator(const Sliced& of, const Step& step) {
  Tracer& t = of.t;
  Scope places(t, "scan", of.where);
  const Exprs place = index_parameters(places, step.shape.size());
  bool is_one = true;
  soac::Lambda op = operation(t, kinds_of(of.arrays), "scan", of.where, [&](const Exprs& ab) {
    const std::span<const Expr> operands(ab);
    auto results = Elementwise(t.arena(), step, place)
                       .results(operands.first(of.arrays.size()), operands.last(of.arrays.size()));
    is_one = results.has_value();
    return results.value_or(Exprs());
  });
  for (Expr e : op.results)
    for (Expr index : place) is_one = is_one && !scalar::mentions(e, index.var());
  if (!is_one) return {};
  return op;
}

// Arrays with slice number `number` of the space replaced.
Values with_slice(const Sliced& of, const Values& arrays, Expr number, const Values& slice) {
  Tracer& t = of.t;
  const Exprs whole = t.exprs(arrays, of.where), parts = t.exprs(slice, of.where);
  const std::size_t rank = t.shape(whole[0]).size();
  std::vector<bool> is_fixed(rank, of.operand.pass == detail::Pass::rows);
  if (is_fixed[0])
    is_fixed.back() = false;
  else
    is_fixed[axis_of(whole[0], of.operand.axis, "slices", of.where)] = true;
  const Exprs at = of.indices_of(number);
  std::vector<detail::Bounds> bounds;
  Exprs shape;
  std::size_t n_fixed = 0, n_free = 0;
  for (std::size_t k = 0; k < rank; ++k) {
    Arena& arena = t.arena();
    const Expr start = is_fixed[k] ? at[n_fixed++] : arena.i64(0);
    const Expr stop = is_fixed[k] ? start + 1 : t.shape(whole[0])[k];
    bounds.push_back({t.value(start), t.value(stop), t.value(arena.i64(1))});
    shape.push_back(is_fixed[k] ? arena.i64(1) : t.shape(parts[0])[n_free++]);
  }
  const Exprs values =
      tabulate_all(t, std::move(shape), "slice", of.where, [&](std::span<const Expr> indices) {
        Exprs free;
        for (std::size_t k = 0; k < rank; ++k)
          if (!is_fixed[k]) free.push_back(indices[k]);
        return elements(t, parts, free);
      });
  return detail::with(arrays, bounds, t.values(values), of.where);
}

}  // namespace
}  // namespace fulgurite::trace

namespace fulgurite::detail {

using namespace trace;

Values reduce(Body op, std::span<const Value> neutral, const Operand& operand, Here where) {
  Tracer& t = Tracer::current(where);
  const Sliced of{t, t.exprs(operand.parts, where), operand, where};
  Exprs start = t.exprs(neutral, where);
  const Expr n = product(t.arena(), of.space());
  Step each = step(of, op);
  if (!each.keeps_shape) {
    // Arrays of changing size: the operator once more, on operands of any.
    const std::size_t widths[] = {start.size()};
    const auto body = [&](std::span<const Value> arguments) {
      Values operands(arguments.begin() + 1, arguments.end());
      const Values slice = t.values(of.slice(of.indices_of(t.expr(arguments[0], where))));
      operands.insert(operands.end(), slice.begin(), slice.end());
      return op(operands);
    };
    return iterate(t.value(n), Body(body), neutral, widths, where);
  }
  const NamedOperand shapes[] = {{"the neutral array", start}, {"what is reduced", each.slice}};
  check_equal_shapes(t, "reduce", shapes, where);
  if (const auto results = interchanged(of, each, start)) return t.values(*results);
  Exprs names;
  for (Expr array : of.arrays) names.push_back(t.fresh_array(array.kind(), each.shape, "reduce"));
  t.add(names, soac::Loop{std::move(start), n, {}, std::move(each.lambda)}, "reduce", where);
  return t.values(names);
}

Values scan(Body op, std::span<const Value> neutral, const Operand& operand, Here where) {
  Tracer& t = Tracer::current(where);
  const Sliced of{t, t.exprs(operand.parts, where), operand, where};
  const Exprs start = t.exprs(neutral, where);
  const Exprs space = of.space();
  const Step each = step(of, op);
  const NamedOperand shapes[] = {{"the neutral array", start}, {"what is scanned", each.slice}};
  check_equal_shapes(t, "scan", shapes, where);
  const auto on_scalars = space.size() == 1 ? scalar_operator(of, each) : std::nullopt;
  if (on_scalars) {
    const auto body = [&](std::span<const Value> operands) {
      std::unordered_map<Var, Expr> given;
      for (std::size_t i = 0; i < operands.size(); ++i)
        given.emplace(on_scalars->params[i], t.expr(operands[i], where));
      Exprs results;
      for (Expr e : on_scalars->results) results.push_back(scalar::substitute(t.arena(), e, given));
      return t.values(results);
    };
    const bool is_rows = operand.pass == Pass::rows;
    const std::size_t axis = is_rows ? 0 : axis_of(of.arrays[0], operand.axis, "slices", where);
    return scan({.origin = "scan", .neutral = {}, .initial = {}, .axis = static_cast<int>(axis)}, Body(body),
                operand.parts, where);
  }
  const std::size_t n_parts = start.size(), widths[] = {n_parts, n_parts};
  Values state(neutral.begin(), neutral.end());
  state.insert(state.end(), operand.parts.begin(), operand.parts.end());
  const auto body = [&](std::span<const Value> arguments) {
    const Expr number = t.expr(arguments[0], where);
    Values operands(arguments.begin() + 1, arguments.begin() + 1 + static_cast<std::ptrdiff_t>(n_parts));
    const Values results(arguments.end() - static_cast<std::ptrdiff_t>(n_parts), arguments.end());
    const Values slice = t.values(of.slice(of.indices_of(number)));
    operands.insert(operands.end(), slice.begin(), slice.end());
    Values next = op(operands);
    const Values written = with_slice(of, results, number, next);
    next.insert(next.end(), written.begin(), written.end());
    return next;
  };
  const Values last = iterate(t.value(product(t.arena(), space)), Body(body), state, widths, where);
  return Values(last.end() - static_cast<std::ptrdiff_t>(n_parts), last.end());
}

}  // namespace fulgurite::detail
