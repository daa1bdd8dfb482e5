// What tracing a user's function gives: the array program, and what of it is not part of the program.
#pragma once

#include <fulgurite/executable.h>

#include "soac/ir.h"

namespace fulgurite::detail {

class TracedProgram {
 public:
  TracedProgram(soac::Program program, std::vector<Capture> captures, bool is_retrace)
      : program_(std::move(program)), captures_(std::move(captures)), is_retrace_(is_retrace) {}

  const soac::Program& program() const { return program_; }
  /// Arrays that are the program's last parameters; the others come with each call.
  const std::vector<Capture>& captures() const { return captures_; }
  /// The same function was traced before, for other constants.
  bool is_retrace() const { return is_retrace_; }

 private:
  soac::Program program_;
  std::vector<Capture> captures_;
  bool is_retrace_;
};

}  // namespace fulgurite::detail
