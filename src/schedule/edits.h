// Edits of schedules: functions from launch to launch, as named values. An edit changes one decision and
// nothing of what is computed; check.h says whether the result is a schedule that walks can follow.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "schedule/ir.h"

namespace fulgurite::schedule {

/// What an edit changes: in a phase of the launch, the thing of the edit's kind with this number.
struct Target {
  std::string phase;
  std::size_t number = 0;
};

struct Edit {
  std::string_view name, description;
  /// Throws InternalError if the launch has no such target. Edits that drop something ignore `value`.
  Launch (*apply)(scalar::Arena&, Launch, const Target&, std::int64_t value);
};

extern const Edit resize;   // the size of a cut
extern const Edit rest;     // the pieces of a cut's remainder
extern const Edit unsplit;  // drops a split
extern const Edit unstage;  // drops a stage
// Changes `n` of the innermost level of a combine: accumulators, chain, copies and so on.
extern const Edit recombine;
extern const Edit stream;      // bytes from which on stores bypass the caches
extern const Edit look_ahead;  // how many elements ahead of what is read memory is fetched
extern const Edit portion;     // points that wait for the scalar code of bins

/// All edits, in the order of their names.
std::span<const Edit* const> edits();

}  // namespace fulgurite::schedule
