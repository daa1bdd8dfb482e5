// Kernels as text; kernel/parse.h reads them back as exactly the same kernel.
//
//   kernel saxpy(a: f32, in x: f32[], out y: f32[], n: i64)
//   par grid task < (n + 1023) / 1024 {
//     let base = task * 1024
//     for i in base : min(n, base + 1024) step 16 {
//       load v: f32x16 = x[i, 1]                              # index, stride; touched c
//       load w: f32x16 = y[i, 1] when mask
//       store y[i, 1] = v * splat(a, 16) + w when mask        # store streaming y[...]: past the caches
//     }
//   }
//
// A number and a colon before a statement are its line, by Stm::line. The other statements: var v = e; v
// = e when mask; if c { } else { }; loop { head } while c { body }; par block t < 256 { }; alloc shared buf:
// f32[256] at 1024; sync block; shuffle v = value from t width 32; atomic old = add buf[i] by v acquire
// release when mask; atomic compare_exchange buf[i] by v expects e; fail @site(element, stride, value, bound)
// when mask; and @s = e, which is no statement of the kernel but names a part that the next statement's
// expressions share.
#pragma once

#include <string>
#include <string_view>

#include "kernel/ir.h"

namespace fulgurite::kernel {

std::string print(const Kernel&);

/// A text that is equal for kernels that differ only in names and lines: the kernel's own name is left out,
/// its variables are numbered.
std::string canonical(const Kernel&);

/// "add", "compare_exchange".
std::string_view name_of(Atomic::What);

/// One statement, for messages.
std::string print(const Arena&, const Stm&);

}  // namespace fulgurite::kernel
