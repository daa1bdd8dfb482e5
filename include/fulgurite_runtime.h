/* The static run time: runs the programs of bundles (fulgurite/bundle.h makes them) on the CPU, from C or any
 * language that calls it, without a compiler. Needs the C library only. docs/guide/shipping.md tells more.
 *
 *   fg_runtime_error error;
 *   fg_bundle* bundle;
 *   const fg_program* rmse;
 *   if (fg_bundle_open("programs.fgb", &bundle, &error) != FG_RUNTIME_OK) ...   error.message says what
 *   if (fg_bundle_find(bundle, "rmse", &rmse, &error) != FG_RUNTIME_OK) ...
 *   fg_value arguments[2] = {{FG_F32, 1, {n}, a, 0}, {FG_F32, 1, {n}, b, 0}}, result = {0};
 *   if (fg_program_call(rmse, arguments, 2, &result, 1, &error) != FG_RUNTIME_OK) ...
 *   float value = *(const float*)result.data;
 *   fg_value_free(&result);
 *   fg_bundle_close(bundle);
 *
 * Any number of threads may use a bundle and its programs. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a call returns. */
typedef enum fg_runtime_status {
  FG_RUNTIME_OK = 0,
  FG_FORMAT_ERROR,     /* no bundle, one that is damaged or of another version */
  FG_NO_PROGRAM,       /* the bundle has no program of that name */
  FG_NO_CODE,          /* it has the program, and not for this processor */
  FG_ARGUMENT_ERROR,   /* a call with other arguments than the program's */
  FG_SHAPE_ERROR,      /* what the program says of its arguments: shapes, */
  FG_INDEX_ERROR,      /* an index outside its array, */
  FG_ARITHMETIC_ERROR, /* a division by zero */
  FG_OUT_OF_MEMORY,
  FG_SYSTEM_ERROR /* the operating system refuses something else */
} fg_runtime_status;

/* What went wrong, as a sentence, and the line of the program's source. */
typedef struct fg_runtime_error {
  fg_runtime_status status;
  unsigned line;  /* of the program's source; 0 where none is to blame */
  char file[256]; /* the source, cut off if its name is longer */
  char message[768];
} fg_runtime_error;

/* The type of an element. */
typedef enum fg_kind {
  FG_BOOL, /* a byte, 0 or 1 */
  FG_I8,
  FG_I16,
  FG_I32,
  FG_I64,
  FG_U8,
  FG_U16,
  FG_U32,
  FG_U64,
  FG_F32,
  FG_F64
} fg_kind;

/* The most axes that an array has. */
enum { FG_MAX_RANK = 8 };

/* The type of a parameter or result. */
typedef struct fg_type {
  fg_kind kind;
  int rank; /* 0: a scalar */
} fg_type;

/* A scalar, which data points to, or an array: its extents and its elements, dense and row-major.
 * As a result: where data is not null and capacity bytes suffice, elements are written there; otherwise data
 * becomes memory of the run time's, capacity 0, until fg_value_free. */
typedef struct fg_value {
  fg_kind kind;
  int rank;
  int64_t extents[FG_MAX_RANK];
  void* data;
  size_t capacity;
} fg_value;

/* A bundle that is open, and a program of it that is loaded. */
typedef struct fg_bundle fg_bundle;
typedef struct fg_program fg_program;

/* Opens a bundle. Here and below, error may be null. */
fg_runtime_status fg_bundle_open(const char* path, fg_bundle** bundle, fg_runtime_error* error);
/* The bytes, aligned to 8, are read where they are until the bundle is closed: a bundle that is part of the
 * executable. */
fg_runtime_status fg_bundle_open_memory(const void* bytes, size_t size, fg_bundle** bundle,
                                        fg_runtime_error* error);
/* Its programs are gone then. Null is closed already. */
void fg_bundle_close(fg_bundle* bundle);

/* How many programs there are, and their names, by number. */
size_t fg_bundle_n_programs(const fg_bundle* bundle);
const char* fg_bundle_name(const fg_bundle* bundle, size_t program);

/* Loads its kernels for this processor, the first time. */
fg_runtime_status fg_bundle_find(fg_bundle* bundle, const char* name, const fg_program** program,
                                 fg_runtime_error* error);

/* Of a program: how many parameters and results it has, and their types, by number. */
size_t fg_program_n_parameters(const fg_program* program);
size_t fg_program_n_results(const fg_program* program);
fg_type fg_program_parameter(const fg_program* program, size_t parameter);
fg_type fg_program_result(const fg_program* program, size_t result);
/* x86-64-v3 or the like: what its kernels were compiled for. */
const char* fg_program_architecture(const fg_program* program);

/* Results are written only if all is well. */
fg_runtime_status fg_program_call(const fg_program* program, const fg_value* arguments, size_t n_arguments,
                                  fg_value* results, size_t n_results, fg_runtime_error* error);
/* Frees what the run time made of a result; does nothing for memory of the caller's. */
void fg_value_free(fg_value* value);

/* Bytes of an element. */
size_t fg_kind_size(fg_kind kind);
/* 0.1.0 */
const char* fg_runtime_version(void);

/* Kernels with many tasks run on a pool of FULGURITE_THREADS threads, or as many as there are cores, which
 * the first of them starts. A caller with a pool of its own gives this instead, before the first call: it
 * calls run(context, first, last) for ranges that make up 0 .. n_tasks, on any threads, and returns when all
 * have returned. Null: the run time's own pool. */
typedef void (*fg_run_range)(void* context, int64_t first, int64_t last);
typedef void (*fg_run_tasks)(void* pool, int64_t n_tasks, fg_run_range run, void* context);
void fg_use_pool(fg_run_tasks run_tasks, void* pool, int n_threads);

#ifdef __cplusplus
}
#endif
