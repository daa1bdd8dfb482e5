#include "soac/flatten.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/check.h"
#include "base/match.h"
#include "soac/demand.h"
#include "soac/outputs.h"
#include "soac/walk.h"

namespace fulgurite::soac {

using base::as;
using base::match;
using scalar::Node;
using scalar::Op;

namespace {

class Flattener {
 public:
  explicit Flattener(const Program& program)
      : program_(program), arena_(*program.arena), needed_(needed_names(program)) {}

  FlatProgram run() {
    for (Var p : program_.params) {
      FlatProgram::Param param{ref(p), {}};
      for (Expr extent : arena_.info(p).shape) param.extents.push_back(slot(extent));
      flat_.params.push_back(std::move(param));
    }
    std::vector<const Stm*> order;
    for (const Stm& stm : program_.body)
      if (comes_first(stm)) order.push_back(&stm);
    for (const Stm& stm : program_.body)
      if (!comes_first(stm)) order.push_back(&stm);
    statements(order, flat_.code);
    for (Expr e : program_.results) flat_.results.push_back(value(e, flat_.code.back()));
    flat_.n_slots = static_cast<std::size_t>(n_slots_);
    flat_.n_arrays = static_cast<std::size_t>(n_arrays_);
    flat_.n_scans = static_cast<std::size_t>(n_scans_);
    return std::move(flat_);
  }

 private:
  /// A Check of nothing but arguments. Elements are read, and divisors are not 0, only after the Checks
  /// before it.
  bool comes_first(const Stm& stm) {
    if (!as<Check>(stm.op)) return false;
    if (bound_.empty())
      for (const Stm& s : program_.body) bound_.insert(s.names.begin(), s.names.end());
    Vars mentioned;
    add_mentioned(stm, mentioned);
    return is_total(roots_of(stm)) &&
           std::none_of(mentioned.begin(), mentioned.end(), [&](Var v) { return bound_.contains(v); });
  }

  Slot slot(Expr e) {
    auto [entry, is_new] = slots_.try_emplace(e.node(), n_slots_);
    if (is_new) {
      ++n_slots_;
      if (e.is_constant()) flat_.constants.emplace_back(entry->second, e.bits());
    }
    return entry->second;
  }
  Slot array(Var var) {
    auto [entry, is_new] = arrays_.try_emplace(var, n_arrays_);
    if (is_new) ++n_arrays_;
    return entry->second;
  }
  Ref ref(Var var) {
    if (arena_.info(var).type.rank > 0) return {true, array(var)};
    return {false, slot(arena_.name(var))};
  }

  /// Makes the segment compute the expression, unless an earlier one of this function or of an enclosing one
  /// has.
  Ref value(Expr root, Segment& segment) {
    if (root.type().rank > 0) return {true, array(root.var())};
    struct Frame {
      Expr e;
      std::size_t next;
    };
    std::vector<Frame> stack;
    auto open = [&](Expr e) {
      if (e.args().empty() || !computed_.insert(e.node()).second) return;
      computed_list_.push_back(e.node());
      stack.push_back({e, 0});
    };
    open(root);
    while (!stack.empty()) {
      Frame& frame = stack.back();
      if (frame.next < frame.e.args().size()) {
        open(frame.e.arg(frame.next++));
        continue;
      }
      segment.instructions.push_back(instruction(frame.e));
      stack.pop_back();
    }
    return {false, slot(root)};
  }
  Slot scalar(Expr e, Segment& segment) { return value(e, segment).number; }
  std::vector<Slot> scalars(std::span<const Expr> exprs, Segment& segment) {
    std::vector<Slot> list;
    for (Expr e : exprs) list.push_back(scalar(e, segment));
    return list;
  }

