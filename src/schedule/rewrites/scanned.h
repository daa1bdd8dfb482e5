// Scans that lanes can make.
#pragma once

#include <cstddef>
#include <optional>

#include "soac/ir.h"

namespace fulgurite::schedule {

/// What the Scans of a Soac's body scan, one after the other, as functions of a point.
soac::Lambda operands_of_scans(const scalar::Arena&, const soac::Soac&);

/// Whether the Scans may be made in runs: what they scan depends on no other Scan, and lanes can evaluate it.
bool scans_in_runs(const scalar::Arena&, const soac::Soac&);

/// Whether what the Scans scan may move from lane to lane. Moving truths pays where they are bits of a mask,
/// in vectors of 64 bytes, or lanes are many.
bool moves_to_lanes(const scalar::Arena&, const soac::Soac&, int vector_bytes, int lanes);

/// Whether lanes can make the Scans at all, given that the partitions pack.
bool scans_in_lanes(const scalar::Arena&, const soac::Soac&, int vector_bytes, int lanes);

/// The statement of the body that is its last Scan, if its values ascend or descend and places of reads
/// after it depend on them, and points have no arrays: where neighbouring points have equal values they read
/// the same elements.
std::optional<std::size_t> scan_of_places(const soac::Soac&);

/// Bytes of what a Soac's Scans make of each point.
std::int64_t bytes_scanned(const soac::Soac&);

}  // namespace fulgurite::schedule
