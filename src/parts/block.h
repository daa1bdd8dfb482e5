// Code of a block of threads: scalar code of a task with Par(block) statements, and barriers between them.
#pragma once

#include "kernel/build.h"

namespace fulgurite::parts {

using kernel::Builder;
using scalar::Expr;

/// Threads that run together, and exchange values by shuffles.
inline constexpr std::int64_t warp = 32;

/// A block of a launch.
struct Block {
  Expr task, tasks;  // its number; of how many
  int threads;       // a power of two
};

/// body(b, t) for each thread t, which is a task of its own: memory that its code asks for is the thread's.
using OfThread = std::function<void(const Builder& b, Expr t)>;
void par(const Builder&, const Block&, const OfThread& body);
/// In a thread: its first number, from 0 on, where number 0 is `in_warp` elements after a multiple of a
/// warp's, so that warps touch whole sectors. The next ones are as far apart as the block has threads.
Expr first_in_warp(const Builder& of_thread, const Block&, Expr t, Expr in_warp);
/// In a thread: body(at) for at = first, first + apart .. of a tile of `n` elements, at most `items` of them.
/// Each thread makes as many steps, which compilers unroll, so that several loads are under way at once.
void for_items(const Builder& of_thread, Expr first, std::int64_t apart, int items, Expr n,
               const std::function<void(Expr at)>& body);
/// All threads wait for each other.
void sync(const Builder&);

}  // namespace fulgurite::parts
