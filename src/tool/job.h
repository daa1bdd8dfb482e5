// The job of several ranks that this process may be part of, as commands see it. A process alone is a job of
// one rank.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fulgurite::tool {

/// All ranks have the results, and one tells of them.
bool is_first_rank();

/// A moment at which all ranks are here.
void meet_ranks();

/// Every rank's text, in their order.
std::vector<std::string> of_all_ranks(std::string_view text);

/// What this rank has sent since the job began.
struct Sent {
  std::int64_t messages = 0, bytes = 0, given = 0, collectives = 0;
};
Sent sent();
/// A line that says what all ranks together have sent since `before`, for each of `n_runs` runs; empty for
/// one rank.
std::string sent_since(const Sent& before, int n_runs);

}  // namespace fulgurite::tool
