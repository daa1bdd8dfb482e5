#include "tool/job.h"

#include <fmt/format.h>

#include "runtime/mpi/device.h"

namespace fulgurite::tool {
namespace {

using runtime::mpi::MpiDevice, runtime::mpi::Ranks;

// Null where there is one.
Ranks* several_ranks() {
  MpiDevice* const device = MpiDevice::if_started();
  return device == nullptr || device->ranks().size() == 1 ? nullptr : &device->ranks();
}

}  // namespace

bool is_first_rank() {
  const Ranks* const ranks = several_ranks();
  return ranks == nullptr || ranks->rank() == 0;
}

void meet_ranks() {
  std::int64_t nothing = 0;
  if (Ranks* const ranks = several_ranks()) ranks->reduce({&nothing, 1}, fg_mpi_max);
}

std::vector<std::string> of_all_ranks(std::string_view text) {
  Ranks* const ranks = several_ranks();
  return ranks == nullptr ? std::vector<std::string>{std::string(text)} : ranks->gather(text);
}

Sent sent() {
  const Ranks* const ranks = several_ranks();
  if (ranks == nullptr) return {};
  const runtime::mpi::Traffic& now = ranks->traffic();
  return {static_cast<std::int64_t>(now.messages), static_cast<std::int64_t>(now.bytes),
          static_cast<std::int64_t>(now.given), static_cast<std::int64_t>(now.collectives)};
}

std::string sent_since(const Sent& before, int n_runs) {
  Ranks* const ranks = several_ranks();
  if (ranks == nullptr) return {};
  const Sent now = sent();
  std::int64_t all[] = {now.messages - before.messages, now.bytes - before.bytes, now.given - before.given};
  ranks->reduce(all, fg_mpi_sum);
  return fmt::format(
      "ranks   {:6}      (a run sends {} messages of {} bytes in all; {} collective operations gather {} "
      "bytes)\n",
      ranks->size(), all[0] / n_runs, all[1] / n_runs, (now.collectives - before.collectives) / n_runs,
      all[2] / n_runs);
}

}  // namespace fulgurite::tool
