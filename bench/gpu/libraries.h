// Thrust, CUB and cuBLAS on a GPU, and its memory: libraries.cu, which nvcc compiles. Pointers of Data are
// the device's here.
#pragma once

#include <string>
#include <vector>

#include "harness/data.h"

namespace bench::gpu {

/// Empty where there is a device; else why there is none.
std::string why_no_device();
std::string device_name();

/// Arrays of n elements on the device, with values like those of the other benchmarks.
Data make_data(std::int64_t n);
void free_data(const Data& data);

/// Peers leave their results in Data's `results`, `out`, `out2` and `out_ints`. cuBLAS's SAXPY adds to `out`.
void add_library_peers(std::vector<Peer>& peers);

/// Waits for all that runs on the device.
void synchronise();

/// The largest |a[i] - b[i]| / max(1, |b[i]|).
double difference(const float* a, const float* b, std::int64_t n);
double difference(const std::int32_t* a, const std::int32_t* b, std::int64_t n);

/// The bandwidth, reads and writes together, of a copy of this many bytes, in GB/s.
double copy_bandwidth(std::int64_t bytes);

}  // namespace bench::gpu
