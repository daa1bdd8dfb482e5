// Arrays handed over without a copy, from and to other libraries of arrays, by DLPack's structures (its
// specification, version 0.8; layout and numbers are its own, so that a pointer to one may be cast to a
// pointer to DLPack's of the same members: ManagedTensor is DLManagedTensor).
#pragma once

#include <fulgurite/array.h>
#include <fulgurite/options.h>

#pragma GCC visibility push(default)

namespace fulgurite {
namespace dlpack {

/// The structures of DLPack 0.x, as its header dlpack.h lays them out, by readable names: DLDeviceType,
/// DLDevice, DLDataTypeCode, DLDataType, DLTensor and DLManagedTensor.
enum class DeviceType : std::int32_t { cpu = 1, cuda = 2, cuda_host = 3, opencl = 4 };
struct Device {
  DeviceType type;
  std::int32_t number;
};
enum class TypeCode : std::uint8_t { signed_integer = 0, unsigned_integer = 1, floating = 2, boolean = 6 };
struct DataType {
  TypeCode code;
  std::uint8_t bits;
  std::uint16_t lanes;
};
struct Tensor {
  void* data;
  Device device;
  std::int32_t rank;
  DataType type;
  std::int64_t* extents;
  std::int64_t* strides;  // of elements; null: dense, row-major
  std::uint64_t byte_offset;
};
struct ManagedTensor {
  Tensor tensor;
  void* context;                    // the maker's
  void (*deleter)(ManagedTensor*);  // whoever has the tensor calls it once; may be null
};

}  // namespace dlpack

namespace detail {

dlpack::ManagedTensor* give(const Elements&, Kind, std::span<const std::int64_t> extents, Engine);
Elements take(dlpack::ManagedTensor*, Kind, std::span<std::int64_t> extents);

}  // namespace detail

/// The array as a tensor, which shares its memory and whose deleter gives that up: on the host for
/// Engine::cpu, on the engine's device for opencl and cuda, where what is not there is copied. Throws
/// DeviceError, OutOfMemory.
template <detail::Scalar T, int N>
dlpack::ManagedTensor* to_dlpack(const Array<T, N>& array, Engine engine = Engine::cpu) {
  return detail::give(array.parts()[0], detail::kind_of<T>(), array.shape(), engine);
}

/// A tensor as an array: from_dlpack<float, 2>(tensor). The array has the tensor's memory and calls the
/// deleter when nobody shares it any more; what others enqueued that writes it must be done. Throws
/// FormatError for another element type or rank, or a tensor that is not dense and row-major, DeviceError for
/// one that is on no device of ours; the tensor is the caller's then.
template <detail::Scalar T, int N = 1>
Array<T, N> from_dlpack(dlpack::ManagedTensor* tensor) {
  typename Array<T, N>::Shape shape{};
  typename Array<T, N>::Parts parts;
  parts[0] = detail::take(tensor, detail::kind_of<T>(), shape);
  return Array<T, N>(parts, shape);
}

}  // namespace fulgurite

#pragma GCC visibility pop
