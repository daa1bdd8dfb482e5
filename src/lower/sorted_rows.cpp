#include "lower/sorted_rows.h"

#include "walk/lanes/row_sort.h"

namespace fulgurite::lower {

void sorted_rows(Launches& launches, const soac::Stm& s, const schedule::Rows& rows,
                 const schedule::LanesPolicy& by) {
  scalar::Arena& arena = launches.arena();
  const Emitter all = launches.emitter();
  const Expr zero = arena.i64(0), one = arena.i64(1), n = arena.info(s.names[0]).shape[0];
  for (Var name : s.names) launches.allocate(name);
  // Tasks have memory for two of the longest rows each: all together for no more than two arrays.
  const Expr most = arena.min(rows.count, arena.div(n, arena.max(rows.longest, one)));
  const Expr n_tasks = arena.min(arena.max(most, one), arena.i64(by.sort_tasks));
  const Expr per_task = launches.ceil_div(rows.count, n_tasks);
  kernel::Block phases = all.block([&] {
    all.par(kernel::Level::grid, n_tasks, "task", [&](Expr task) {
      const Emitter e = all.of_task(task, n_tasks);
      walk::lanes::RowSort sort(e, s, rows.longest, by);
      const Expr first = e.lower(arena.mul(task, per_task));
      const Expr last = e.lower(arena.min(arena.add(first, per_task), rows.count));
      e.for_loop(first, last, one, "r", [&](Expr r) {
        const Expr from = e.declare(zero, "begin"), to = e.declare(e.lower(n), "end");
        e.if_then(e.lower(rows.are_many), [&] {
          const Var offsets = rows.offsets.var();
          e.assign(from, e.load_plain(offsets, r, "begin"));
          e.assign(to, e.load_plain(offsets, e.lower(arena.add(r, one)), "end"));
        });
        const Expr begin = e.snapshot(from, "begin"), end = e.snapshot(to, "end");
        std::vector<Destination> results;
        for (Var name : s.names) results.push_back({name, begin});
        sort.sort(e.bind(arena.sub(end, begin), "n"), rows.arrays, begin, results);
      });
    });
  });
  Expr bytes = zero;
  for (Var name : s.names) bytes = arena.add(bytes, launches.bytes(name));
  schedule::Launch launch;
  launch.name = "sort_rows";
  launch.statement = s;
  launch.vector_lanes = 16;
  schedule::Phase row_by_row{"rows", s, schedule::Skeleton{"sort rows", {}, n_tasks}, {}};
  row_by_row.why = schedule::reasons_of_sort(by);
  launch.phases.push_back(std::move(row_by_row));
  LaunchNote note{};
  note.origin = s.origin + ", row by row";
  note.where = s.where;
  note.names = s.names;
  note.launch = std::make_shared<const schedule::Launch>(std::move(launch));
  note.bytes_read = note.bytes_written = bytes;
  const std::vector<Expr> tasks{n_tasks};
  launches.launch("sort_rows", all, std::move(phases), tasks, bytes, bytes, std::move(note));
}

}  // namespace fulgurite::lower
