// Steps of a plan as words (plan/step_code.h), and back.
#pragma once

#include <optional>

#include "base/word_reader.h"
#include "base/word_writer.h"
#include "plan/plan.h"

namespace fulgurite::plan {

void write_steps(const Steps&, base::WordWriter&);

/// What steps may mention.
struct Bounds {
  std::int32_t n_slots, n_places, n_kernels;
  std::size_t n_sites;
};
/// Nothing for words that are no steps, or mention things that do not exist.
std::optional<Steps> read_steps(base::WordReader, const Bounds&);

}  // namespace fulgurite::plan
