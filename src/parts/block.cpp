#include "parts/block.h"

namespace fulgurite::parts {

void par(const Builder& b, const Block& block, const OfThread& body) {
  scalar::Arena& arena = b.arena();
  const Expr n = arena.i64(block.threads);
  b.par(kernel::Level::block, n, "t", [&](Expr t) {
    const Expr threads = arena.mul(block.tasks, n), first = arena.mul(block.task, n);
    kernel::Context context = b.context();
    context.task = arena.add(first, t), context.tasks = threads, context.interleaved = true;
    body(b.with(std::move(context)), t);
  });
}

void sync(const Builder& b) {
  b.append(kernel::Sync{kernel::Level::block});
}

}  // namespace fulgurite::parts