  Instruction instruction(Expr e) {
    Instruction i{e.op(), e.arg(0).kind(), e.kind(), slot(e), 0, 0, 0, e.site()};
    if (e.op() == Op::index) {
      i.a = array(e.arg(0).var());
      i.b = static_cast<Slot>(flat_.index_slots.size());
      i.c = static_cast<Slot>(e.args().size()) - 1;
      std::vector<Slot> indices;
      for (Expr index : e.args().subspan(1)) indices.push_back(slot(index));
      flat_.index_slots.insert(flat_.index_slots.end(), indices.begin(), indices.end());
      return i;
    }
    Slot* operands[] = {&i.a, &i.b, &i.c};
    FULGURITE_CHECK(e.args().size() <= 3, "{} operands", e.args().size());
    for (std::size_t k = 0; k < e.args().size(); ++k) *operands[k] = slot(e.arg(k));
    return i;
  }

  /// The function's statements; `results` may add to the last segment.
  template <class Results>
  Code function(const Lambda& lambda, Results&& results) {
    const std::size_t mark = computed_list_.size();
    std::vector<const Stm*> order;
    for (const Stm& stm : lambda.body) order.push_back(&stm);
    Code code;
    statements(order, code);
    results(code.back());
    for (; computed_list_.size() > mark; computed_list_.pop_back()) computed_.erase(computed_list_.back());
    return code;
  }

  bool is_needed(Var var) const { return needed_.contains(var); }

  void statements(const std::vector<const Stm*>& body, Code& code) {
    code.emplace_back();
    for (const Stm* stm : body) {
      const bool is_check = as<Check>(stm->op) != nullptr;
      if (!is_check &&
          std::none_of(stm->names.begin(), stm->names.end(), [&](Var v) { return is_needed(v); }))
        continue;
      FlatStatement flat{FlatCheck{}, stm->where};
      match(
          stm->op, [&](const Soac&) { flat.op = soac(*stm, code.back()); },
          [&](const Scan& s) { flat.op = scan(s, stm->names, code.back()); },
          [&](const Sort& s) { flat.op = sort(s, stm->names); },
          [&](const If& i) { flat.op = branch(i, stm->names, code.back()); },
          [&](const Loop& l) { flat.op = loop(l, stm->names, code.back()); },
          [&](const Check& c) {
            const Slot condition = scalar(c.condition, code.back());
            flat.op = FlatCheck{condition, c.site, scalars(c.operands, code.back())};
          },
          [&](const Call& c) { flat.op = call(c, stm->names, code.back()); },
          [&](const Let& l) {
            const Slot from = scalar(l.value, code.back());
            flat.op = FlatLet{from, ref(stm->names[0]).number};
          });
      code.back().statement.push_back(std::move(flat));
      code.emplace_back();
    }
  }

  /// Everything but operands and results.
  FlatReduction reduction(const Reduction& r, Segment& before) {
    FlatReduction flat;
    flat.neutral = scalars(r.neutral, before);
    flat.initial = scalars(r.initial, before);
    const std::size_t k = r.op.results.size();
    for (std::size_t i = 0; i < k; ++i) {
      flat.left.push_back(ref(r.op.params[i]).number);
      flat.right.push_back(ref(r.op.params[k + i]).number);
    }
    flat.op = function(r.op, [&](Segment& last) { flat.results = scalars(r.op.results, last); });
    return flat;
  }

  FlatScan scan(const Scan& s, const std::vector<Var>& names, Segment& before) {
    FlatScan flat{n_scans_++, reduction(s.reduction, before), s.inclusive, {}};
    if (s.segments) flat.segments = array(s.segments.var());
    flat.reduction.operands = scalars(s.operands, before);
    for (Var v : names) flat.reduction.to.push_back(ref(v).number);
    scans_.push_back(flat.number);
    return flat;
  }

  FlatSort sort(const Sort& s, const std::vector<Var>& names) {
    FlatSort flat;
    for (Expr e : s.arrays) flat.arrays.push_back(array(e.var()));
    if (s.segments) flat.segments = array(s.segments.var());
    for (Var p : s.key.params) flat.params.push_back(ref(p).number);
    for (Var v : names) flat.to.push_back(array(v));
    flat.key = function(s.key, [&](Segment& last) { flat.key_result = scalar(s.key.results[0], last); });
    return flat;
  }

