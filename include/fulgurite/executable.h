// The boundary between the typed callables of compile.h and the compiler: flat arguments in, flat results
// out. Arrays are structure-of-arrays here: an array of a composite type is one ArgumentView or ResultValue
// for each of its components.
#pragma once

#include <fulgurite/options.h>
#include <fulgurite/storage.h>

#include <cstdint>
#include <memory>
#include <span>

#pragma GCC visibility push(default)

namespace fulgurite::detail {

/// One component of an argument, owned by the caller. An array is `rank` extents and dense row-major elements
/// (booleans one byte each, 0 or 1); a scalar is its `bits`: integers extended to 64 bits, f32 in the low
/// half. Elements that have a storage may be read where they are, and `data` be null.
struct ArgumentView {
  std::uint8_t kind = 0;  // a detail::Kind
  int rank = 0;
  const void* data = nullptr;
  const std::int64_t* extents = nullptr;
  std::uint64_t bits = 0;
  const Storage* storage = nullptr;

  /// On the host, if it is there already; else null.
  const void* at_hand() const {
    return data != nullptr || storage == nullptr ? data : storage->known_on_host();
  }
  /// On the host. Throws OutOfMemory, DeviceError.
  const void* on_host() const { return data != nullptr || storage == nullptr ? data : storage->on_host(); }
};

inline constexpr int max_rank = 8;

/// One component of a result: an array shares its memory with whoever else holds `data`.
struct ResultValue {
  std::uint8_t kind = 0;
  int rank = 0;
  std::int64_t extents[max_rank] = {};
  Elements data;
  std::uint64_t bits = 0;
};

/// A traced program made runnable. Calls may come from several threads at once.
class [[gnu::visibility("default")]] Executable {
 public:
  virtual ~Executable();
  virtual void call(std::span<const ArgumentView> arguments, std::span<ResultValue> results) const = 0;
  /// Options::background: whether all is compiled; until then.
  virtual bool is_ready() const noexcept;
  virtual void wait() const;
};

/// An array of the host that a program reads beside its arguments; it lives as long as the program.
struct Capture {
  ArgumentView view;  // but for its extents
  std::int64_t extents[max_rank] = {};
  Elements data;
};

class TracedProgram;  // src/trace/traced.h

/// Throws DeviceError for an engine that is not there, CompileError.
std::shared_ptr<const Executable> build(std::shared_ptr<const TracedProgram>, const Options&);

}  // namespace fulgurite::detail

#pragma GCC visibility pop
