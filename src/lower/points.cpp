#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "base/match.h"
#include "lower/emitter.h"
#include "schedule/rewrites/ascending.h"
#include "schedule/rewrites/lift.h"
#include "schedule/rewrites/slice.h"
#include "soac/layout.h"
#include "soac/rename.h"

namespace fulgurite::lower {

namespace {

// Whether the class is this one; for `condition ? 0 : 1` the condition itself or its opposite.
Expr is_class(scalar::Arena& arena, Expr of, std::int64_t number) {
  const auto known = [](Expr e) { return e.is_constant(); };
  if (of.op() != Op::select || !known(of.arg(1)) || !known(of.arg(2))) return arena.eq(of, arena.i64(number));
  const bool yes = of.arg(1).is_constant(number), no = of.arg(2).is_constant(number);
  if (yes == no) return arena.boolean(yes);
  return yes ? of.arg(0) : arena.logical_not(of.arg(0));
}

}  // namespace

void Emitter::note_sequential(const soac::Stm& s, std::string_view why) {
  if (s.origin.empty()) return;  // lowering wrote it, not the user
  std::string note =
      fmt::format("{}:{}: {} runs as a sequential loop: it {}", s.where.file, s.where.line, s.origin, why);
  if (std::find(sequential_.begin(), sequential_.end(), note) == sequential_.end())
    sequential_.push_back(std::move(note));
}

Running::Groups Emitter::start(const soac::Soac& soac) {
  Running::Groups accumulators;
  for (const soac::Reduction& r : soac.reductions) {
    std::vector<Expr> group;
    for (Expr neutral : r.neutral) group.push_back(declare(lower(neutral), "acc"));
    accumulators.push_back(std::move(group));
  }
  return accumulators;
}

void Emitter::join(const soac::Reduction& r, const std::vector<Expr>& accumulators,
                   std::span<const Expr> operands) {
  std::vector<Expr> args;
  for (Expr variable : accumulators) args.push_back(snapshot(variable, "acc"));
  args.insert(args.end(), operands.begin(), operands.end());
  std::vector<Expr> joined = apply(r.op, args);
  for (std::size_t k = 0; k < joined.size(); ++k) assign(accumulators[k], joined[k]);
}

void Emitter::join_halves(const soac::Soac& op, std::span<const Var> buffers, Expr t, Expr width) {
  Expr other = bind(arena_.add(t, width), "at");
  for (const soac::Reduction& r : op.reductions) {
    const std::span parts = buffers.first(r.neutral.size());
    std::vector<Expr> args;
    for (Var part : parts) args.push_back(load_plain(part, t, "low"));
    for (Var part : parts) args.push_back(load_plain(part, other, "high"));
    const std::vector<Expr> joined = apply(r.op, args);
    for (std::size_t k = 0; k < joined.size(); ++k) store_plain(parts[k], t, joined[k]);
    buffers = buffers.subspan(parts.size());
  }
}

Expr Emitter::size(Var array) {
  Expr product = arena_.i64(1);
  for (Expr extent : arena_.info(array).shape) product = arena_.mul(product, lower(extent));
  return lower(product);
}

void Emitter::point(const soac::Stm& s, std::span<const Expr> indices, Expr number, const Running& running) {
  const auto& soac = std::get<soac::Soac>(s.op);
  const soac::Layout layout = soac::layout_of(soac);
  const soac::Layout::Part& mapped = layout.mapped;
  soac::Applied body = soac::apply(arena_, soac.body, indices);
  for (std::size_t d = 0; d < indices.size() && bounds_; ++d)
    if (indices[d].is_name()) bounds_->set_below(indices[d].var(), soac.dims[d]);
  struct Row {
    Var array;
    Destination to;
  };
  std::vector<Row> copied;  // made by somebody else
  for (std::size_t k = 0; k < mapped.n_results; ++k) {
    Expr result = body.results[mapped.result + k];
    if (result.type().rank == 0) continue;
    const Destination whole = destination(s.names[mapped.name + k]);
    Expr first = arena_.mul(number, size(result.var()));
    const Destination row{whole.buffer, lower(element_of(whole, first)), whole.step};
    if (!make_there(body.body, result.var(), row)) copied.push_back({result.var(), row});
  }
  std::size_t n_scans = 0;
  std::vector<soac::Stm> one(1);
  for (soac::Stm& statement : body.body) {
    if (base::as<soac::Scan>(statement.op)) {
      scan(statement, running, n_scans++);
      continue;
    }
    one[0] = std::move(statement);
    statements(one);
  }
  for (const Row& row : copied) copy(row.array, row.to, s.where);
  auto results_of = [&](const soac::Layout::Part& part) {
    return lower(std::span(body.results).subspan(part.result, part.n_results));
  };
  auto names_of = [&](const soac::Layout::Part& part) {
    return std::span(s.names).subspan(part.name, part.n_names);
  };
  for (std::size_t g = 0; g < soac.reductions.size(); ++g)
    join(soac.reductions[g], running.reductions[g],
         operands(
             std::span(body.results).subspan(layout.reductions[g].result, layout.reductions[g].n_results)));
  for (std::size_t g = 0; g < soac.partitions.size(); ++g) {
    const soac::Layout::Part& part = layout.partitions[g];
    if (running.partitions[g].packs)
      pack(soac.partitions[g], names_of(part), std::span(body.results).subspan(part.result, part.n_results),
           running.partitions[g]);
    else
      put(soac.partitions[g], names_of(part), results_of(part), running.partitions[g]);
  }
  for (std::size_t k = 0; k < mapped.n_results; ++k)
    if (Expr result = body.results[mapped.result + k]; result.type().rank == 0)
      store(destination(s.names[mapped.name + k]), number, lower(result));
  // A scatter may update in place an array that the point reads, so all reads come before the first store.
  std::vector<std::vector<Expr>> scattered;
  for (const soac::Layout::Part& part : layout.scatters) scattered.push_back(results_of(part));
  for (std::size_t g = 0; g < soac.scatters.size(); ++g)
    put(soac, g, names_of(layout.scatters[g]), scattered[g], running.update);
}

// Lanes scan their values by themselves (Hillis and Steele, "Data parallel algorithms", 1986) and join what
// the points before have; what goes on from one vector to the next is one application of the operator.
void Emitter::scan(const soac::Stm& s, const Running& running, std::size_t number) {
  const auto& op = std::get<soac::Scan>(s.op);
  const std::vector<Expr>& so_far = running.scans[number];
  const int lanes = running.lanes;
  auto joined = [&](std::vector<Expr> left, const std::vector<Expr>& right) {
    left.insert(left.end(), right.begin(), right.end());
    return apply(op.reduction.op, left);
  };
  auto bind_names = [&](const std::vector<Expr>& values) {
    for (std::size_t k = 0; k < values.size(); ++k) bind_name(s.names[k], values[k]);
  };
  if (!running.within.empty()) return bind_names(joined(so_far, running.within[number]));
  const std::vector<Expr> operands = lower(op.operands);
  if (lanes > 1) {
    const std::vector<Expr> neutral = lower(op.reduction.neutral);
    auto shifted = [&](const std::vector<Expr>& values, int by) {
      std::vector<Expr> result;
      for (std::size_t k = 0; k < values.size(); ++k)
        result.push_back(shift(bind(values[k], "value"), neutral[k], by, "before"));
      return result;
    };
    std::vector<Expr> values = operands, last;
    for (int by = 1; by < lanes; by *= 2) values = joined(shifted(values, by), values);
    for (Expr value : values) last.push_back(pick(value, lanes - 1, "last"));
    const std::vector<Expr> before = snapshots(so_far);
    join(op.reduction, so_far, last);
    return bind_names(joined(before, op.inclusive ? values : shifted(values, 1)));
  }
  std::vector<Expr> before;
  if (!op.inclusive) before = snapshots(so_far);
  join(op.reduction, so_far, operands);
  bind_names(op.inclusive ? snapshots(so_far) : before);
}

// if (the place is inside) array[place] = value, or op(array[place], value)
void Emitter::put(const soac::Soac& soac, std::size_t number, std::span<const Var> arrays,
                  std::span<const Expr> results, const Running::Update& update) {
  if (arrays.empty()) return;  // of a partition that only counts
  const soac::Scatter& scatter = soac.scatters[number];
  const std::size_t rank = scatter.shape.size();
  const std::vector<Expr> place(results.begin(), results.begin() + static_cast<std::ptrdiff_t>(rank));
  const std::vector<Expr> extents = this->extents(scatter.shape);
  Expr inside = arena_.boolean(true);
  for (std::size_t d = 0; d < rank; ++d) {
    const Expr is_below = arena_.lt(place[d], extents[d]), is_number = arena_.le(arena_.i64(0), place[d]);
    inside = arena_.logical_and(inside, arena_.logical_and(is_number, is_below));
  }
  if_then(bind(inside, "inside"), [&] {
    std::vector<Expr> values(results.begin() + static_cast<std::ptrdiff_t>(rank), results.end());
    Expr at = bind(linear(place, extents), "at");
    std::vector<std::pair<Var, Expr>> elements;
    for (Var array : arrays) {
      const Destination& to = destination(array);
      elements.emplace_back(to.buffer, bind(element_of(to, at), "at"));
    }
    if (update) return update(number, elements, values);
    for (const soac::Reduction& r : scatter.combine) {
      std::vector<Expr> args;
      for (const auto& [buffer, index] : elements) args.push_back(load_plain(buffer, index, "before"));
      args.insert(args.end(), values.begin(), values.end());
      values = apply(r.op, args);
    }
    for (std::size_t k = 0; k < arrays.size(); ++k)
      store_plain(elements[k].first, elements[k].second, values[k]);
  });
}

// if (the class is one) array[cursor[class]++] = value
void Emitter::put(const soac::Partition& partition, std::span<const Var> names, std::span<const Expr> results,
                  const Running::Cursor& cursor) {
  const Expr is_below = arena_.lt(results[0], extent(partition.classes));
  Expr inside = arena_.logical_and(arena_.le(arena_.i64(0), results[0]), is_below);
  if_then(bind(inside, "inside"), [&] {
    Expr at;
    const Destination& table = cursor.table;
    if (!cursor.next.empty()) {
      at = snapshot(cursor.next[0], "at");
      assign(cursor.next[0], bind(arena_.add(at, arena_.i64(1)), "next"));
    } else {
      Expr entry = bind(element_of(table, results[0]), "entry");
      at = load_plain(table.buffer, entry, "at");
      store_plain(table.buffer, entry, bind(arena_.add(at, arena_.i64(1)), "next"));
    }
    for (std::size_t k = 0; k < partition.n_values; ++k) {
      const Destination& to = destination(names[2 + k]);
      store_plain(to.buffer, bind(element_of(to, at), "at"), results[1 + k]);
    }
  });
}

// For each class: the instances of the class go together to where its next points go.
void Emitter::pack(const soac::Partition& partition, std::span<const Var> names,
                   std::span<const Expr> results, const Running::Cursor& cursor) {
  const std::vector<Expr> values = lower(results.subspan(1));
  for (std::size_t c = 0; c < cursor.next.size(); ++c) {
    kernel::Pack statement{
        cursor.next[c].var(), lower(is_class(arena_, results[0], static_cast<std::int64_t>(c))), {}, values};
    for (std::size_t k = 0; k < partition.n_values; ++k)
      statement.buffers.push_back(touch(destination(names[2 + k]).buffer, kernel::Param::Role::output));
    append(std::move(statement));
  }
}

// for i { for j { operands = body(i, j); acc = op(acc, operands) } }, where operators know more behind the
// first point with that one by itself
void Emitter::sequential_soac(const soac::Stm& original) {
  note_sequential(original, "depends on the element of the combinator around it");
  const soac::Stm s = schedule::lift_missing_neutral(arena_, original);
  const auto& soac = std::get<soac::Soac>(s.op);
  std::vector<Expr> dims = extents(soac.dims);
  Running running;
  running.reductions = start(soac);
  for (const soac::Stm* scan : schedule::scans_of(soac.body)) {
    running.scans.emplace_back();
    for (Expr first : lower(schedule::first_of(*scan)))
      running.scans.back().push_back(declare(first, "so_far"));
  }
  std::vector<Expr> indices;
  std::function<void(std::size_t)> nest = [&](std::size_t d) {
    if (d == dims.size()) return point(s, indices, lower(linear(indices, dims)), running);
    for_loop(arena_.i64(0), dims[d], arena_.i64(1), "i", [&](Expr i) {
      indices.push_back(i);
      nest(d + 1);
      indices.pop_back();
    });
  };
  const bool may_repeat = dims.size() == 1 && running.scans.empty() && !schedule::makes_arrays(soac);
  const auto behind = may_repeat ? schedule::behind_first(arena_, s, false) : std::nullopt;
  if (behind) {
    const Expr zero = arena_.i64(0), one = arena_.i64(1);
    if_then(lower(arena_.lt(zero, dims[0])), [&] { point(s, {{zero}}, zero, running); });
    for_loop(one, dims[0], one, "i", [&](Expr i) { point(*behind, {{i}}, i, running); });
  } else {
    nest(0);
  }
  std::vector<Expr> totals;
  for (const auto& group : running.reductions)
    for (Expr variable : group)
      totals.push_back(snapshot(variable, arena_.info(s.names[totals.size()]).name));
  finish(s, totals);
}

void Emitter::finish(const soac::Stm& s, std::span<const Expr> totals) {
  std::size_t next = 0;
  for (const soac::Reduction& r : std::get<soac::Soac>(s.op).reductions) {
    std::size_t n = r.neutral.size();
    std::vector<Expr> values(totals.begin() + next, totals.begin() + next + n);
    if (!r.initial.empty()) {
      std::vector<Expr> args = lower(r.initial);
      args.insert(args.end(), values.begin(), values.end());
      values = apply(r.op, args);
    }
    for (Expr value : values) bind_name(s.names[next++], value);
  }
}

}  // namespace fulgurite::lower
