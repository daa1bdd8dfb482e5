// What was measured, as lines of CSV and as tables in Markdown.
#pragma once

#include <string>
#include <vector>

#include "harness/measure.h"

namespace bench {

std::string csv_header();
std::string csv(const Row& row);

// Each peer's median and its ratio to the best peer, for each size; what part of the streaming limit is
// reached.
std::string table(const std::string& benchmark, const std::vector<Row>& rows);

// Our ratio to the best peer, benchmarks by sizes.
std::string summary(const std::vector<Row>& rows);

}  // namespace bench