  /// Takes the results of a Soac's body: runs with the last segment of the body.
  using Take = std::function<void(FlatSoac&, Segment& last)>;

  FlatSoac soac(const Stm& stm, Segment& before) {
    const auto& s = std::get<Soac>(stm.op);
    const OutputView outputs = view_of(stm);
    std::vector<Take> take;
    FlatSoac flat;
    flat.dims = scalars(s.dims, before);
    flat.outer_axes = s.outer_axes;
    flat.axes_behind = s.axes_behind;
    for (Var p : s.body.params) flat.params.push_back(ref(p).number);
    for (const OutputView::Reduced& r : outputs.reductions)
      if (is_any_needed(r.names)) take.push_back(reduced(r, flat, before));
    const std::vector<bool> needed = needed_scatters(outputs, [&](Var array) { return is_needed(array); });
    for (std::size_t g = 0; g < needed.size(); ++g)
      if (needed[g]) take.push_back(scatter(outputs.scatters[g], flat, before));
    for (const OutputView::Partitioned& p : outputs.partitions)
      if (is_needed(p.kept) || is_needed(p.offsets) || is_any_needed(p.arrays))
        take.push_back(partition(p, flat, before));
    for (const Mapped& m : outputs.mapped)
      if (is_needed(m.array)) take.push_back(mapped(m, flat, before));
    std::vector<Slot> outer_scans = std::exchange(scans_, {});
    flat.body = function(s.body, [&](Segment& last) {
      for (const Take& each : take) each(flat, last);
    });
    flat.scans = std::exchange(scans_, std::move(outer_scans));
    return flat;
  }

  Take reduced(const OutputView::Reduced& output, FlatSoac& flat, Segment& before) {
    FlatReduction r = reduction(output.by, before);
    for (Var name : output.names) r.to.push_back(ref(name).number);
    flat.reductions.push_back(std::move(r));
    return [this, operands = output.operands, at = flat.reductions.size() - 1](FlatSoac& to, Segment& last) {
      FlatReduction& flat_reduction = to.reductions[at];
      for (std::size_t k = 0; k < operands.size(); ++k) {
        flat_reduction.operands.push_back(scalar(operands[k], last));
        if (operands[k].op() == scalar::Op::fma_sum)
          flat_reduction.products.push_back(
              {k, operands[k].kind(), scalar(operands[k].arg(0), last), scalar(operands[k].arg(1), last)});
      }
    };
  }

  Take scatter(const OutputView::Scattered& output, FlatSoac& flat, Segment& before) {
    const Lambda& initial = output.to.initial;
    FlatScatter to;
    to.goes_on = output.to.goes_on;
    to.shape = scalars(output.to.shape, before);
    for (Var v : initial.params) to.params.push_back(ref(v).number);
    to.initial = function(initial, [&](Segment& last) { to.contents = scalars(initial.results, last); });
    for (Var v : output.arrays) {
      to.arrays.push_back(array(v));
      to.kinds.push_back(kind_of(v));
    }
    for (const Reduction& r : output.to.combine) to.combine.push_back(reduction(r, before));
    flat.scatters.push_back(std::move(to));
    return [this, place = output.place, values = output.values, at = flat.scatters.size() - 1](
               FlatSoac& whole, Segment& last) {
      whole.scatters[at].place = scalars(place, last);
      whole.scatters[at].values = scalars(values, last);
    };
  }

  Take partition(const OutputView::Partitioned& output, FlatSoac& flat, Segment& before) {
    const Slot classes = scalar(output.classes, before);
    FlatPartition to{classes, 0, ref(output.kept).number, array(output.offsets), {}, {}, {}};
    std::vector<Expr> wanted;
    for (std::size_t k = 0; k < output.arrays.size(); ++k) {
      if (!is_needed(output.arrays[k])) continue;
      wanted.push_back(output.values[k]);
      to.arrays.push_back(array(output.arrays[k]));
      to.kinds.push_back(kind_of(output.arrays[k]));
    }
    flat.partitions.push_back(std::move(to));
    return [this, point_class = output.point_class, wanted, at = flat.partitions.size() - 1](FlatSoac& whole,
                                                                                             Segment& last) {
      whole.partitions[at].element_class = scalar(point_class, last);
      whole.partitions[at].values = scalars(wanted, last);
    };
  }

