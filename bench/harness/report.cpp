#include "harness/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace bench {
namespace {

std::string number(double us) {
  return us < 1000 ? fmt::format("{:.4g}", us) : fmt::format("{:.0f}", us);
}

std::string size(std::int64_t n) {
  return fmt::format("{:g}", static_cast<double>(n));
}

std::set<std::int64_t> sizes(const std::vector<Row>& rows) {
  std::set<std::int64_t> found;
  for (const Row& row : rows) found.insert(row.n);
  return found;
}

// The fastest row of this size that is one of `wanted`; null if there is none.
template <class Wanted>
const Row* fastest(const std::vector<Row>& rows, std::int64_t n, Wanted wanted) {
  const Row* best = nullptr;
  for (const Row& row : rows)
    if (row.n == n && wanted(row) && (!best || row.median_us < best->median_us)) best = &row;
  return best;
}

const Row* best_peer(const std::vector<Row>& rows, std::int64_t n) {
  return fastest(rows, n, [](const Row& row) {
    return row.peer != our_name && row.peer != unfused_name && row.verdict != Verdict::limit &&
           row.verdict != Verdict::mismatch;
  });
}

const Row* limit(const std::vector<Row>& rows, std::int64_t n) {
  return fastest(rows, n, [](const Row& row) { return row.verdict == Verdict::limit; });
}

const Row* ours(const std::vector<Row>& rows, std::int64_t n) {
  return fastest(rows, n, [](const Row& row) { return row.peer == our_name; });
}

std::string cell(const Row& row, const Row* best) {
  std::string text = number(row.median_us);
  if (best) text += &row == best ? " (1)" : fmt::format(" ({:.2f})", row.median_us / best->median_us);
  if (&row == best) text = "**" + text + "**";
  if (row.verdict == Verdict::rounding) text += " r";
  if (row.verdict == Verdict::mismatch) text += " WRONG";
  return text;
}

// Below this a streaming limit is the cost of starting threads.
constexpr std::int64_t least_for_limit = 50000;

std::string limits(const std::vector<Row>& rows) {
  std::string text;
  for (std::int64_t n : sizes(rows)) {
    const Row *best = best_peer(rows, n), *our = ours(rows, n), *bound = limit(rows, n);
    if (n < least_for_limit || !bound) continue;
    text += fmt::format("{}n = {}: {} us", text.empty() ? "" : "; ", size(n), number(bound->median_us));
    if (best) text += fmt::format(", best peer at {:.0f} %", 100 * bound->median_us / best->median_us);
    if (our) text += fmt::format(", ours at {:.0f} %", 100 * bound->median_us / our->median_us);
  }
  return text.empty() ? "" : "Streaming limit in the same rounds: " + text + ".\n\n";
}

}  // namespace

std::string csv_header() {
  return "benchmark,peer,n,median_us,checksum,min_us,samples,verdict\n";
}

std::string csv(const Row& row) {
  return fmt::format("{},{},{},{:.4f},{:.9g},{:.4f},{},{}\n", row.benchmark, row.peer, row.n, row.median_us,
                     row.checksum, row.min_us, row.samples, spelling(row.verdict));
}

std::string table(const std::string& benchmark, const std::vector<Row>& rows) {
  std::string text = "\n### " + benchmark + "\n\n" + limits(rows) + "| peer |", rule = "|---|";
  for (std::int64_t n : sizes(rows)) {
    text += " n = " + size(n) + ", us |";
    rule += "---:|";
  }
  text += "\n" + rule + "\n";
  std::map<std::string, std::map<std::int64_t, const Row*>> peers;
  for (const Row& row : rows)
    if (row.verdict != Verdict::limit) peers[row.peer][row.n] = &row;
  std::vector<std::pair<double, std::string>> order;  // by the time at the largest size
  for (const auto& [peer, by_size] : peers) order.emplace_back(by_size.rbegin()->second->median_us, peer);
  std::sort(order.begin(), order.end());
  for (const auto& [us, peer] : order) {
    text += "| " + peer + " |";
    for (std::int64_t n : sizes(rows)) {
      auto found = peers[peer].find(n);
      text += found == peers[peer].end() ? " |" : " " + cell(*found->second, best_peer(rows, n)) + " |";
    }
    text += "\n";
  }
  return text;
}

std::string summary(const std::vector<Row>& rows) {
  std::string text = "\n### Ours against the best peer\n\n| benchmark |", rule = "|---|";
  for (std::int64_t n : sizes(rows)) {
    text += " n = " + size(n) + " |";
    rule += "---:|";
  }
  text += "\n" + rule + "\n";
  std::vector<std::string> names;
  for (const Row& row : rows)
    if (row.peer == our_name && (names.empty() || names.back() != row.benchmark))
      names.push_back(row.benchmark);
  if (names.empty()) return "";
  for (const std::string& name : names) {
    std::vector<Row> of_benchmark;
    std::copy_if(rows.begin(), rows.end(), std::back_inserter(of_benchmark),
                 [&](const Row& row) { return row.benchmark == name; });
    text += "| " + name + " |";
    for (std::int64_t n : sizes(rows)) {
      const Row *our = ours(of_benchmark, n), *best = best_peer(of_benchmark, n);
      text +=
          our && best ? fmt::format(" {:.2f} ({}) |", our->median_us / best->median_us, best->peer) : " |";
    }
    text += "\n";
  }
  return text;
}

}  // namespace bench
