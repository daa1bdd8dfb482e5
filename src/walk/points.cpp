#include "walk/points.h"

#include <algorithm>

#include "base/match.h"
#include "parts/lanes.h"
#include "schedule/rewrites/scanned.h"
#include "soac/outputs.h"
#include "soac/rename.h"
#include "walk/arrays.h"
#include "walk/control.h"
#include "walk/operators.h"

namespace fulgurite::walk {

namespace {

// Whether the class is this one; for `condition ? 0 : 1` the condition itself or its opposite.
Expr is_class(scalar::Arena& arena, Expr of, std::int64_t number) {
  const auto known = [](Expr e) { return e.is_constant(); };
  if (of.op() != Op::select || !known(of.arg(1)) || !known(of.arg(2))) return equal(of, number);
  const bool yes = of.arg(1).is_constant(number), no = of.arg(2).is_constant(number);
  if (yes == no) return arena.boolean(yes);
  return yes ? of.arg(0) : logical_not(of.arg(0));
}

std::vector<Expr> joined(const Emitter& e, const soac::Reduction& r, std::vector<Expr> left,
                         std::span<const Expr> right) {
  left.insert(left.end(), right.begin(), right.end());
  return apply(e, r.op, left);
}

// ---- Scans

void bind_names(const Emitter& e, const soac::Stm& s, const std::vector<Expr>& values) {
  for (std::size_t k = 0; k < values.size(); ++k) e.bind_name(s.names[k], values[k]);
}

// Lanes scan their values by themselves and join what the points before have; what goes on from one vector to
// the next is one application of the operator.
void scan_in_lanes(const Emitter& e, const soac::Stm& s, const std::vector<Expr>& so_far, int lanes) {
  const auto& op = std::get<soac::Scan>(s.op);
  const parts::Operator by = operator_of(e, op.reduction);
  const std::vector<Expr> operands = e.lower(op.operands), neutral = e.lower(by.neutral);
  const std::vector<Expr> values = parts::scan_lanes(e, by, neutral, operands, lanes);
  std::vector<Expr> last;
  for (Expr value : values) last.push_back(e.pick(value, lanes - 1, "last"));
  const std::vector<Expr> before = e.snapshots(so_far);
  parts::join(e, by, so_far, last);
  bind_names(e, s, by.apply(e, before, op.inclusive ? values : parts::shifted(e, values, neutral, 1)));
}

void scan(const Emitter& e, const soac::Stm& s, const Running& running, std::size_t number) {
  const auto& op = std::get<soac::Scan>(s.op);
  const std::vector<Expr>& so_far = running.scans[number];
  if (!running.within.empty())
    return bind_names(e, s, joined(e, op.reduction, so_far, running.within[number]));
  if (running.lanes > 1) return scan_in_lanes(e, s, so_far, running.lanes);
  const std::vector<Expr> operands = e.lower(op.operands);
  std::vector<Expr> before;
  if (!op.inclusive) before = e.snapshots(so_far);
  join(e, op.reduction, so_far, operands);
  bind_names(e, s, op.inclusive ? e.snapshots(so_far) : before);
}

// ---- scatters

// if (the place is inside) array[place] = value, or op(array[place], value)
void put(const Emitter& e, const soac::OutputView::Scattered& output, std::size_t scatter, Expr number,
         const Running& running) {
  if (output.arrays.empty()) return;  // of a partition that only counts
  const std::vector<Expr> bounds = extents(e, output.to.shape);
  Expr inside = e.arena().boolean(true);
  for (std::size_t d = 0; d < bounds.size() && !e.context().scatters_inside; ++d) {
    const Expr index = output.place[d];
    const Expr is_below = index < bounds[d], is_number = 0 <= index;
    inside = inside & (is_number & is_below);
  }
  e.if_then(e.bind(inside, "inside"), [&] {
    std::vector<Expr> values(output.values.begin(), output.values.end());
    Expr at = e.bind(linear(e, output.place, bounds), "at");
    std::vector<std::pair<Var, Expr>> elements;
    for (Var array : output.arrays) {
      const Destination& to = e.destination(array);
      elements.emplace_back(to.buffer, e.bind(element_of(to, at), "at"));
    }
    if (running.update) return running.update(e, scatter, number, elements, values);
    for (const soac::Reduction& r : output.to.combine) {
      std::vector<Expr> before;
      for (const auto& [buffer, index] : elements) before.push_back(e.load_plain(buffer, index, "before"));
      values = joined(e.scattering_inside(false), r, std::move(before), values);
    }
    for (std::size_t k = 0; k < elements.size(); ++k)
      e.store_plain(elements[k].first, elements[k].second, values[k]);
  });
}

// ---- partitions

// if (the class is one) array[cursor[class]++] = value
void put(const Emitter& e, const soac::OutputView::Partitioned& output, const Running::Cursor& cursor) {
  const Expr of = e.lower(output.point_class);
  const std::vector<Expr> values = e.lower(output.values);
  const Expr is_below = of < extent(e, output.classes);
  Expr inside = (0 <= of) & is_below;
  e.if_then(e.bind(inside, "inside"), [&] {
    Expr at;
    const Destination& table = cursor.table;
    if (!cursor.next.empty()) {
      at = e.snapshot(cursor.next[0], "at");
      e.assign(cursor.next[0], e.bind(at + 1, "next"));
    } else {
      Expr entry = e.bind(element_of(table, of), "entry");
      at = e.load_plain(table.buffer, entry, "at");
      e.store_plain(table.buffer, entry, e.bind(at + 1, "next"));
    }
    for (std::size_t k = 0; k < values.size(); ++k) {
      const Destination& to = e.destination(output.arrays[k]);
      e.store_plain(to.buffer, e.bind(element_of(to, at), "at"), values[k]);
    }
  });
}

// For each class: the instances of the class go together to where its next points go.
void pack(const Emitter& e, const soac::OutputView::Partitioned& output, const Running::Cursor& cursor) {
  const std::vector<Expr> values = e.lower(output.values);
  const std::vector<Var> buffers = buffers_of(e, output.arrays);
  for (std::size_t c = 0; c < cursor.next.size(); ++c) {
    const Expr keep = e.lower(is_class(e.arena(), output.point_class, static_cast<std::int64_t>(c)));
    e.pack(cursor.next[c].var(), keep, buffers, values);
  }
}

// ---- a point

/// Arrays that are results of the body: those that the body does not make where they belong.
struct Row {
  Var array;
  Destination to;
};
std::vector<Row> rows_to_copy(const Emitter& e, const soac::Soac& op, const std::vector<soac::Mapped>& mapped,
                              const std::vector<soac::Stm>& body, std::span<const Expr> indices,
                              Expr number) {
  std::vector<Row> copied;
  for (const auto& [result, array] : mapped) {
    if (result.type().rank == 0) continue;
    const Destination row = row_of(e, op, {result, array}, indices, number);
    if (!make_there(e, body, result.var(), row)) copied.push_back({result.var(), row});
  }
  return copied;
}

// Statements of a body, all of its Scans among them, or none.
void body_statements(const Emitter& e, std::span<soac::Stm> body, const Running& running) {
  std::size_t n_scans = 0;
  std::vector<soac::Stm> one(1);
  for (soac::Stm& statement : body) {
    if (base::as<soac::Scan>(statement.op)) {
      scan(e, statement, running, n_scans++);
      continue;
    }
    one[0] = std::move(statement);
    statements(e, one);
  }
}

// What a point leaves, once its body's statements have run.
void leave(const Emitter& e, const soac::OutputView& outputs, Expr number, const Running& running) {
  for (std::size_t g = 0; g < outputs.reductions.size(); ++g) {
    const soac::OutputView::Reduced& r = outputs.reductions[g];
    join(e, r.by, running.reductions[g], operands(e, r.operands));
  }
  for (std::size_t g = 0; g < outputs.partitions.size(); ++g) {
    const Running::Cursor& cursor = running.partitions[g];
    if (cursor.packs)
      pack(e, outputs.partitions[g], cursor);
    else
      put(e, outputs.partitions[g], cursor);
  }
  for (const auto& [result, array] : outputs.mapped)
    if (result.type().rank == 0) e.store(e.destination(array), number, e.lower(result));
  // A scatter may update in place an array that the point reads, so all reads come before the first store.
  struct Stored {
    std::vector<Expr> place, values;
  };
  std::vector<Stored> stored;
  for (const soac::OutputView::Scattered& output : outputs.scatters)
    stored.push_back({e.lower(output.place), e.lower(output.values)});
  for (std::size_t g = 0; g < stored.size(); ++g) {
    const auto& [place, values] = stored[g];
    const soac::OutputView::Scattered& output = outputs.scatters[g];
    put(e, {output.to, place, values, output.arrays}, g, number, running);
  }
}

// A point of neighbours whose scan gives the places of reads (scan_of_places()): where the first and the last
// lane have the same value all have, and one element is read instead of as many as there are lanes; what lies
// beside each other after that place is read as a vector.
void point_by_places(const Emitter& e, const soac::Stm& s, soac::Applied body, std::size_t scan, Expr number,
                     const Running& running) {
  const auto behind = body.body.begin() + static_cast<std::ptrdiff_t>(scan) + 1;
  const Var place = body.body[scan].names[0];
  const soac::Lambda rest{{place}, {behind, body.body.end()}, std::move(body.results)};
  const Emitter in_body = e.scattering_inside(false);
  body_statements(in_body, std::span(body.body).first(scan + 1), running);
  const Expr value = e.lower(e.arena().name(place));
  const Expr first = e.pick(value, 0, "first"), last = e.pick(value, running.lanes - 1, "last");
  const auto with = [&](Expr of_all) {
    soac::Applied here = soac::apply(e.arena(), rest, {&of_all, 1});
    body_statements(in_body, here.body, running);
    leave(e, soac::view_of(s, here.results), number, running);
  };
  e.if_then_else(e.lower(equal(first, last)), [&] { with(last); }, [&] { with(value); });
}

}  // namespace

void leave_results(const Emitter& e, const soac::Stm& s, std::span<const Expr> results, Expr number) {
  leave(e, soac::view_of(s, results), number, {});
}

Destination row_of(const Emitter& e, const soac::Soac& op, const soac::Mapped& row,
                   std::span<const Expr> indices, Expr number) {
  const Destination whole = e.destination(row.array);
  const Expr elements = size(e, row.result.var());
  if (op.axes_behind == 0) return {whole.buffer, e.lower(element_of(whole, number * elements)), whole.step};
  const std::size_t n_in_front = soac::first_axis_of_results(op);
  const std::vector<Expr> dims = e.lower(op.dims);
  const std::span<const Expr> behind = std::span(dims).subspan(n_in_front);
  Expr step = product(e, behind);
  Expr first = linear(e, indices.subspan(n_in_front), behind);
  if (n_in_front > 0)
    first = linear(e, indices.first(n_in_front), std::span(dims).first(n_in_front)) * elements * step + first;
  if (whole.step) step = step * whole.step;
  return {whole.buffer, e.lower(element_of(whole, first)), e.lower(step)};
}

void point(const Emitter& e, const soac::Stm& s, std::span<const Expr> indices, Expr number,
           const Running& running) {
  const auto& soac = std::get<soac::Soac>(s.op);
  soac::Applied body = soac::apply(e.arena(), soac.body, indices);
  for (std::size_t d = 0; d < indices.size() && e.sizes(); ++d)
    if (indices[d].is_name()) e.sizes()->bounds().set_below(indices[d].var(), soac.dims[d]);
  if (e.sizes()) e.reuse(soac::reuse_of(e.arena(), body.body, body.results));
  const auto scan = running.lanes > 1 ? schedule::scan_of_places(soac) : std::nullopt;
  if (scan) return point_by_places(e, s, std::move(body), *scan, number, running);
  const soac::OutputView outputs = soac::view_of(s, body.results);
  const std::vector<Row> copied = rows_to_copy(e, soac, outputs.mapped, body.body, indices, number);
  body_statements(e.scattering_inside(false), body.body, running);
  for (const Row& row : copied) copy(e, row.array, row.to, s.where);
  leave(e, outputs, number, running);
}

Running::Groups start(const Emitter& e, const soac::Soac& soac) {
  Running::Groups accumulators;
  for (const soac::Reduction& r : soac.reductions) {
    std::vector<Expr> group;
    for (Expr neutral : r.neutral) group.push_back(e.declare(e.lower(neutral), "acc"));
    accumulators.push_back(std::move(group));
  }
  return accumulators;
}

std::vector<Var> shared_values(const Emitter& e, std::span<const soac::Reduction> reductions,
                               std::int64_t n) {
  std::vector<Var> buffers;
  for (const soac::Reduction& r : reductions)
    for (Expr neutral : r.neutral) buffers.push_back(e.allocate_shared(neutral.kind(), n));
  return buffers;
}

void save(const Emitter& e, const Running::Groups& groups, std::span<const Var> buffers, Expr at,
          std::string_view name) {
  std::size_t next = 0;
  for (const auto& group : groups)
    for (Expr variable : group) e.store_plain(buffers[next++], at, e.snapshot(variable, name));
}

Running::Groups restore(const Emitter& e, std::span<const soac::Reduction> reductions,
                        std::span<const Var> buffers, Expr at) {
  Running::Groups groups;
  std::size_t next = 0;
  for (const soac::Reduction& r : reductions)
    for (groups.emplace_back(); groups.back().size() < r.neutral.size();)
      groups.back().push_back(e.declare(e.load_plain(buffers[next++], at, "acc"), "acc"));
  return groups;
}

void join(const Emitter& e, const soac::Reduction& r, const std::vector<Expr>& accumulators,
          std::span<const Expr> operands) {
  std::vector<Expr> args;
  for (Expr variable : accumulators) args.push_back(e.snapshot(variable, "acc"));
  const std::vector<Expr> results = joined(e, r, std::move(args), operands);
  for (std::size_t k = 0; k < results.size(); ++k) e.assign(accumulators[k], results[k]);
}

void join(const Emitter& e, std::span<const soac::Reduction> reductions, const Running::Groups& accumulators,
          const Running::Groups& others, std::string_view name) {
  for (std::size_t g = 0; g < others.size(); ++g) {
    std::vector<Expr> values;
    for (Expr variable : others[g]) values.push_back(e.snapshot(variable, name));
    join(e, reductions[g], accumulators[g], values);
  }
}

void join(const Emitter& e, std::span<const soac::Reduction> reductions, const Running::Groups& accumulators,
          std::span<const Var> buffers, Expr at, std::string_view name) {
  for (std::size_t g = 0; g < accumulators.size(); ++g) {
    const std::span<const Var> of_group = buffers.first(accumulators[g].size());
    join(e, reductions[g], accumulators[g], parts::load_all(e, of_group, at, name));
    buffers = buffers.subspan(of_group.size());
  }
}

std::vector<Expr> operands(const Emitter& e, std::span<const Expr> roots) {
  std::vector<Expr> lowered;
  for (Expr root : roots)
    lowered.push_back(root.op() == Op::fma_sum ? scalar::rebuild(e.arena(), root, e.lower(root.args()))
                                               : e.lower(root));
  return lowered;
}

void join_halves(const Emitter& e, const soac::Soac& op, std::span<const Var> buffers, Expr t, Expr width) {
  Expr other = e.bind(t + width, "at");
  for (const soac::Reduction& r : op.reductions) {
    const std::span of_group = buffers.first(r.neutral.size());
    std::vector<Expr> low = parts::load_all(e, of_group, t, "low");
    const std::vector<Expr> high = parts::load_all(e, of_group, other, "high");
    parts::store_all(e, of_group, t, joined(e, r, std::move(low), high));
    buffers = buffers.subspan(of_group.size());
  }
}

void finish(const Emitter& e, const soac::Stm& s, std::span<const Expr> totals) {
  std::size_t next = 0;
  for (const soac::Reduction& r : std::get<soac::Soac>(s.op).reductions) {
    const std::span of_group = totals.subspan(next, r.neutral.size());
    std::vector<Expr> values(of_group.begin(), of_group.end());
    if (!r.initial.empty()) values = joined(e, r, e.lower(r.initial), of_group);
    for (Expr value : values) e.bind_name(s.names[next++], value);
  }
}

}  // namespace fulgurite::walk
