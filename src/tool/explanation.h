// What `explain` tells, as data: from everything that compiling found out (pipeline::Report) to what a reader
// wants to know. The text, JSON and drawing are made from this.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "pipeline.h"
#include "schedule/explain.h"
#include "tool/formula.h"

namespace fulgurite::tool {

/// An operation that the user wrote, and what became of it.
struct Operation {
  std::string origin;
  soac::Location where;
  std::string reason;
  friend bool operator==(const Operation&, const Operation&) = default;
};
/// "elementwise '-'  stats.cpp:12"; the file without its folder.
std::string place(const soac::Location&);

/// An array that a launch changes, which begins as another one.
struct CopyReport {
  std::string array, from;
  Formula bytes;
  bool is_made;        // else the array gets the memory of the other one
  std::string reason;  // why, or where it is made nevertheless
};
/// Memory that only a launch has: partial results, bins of tasks, arrays of single elements.
struct PrivateReport {
  std::string name;
  Formula bytes;
  Formula moved;  // at most, without what blocks read again while they look back at earlier ones
};
/// An array of which a launch reads elements more than once.
struct PassReport {
  std::string array;
  Formula times;
  bool often = false;  // an unknown number of times
};

struct LaunchReport {
  std::string kernel;   // its name
  Operation operation;  // the last operation that the launch does
  std::string when;     // "in each iteration of a loop"; empty: once
  int n_phases = 1;
  std::vector<schedule::PhaseInWords> schedule;
  std::vector<Operation> fused;  // what else it does
  Formula bytes_read, bytes_written;
  bool reads_at_most = false, writes_at_most = false;  // elements decide
  std::optional<Formula> operations;                   // nothing: elements decide
  bool computes_elements = false;                      // of arrays, by statements of the program
  std::vector<CopyReport> copies;
  std::vector<PrivateReport> own;
  std::vector<PassReport> passes;
  std::vector<std::string> sequential;
  std::vector<runtime::Occupancy> occupancy;  // of each phase, where a device told it
};

struct ArrayReport {
  std::string type;
  bool is_result = false;
  Operation made_by;  // the reason: why it was not fused
  Formula bytes;
};

struct CheckReport {
  std::string error;  // "ShapeError"
  soac::Location where;
  std::string what;  // "n == m", or the message's beginning for a failing element
};

/// A tuning number that is not the default.
struct ChangedNumber {
  std::string name, value, usual, unit, description;
};
std::vector<ChangedNumber> changed_numbers(const schedule::Policy&);

/// Factors up to it are told as 1.
inline constexpr double countable = 1.005;

/// Calls that run a program of their own (specialised.h): where one of these extents is short.
struct ShortAxesReport {
  std::vector<std::string> extents;  // "n"; empty: no calls
  std::int64_t longest = 0;
  std::int64_t least_elements = 0;  // of the largest array
};

struct Explanation {
  std::string name;
  std::vector<std::string> parameters, results;  // "a: f32[n]", "f32"
  int n_operations = 0;                          // of the traced program, functions' included
  std::vector<LaunchReport> launches;
  std::vector<ArrayReport> arrays;  // in memory, besides the arguments
  std::vector<Operation> removed, hoisted;
  std::vector<CheckReport> checks;
  ShortAxesReport short_axes;         // of the program for any extents
  Formula bytes_read, bytes_written;  // of all launches, each counted once
  Formula own_moved;                  // by memory of single launches, at most
  std::vector<ChangedNumber> policy;
  std::string policy_given;           // who gives them: "FULGURITE_POLICY", "the file fast.policy"
  Formula least_read, least_written;  // what is needed of each argument once, each result once

  int n_intermediate() const;
  bool at_most() const;  // elements decide how much of the bytes moves
  /// Bytes moved, divided by the bytes that are needed once, for large sizes; nothing if the one grows with
  /// sizes as the other does not, or there is nothing to move.
  std::optional<double> excess() const;
  /// What moves in private memory by everything else, for large sizes; nothing if there is nothing else.
  std::optional<double> own_share() const;
  /// Surely no program for this result moves less: each element that is needed moves once, and all that moves
  /// is counted.
  bool is_least() const;
};
/// "moves 8n bytes, the least possible".
std::string bytes_told(const Explanation&);

/// What decides how long a launch takes where sizes are large, and the operations that it does in the time of
/// a byte, if that is one number.
struct Limit {
  enum class By : std::uint8_t { memory, arithmetic, elements };
  By by = By::memory;
  std::optional<double> operations_a_byte;
};
Limit limit_of(const LaunchReport&);
/// "memory", "arithmetic"; of elements, which say how much is computed, "elements".
std::string_view name_of(Limit::By);

/// `parameters`: what the user calls them (SizeNames).
Explanation explanation_of(const pipeline::Report&, const std::vector<std::string>& parameters = {});

/// In which launches a statement of the traced program ended, and a statement of the optimised one runs; by
/// any of its names.
std::unordered_map<soac::Var, std::set<std::size_t>> launches_of(const pipeline::Report&);

std::string to_text(const Explanation&);
std::string to_json(const Explanation&);

}  // namespace fulgurite::tool
