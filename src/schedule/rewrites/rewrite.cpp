#include "schedule/rewrites/rewrite.h"

#include "base/dump.h"
#include "soac/check.h"
#include "soac/print.h"

namespace fulgurite::schedule {

namespace rewrite {

const Rewrite lift{"lift", "operators without a neutral element get one"};
const Rewrite holding{"holding", "after the first point operators know that they hold a value", true};
const Rewrite ascending{"ascending", "what an operator asks about indices that ascend is answered", true};
const Rewrite narrow{"narrow", "indices that are kept have 32 bits within a tile", true};
const Rewrite fission{"fission", "a map of several combinators over rows becomes a statement for each"};
const Rewrite inside{"inside",
                     "what the ends of a row, or of a loop, say of its reads is not asked of points", true};
const Rewrite levels{"levels", "Scans that wait for others become statements of their own"};
const Rewrite order{"order", "reductions that do not commute are apart from what else points make"};
const Rewrite pieces{"pieces", "axes are split where conditions change", true};
const Rewrite bin_posts{"bin_posts", "points of a scatter with an operator leave places and values"};
const Rewrite posts{"posts", "points of a scatter whose last value stays leave places and values"};
const Rewrite ranks{"ranks", "partitions of few classes become Scans and scatters"};
const Rewrite divided{"divided", "what points divide their index by becomes an axis"};
const Rewrite interleaved{"interleaved", "points that divide their index by a small constant become one"};
const Rewrite digits{"digits", "a sort becomes partitions by digits of its key"};
const Rewrite rows{"rows", "a sort becomes partitions into rows, which are sorted by themselves"};
const Rewrite segments{"segments",
                       "a sort of segments becomes sorts of all elements, the last by the segment"};
const Rewrite in_turn{"in_turn", "segments are walked one after the other where their numbers were scanned"};
const Rewrite ragged_scan{"ragged_scan", "rows of any lengths are reduced by one scan if one is long"};
const Rewrite few_points{"few_points", "few points of a scatter with an operator are sorted by place"};
const Rewrite given{"given", "reductions that others give are left out"};
const Rewrite row_parts{"row_parts", "a map gives what its points reduce, and nothing else"};
const Rewrite joined{"joined", "a map reduces the parts of its points' reductions"};
const Rewrite atomics{"atomics", "operators that are one operation of memory have a neutral element"};
const Rewrite bytes{"bytes", "reductions of booleans whose operands points share are in bytes"};

}  // namespace rewrite

std::span<const Rewrite* const> rewrites() {
  static constexpr const Rewrite* all[] = {
      &rewrite::ascending,   &rewrite::atomics, &rewrite::bin_posts,  &rewrite::bytes,
      &rewrite::digits,      &rewrite::divided, &rewrite::few_points, &rewrite::fission,
      &rewrite::given,       &rewrite::holding, &rewrite::in_turn,    &rewrite::inside,
      &rewrite::interleaved, &rewrite::joined,  &rewrite::levels,     &rewrite::lift,
      &rewrite::narrow,      &rewrite::order,   &rewrite::pieces,     &rewrite::posts,
      &rewrite::ragged_scan, &rewrite::ranks,   &rewrite::row_parts,  &rewrite::rows,
      &rewrite::segments};
  return all;
}

soac::Stm made_by(const Rewrite& rewrite, scalar::Arena& arena, soac::Stm stm) {
  soac::Program alone;
  alone.arena = std::shared_ptr<scalar::Arena>(std::shared_ptr<void>(), &arena);
  alone.body.push_back(std::move(stm));
  soac::check_anywhere(alone, rewrite.name);
  if (base::dumps(rewrite.name)) base::dump(rewrite.name, soac::print(alone));
  return std::move(alone.body[0]);
}

}  // namespace fulgurite::schedule
