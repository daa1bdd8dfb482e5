// The prelude of kernels in portable C (emit::portable_c): for GCC 12 and later and Clang, which compile it
// with flags that are not ours. It depends on the processor's level, the kernels' text does not.
//
// In: the phases of all kernels of one translation unit. Out: types, the kernel ABI (prelude/cpu/context.c)
// and the functions that they use. What a translation unit holds:
//
//   portable_prelude(phases, level)   opens with the pragmas that make the text mean the same under any flags
//   phases                            print_phases(kernel, portable_c) of each kernel: static functions
//   portable_end                      closes them
//
// A vector is one register of the level's, or a struct of several; functions of wide vectors call those of a
// register for each of them. Results have the bits of the cpu engine at the same level.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "emit/level.h"

namespace fulgurite::emit {

/// Throws InternalError for a function that no section defines.
std::string portable_prelude(std::string_view phases, Level);
extern const std::string_view portable_end;

}  // namespace fulgurite::emit
