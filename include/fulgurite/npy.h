// NumPy's .npy files: what np.save writes, Fulgurite reads, and the other way round. Elements are bool, i8 to
// i64, u8 to u64, f32, f64, little-endian; Fortran order is read into row-major order. Files that are
// anything else are refused with a FormatError that says what was found and what to do.
#pragma once

#include <fulgurite/array.h>
#include <fulgurite/options.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#pragma GCC visibility push(default)

namespace fulgurite {

/// An array whose element type and rank are known when the program runs; rank 0 is a scalar. Shares its
/// memory, like Array.
struct AnyArray {
  detail::Kind kind = detail::Kind::f32;
  std::vector<std::int64_t> shape;
  std::shared_ptr<const void> data;  // dense, row-major
};
/// "f32[1000, 3]", "i64" for a scalar.
std::string to_string(const AnyArray& array);

/// Throws FormatError for a file that cannot be read or is not such a file, OutOfMemory.
AnyArray read_npy(const std::string& path);
/// Throws FormatError if the file cannot be written; a file that was there before is kept then.
void write_npy(const std::string& path, const AnyArray& array);

namespace detail {
/// Throws FormatError unless the array has this kind and rank.
void expect_npy(const std::string& path, const AnyArray& array, Kind kind, int rank);
Elements read_npy(const std::string& path, Engine engine, Kind kind, int rank, std::int64_t* shape);
void write_npy(const std::string& path, Kind kind, std::span<const std::int64_t> shape,
               const Elements& elements);
}  // namespace detail

/// read_npy<float, 2>("m.npy"): throws FormatError for a file with elements of another type or another rank.
/// For Engine::mpi all ranks call it, and each reads its own rows from the file, which all of them have under
/// this name; what goes wrong on one is thrown on all. Engine::cpu reads all of it, on the rank that calls.
template <detail::Scalar T, int N = 1>
Array<T, N> read_npy(const std::string& path, Engine engine = default_engine()) {
  typename Array<T, N>::Shape shape;
  typename Array<T, N>::Parts parts;
  parts[0] = detail::read_npy(path, engine, detail::kind_of<T>(), N, shape.data());
  return Array<T, N>(parts, shape);
}
/// If an array lies on the ranks of Engine::mpi, each rank writes its own part of the one file, so that all
/// ranks call it. Other arrays are written whole by the caller.
template <detail::Scalar T, int N>
void write_npy(const std::string& path, const Array<T, N>& array) {
  detail::write_npy(path, detail::kind_of<T>(), array.shape(), array.parts()[0]);
}

}  // namespace fulgurite

#pragma GCC visibility pop
