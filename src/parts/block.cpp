#include "parts/block.h"

namespace fulgurite::parts {

void par(const Builder& b, const Block& block, const OfThread& body) {
  scalar::Arena& arena = b.arena();
  const Expr n = arena.i64(block.threads);
  b.par(kernel::Level::block, n, "t", [&](Expr t) {
    const Expr threads = block.tasks * n, first = block.task * n;
    kernel::Context context = b.context();
    context.task = first + t, context.tasks = threads, context.interleaved = true;
    body(b.with(std::move(context)), t);
  });
}

void for_items(const Builder& b, Expr first, std::int64_t apart, int items, Expr n,
               const std::function<void(Expr at)>& body) {
  scalar::Arena& arena = b.arena();
  const auto short_number = [&](Expr e) { return cast(e, scalar::Kind::i32); };
  // One step is a loop as well: PoCL 3.1 computes wrong values where an If stands between barriers in a loop.
  if (items == 1) {
    const Expr end = b.bind(min(n, first + apart), "end");
    return b.for_loop(first, end, arena.i64(apart), "at", body);
  }
  b.if_then(b.bind(first < n, "has_items"), [&] {
    const Expr left = b.bind(short_number(n - first), "left");
    b.for_loop(arena.i64(0), arena.i64(items), arena.i64(1), "item", [&](Expr item) {
      const Expr step = item * apart;
      b.if_then(b.bind(short_number(step) < left, "is_item"), [&] { body(b.bind(first + step, "at")); });
    });
  });
}

void sync(const Builder& b) {
  b.append(kernel::Sync{kernel::Level::block});
}

}  // namespace fulgurite::parts
