// In: a simplified program. Out: the same program in which arrays are index functions wherever that repeats
// no work more expensive than a load: every elementwise operation, index transform and generator that is used
// once is part of its consumer (Barracuda's guarantee, section 3.4.6; the delayed arrays of Accelerate; the
// vertical rule of the redomap paper, section 3). This holds at every nest level: in the program and the
// bodies of its loops and branches arrays may stay in memory; in a function that runs for each element there
// is no memory for them, and every array is delayed but the function's results. Perfect nests are one Soac.
#pragma once

#include <string>
#include <vector>

#include "soac/pass.h"

namespace fulgurite::fuse {

/// Vertical fusion and perfect nests. Spends gas: one unit for each array that need not have been inlined.
extern const soac::Pass fuse;
/// After `fuse`: loops whose steps make a matrix anew change it where it lies. Spends gas: one unit for each.
extern const soac::Pass in_place;
/// Horizontal fusion, after `fuse`: Soacs over the same space that read a common array, or of which one makes
/// what the other reads, run as one (the redomap paper, section 3.2). What that leaves with one reader is
/// fused. Spends gas: one unit for each pair.
extern const soac::Pass merge;
/// Updates of one array, one after the other, that are done in its memory only if they are one.
extern const soac::Pass updates_together;
/// Last: arrays of lines that are only read across are stored across, and take in a map that reads them at
/// its own point. Spends gas: one unit for each of both.
extern const soac::Pass across;

/// What the program still has that `fuse` (without a limit of gas) should not have left; empty: as promised.
/// Each line names the statement.
std::vector<std::string> check_fused(const soac::Program&);

}  // namespace fulgurite::fuse
