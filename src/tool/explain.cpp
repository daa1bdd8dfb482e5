// include/fulgurite/explain.h: a traced program is compiled once more, without caches, and what that found is
// told.
#include <fulgurite/explain.h>

#include <fmt/format.h>

#include "tool/drawing.h"
#include "tool/explanation.h"
#include "trace/traced.h"

namespace fulgurite::detail {

std::string explanation(const TracedProgram& traced, const Options& options, Explain form) {
  const pipeline::Report report = pipeline::compile(traced.program(), options);
  const tool::Explanation told = tool::explanation_of(report);
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
