// The command `run`: words of a command line in, results on standard output and in files.
#pragma once

#include <fulgurite/main.h>
#include <fulgurite/npy.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "tool/npy_ranks.h"

namespace fulgurite::tool {

/// A command line that makes no sense; the message says what would.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws UsageError, which says which programs there are, for another name.
const detail::ToolProgram& program_named(const std::vector<detail::ToolProgram>&, const std::string& name);

struct RunRequest {
  std::vector<std::string> arguments;  // .npy files and literals, in the order of the parameters
  std::vector<std::string> outputs;    // none, or one for each result
  bool time = false;
  int repeat = 1;
  std::string profile;  // a file for what it spends its time on; empty: none
};
void run(const detail::ToolProgram&, const RunRequest&, const Options&);

/// What stands on a command line for the parameters of a program: literals of the constants, and the staged
/// arguments, with the memory that they refer to.
struct Given {
  std::vector<std::string> constants;
  std::vector<detail::ArgumentView> views;
  std::vector<NpyArray> memory;
};
/// For a run on this engine.
Given read_arguments(const detail::ToolProgram&, const std::vector<std::string>& arguments, Engine engine);

/// The values that stand in `literals`, one for each parameter that is not staged. Throws UsageError for
/// another number.
std::vector<std::uint64_t> constants_of(const detail::ToolProgram&, const std::vector<std::string>& literals);
/// Traces with these values.
std::shared_ptr<const detail::TracedProgram> trace(const detail::ToolProgram&,
                                                   const std::vector<std::string>& literals);

/// Throws UsageError if the program names another number of parameters than it has.
void check_names(const detail::ToolProgram&);

/// "rmse(f32[], f32[]) -> f32", or with names "rmse(x: f32[], y: f32[]) -> f32".
std::string signature(const detail::ToolProgram&);
/// The signature, then a line for each parameter and result: what stands for it on a command line.
std::string description(const detail::ToolProgram&);

}  // namespace fulgurite::tool
