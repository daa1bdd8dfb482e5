#include "tool/emit.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/text.h"
#include "tool/run.h"

namespace fulgurite::tool {
namespace {

using detail::ToolProgram;

// What an option says about each function, by the functions' names.
using ByFunction = std::map<std::string, std::vector<std::string>>;

ByFunction by_function(const std::vector<std::string>& given, const std::vector<std::string>& functions,
                       std::string_view option) {
  ByFunction all;
  for (const std::string& text : given) {
    const std::size_t colon = text.find(':');
    if (colon == std::string::npos && functions.size() > 1)
      throw UsageError(fmt::format("{} {} does not say of which function: write {} {}:{}", option, text,
                                   option, functions[0], text));
    const std::string function = colon == std::string::npos ? functions[0] : text.substr(0, colon);
    if (std::find(functions.begin(), functions.end(), function) == functions.end())
      throw UsageError(fmt::format("{} {}: no function {} is written; there are {}", option, text, function,
                                   base::join(functions, ", ", [](const std::string& f) { return f; })));
    const std::string rest = colon == std::string::npos ? text : text.substr(colon + 1);
    if (!all.emplace(function, base::split(rest, ',')).second)
      throw UsageError(fmt::format("{} is given twice for {}", option, function));
  }
  return all;
}

std::vector<EmittedName> names_of(const std::vector<std::string>& texts) {
  std::vector<EmittedName> names;
  for (const std::string& text : texts) {
    std::vector<std::string> words = base::split(text, '.');
    std::string name = std::move(words.front());
    words.erase(words.begin());
    names.emplace_back(std::move(name), std::move(words));
  }
  return names;
}

}  // namespace

void emit_programs(const std::vector<ToolProgram>& programs, const EmitRequest& request) {
  std::vector<std::string> functions;
  std::vector<ToolProgram> chosen;
  for (const std::string& word : request.functions) {
    const std::size_t equals = word.find('=');
    const std::string name = equals == std::string::npos ? word : word.substr(equals + 1);
    functions.push_back(word.substr(0, equals));
    if (std::find(functions.begin(), functions.end() - 1, functions.back()) != functions.end() - 1)
      throw UsageError(fmt::format("{0} stands twice: give one of them another name, as in {0}_2={1}",
                                   functions.back(), name));
    chosen.push_back(program_named(programs, name));
  }
  ByFunction parameters = by_function(request.parameters, functions, "--parameters");
  ByFunction results = by_function(request.results, functions, "--results");
  ByFunction constants = by_function(request.constants, functions, "--constants");
  std::vector<EmittedProgram> emitted;
  for (std::size_t k = 0; k < functions.size(); ++k) {
    std::vector<scalar::Bits> bits = constants_of(chosen[k], constants[functions[k]]);
    chosen[k].name = functions[k];
    emitted.emplace_back(std::move(chosen[k]), names_of(parameters[functions[k]]),
                         names_of(results[functions[k]]), std::move(bits));
  }
  EmitOptions options;
  if (request.precision == "strict") options.precision = Precision::strict;
  if (request.no_checks) options.checks = Checks::off;
  options.policy = request.policy;
  if (!request.levels.empty()) options.levels = request.levels;
  detail::write_emitted(emitted, request.target, request.folder, options);
}

}  // namespace fulgurite::tool
