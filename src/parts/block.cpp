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

void sync(const Builder& b) {
  b.append(kernel::Sync{kernel::Level::block});
}

}  // namespace fulgurite::parts
