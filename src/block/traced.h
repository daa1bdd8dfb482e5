// What is traced while a kernel is recorded becomes the kernel's statements.
#pragma once

#include <fulgurite/kernel/staged.h>

#include <string_view>

#include "kernel/build.h"
#include "soac/ir.h"

namespace fulgurite::block {

/// Scalar statements. Throws TraceError for one that makes an array.
void append_traced(const kernel::Builder&, const std::vector<soac::Stm>& traced, const detail::Here& where);

/// Throws TraceError: `what` makes an array.
[[noreturn]] void refuse_array(std::string_view what, const detail::Here& where);

}  // namespace fulgurite::block
