// Programs that are emitted together: their files lie in one folder, and applications include all their
// headers.
#pragma once

#include <fulgurite/emitted.h>

#include <vector>

namespace fulgurite {

/// Throws TraceError where two of them declare the same name, or would write the same file.
void check_together(const std::vector<EmittedProgram>&);

}  // namespace fulgurite
