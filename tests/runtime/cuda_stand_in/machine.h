// A library that stands in for CUDA's driver and for NVRTC on machines without: the functions that we use,
// over the host's memory. It compiles a kernel's text as C++ of the host and runs it, every thread of a block
// as a fiber, in orders drawn at random, and reports what a device may not do or need not do well as an error
// of the driver. Its parts:
//
//   machine      what tests change and see; the findings, which the next call of the driver returns
//   driver       devices and contexts              memory    the device's memory, and whose an address is
//   streams      streams, events and copies        launch    modules, functions, and what a launch must
//   satisfy nvrtc        NVRTC's functions                 text      CUDA text to C++ of the host compile
//   Clang, and what it compiled before kernel_words what a kernel's text sees of CUDA kernel_host  what a
//   kernel calls fiber        a stack of its own                block     threads, barriers, shuffles grid
//   blocks in flight and their order  accesses  what each load and store of a kernel must satisfy late_stores
//   stores that other blocks see late races     accesses of shared memory that nothing orders
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace fulgurite::runtime::test {

// Mistakes that the stand-in makes in our stead, so that tests can see them found.
enum class CudaMutant {
  none,
  smaller_grid,       // a launch lacks its last block
  smaller_block,      // a launch lacks the last warp of each block
  swapped_arguments,  // of a launch, the first two
  dropped_waits,      // streams do not wait for events
  late_uploads,       // an upload takes place once all is done that somebody waits for
};

struct CudaStandIn {
  // What the machine is like.
  std::vector<std::string> devices = {"Stand-in GPU 1", "Other GPU 2"};
  int driver_version = 12040, nvrtc_version = 12040, capability = 90;
  std::vector<int> capabilities = {75, 80, 90};  // that NVRTC compiles for
  std::size_t memory = std::size_t{2} << 30;
  int registers = 40;                                // of a thread of any kernel
  std::map<std::string, std::vector<int>> statuses;  // of the next calls of a function, the last first
  int compilations_at_once = 1;                      // for which each compilation waits, a while

  // How it runs kernels. Streams run as late as they may with seed 0, so that an order that nobody asked for
  // is not there; with another they now and then run before somebody waits. FULGURITE_CUDA_SEED sets it.
  std::uint64_t seed = 0;
  // Set by FULGURITE_CUDA_MUTANT, too: grid, block, arguments, waits, uploads, or for the text barrier,
  // fence.
  CudaMutant mutant = CudaMutant::none;
  // NVRTC takes one of these statements for an empty one, the n-th of a text that has them, from 0 on.
  std::string dropped_statement;
  int dropped_number = 0;

  // What has happened.
  std::vector<std::string> calls;    // of what changes something, with the numbers that matter
  std::vector<std::string> options;  // of the last compilation
  int most_compilations_at_once = 0;
  int most_droppable = 0;  // such statements in a text
  std::size_t used = 0;    // bytes of the device
  int n_objects = 0;       // contexts, streams, events, modules, blocks of memory

  std::recursive_mutex mutex;
};

// What the library exports to change this: "cuda_stand_in".
using CudaStandInFunction = CudaStandIn* (*)();

}  // namespace fulgurite::runtime::test
