// Digests of what programs are compiled to, a line for each program and a column for each machine.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fulgurite::testing_replay {

/// The machines' names, and "plan": the host programs for all of them.
std::vector<std::string> columns();

struct Row {
  std::string name;
  std::vector<std::string> digests;  // one for each column

  bool operator==(const Row&) const = default;
};
using Table = std::vector<Row>;

/// For the machine of that name alone, with "-" in other columns; empty: for all. Of every so many programs
/// one is compiled; the others have "-". Kernels are compared after renaming: names of variables and of
/// kernels are no part of a digest.
Table digests(std::string_view machine, std::size_t every);

/// The kernels of the program with that name for each machine, and their host programs. Empty: there is none.
std::string texts(std::string_view name);

/// How much longer a program's longest kernel in one processor's language is than it would be if no axis were
/// split.
struct Growth {
  std::string program, machine;
  std::size_t split = 0, unsplit = 0;  // bytes

  double factor() const { return static_cast<double>(split) / static_cast<double>(unsplit); }
};
/// The growth of each kernel that splits make longer, the greatest first; for the processor of that name, or,
/// if it is empty, for all three.
std::vector<Growth> growths(std::string_view machine);

/// The array programs, by machine, that have other kernels when no name is left in them: not the program's,
/// nor those of variables, nor what the user called to make a statement ("matmul", "sum"), nor where it
/// stands.
std::vector<std::string> changed_without_names(std::string_view machine);

/// Processor time of compiling the programs of the guide, the examples and the benchmarks for this processor,
/// in this process.
double milliseconds_of_compiling(const char* policy);

std::string print(const Table&);
Table parse(std::string_view);

/// One line for each program whose digests differ, with the columns in which they do. What was not found
/// ("-") does not.
std::vector<std::string> differences(const Table& expected, const Table& found);

}  // namespace fulgurite::testing_replay
