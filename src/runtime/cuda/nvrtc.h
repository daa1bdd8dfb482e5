// NVRTC, CUDA's compiler as a library: CUDA C++ text to what a device runs. As much of its interface as is
// used, declared from its documentation; the library is opened when a program first asks for CUDA.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/device.h"

namespace fulgurite::runtime::cuda {

class Nvrtc {
 public:
  // Opens `library`, which stays open until the process ends. Throws DeviceError if there is none, or if it
  // lacks a function.
  explicit Nvrtc(const std::string& library);

  // 13000: CUDA 13.0.
  int version() const { return version_; }

  // A cubin for the compute capability (90: sm_90), or where only later versions of NVRTC know that, PTX for
  // the latest before it, which the driver translates. Throws DeviceError with the compiler's messages if the
  // text is refused, and for capabilities older than any that this version knows. Any number of threads may
  // compile at once.
  std::string compile(const KernelSource& source, int capability) const;

  // Everything besides the text that decides what compile() returns.
  std::string identity(int capability) const;

 private:
  using Status = std::int32_t;
  using Program = struct ProgramObject*;

  struct Functions {
    Status (*get_version)(std::int32_t* major, std::int32_t* minor);
    const char* (*get_error_text)(Status);
    Status (*get_n_capabilities)(std::int32_t*);
    Status (*get_capabilities)(std::int32_t*);
    Status (*create_program)(Program*, const char* text, const char* name, std::int32_t n_headers,
                             const char* const* headers, const char* const* names_of_headers);
    Status (*destroy_program)(Program*);
    Status (*compile_program)(Program, std::int32_t n_options, const char* const* options);
    Status (*get_log_size)(Program, std::size_t*);
    Status (*get_log)(Program, char*);
    Status (*get_ptx_size)(Program, std::size_t*);
    Status (*get_ptx)(Program, char*);
    Status (*get_cubin_size)(Program, std::size_t*);
    Status (*get_cubin)(Program, char*);
  };

  // sm_90 or compute_80: what there is the nearest to a capability.
  std::string target(int capability) const;
  std::string log_of(Program program) const;

  const Functions f_;
  int version_ = 0;
  std::vector<std::int32_t> capabilities_;  // ascending
};

// The machine's NVRTC: of the driver's version of CUDA if possible, in CUDA's own folders or where libraries
// are looked for. `driver_version`: 12040 is that of CUDA 12.4. One that could not be opened is tried again
// by the next call.
const Nvrtc& nvrtc(int driver_version);

// Where it is looked for, best first.
std::vector<std::string> nvrtc_candidates(int driver_version);

}  // namespace fulgurite::runtime::cuda
