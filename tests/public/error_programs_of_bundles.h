// Errors of bundles (error_programs.h).
#pragma once

#include <fulgurite/bundle.h>

#include <fstream>
#include <sstream>

#include "error_programs.h"

namespace error_programs {

inline Vec<int> twice(Vec<int> x) {
  return x + x;
}
const fg::BundleOptions of_no_machine{.cpu_levels = {}, .opencl = false};
/// Makes errors.fgb of `twice`, and changes some of its bytes.
inline void save_bundle(std::size_t from, const std::string& bytes) {
  fg::bundle({{"twice", twice}}, "errors.fgb", of_no_machine);
  std::fstream file("errors.fgb", std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(from));
  file << bytes;
}

// ## Bundles

ERROR_PROGRAM(bundle_that_is_not_there) {
  fg::open("nothing.fgb");
}
ERROR_PROGRAM(bundle_of_another_kind) {
  std::ofstream("errors.fgb") << "one, two, three";
  fg::open("errors.fgb");
}
ERROR_PROGRAM(bundle_of_another_version) {
  save_bundle(8, "\x02");
  fg::open("errors.fgb");
}
ERROR_PROGRAM(bundle_that_is_damaged) {
  save_bundle(40, "x");
  fg::open("errors.fgb");
}
ERROR_PROGRAM(bundle_without_the_program) {
  fg::bundle({{"twice", twice}}, "errors.fgb", of_no_machine);
  fg::open("errors.fgb").get<int(int)>("thrice");
}
ERROR_PROGRAM(bundle_with_another_type) {
  fg::bundle({{"twice", twice}}, "errors.fgb", of_no_machine);
  fg::open("errors.fgb").get<int(int)>("twice");
}
ERROR_PROGRAM(bundle_called_with_too_few) {
  fg::bundle({{"twice", twice}}, "errors.fgb", of_no_machine);
  fg::open("errors.fgb").program("twice")({});
}
ERROR_PROGRAM(bundle_called_with_another_type) {
  fg::bundle({{"twice", twice}}, "errors.fgb", of_no_machine);
  const fg::AnyArray argument{fg::detail::Kind::f32, {1}, std::make_shared<float>(1.0f)};
  fg::open("errors.fgb").program("twice")(std::span(&argument, 1));
}
ERROR_PROGRAM(bundle_for_no_level) {
  fg::bundle({{"twice", twice}}, "errors.fgb", {.cpu_levels = {"native"}});
}
ERROR_PROGRAM(bundle_for_no_architecture) {
  fg::bundle({{"twice", twice}}, "errors.fgb", {.cuda_architectures = {"ampere"}});
}
ERROR_PROGRAM(bundle_in_no_folder) {
  fg::bundle({{"twice", twice}}, "nowhere/errors.fgb", of_no_machine);
}
ERROR_PROGRAM(bundle_of_constants) {
  fg::bundle({{"scaled", [](Vec<int> x, int by) { return x * by; }}}, "errors.fgb");
}
ERROR_PROGRAM(bundle_of_one_name) {
  fg::bundle({{"twice", twice}, {"twice", twice}}, "errors.fgb", of_no_machine);
}

}  // namespace error_programs
