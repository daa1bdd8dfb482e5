// What scans begin with, where computing it may fail: it is needed only where there is an element.
#pragma once

#include "soac/ir.h"

namespace fulgurite::lower {

/// The program, but that an initial value of a scan that may fail is computed before the statement, if this
/// has points at all, so that an empty scan does not fail (docs/semantics.md, unneeded_does_not_fail).
soac::Program guard_initials(soac::Program);

}  // namespace fulgurite::lower
