// What tracing a user's function gives: the array program, and what of it is not part of the program.
#pragma once

#include <fulgurite/executable.h>

#include <string>
#include <string_view>
#include <vector>

#include "soac/ir.h"

namespace fulgurite::detail {

/// What a program calls its parameter of the caller's argument of that number, from 1: a, b, ... z, a27.
std::string parameter_name(unsigned argument);

/// Options::name in its parts: "rmse(measured, predicted)" names a program and its parameters.
struct NamedProgram {
  std::string name;
  std::vector<std::string> parameters;  // none, or one for each, as far as they are given
};
NamedProgram named_program(std::string_view text);

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
