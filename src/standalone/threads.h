// The static run time's threads: a pool of its own, or the caller's.
#pragma once

#include <cstdint>

namespace fulgurite::standalone {

using RunRange = void (*)(void* context, std::int64_t first, std::int64_t last);

// Calls run(context, first, last) for ranges that make up 0 .. n_tasks, and returns when all are done. In
// order: no task begins before all tasks with lower numbers have begun.
void run_tasks(std::int64_t n_tasks, bool is_in_order, RunRange run, void* context);

// That tasks are run on.
int n_threads();

// Calls work(context) where there are this many bytes of stack. False: the system gave no thread.
bool run_with_stack(std::size_t bytes, void (*work)(void*), void* context);

}  // namespace fulgurite::standalone
