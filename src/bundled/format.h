// A bundle: programs with their plans and compiled kernels in one file, which is mapped and read where it
// lies.
//
//   Header | blobs | index
//
// Blobs are bytes with a digest each, aligned to `blob_alignment`: compiled kernels, texts. The index is
// words (base/word_reader.h), and its own digest stands in the header:
//
//   blobs     section of: offset, size, digest's first and second half (wide each)
//   programs  section of: program (section)
//
//   program   name (text), key (two wides), is_strict, is_unchecked,
//             parameters, results (sections of: kind, rank)
//             captures (section of: kind, rank, extents (wide each), blob)
//             sites (section of: error, line, file (text), message (text))
//             blob of the traced program's text, as soac/print.h writes it
//             targets (section of: target (section))
//   target    TargetEngine, architecture (text), number of slots, number of places
//             parameters, results (sections of: kind, rank, slot, place)
//             kernels (section of: name (text), number of phases, arguments, block sizes, shared bytes
//             (sections), can_fail, blob), steps (section; plan/step_code.h)
//
// Needs nothing of a library's, since the static run time reads it too.
#pragma once

#include <cstdint>

namespace fulgurite::bundled {

inline constexpr char magic[8] = {'f', 'g', 'b', 'u', 'n', 'd', 'l', 'e'};

// The version of the file's form, of the plans' steps and of the arguments of kernels. Who reads a version
// reads every minor version of it.
inline constexpr std::uint32_t major_version = 1, minor_version = 0;

// The version of the library that this is part of: "0.1.0".
extern const char library_version[];

struct Header {
  char magic[8];
  std::uint32_t major, minor;
  char library[16];  // the version of the library that wrote it, and zeros
  std::uint64_t file_size, index_offset, index_size;
  std::uint64_t index_digest[2];
};
static_assert(sizeof(Header) == 72);

inline constexpr std::uint64_t blob_alignment = 64;

enum class TargetEngine : std::uint32_t {
  cpu = 1,     // architecture: a level of x86-64 or of AArch64; kernels: relocatable ELF objects
  opencl = 2,  // none; OpenCL C
  cuda = 3,    // sm_90 or the like; cubins
};

}  // namespace fulgurite::bundled
