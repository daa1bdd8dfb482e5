// .npy files and arrays that may lie on the ranks of a job (docs/cluster.md).
#pragma once

#include <fulgurite/npy.h>
#include <fulgurite/options.h>

#include <cstdint>
#include <string>
#include <vector>

namespace fulgurite::tool {

/// As AnyArray, with elements that may be on devices only.
struct NpyArray {
  detail::Kind kind = detail::Kind::f32;
  std::vector<std::int64_t> shape;
  detail::Elements elements;
};

/// For programs on this engine: on several ranks each reads its own rows, unless the file is small or in
/// Fortran order. Throws FormatError, on all ranks the same.
NpyArray read_for(Engine engine, const std::string& path);

/// If an array lies only on ranks, each rank writes its part. Throws FormatError, then on all ranks the
/// same.
void write_from_anywhere(const std::string& path, const NpyArray& array);

/// Whether the elements are on the ranks of a job only: what all ranks read together.
bool lies_on_ranks(const detail::Elements& elements);
/// The first bytes of such elements, on all ranks.
void read_first(const detail::Elements& elements, void* to, std::size_t bytes);

}  // namespace fulgurite::tool
