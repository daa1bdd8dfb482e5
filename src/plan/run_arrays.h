// The arrays of one run of a plan: the memory that each place's array is in, and memory that was released and
// is kept for the next iterations of a loop.
#pragma once

#include <fulgurite/error.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "plan/code.h"
#include "plan/plan.h"
#include "plan/raise.h"
#include "plan/spare_blocks.h"
#include "runtime/device.h"

namespace fulgurite::plan {

/// n things of type T, on the stack while they are few. Scalars start out uninitialised: a plan writes a slot
/// before it reads it.
template <class T, std::size_t n_inline>
class Scratch {
 public:
  explicit Scratch(std::size_t n)
      : heap_(n > n_inline ? std::make_unique<std::byte[]>(n * sizeof(T)) : nullptr),
        data_(reinterpret_cast<T*>(heap_ ? heap_.get() : inline_)) {
    static_assert(std::is_trivially_destructible_v<T> && alignof(T) <= alignof(std::max_align_t));
    std::uninitialized_default_construct_n(data_, n);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  T& operator[](std::size_t i) { return data_[i]; }
  T* data() { return data_; }

 private:
  alignas(T) std::byte inline_[n_inline * sizeof(T)];
  std::unique_ptr<std::byte[]> heap_;
  T* data_;
};

/// Memory that arrays of this run are in.
struct Buffer {
  runtime::Memory memory;
  std::int32_t n_arrays = 0;  // 0: none
  bool is_given = false;      // the caller's now
};

struct Array {
  void* data = nullptr;
  std::int32_t buffer = -1;  // -1: memory of the caller's or the run's own, or none
  std::int32_t rank = 0;
  std::int64_t extents[detail::max_rank];  // of the first `rank` axes

  /// Throws ShapeError, or OutOfMemory where the number is larger than any memory.
  std::size_t bytes(Kind kind) const {
    std::size_t all = size_of(kind);
    bool is_empty = false, is_too_large = false;
    for (std::int32_t d = 0; d < rank; ++d) {
      if (extents[d] < 0) refuse_shape();
      is_empty |= extents[d] == 0;
      is_too_large |= __builtin_mul_overflow(all, static_cast<std::size_t>(extents[d]), &all) || all > most;
    }
    if (is_empty) return 0;
    if (is_too_large) refuse_size(kind);
    return all;
  }

 private:
  static constexpr std::size_t most = std::size_t{1} << 62;
  [[noreturn]] void refuse_shape() const;
  [[noreturn]] void refuse_size(Kind kind) const;
};

class RunArrays {
 public:
  /// `sites`: what allocations are of, by their numbers less 1.
  RunArrays(runtime::Device& device, bool is_host, std::int32_t n_places, std::span<const SiteText> sites)
      : device_(device),
        is_host_(is_host),
        n_places_(n_places),
        sites_(sites),
        arrays_(static_cast<std::size_t>(n_places)),
        buffers_(static_cast<std::size_t>(n_places)) {}
  ~RunArrays();
  RunArrays(const RunArrays&) = delete;
  RunArrays& operator=(const RunArrays&) = delete;

  Array& operator[](Place p) { return arrays_[static_cast<std::size_t>(p)]; }
  Buffer& buffer_of(const Array& array) { return buffers_[static_cast<std::size_t>(array.buffer)]; }
  std::byte* own(std::uint64_t offset) { return own_ + offset; }

  /// Memory for the array of a place, whose extents are known and which uses none.
  void allocate(Place p, Kind kind);
  /// Allocates for the statement at the site, which an error names.
  void allocate(Place p, Kind kind, Site site);
  void share(Place to, Place from);
  void release(Place p);
  runtime::Memory copy_of(const Array& array, Kind kind);

  void enter_loop() { ++n_loops_; }
  void leave_loop() { --n_loops_; }

  /// What the host knows at a moment. Between begin_parking() and end_parking() memory that is released is
  /// kept for the run alone.
  struct Moment {
    std::vector<Array> arrays;
    std::vector<Buffer> buffers;
  };
  void begin_parking() { parks_ = true; }
  Moment now();
  /// As if nothing had been launched since.
  void go_back_to(const Moment& then);
  void end_parking();

 private:
  runtime::Memory memory_of(std::size_t bytes);
  void give_back(const runtime::Memory& memory);

  runtime::Device& device_;
  const bool is_host_;
  const std::int32_t n_places_;
  const std::span<const SiteText> sites_;
  Scratch<Array, 24> arrays_;
  Scratch<Buffer, 24> buffers_;
  int n_loops_ = 0;  // on the way
  bool parks_ = false;
  std::vector<runtime::Memory> parked_;  // released while `parks_`, and kept
  SpareBlocks spare_;                    // released in loops, and kept
  alignas(64) std::byte own_[own_bytes];
};

}  // namespace fulgurite::plan
