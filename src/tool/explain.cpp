// include/fulgurite/explain.h: a traced program is compiled once more, without caches, and what that found is
// told.
#include <fulgurite/explain.h>

#include <fmt/format.h>

#include <optional>

#include "engines/engines.h"
#include "tool/drawing.h"
#include "tool/explanation.h"
#include "trace/traced.h"

namespace fulgurite::detail {

namespace {

// What the device's compiler made of the kernels.
void add_occupancy(tool::Explanation& told, const pipeline::Report& report, const plan::Loaded& loaded) {
  for (std::size_t i = 0; i < told.launches.size(); ++i)
    told.launches[i].occupancy =
        loaded.kernels[static_cast<std::size_t>(report.lowered.notes[i].kernel)]->occupancy();
}

}  // namespace

std::string explanation(const TracedProgram& traced, const Options& options, Explain form) {
  const pipeline::Report report = pipeline::compile(traced.program(), options);
  // Before explaining, which makes formulas among the program's expressions: kernels are those of a call.
  std::optional<plan::Loaded> loaded;
  if (engines::row(options.engine).explains_occupancy)
    loaded = pipeline::load_optimised(report.optimised, options);
  tool::Explanation told = tool::explanation_of(report);
  if (loaded) add_occupancy(told, report, *loaded);
  switch (form) {
    case Explain::text: break;
    case Explain::json: return tool::to_json(told);
    case Explain::svg: return tool::to_svg(report, told);
  }
  return tool::to_text(told);
}

void print_explanation(const TracedProgram& traced, const Options& options) {
  fmt::print("{}", explanation(traced, options, Explain::text));
}

}  // namespace fulgurite::detail
