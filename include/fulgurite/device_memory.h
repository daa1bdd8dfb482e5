// Sharing a device with code that is not Fulgurite's: its memory as arrays, arrays as its memory, its queue.
// Nothing is copied, but memory of a CUDA device that does not begin at a multiple of 16 bytes, which is when
// it becomes an array. `memory` is what the engine's own users know memory by: for Engine::opencl a cl_mem,
// for Engine::cuda an address (CUdeviceptr) in the primary context of the device; `queue` a cl_command_queue
// or a CUstream. Which of the engine's devices: as Options::device says.
#pragma once

#include <fulgurite/array.h>
#include <fulgurite/options.h>

#pragma GCC visibility push(default)

namespace fulgurite {
namespace detail {

std::shared_ptr<const Storage> adopt(Engine, int device, void* memory, std::size_t bytes,
                                     std::shared_ptr<const void> keeps);
void* device_memory(Engine, int device, const Storage&, std::size_t bytes);

}  // namespace detail

/// An array whose elements are in the user's memory on the engine's device, dense and row-major:
/// fg::adopt<float>(fg::Engine::cuda, pointer, {n}). They are the user's to free, and not to be changed,
/// while the array or a copy of it lives; `keeps` lives as long. What the user enqueued that writes them must
/// be done, or be on the queue of use_queue(). Throws ShapeError for a negative extent; DeviceError where
/// there is no such device, for memory that is another device's or smaller, and for engines whose memory is
/// the host's (for them there is fg::view).
template <detail::Scalar T, std::size_t N>
Array<T, static_cast<int>(N)> adopt(Engine engine, void* memory, const std::int64_t (&extents)[N],
                                    std::shared_ptr<const void> keeps = nullptr, int device = -1) {
  using Adopted = Array<T, static_cast<int>(N)>;
  const auto n = static_cast<std::size_t>(detail::element_count(extents));
  typename Adopted::Shape shape;
  for (std::size_t k = 0; k < N; ++k) shape[k] = extents[k];
  typename Adopted::Parts parts;
  if (n > 0) parts[0] = detail::adopt(engine, device, memory, n * sizeof(T), std::move(keeps));
  return Adopted(parts, shape);
}

/// Where the elements are on the engine's device, for reading, as long as the array lives: results of that
/// engine are there already, others are copied there. Null for an array without elements. Waits for what the
/// engine still has to do to them, so that any queue may read them at once. Throws DeviceError, OutOfMemory.
template <detail::Scalar T, int N>
void* device_memory(Engine engine, const Array<T, N>& array, int device = -1) {
  if (array.empty()) return nullptr;
  return detail::device_memory(engine, device, *array.parts()[0].storage(),
                               static_cast<std::size_t>(array.size()) * sizeof(T));
}

/// The user's queue for all that the engine does where programs do not say a device, and with it the device
/// that it is of; it lives as long as the process. A null CUstream is CUDA's legacy default stream, of the
/// calling thread's current context if there is one. Before anything has run on the engine. Throws
/// DeviceError afterwards, for a queue that does not run in order, for a null cl_command_queue, for
/// CU_STREAM_PER_THREAD, which is another stream in each thread, and for a stream of another context than its
/// device's primary one.
void use_queue(Engine engine, void* queue);

}  // namespace fulgurite

#pragma GCC visibility pop
