// The form of the redomap paper's figure 8: running times over sizes, a panel for each benchmark, a line for
// each way of writing it: Thrust natural and tuned, ours without and with fusion, and the hand-written one. A
// way that several peers follow (Thrust on oneTBB and on OpenMP, variants of the expert's) is given by the
// fastest of them.
#pragma once

#include <string>
#include <vector>

#include "harness/measure.h"

namespace bench {

// Milliseconds, one Markdown table for all benchmarks: a line for each benchmark and way, a column for each
// size.
std::string figure_table(const std::vector<Row>& rows);

// The measurements as CSV, which docs/performance/plot.py draws: benchmark, way, n, median_ms.
std::string figure_csv(const std::vector<Row>& rows);

}  // namespace bench
