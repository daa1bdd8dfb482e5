#include "lower/sort.h"

#include <memory>

#include "lower/launch.h"
#include "lower/scalar_kernels.h"
#include "lower/storage.h"
#include "schedule/nest.h"
#include "schedule/rewrites/radix.h"
#include "walk/lanes/row_sort.h"
#include "walk/phase.h"

namespace fulgurite::lower {

namespace {

// One launch, whose tasks sort a row each at a time.
void sort_each_row(Launches& launches, const soac::Stm& s, const schedule::Rows& rows) {
  scalar::Arena& arena = launches.arena();
  const Emitter all = launches.emitter();
  const Expr zero = arena.i64(0), one = arena.i64(1), n = arena.info(s.names[0]).shape[0];
  for (Var name : s.names) launches.allocate(name);
  const auto scheduled = std::make_shared<const schedule::Launch>(
      edited(launches, schedule::sort_each_row(s, rows, launches.options().lanes)));
  const schedule::Skeleton& by = walk::skeleton_of(scheduled->phases[0]);
  const Expr n_tasks = by.tasks, per_task = schedule::ceil_div(rows.count, n_tasks);
  kernel::Block phases = all.block([&] {
    all.par(kernel::Level::grid, n_tasks, "task", [&](Expr task) {
      const Emitter e = all.of_task(task, n_tasks);
      walk::lanes::RowSort sort(e, s, schedule::longest_sorted(rows), by);
      const Expr first = e.lower(task * per_task);
      const Expr last = e.lower(min(first + per_task, rows.count));
      e.for_loop(first, last, one, "r", [&](Expr r) {
        const Expr from = e.declare(zero, "begin"), to = e.declare(e.lower(n), "end");
        e.if_then(e.lower(rows.are_many), [&] {
          const Var offsets = rows.offsets.var();
          e.assign(from, e.load_plain(offsets, r, "begin"));
          e.assign(to, e.load_plain(offsets, e.lower(r + one), "end"));
        });
        const Expr begin = e.snapshot(from, "begin"), end = e.snapshot(to, "end");
        std::vector<Destination> results;
        for (Var name : s.names) results.push_back({name, begin});
        const Expr length = e.bind(end - begin, "n");
        const auto sort_row = [&] { sort.sort(length, rows.arrays, begin, results); };
        if (!rows.are_segments) return sort_row();
        e.if_then(e.lower(length <= rows.most), sort_row);
      });
    });
  });
  Expr bytes = zero;
  for (Var name : s.names) bytes = bytes + launches.bytes(name);
  LaunchNote note{};
  note.origin = s.origin + ", row by row";
  note.where = s.where;
  note.names = s.names;
  note.launch = scheduled;
  note.bytes_read = note.bytes_written = bytes;
  const std::vector<Expr> tasks{n_tasks};
  launches.launch("sort_rows", all, std::move(phases), tasks, bytes, bytes, std::move(note));
}

// The notes of the launches that `fill` appends.
template <class Fill>
std::span<LaunchNote> notes_of(Launches& launches, Fill&& fill) {
  std::vector<LaunchNote>& notes = launches.lowered().notes;
  const std::size_t n_before = notes.size();
  fill();
  return std::span(notes).subspan(n_before);
}

void lower_steps(Launches& launches, const std::vector<schedule::Rows::Step>& steps,
                 const LowerBody& lower_body) {
  for (const schedule::Rows::Step& step : steps)
    for (LaunchNote& note : notes_of(launches, [&] { lower_body({step.stm}); })) {
      note.bytes_read = step.read;
      note.bytes_written = step.written;
      note.origin = step.origin;
    }
}

// if (many) { survey; if (fit) by_rows else by_digits }
// if (not by digits) sort_each_row
void sort_by_rows(Launches& launches, const soac::Stm& s, const soac::Sort& op, const LowerBody& lower_body) {
  scalar::Arena& arena = launches.arena();
  Host& host = launches.host();
  const schedule::Rows rows = schedule::into_rows(arena, s, launches.options().lanes);
  const Expr n = arena.info(s.names[0]).shape[0];
  const Var sorted = arena.fresh({Kind::boolean}, "sorted").var();
  std::vector<Var> names{rows.offsets.var(), rows.longest.var(), sorted};
  for (Expr array : rows.arrays) names.push_back(array.var());
  const std::vector<Storage> state = fresh_storage(launches, names);
  const auto leave = [&](const std::vector<Expr>& arrays, Expr longest, bool are_sorted) {
    std::vector<Expr> all{rows.offsets, longest, arena.boolean(are_sorted)};
    all.insert(all.end(), arrays.begin(), arrays.end());
    assign_values(launches, state, all, names);
  };
  const std::vector<Expr> results = arena.names(s.names);
  plan::Steps few = host.steps([&] {
    launches.allocate(rows.offsets.var());  // there is one row
    leave(op.arrays, n, false);
  });
  plan::Steps many = host.steps([&] {
    lower_steps(launches, rows.survey, lower_body);
    const plan::Slot fit = value_of(launches, rows.fit);
    plan::Steps by_digits = host.steps([&] {
      lower_steps(launches, rows.by_digits, lower_body);
      launches.allocate(rows.offsets.var());  // there are no rows
      leave(results, launches.i64(0), true);
    });
    plan::Steps by_rows = host.steps([&] {
      lower_steps(launches, rows.by_rows, lower_body);
      leave(rows.arrays, rows.longest, false);
    });
    host.append(plan::If{fit, std::move(by_rows), std::move(by_digits)});
  });
  host.append(plan::If{host.slot(rows.are_many), std::move(many), std::move(few)});
  bind_names(launches, names, state);

  const std::vector<Storage> all_sorted = fresh_storage(launches, s.names);
  plan::Steps are_there =
      host.steps([&] { move_values(host, all_sorted, std::span(state).last(all_sorted.size())); });
  plan::Steps row_by_row = host.steps([&] {
    sort_each_row(launches, s, rows);
    assign_values(launches, all_sorted, results, s.names);
  });
  host.append(plan::If{host.slot(arena.name(sorted)), std::move(are_there), std::move(row_by_row)});
  bind_names(launches, s.names, all_sorted);
}

// sort_each_row of the short ones; loop over the long ones { sort }
void sort_segments(Launches& launches, const soac::Stm& s, const LowerBody& lower_body) {
  scalar::Arena& arena = launches.arena();
  const schedule::Rows rows = schedule::segments_as_rows(arena, s, launches.options().lanes);
  lower_steps(launches, rows.survey, lower_body);
  soac::Stm short_ones = schedule::with_digits(arena, s);
  std::vector<Expr> others;
  for (Var& name : short_ones.names) {
    const auto& info = arena.info(name);
    others.push_back(arena.fresh_array(info.type.kind, info.shape, info.name));
    name = others.back().var();
  }
  sort_each_row(launches, short_ones, rows);
  lower_body({schedule::sort_long_segments(arena, s, rows, others)});
}

}  // namespace

void sort(Launches& launches, const soac::Stm& s, const soac::Sort& op, const LowerBody& lower_body) {
  const bool has_digits = launches.has_blocks() || schedule::is_one_digit(op);
  for (LaunchNote& note : notes_of(launches, [&] {
         if (op.segments)
           sort_segments(launches, s, lower_body);
         else if (has_digits)
           lower_body({schedule::by_digits(launches.arena(), s)});
         else
           sort_by_rows(launches, s, op, lower_body);
       }))
    if (note.launch) note.names.insert(note.names.end(), s.names.begin(), s.names.end());
}

}  // namespace fulgurite::lower
