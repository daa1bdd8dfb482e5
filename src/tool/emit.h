// The command `emit`: programs as source, with what a command line says about their names.
#pragma once

#include <fulgurite/emitted.h>

#include <string>
#include <vector>

namespace fulgurite::tool {

struct EmitRequest {
  std::vector<std::string> functions;  // "rmse", or "error=rmse" for a function of another name
  Target target = Target::c;
  std::string folder;
  /// "measured,predicted", or of one of several functions "rmse:measured,predicted"; components of composite
  /// elements stand after points: "place.x.y". Constants are literals.
  std::vector<std::string> parameters, results, constants;
  std::vector<std::string> levels;  // none: the levels of EmitOptions
  std::string precision = "fast";
  bool no_checks = false;
  std::string policy = default_policy();
};
/// Throws UsageError for what makes no sense, else what emit throws.
void emit_programs(const std::vector<detail::ToolProgram>&, const EmitRequest&);

}  // namespace fulgurite::tool
