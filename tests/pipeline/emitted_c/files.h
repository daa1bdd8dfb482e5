// Arguments that are read from one file, results that are written to another. Memory is as large as it has to
// be, so that sanitizers see what is beyond.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

static void expect(bool holds, const char* program, const char* what) {
  if (holds) return;
  fprintf(stderr, "%s: %s\n", program, what);
  exit(1);
}
