// A kernel of one block as a network: which elements meet in which operators, in which stages. Read off the
// kernel IR, so that it shows what runs, not what was meant.
#pragma once

#include <fulgurite/kernel/picture.h>

#include <span>
#include <string>
#include <vector>

#include "kernel/ir.h"

namespace fulgurite::block {

struct Network {
  /// What one instance makes of elements: the number of the element (on its wire) that it writes, those that
  /// it comes from, and what joins them. A comparator is two of them, "min" and "max", from the same two.
  struct Node {
    std::int64_t out;
    std::vector<std::int64_t> in;
    std::string op;
    int depth;  // operators on the longest way from an input to here
  };
  std::vector<std::vector<Node>> stages;  // one for each Par(block) that joins elements
  std::int64_t n_wires = 0;
  int depth = 0;
};

/// Throws TraceError if which elements meet depends on their values.
Network network_of(const kernel::Kernel&);

/// As papers draw them: wires from left to right, a vertical line for each comparator, a dot where an
/// operator stands, with lines from what it joins. SVG. Throws ShapeError if there are frames that do not
/// have all stages, or boxes that do not have all wires.
std::string draw(const Network&, const std::string& title, std::span<const kernel::PictureFrame> = {});

}  // namespace fulgurite::block
