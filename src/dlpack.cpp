// include/fulgurite/dlpack.h: tensors that hold a share of an array, and arrays that hold a tensor.
#include <fulgurite/dlpack.h>

#include <fulgurite/device_memory.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "engines/engines.h"
#include "scalar/type.h"

namespace fulgurite::detail {
namespace {

using dlpack::DataType, dlpack::DeviceType, dlpack::ManagedTensor, dlpack::Tensor, dlpack::TypeCode;

DataType type_of(Kind kind) {
  const auto k = static_cast<scalar::Kind>(kind);
  const TypeCode code = k == scalar::Kind::boolean ? TypeCode::boolean
                        : !scalar::is_integer(k)   ? TypeCode::floating
                        : scalar::is_signed(k)     ? TypeCode::signed_integer
                                                   : TypeCode::unsigned_integer;
  return {code, static_cast<std::uint8_t>(8 * scalar::size_of(k)), 1};
}

std::size_t bytes_of(Kind kind, std::span<const std::int64_t> extents) {
  return static_cast<std::size_t>(element_count(extents)) * scalar::size_of(static_cast<scalar::Kind>(kind));
}

struct Given : ManagedTensor {
  Elements elements;
  std::vector<std::int64_t> shape, steps;
};

std::vector<std::int64_t> dense_strides(std::span<const std::int64_t> extents) {
  std::vector<std::int64_t> strides(extents.size(), 1);
  for (std::size_t axis = extents.size(); axis-- > 1;) strides[axis - 1] = strides[axis] * extents[axis];
  return strides;
}

// Strides along axes of one element say nothing.
bool is_dense(const Tensor& t, std::span<const std::int64_t> extents) {
  if (t.strides == nullptr) return true;
  const std::vector<std::int64_t> dense = dense_strides(extents);
  for (std::size_t axis = 0; axis < dense.size(); ++axis)
    if (extents[axis] != 1 && t.strides[axis] != dense[axis]) return false;
  return true;
}

void check_tensor(const Tensor& t, Kind kind, std::span<std::int64_t> extents) {
  if (t.rank != static_cast<std::int32_t>(extents.size()))
    throw FormatError(
        fmt::format("the tensor has {} axes, and the array is to have {}: take it with its own rank", t.rank,
                    extents.size()));
  const DataType wanted = type_of(kind);
  if (t.type.code != wanted.code || t.type.bits != wanted.bits || t.type.lanes != 1)
    throw FormatError(fmt::format(
        "the tensor's elements are {} of {} bits (code {}), and the array's {} (code {}, {} bits): take it "
        "with its own "
        "type",
        t.type.lanes, t.type.bits, static_cast<int>(t.type.code),
        scalar::name_of(static_cast<scalar::Kind>(kind)), static_cast<int>(wanted.code), wanted.bits));
  std::copy_n(t.extents, extents.size(), extents.begin());
  if (element_count(extents) != 0 && !is_dense(t, extents))
    throw FormatError("the tensor is not dense and row-major: make it contiguous before it is handed over");
}

Elements on_device(ManagedTensor* tensor, std::size_t bytes, const std::shared_ptr<const void>& keeps) {
  const Tensor& t = tensor->tensor;
  auto* const start = static_cast<std::byte*>(t.data) + t.byte_offset;
  if (t.device.type == DeviceType::cpu || t.device.type == DeviceType::cuda_host)
    return std::shared_ptr<const void>(keeps, start);
  const engines::Row* row = engines::of_memory(t.device.type);
  if (row == nullptr)
    throw DeviceError(fmt::format("the tensor is on a device of DLPack's type {}: copy it to the host before",
                                  static_cast<int>(t.device.type)));
  if (row->memory_is_address) {
    if (t.device.number < 0)
      throw DeviceError(fmt::format("the tensor is on {} device {}: it must say a device there is",
                                    row->title, t.device.number));
    return adopt(row->engine, t.device.number, start, bytes, keeps);
  }
  if (t.byte_offset != 0)
    throw DeviceError(fmt::format(
        "the tensor begins inside of its {} memory: hand over a copy that begins with it", row->title));
  return adopt(row->engine, -1, t.data, bytes, keeps);
}

}  // namespace

ManagedTensor* give(const Elements& elements, Kind kind, std::span<const std::int64_t> extents,
                    Engine engine) {
  auto given = std::make_unique<Given>();
  given->elements = elements;
  given->shape.assign(extents.begin(), extents.end());
  given->steps = dense_strides(extents);
  Tensor& t = given->tensor;
  const engines::Row& row = engines::row(engine);
  t.device = {row.dlpack_type, row.dlpack_number == nullptr ? 0 : row.dlpack_number()};
  const std::size_t bytes = bytes_of(kind, extents);
  t.data = bytes == 0                           ? nullptr
           : row.dlpack_type != DeviceType::cpu ? device_memory(engine, -1, *elements.storage(), bytes)
                                                : const_cast<void*>(elements.get());
  t.rank = static_cast<std::int32_t>(extents.size());
  t.type = type_of(kind);
  t.extents = given->shape.data();
  t.strides = given->steps.data();
  t.byte_offset = 0;
  given->context = nullptr;
  given->deleter = [](ManagedTensor* tensor) { delete static_cast<Given*>(tensor); };
  return given.release();
}

Elements take(ManagedTensor* tensor, Kind kind, std::span<std::int64_t> extents) {
  check_tensor(tensor->tensor, kind, extents);
  const std::size_t bytes = bytes_of(kind, extents);
  // Held until the array has it: what throws leaves the tensor to the caller.
  struct Taken {
    ManagedTensor* tensor;
    bool is_ours = false;
    ~Taken() {
      if (is_ours && tensor->deleter != nullptr) tensor->deleter(tensor);
    }
  };
  const auto taken = std::make_shared<Taken>(Taken{tensor});
  Elements elements;
  if (bytes > 0) elements = on_device(tensor, bytes, std::shared_ptr<const void>(taken, tensor));
  taken->is_ours = true;
  return elements;
}

}  // namespace fulgurite::detail
