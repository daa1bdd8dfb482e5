// What ahead-of-time output takes: a program lowered for one target, with the names that its author gave.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "plan/execute.h"
#include "plan/plan.h"

namespace fulgurite::ahead {

using scalar::Kind;

/// A parameter or result as the emitted function has it. Arrays of composite elements have a component for
/// each of their scalars.
struct Value {
  std::string name;
  std::vector<std::string> components;  // of more than one: their names, after the value's
  std::vector<Kind> kinds;              // of the components
  int rank = 0;                         // 0: scalars
};

/// An array that the program captured: its elements are part of the emitted text.
struct Captured {
  Kind kind;
  std::vector<std::int64_t> extents;
  std::vector<std::byte> elements;
};

struct KernelText {
  std::string name;                  // phases are <name>_p0 ...; <name>_p0_in_order if tasks begin in order
  std::string phases;                // without a prelude
  std::string comment;               // what it computes, and from which line
  std::vector<std::string> entries;  // the phases' names
  // For each array of the kernel, in order, its name if the kernel writes it; empty if it only reads it.
  std::vector<std::string> buffers;
  std::vector<Kind> scalars = {};  // of its parameters that are no arrays
};

struct Program {
  std::string name;
  std::string description;                 // for the header: one line
  std::vector<Value> parameters, results;  // components in the order of the plan's
  std::vector<Captured> captured;          // the plan's last parameters
  plan::Plan plan;                         // kernels without sources
  std::vector<KernelText> kernels;         // of Plan::kernels
  std::vector<plan::SiteText> sites;       // Site s is sites[s - 1]
};

struct File {
  std::string name, text;
};

}  // namespace fulgurite::ahead
