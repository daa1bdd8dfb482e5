// What the main file of a consumer of emitted C has besides its calls (emitted_c_slow_test.cpp writes those):
// arguments are read from one file, results written to another. Memory is as large as it has to be, so that
// sanitizers see what is beyond.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fulgurite_c.h"

static FILE *given, *wanted;

static void* memory_of(int64_t elements, size_t size) {
  void* const block = malloc(elements > 0 ? (size_t)elements * size : 1);
  if (block == NULL) abort();
  return block;
}
static void take(void* to, size_t bytes) {
  if (bytes > 0 && fread(to, bytes, 1, given) != 1) abort();
}
static void give(const void* from, size_t bytes) {
  if (bytes > 0 && fwrite(from, bytes, 1, wanted) != 1) abort();
}
static int64_t product(const int64_t* extents, int rank) {
  int64_t n = 1;
  for (int k = 0; k < rank; ++k) n *= extents[k];
  return n;
}
static void* take_array(int64_t* extents, int rank, size_t size) {
  take(extents, (size_t)rank * sizeof *extents);
  const int64_t n = product(extents, rank);
  void* const array = memory_of(n, size);
  take(array, (size_t)n * size);
  return array;
}
static void give_array(const void* from, const int64_t* extents, int rank, size_t size) {
  give(extents, (size_t)rank * sizeof *extents);
  give(from, (size_t)product(extents, rank) * size);
}

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
static void expect(bool holds, const char* program, const char* what) {
  if (holds) return;
  fprintf(stderr, "%s: %s\n", program, what);
  exit(1);
}
