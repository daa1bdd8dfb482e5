// The header of a .npy file (NumPy's documentation of numpy.lib.format): magic, version, length, and a Python
// dictionary as text.
//   \x93NUMPY 1 0 <length, 16 bits> {'descr': '<f4', 'fortran_order': False, 'shape': (1000, 3), }   \n
// In: bytes from anywhere. Out: a kind and extents whose product of bytes was computed without overflow, or a
// FormatError without the file's name, which the caller adds.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scalar/type.h"

namespace fulgurite::tool {

struct NpyHeader {
  scalar::Kind kind = scalar::Kind::f32;
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
};

/// Magic, version and length field, at most; a file that is shorter than this is not .npy.
inline constexpr std::size_t npy_prefix_bytes = 12;

/// Where the dictionary lies in the file.
struct NpyPrefix {
  std::size_t start, length;
};
/// `prefix`: the first npy_prefix_bytes of the file, or all of it.
NpyPrefix parse_npy_prefix(std::string_view prefix);

NpyHeader parse_npy_dictionary(std::string_view text);

/// Bytes of the elements. Throws FormatError where there are more than 2^62.
std::uint64_t payload_bytes(const NpyHeader&);

/// "<f4": what NumPy calls elements of this kind.
std::string numpy_type(scalar::Kind);

/// Everything before the elements; a multiple of 64 bytes.
std::string print_npy_header(scalar::Kind, std::span<const std::int64_t> shape);

}  // namespace fulgurite::tool
