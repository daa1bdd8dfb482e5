// Kernel IR to text. In: a kernel after vectorise (kernel::check with Stage::vectors holds). Out: the
// complete translation unit, one function for each phase behind the parts of the prelude that they use.
//
// Names are the kernel's own where they are legal and unique. A value that is used once is printed where it
// is used if it is short; values that are never used are not printed. What a phase promises to and wants from
// its caller:
//   - buffers may be the same memory (an output in place of an input), so nothing is `restrict`: a
//   statement's loads come before its store;
//   - no address needs more than its element's alignment. Streaming stores stream where the address is
//   aligned to the vector's size, at most
//     64 bytes (an allocation of ours, an index that is a multiple of the lanes), and are plain stores
//     elsewhere;
//   - boolean elements are bytes: written as 0 or 1, read as "is not 0".
#pragma once

#include <string>

#include "emit/dialect.h"

namespace fulgurite::emit {

/// The phases alone: what reads as the kernel.
std::string print_phases(const kernel::Kernel&, const Dialect&, bool contract = true);

/// `contract`: a multiplication and an addition may become one operation that rounds once (Precision::strict
/// forbids it).
std::string print(const kernel::Kernel&, const Dialect&, bool contract = true);

}  // namespace fulgurite::emit
