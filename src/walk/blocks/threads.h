// The threads of a block, each of which may make arrays.
#pragma once

#include "parts/block.h"
#include "walk/emitter.h"

namespace fulgurite::walk::blocks {

using parts::Block, parts::sync;

/// body(e, t) for each thread t.
using OfThread = std::function<void(const Emitter& e, Expr t)>;
void par(const Emitter&, const Block&, const OfThread& body);

}  // namespace fulgurite::walk::blocks
