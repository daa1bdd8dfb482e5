// emit(programs, target, folder): source that an application includes, with its author's names and without
// this library (Barracuda, Larsen 2010, chapter 3):
//   fg::emit({{"rmse", rmse, {"measured", "predicted"}}}, fg::Target::c, "generated");
// writes generated/rmse.h, which declares
//   fg_status rmse(const float* measured, int64_t measured_size,
//                  const float* predicted, int64_t predicted_size,
//                  float* result, const fg_call* call);
// and the sources to compile with the application. docs/guide/shipping.md says what each target's functions
// look like.
#pragma once

#include <fulgurite/emitted.h>

#pragma GCC visibility push(default)

namespace fulgurite {

/// Writes the files into the folder, which it makes. Throws what `emitted` does, and FormatError where a file
/// cannot be written. (Defined here: inside the library a namespace has this name.)
inline void emit(const std::vector<EmittedProgram>& programs, Target target,
                 const std::filesystem::path& folder, const EmitOptions& options = {}) {
  detail::write_emitted(programs, target, folder, options);
}

}  // namespace fulgurite

#pragma GCC visibility pop
