/* What all functions that Fulgurite emits as C have in common. Version 1. */
#ifndef FULGURITE_C_H
#define FULGURITE_C_H

#include <stddef.h>
#include <stdint.h>
#ifndef __cplusplus
#include <stdbool.h>
#endif

#define FULGURITE_C_VERSION 1

#ifdef __cplusplus
extern "C" {
#endif

typedef enum fg_status {
  FG_OK = 0,
  FG_SHAPE = 1,      /* shapes that do not fit, or a negative extent */
  FG_INDEX = 2,      /* an index outside of its array */
  FG_ARITHMETIC = 3, /* an integer divided by zero */
  FG_MEMORY = 4,     /* no memory */
  FG_CAPACITY = 5,   /* a result is larger than the memory for it: its extents say how large */
  FG_ARGUMENT = 6,   /* an argument that cannot be: an extent that no memory has, a missing pointer */
  FG_DEVICE = 7      /* a device refused something, or was lost; never of functions for the host */
} fg_status;

/* What went wrong, in words. Set status to FG_OK before a call. */
typedef struct fg_error {
  fg_status status;
  int line;         /* of the program; 0: none */
  const char* file; /* lives as long as the program */
  char text[512];
} fg_error;

/* How a call runs. All zero (or no fg_call at all): on one thread, or on those of OpenMP if the emitted file was compiled with
   it; memory from the C library. */
typedef struct fg_call {
  fg_error* error; /* NULL: only the status is wanted */

  /* Memory for intermediate arrays: what fits into the workspace takes no other. The allocator's blocks begin at multiples of 64. */
  void* workspace;
  size_t workspace_bytes;
  void* (*allocate)(void* memory, size_t bytes);
  void (*release)(void* memory, void* block);
  void* memory;

  /* Threads: runs tasks(context, first, last) for ranges that cover 0 .. n_tasks - 1 once, and returns when all have ended. No
     range may begin before those with lower numbers have begun, as tasks may wait for others in front of them. */
  void (*parallel_for)(void* pool, int64_t n_tasks, void (*tasks)(void* context, int64_t first, int64_t last), void* context);
  void* pool;
  int n_threads;
} fg_call;

#ifdef __cplusplus
}
#endif

#endif
