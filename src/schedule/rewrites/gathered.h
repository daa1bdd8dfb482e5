// Ragged rows whose elements are gathered.
#pragma once

#include "schedule/rewrites/ragged.h"

namespace fulgurite::schedule {

/// The statement as ragged rows (ragged.h), if their operators commute and elements are read at places that
/// are read themselves: full vectors need fewer of such reads. Cheaper operands are not worth memory.
std::optional<RaggedRows> gathered_rows(scalar::Arena&, const soac::Stm&);

}  // namespace fulgurite::schedule
