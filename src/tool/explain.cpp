// include/fulgurite/explain.h: a traced program is compiled once more, without caches, and what that found is
// told.
#include <fulgurite/explain.h>

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "engines/engines.h"
#include "specialised.h"
#include "tool/arguments.h"
#include "tool/drawing.h"
#include "tool/explanation.h"
#include "tool/formula.h"
#include "trace/traced.h"

namespace fulgurite::detail {

namespace {

// What the device's compiler made of the kernels.
void add_occupancy(tool::Explanation& told, const pipeline::Report& report, const plan::Loaded& loaded) {
  for (std::size_t i = 0; i < told.launches.size(); ++i)
    told.launches[i].occupancy =
        loaded.kernels[static_cast<std::size_t>(report.lowered.notes[i].kernel)]->occupancy();
}

// Where the tuning numbers come from; empty: they are the defaults.
std::string policy_giver(const std::string& policy) {
  if (policy.empty()) return "";
  const bool is_environment = policy == default_policy();
  if (policy.starts_with('@'))
    return fmt::format("the file {}{}", policy.substr(1),
                       is_environment ? ", which FULGURITE_POLICY names" : "");
  return is_environment ? "FULGURITE_POLICY" : "Options::policy or --policy";
}

// What calls run programs of their own.
tool::ShortAxesReport short_axes(const soac::Program& traced, const Options& options,
                                 const std::vector<std::string>& parameters) {
  const pipeline::Specialising worth = pipeline::specialising(options);
  tool::ShortAxesReport report{
      .extents = {}, .longest = worth.longest_axis, .least_elements = worth.least_elements};
  tool::SizeNames sizes(traced, parameters);
  for (const soac::Expr extent : pipeline::ShortAxes(traced, worth).extents(traced))
    if (std::string name = sizes.text(extent);
        std::ranges::find(report.extents, name) == report.extents.end())
      report.extents.push_back(std::move(name));
  return report;
}

}  // namespace

std::string explanation(const TracedProgram& traced, const Options& options, Explain form,
                        const std::vector<std::string>& arguments) {
  const std::vector<std::string> parameters = named_program(options.name).parameters;
  // On several ranks phases are taken apart, which says nothing of the program.
  runtime::Description device = engines::device_of(options).describe();
  device.n_ranks = 1;
  const soac::Program program =
      arguments.empty()
          ? traced.program()
          : pipeline::program_of_call(traced.program(), tool::Arguments(traced, arguments).views(), options);
  const pipeline::Report report = pipeline::compile(program, options, device);
  // Before explaining, which makes formulas among the program's expressions: kernels are then as in a call.
  std::optional<plan::Loaded> loaded;
  if (engines::row(options.engine).explains_occupancy)
    loaded = pipeline::load_optimised(report.optimised, options);
  tool::Explanation told = tool::explanation_of(report, parameters);
  told.policy_given = policy_giver(options.policy);
  if (arguments.empty()) told.short_axes = short_axes(traced.program(), options, parameters);
  if (loaded) add_occupancy(told, report, *loaded);
  switch (form) {
    case Explain::text: break;
    case Explain::json: return tool::to_json(told);
    case Explain::svg: return tool::to_svg(report, told, parameters);
  }
  return tool::to_text(told);
}

void print_explanation(const TracedProgram& traced, const Options& options) {
  fmt::print("{}", explanation(traced, options, Explain::text, {}));
}

}  // namespace fulgurite::detail
