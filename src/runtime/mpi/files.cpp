// Files that all ranks read or write together, each its own part; and which part of an array that is.
#include <fmt/format.h>

#include <algorithm>

#include "runtime/mpi/device.h"
#include "runtime/mpi/exchange.h"
#include "runtime/mpi/ranks.h"

namespace fulgurite::runtime::mpi {

std::string Ranks::first_error(std::string_view own) {
  std::int64_t any = own.empty() ? 0 : 1;
  reduce({&any, 1}, fg_mpi_max);
  if (any == 0) return {};
  const std::vector<std::string> all = gather(own);
  if (std::ranges::all_of(all, [&](const std::string& text) { return text == own; })) return all.front();
  const auto first = std::ranges::find_if(all, [](const std::string& text) { return !text.empty(); });
  return fmt::format("{} (rank {} of {})", *first, first - all.begin(), size_);
}

// Every rank takes part in all rounds, as none goes on before the others come: also one that failed, or has
// no bytes left.
std::string Ranks::move(const std::string& path, const FilePart& part, bool is_written) {
  require_thread();
  const Span span(Activity::transfer, is_written ? "write file" : "read file",
                  is_written ? 0 : static_cast<std::uint64_t>(part.bytes),
                  is_written ? static_cast<std::uint64_t>(part.bytes) : 0);
  const auto most = static_cast<std::int64_t>(limit_);
  // Where ranks share cores, each is alone with the file: ranks that wait in MPI would hold up the others.
  std::int64_t greatest[] = {(part.bytes + most - 1) / most, shares_cores_ ? 1 : 0};
  reduce(greatest, fg_mpi_max);
  const auto [n_rounds, alone] = greatest;

  std::string error;
  const int opened = mpi_->open_file(path.c_str(), is_written ? 1 : 0, static_cast<std::int32_t>(alone));
  if (opened != 0) error = error_text(opened);
  // Where some ranks have opened it, it stays open: closing would wait for the others.
  if (std::string first = first_error(error); !first.empty()) return first;

  std::int64_t done = 0;
  for (std::int64_t round = 0; round < n_rounds; ++round) {
    const std::int64_t bytes = error.empty() ? std::min(most, part.bytes - done) : 0;
    std::int64_t moved = 0;
    std::byte* const data = part.data + done;
    const int code = is_written ? mpi_->write_file(part.offset + done, data, bytes, &moved)
                                : mpi_->read_file(part.offset + done, data, bytes, &moved);
    if (code != 0)
      error = error_text(code);
    else if (moved != bytes && error.empty())
      error = fmt::format("{} of {} bytes {}", moved, bytes,
                          is_written ? "were written: the disk may be full" : "are there");
    done += bytes;
  }
  if (const int code = mpi_->close_file(); code != 0 && error.empty()) error = error_text(code);
  return first_error(error);
}

std::vector<Bytes> MpiDevice::blocks_of_ranks(Memory memory, std::int64_t bytes, std::int64_t row_bytes) {
  Layout& of = *layout(memory.data);
  const Intervals wanted(0, bytes);
  std::vector<Bytes> blocks;
  Intervals given;
  bool are_parts = !of.is_everywhere(wanted);
  for (int r = 0; r < ranks_.size(); ++r) {
    const Intervals own = (of.of(r) & wanted) - given;
    given.add(own);
    are_parts &= own.all().size() <= 1;
    blocks.push_back(own.empty() ? Bytes{0, 0} : own.all().front());
  }
  if (are_parts) return blocks;

  std::vector<Needs> needs(1);
  needs[0] = {&of, static_cast<std::byte*>(memory.data), false, {}};
  const std::int64_t n_rows = bytes / row_bytes, n_ranks = ranks_.size();
  for (std::int64_t r = 0; r < n_ranks; ++r) {
    const Bytes block{part_of(n_rows, r, n_ranks) * row_bytes, part_of(n_rows, r + 1, n_ranks) * row_bytes};
    blocks[static_cast<std::size_t>(r)] = block;
    needs[0].of_rank.push_back(Intervals(block.begin, block.end) - of.of(static_cast<int>(r)));
  }
  Exchange exchange(ranks_, needs);
  exchange.begin();
  exchange.end();
  return blocks;
}

}  // namespace fulgurite::runtime::mpi
