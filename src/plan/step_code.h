// The steps of a plan as words, for bundles: each a code and its fields, a list as its length and its items,
// steps inside a step as a section (base/word_reader.h). Needs nothing of a library's, since the static run
// time executes plans in this form.
#pragma once

#include <cstdint>

namespace fulgurite::plan {

// In the order of plan::Action, with the fields as they are written.
enum class StepCode : std::uint32_t {
  compute,     // op, operand kind, result kind, to, a, b, c, site
  constant,    // to, bits (wide)
  check,       // condition, site, operands (list)
  allocate,    // place, kind, site, shape (list)
  share,       // to, from
  reuse,       // to, from, kind, fresh, taken, site, shape (list)
  copy_array,  // to, from, kind, fresh
  shrink,      // place, extent
  release,     // place
  launch,      // kernel, bytes read, bytes written, buffers, scalars, tasks (lists)
  fetch,       // to, from, kind
  copy,        // to, from
  branch,      // condition, then (section), else (section)
  loop,        // condition, head (section), body (section)
  converge,    // flags, head (section), body (section)
  resident,    // to, kernel, threads
};

// Loops and branches inside each other, at most.
inline constexpr int most_nested_steps = 200;

}  // namespace fulgurite::plan