  Take mapped(const Mapped& output, FlatSoac& flat, Segment& before) {
    const scalar::VarInfo& info = arena_.info(output.array);
    flat.outputs.push_back({{}, array(output.array), info.type.kind, scalars(info.shape, before)});
    return [this, result = output.result, at = flat.outputs.size() - 1](FlatSoac& whole, Segment& last) {
      whole.outputs[at].element = value(result, last);
    };
  }

  bool is_any_needed(std::span<const Var> names) const {
    return std::ranges::any_of(names, [&](Var v) { return is_needed(v); });
  }
  Kind kind_of(Var v) const { return arena_.info(v).type.kind; }

  FlatIf branch(const If& i, const std::vector<Var>& names, Segment& before) {
    FlatIf flat;
    flat.condition = scalar(i.condition, before);
    const Lambda* branches[] = {&i.then_branch, &i.else_branch};
    for (int b = 0; b < 2; ++b)
      flat.branches[b] = function(*branches[b], [&](Segment& last) {
        for (std::size_t k = 0; k < names.size(); ++k)
          if (is_needed(names[k])) flat.results[b].push_back(value(branches[b]->results[k], last));
      });
    for (Var v : names)
      if (is_needed(v)) flat.to.push_back(ref(v));
    return flat;
  }

  FlatLoop loop(const Loop& l, const std::vector<Var>& names, Segment& before) {
    FlatLoop flat;
    flat.counted = static_cast<bool>(l.trips);
    const std::size_t first = flat.counted ? 1 : 0;
    if (flat.counted) {
      flat.trips = scalar(l.trips, before);
      flat.counter = ref(l.body.params[0]).number;
    }
    for (std::size_t k = 0; k < names.size(); ++k) {
      if (!is_needed(names[k])) continue;
      flat.initial.push_back(value(l.initial[k], before));
      flat.params.push_back(ref(l.body.params[first + k]));
      if (!flat.counted) flat.condition_params.push_back(ref(l.condition.params[k]));
      flat.to.push_back(ref(names[k]));
    }
    if (!flat.counted)
      flat.condition = function(
          l.condition, [&](Segment& last) { flat.condition_result = scalar(l.condition.results[0], last); });
    flat.body = function(l.body, [&](Segment& last) {
      for (std::size_t k = 0; k < names.size(); ++k)
        if (is_needed(names[k])) flat.results.push_back(value(l.body.results[k], last));
    });
    return flat;
  }

  FlatCall call(const Call& c, const std::vector<Var>& names, Segment& before) {
    FlatCall flat{&c, {}, {}, scalars(c.scalars, before), {}};
    for (Expr e : c.arrays) flat.arrays.push_back(array(e.var()));
    for (Expr e : c.former) flat.former.push_back(e ? array(e.var()) : -1);
    for (Var v : names) {
      const scalar::VarInfo& info = arena_.info(v);
      flat.results.push_back({array(v), info.type.kind, scalars(info.shape, before)});
    }
    return flat;
  }

  const Program& program_;
  Arena& arena_;
  const std::unordered_set<Var> needed_;
  Vars bound_;
  FlatProgram flat_;
  std::unordered_map<const Node*, Slot> slots_;
  std::unordered_map<Var, Slot> arrays_;
  std::unordered_set<const Node*> computed_;  // at this point of this function and the ones around it
  std::vector<const Node*> computed_list_;
  std::vector<Slot> scans_;  // met so far in the body of the Soac at hand
  Slot n_slots_ = 0, n_arrays_ = 0, n_scans_ = 0;
};

}  // namespace

FlatProgram flatten(const Program& program) {
  return Flattener(program).run();
}

}  // namespace fulgurite::soac
