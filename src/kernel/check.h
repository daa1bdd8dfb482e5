// The rules of the kernel IR. Run after every pass that makes or changes a kernel; a broken rule is a bug of
// that pass and says so.
//
//   scopes   A name is bound before it is used, in the statement's block or an enclosing one, and once in
//            a scope. Immutable names are not assigned to.
//   types    Values fit their names; what a statement does by lanes agrees in lanes; indices, bounds and
//            counts are i64 scalars; conditions are boolean scalars; expressions name no buffer and carry
//            no site (a Fail goes before them).
//   levels   Par(grid) stands only at the top, over a number of tasks known from scalar parameters.
//            Par(block) stands inside of it, is not nested, has a constant size, and assigns to nothing
//            around it. Sync(block) and Sync(warp) stand between such loops.
//   memory   Inputs are not stored to; shared and thread arrays have a constant size; a kernel allocates
//            no global memory.
//   stage    threads: values are scalars. vectors: no Par(block) and no Sync is left.
#pragma once

#include <string_view>

#include "kernel/ir.h"

namespace fulgurite::kernel {

enum class Stage : std::uint8_t { threads, vectors };  // before and after the pass `vectorise`

/// Throws InternalError that names the pass, the kernel and the statement.
void check(const Kernel&, Stage, std::string_view pass);

}  // namespace fulgurite::kernel
