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

Expr first_in_warp(const Builder& b, const Block& block, Expr t, Expr in_warp) {
  const Expr at = b.bind(t - in_warp, "at"), behind = at + std::int64_t{block.threads};
  return b.bind(select(at < 0, behind, at), "first");
}

void for_items(const Builder& b, Expr first, std::int64_t apart, int items, Expr n,
               const std::function<void(Expr at)>& body) {
  scalar::Arena& arena = b.arena();
  const auto short_number = [&](Expr e) { return cast(e, scalar::Kind::i32); };
  if (items == 1 && apart == 1) return b.if_then(b.bind(first < n, "has_item"), [&] { body(first); });
  // Without shuffles it may be PoCL 3.1, which computes wrong values where an If stands between barriers, or
  // a loop that it can tell to be one.
  if (items == 1 || !b.context().has_shuffles) {
    const Expr end = apart == 1 ? b.bind(min(n, first + std::int64_t{items}), "end") : n;
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
