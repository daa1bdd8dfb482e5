// A bundle and its programs as the static run time holds them; texts and words stay in the file.
#pragma once

#include <fulgurite_runtime.h>
#include <pthread.h>

#include <cstdint>
#include <string_view>

#include "base/word_reader.h"
#include "runtime/cpu/kernel_context.h"
#include "standalone/error.h"
#include "standalone/loader.h"
#include "standalone/memory.h"

namespace fulgurite::standalone {

struct Blob {
  std::uint64_t offset, size, digest[2];
};

// A parameter or result, and where the plan has it (plan::Param).
struct Value {
  fg_type type;
  std::int32_t slot, place;
};

struct Phase {
  runtime::cpu::PhaseFunction function;
  bool is_in_order;
};
struct Kernel {
  Module module;
  Phase* phases;  // of Plan::phases
  std::size_t n_phases, stack_bytes;
};

// The plan for one level, ready to run.
struct Plan {
  std::int32_t n_slots = 0, n_places = 0;
  Several<Value> parameters, results;  // parameters: with the captured arrays at the end
  Several<fg_value> captures;          // the first n_captures of them
  std::size_t n_captures = 0;
  Several<Site> sites;
  Several<Kernel> kernels;
  Several<Phase> phases;
  base::WordReader steps;
  std::size_t most_buffers = 0, most_scalars = 0, most_tasks = 0;  // of a launch
};

// Whether the steps are what they should be and mention nothing that there is not. Sets what launches have at
// most.
bool check_steps(Plan&);

fg_runtime_status run(const fg_program&, const fg_value* arguments, fg_value* results,
                      fg_runtime_error* error);

std::size_t size_of(fg_kind);

}  // namespace fulgurite::standalone

// The names of the C interface.
struct fg_program {
  fulgurite::base::WordReader words;  // after its name
  char* name;                         // ends in a zero
  char architecture[16];
  bool is_loaded;
  fulgurite::standalone::Plan plan;
  // The types of its parameters, without captured arrays, and of its results.
  fulgurite::standalone::Several<fg_type> types;
  std::size_t n_parameters, n_results;
};

struct fg_bundle {
  const char* bytes;
  std::size_t size;
  bool is_mapped;
  pthread_mutex_t mutex;  // of what programs become when they are found
  fulgurite::standalone::Several<fulgurite::standalone::Blob> blobs;
  fulgurite::standalone::Several<fg_program> programs;
  fulgurite::standalone::Several<char> names;
};
