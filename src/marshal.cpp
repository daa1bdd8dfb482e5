#include "marshal.h"

#include <fmt/format.h>
#include <fulgurite/error.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace fulgurite {

namespace {

soac::Value array(std::uint8_t kind, int rank, const std::int64_t* extents, const void* data) {
  soac::Value value{static_cast<scalar::Kind>(kind), {extents, extents + rank}, {}};
  std::size_t bytes = scalar::size_of(value.kind);
  for (std::int64_t n : value.shape) bytes *= static_cast<std::size_t>(n);
  try {
    value.bytes.resize(bytes);
  } catch (const std::bad_alloc&) {
    throw OutOfMemory(fmt::format("no memory for a copy of an argument {}: {} bytes",
                                  soac::shape_text(value.kind, value.shape), bytes));
  }
  if (bytes > 0) std::memcpy(value.bytes.data(), data, bytes);
  return value;
}

}  // namespace

soac::Value value_of(const detail::ArgumentView& view) {
  if (view.rank == 0) return soac::Value::scalar(static_cast<scalar::Kind>(view.kind), view.bits);
  return array(view.kind, view.rank, view.extents, view.on_host());
}

soac::Value value_of(const detail::ResultValue& result) {
  if (result.rank == 0) return soac::Value::scalar(static_cast<scalar::Kind>(result.kind), result.bits);
  return array(result.kind, result.rank, result.extents, result.data.get());
}

detail::ArgumentView view_of(const soac::Value& value) {
  return {static_cast<std::uint8_t>(value.kind), static_cast<int>(value.shape.size()), value.bytes.data(),
          value.shape.data(), value.shape.empty() ? value.at(0) : 0};
}

detail::ResultValue result_of(soac::Value value) {
  detail::ResultValue result;
  result.kind = static_cast<std::uint8_t>(value.kind);
  result.rank = static_cast<int>(value.shape.size());
  std::copy(value.shape.begin(), value.shape.end(), result.extents);
  if (value.shape.empty()) {
    result.bits = value.at(0);
  } else {
    auto bytes = std::make_shared<std::vector<std::byte>>(std::move(value.bytes));
    result.data = std::shared_ptr<const void>(bytes, bytes->data());
  }
  return result;
}

}  // namespace fulgurite
