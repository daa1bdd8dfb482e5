// A library that stands in for CUDA's driver and for NVRTC on machines without: the functions that we use,
// over the host's memory. It cannot run kernels; in their stead it calls functions of the test, with the
// arguments that the kernel would get. Streams run as late as they may: what is enqueued is done when
// somebody waits for it, and no sooner, so that an order that nobody asked for is not there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace fulgurite::runtime::test {

struct CudaStandIn {
  struct Launched {
    std::int64_t n_blocks, block_size, shared_bytes_at_launch;
    void** arguments;
    template <class T>
    T& at(std::size_t i) const {
      return *static_cast<T*>(arguments[i]);
    }
    template <class T>
    T* array(std::size_t i) const {
      return reinterpret_cast<T*>(at<std::uint64_t>(i));
    }
  };
  struct Function {
    std::function<void(const Launched&)> body = {};
    std::size_t n_arguments = 0;
    int most_threads = 1024, registers = 40, thread_bytes = 0, shared_bytes = 0;
  };

  // What the machine is like.
  std::vector<std::string> devices = {"Stand-in GPU 1", "Other GPU 2"};
  int driver_version = 12040, nvrtc_version = 12040, capability = 90;
  std::vector<int> capabilities = {75, 80, 90};  // that NVRTC compiles for
  std::size_t memory = std::size_t{64} << 20;
  std::map<std::string, Function> functions;         // by their names in the text
  std::map<std::string, std::vector<int>> statuses;  // of the next calls of a function, the last first
  int compilations_at_once = 1;                      // for which each compilation waits, a while

  // What has happened.
  std::vector<std::string> calls;    // of what changes something, with the numbers that matter
  std::vector<std::string> options;  // of the last compilation
  int most_compilations_at_once = 0;
  std::size_t used = 0;  // bytes of the device
  int n_objects = 0;     // contexts, streams, events, modules, blocks of memory

  std::recursive_mutex mutex;
};

// What the library exports to change this: "cuda_stand_in".
using CudaStandInFunction = CudaStandIn* (*)();

}  // namespace fulgurite::runtime::test
