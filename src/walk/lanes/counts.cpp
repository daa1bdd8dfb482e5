#include "walk/lanes/counts.h"

#include "walk/arrays.h"

namespace fulgurite::walk::lanes {

namespace {

Expr element(const Emitter& e, const Destination& array, Expr number) {
  return e.lower(element_of(array, number));
}

}  // namespace

void clear(const Emitter& e, Expr n, const Destination& to) {
  scalar::Arena& arena = e.arena();
  e.for_loop(arena.i64(0), extent(e, n), arena.i64(1), "c",
             [&](Expr c) { e.store_plain(to.buffer, element(e, to, c), arena.i64(0)); });
}

Expr count_off(const Emitter& e, const Destination& counts, Expr tasks, Expr classes,
               const Destination& offsets) {
  scalar::Arena& arena = e.arena();
  classes = extent(e, classes), tasks = e.lower(tasks);
  const Expr so_far = e.declare(arena.i64(0), "so_far"), one = arena.i64(1);
  e.for_loop(arena.i64(0), classes, one, "c", [&](Expr c) {
    const Expr offset = e.snapshot(so_far, "so_far");
    e.store_plain(offsets.buffer, element(e, offsets, c), offset);
    e.for_loop(arena.i64(0), tasks, one, "t", [&](Expr t) {
      const Expr at = element(e, counts, t * classes + c);
      const Expr count = e.load_plain(counts.buffer, at, "count");
      const Expr before = e.snapshot(so_far, "so_far");
      e.store_plain(counts.buffer, at, before);
      e.assign(so_far, e.lower(before + count));
    });
  });
  const Expr all = e.snapshot(so_far, "all");
  e.store_plain(offsets.buffer, element(e, offsets, classes), all);
  return all;
}

}  // namespace fulgurite::walk::lanes
