// What the main file of a consumer of emitted C has besides its calls (emitted_c_slow_test.cpp writes those).
#pragma once

#include "files.h"
#include "fulgurite_c.h"

static int n_blocks;
static void* counted_block(void* memory, size_t bytes) {
  (void)memory;
  ++n_blocks;
  return aligned_alloc(64, (bytes + 63) / 64 * 64);
}
static void release_block(void* memory, void* block) {
  (void)memory;
  free(block);
}
// As a pool whose threads take ranges of three tasks.
static void in_ranges(void* pool, int64_t n, void (*tasks)(void*, int64_t, int64_t), void* context) {
  (void)pool;
  for (int64_t first = 0; first < n; first += 3) tasks(context, first, first + 3 < n ? first + 3 : n);
}

// The second call of each program has a workspace, the application's memory and its threads.
static fg_call call_with(int64_t workspace_bytes, fg_error* error) {
  fg_call call;
  memset(&call, 0, sizeof call);
  memset(error, 0, sizeof *error);
  n_blocks = 0;
  call.error = error;
  call.workspace_bytes = workspace_bytes > 0 ? (size_t)workspace_bytes : 0;
  call.workspace = memory_of((int64_t)call.workspace_bytes, 1);
  call.allocate = counted_block;
  call.release = release_block;
  call.parallel_for = in_ranges;
  call.n_threads = 4;
  return call;
}
