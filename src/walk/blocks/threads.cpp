#include "walk/blocks/threads.h"

namespace fulgurite::walk::blocks {

void par(const Emitter& e, const Block& block, const OfThread& body) {
  parts::par(e, block, [&](const kernel::Builder& b, Expr t) { body(e.in_context_of(b), t); });
}

}  // namespace fulgurite::walk::blocks
