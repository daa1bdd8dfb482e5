// The stencils, convolutions, computed and checked indices of the program nests.
#pragma once

#include <fulgurite/fulgurite.h>

#include <functional>
#include <string>

namespace bench {

/// Measures `ours` beside `peer` and `limit`, unless the filter leaves the name out.
using Measure = std::function<void(const std::string& name, const std::function<void()>& ours,
                                   const std::function<void()>& peer, const std::function<void()>& limit)>;

/// The mean of the four neighbours, by cond: the border is kept.
fulgurite::Mat<float> jacobi_by_cond(fulgurite::Mat<float>);

void measure_stencils(const Measure&);
void measure_convolutions(const Measure&);
/// Indices computed with / and %, and loops over unchanged arrays.
void measure_computed(const Measure&);
/// Windows by slices, pools, and means of rows that data choose.
void measure_checked(const Measure&);

}  // namespace bench
