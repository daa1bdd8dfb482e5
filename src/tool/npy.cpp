// Files on one side, arrays on the other (include/fulgurite/npy.h).
#include <fulgurite/npy.h>

#include <fmt/format.h>

#include <algorithm>

#include "tool/npy_file.h"
#include "tool/npy_ranks.h"

namespace fulgurite {

std::string to_string(const AnyArray& array) {
  const std::string_view kind = scalar::name_of(tool::scalar_kind(array.kind));
  if (array.shape.empty()) return std::string(kind);
  return fmt::format("{}[{}]", kind, fmt::join(array.shape, ", "));
}

AnyArray read_npy(const std::string& path) {
  try {
    const tool::NpyInput file(path);
    return {tool::public_kind(file.header().kind), file.header().shape, file.read()};
  } catch (const FormatError& error) {
    throw tool::named(path, error);
  }
}

void write_npy(const std::string& path, const AnyArray& array) {
  const std::size_t bytes = static_cast<std::size_t>(detail::element_count(array.shape)) *
                            scalar::size_of(tool::scalar_kind(array.kind));
  tool::NpyOutput file(path, tool::print_npy_header(tool::scalar_kind(array.kind), array.shape), bytes);
  file.write(array.data.get(), bytes);
  file.keep();
}

namespace detail {

void expect_npy(const std::string& path, const AnyArray& array, Kind kind, int rank) {
  if (array.kind == kind && array.shape.size() == static_cast<std::size_t>(rank)) return;
  throw FormatError(fmt::format(
      "{} holds {}, but {} is wanted: convert it in NumPy", path, to_string(array),
      scalar::to_string(scalar::Type{tool::scalar_kind(kind), static_cast<std::uint8_t>(rank), 1})));
}

Elements read_npy(const std::string& path, Engine engine, Kind kind, int rank, std::int64_t* shape) {
  const tool::NpyArray array = tool::read_for(engine, path);
  expect_npy(path, {array.kind, array.shape, nullptr}, kind, rank);
  std::ranges::copy(array.shape, shape);
  return array.elements;
}

void write_npy(const std::string& path, Kind kind, std::span<const std::int64_t> shape,
               const Elements& elements) {
  tool::write_from_anywhere(path, {kind, {shape.begin(), shape.end()}, elements});
}

}  // namespace detail
}  // namespace fulgurite
