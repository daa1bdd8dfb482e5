// What `explain` says of a launch: what its phases do, and why.
//
// Phase::why has a reason for each decision, "SUBJECT: REASON". The subject is what was decided: `tasks`,
// `lanes` or `threads` (how many points each takes), `version` (of a phase that runs for some sizes), `phase`
// (that there is this one), `axes`, `split`, `stores`, `loads`, `portion`, `stage ARRAY`, `update ARRAY` (of
// an array that points change), an output
// ("reduction 0"), or something inside ("inner 1", "inner 1, reduction 0"). In brackets stand the numbers of
// the policy (lanes_policy.def, blocks_policy.def) that it depends on.
#pragma once

#include "scalar/print.h"
#include "schedule/ir.h"

namespace fulgurite::schedule {

/// Appends to each phase the reasons that its walk shows; other decisions append their reasons themselves.
void add_reasons(scalar::Arena&, Launch&);
/// The reason of a phase that fills an array which begins as another one.
inline constexpr const char* why_filled =
    "version: nothing is to be done where the array has the memory of the other one";

struct PhaseInWords {
  std::string name;
  std::string where = {};  // the condition on sizes under which it runs; empty: always
  /// Over which points it goes and who takes how many, outermost first; inner statements follow in this form.
  std::vector<std::string> walk = {};
  std::vector<std::string> why = {};  // Phase::why
};
/// The phases in order. Phases with different conditions are versions of the launch.
std::vector<PhaseInWords> in_words(const Launch&, const scalar::NameOf&);

}  // namespace fulgurite::schedule
