#include "harness/figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

namespace bench {
namespace {

struct Way {
  const char* name;
  bool (*is_taken_by)(const std::string& peer);
};

bool is_thrust(const std::string& peer) {
  return peer.starts_with("thrust");
}
bool is_tuned(const std::string& peer) {
  return peer.ends_with("-fused") || peer.ends_with("-max_element");
}

// What is a single algorithm of Thrust's is both natural and tuned.
constexpr std::array<Way, 5> ways = {{
    {"Thrust, natural", [](const std::string& p) { return is_thrust(p) && !is_tuned(p); }},
    {"Thrust, tuned", [](const std::string& p) { return is_thrust(p) && !p.ends_with("-naive"); }},
    {"Fulgurite, no fusion", [](const std::string& p) { return p == unfused_name; }},
    {"Fulgurite", [](const std::string& p) { return p == our_name; }},
    {"hand-written", [](const std::string& p) { return p.starts_with("omp-expert"); }},
}};

struct Panel {
  std::string benchmark;
  std::array<std::map<std::int64_t, double>, ways.size()> ms;  // by size
};

std::vector<Panel> panels(const std::vector<Row>& rows) {
  std::vector<Panel> found;
  for (const Row& row : rows) {
    if (row.verdict == Verdict::limit || row.verdict == Verdict::mismatch) continue;
    if (found.empty() || found.back().benchmark != row.benchmark) found.push_back({row.benchmark, {}});
    for (std::size_t k = 0; k < ways.size(); ++k) {
      if (!ways[k].is_taken_by(row.peer)) continue;
      auto [place, is_new] = found.back().ms[k].emplace(row.n, row.median_us / 1000);
      if (!is_new) place->second = std::min(place->second, row.median_us / 1000);
    }
  }
  return found;
}

std::vector<std::int64_t> sizes_of(const std::vector<Row>& rows) {
  std::vector<std::int64_t> sizes;
  for (const Row& row : rows) sizes.push_back(row.n);
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

}  // namespace

std::string figure_table(const std::vector<Row>& rows) {
  const std::vector<std::int64_t> sizes = sizes_of(rows);
  std::string text = "\n### Milliseconds over sizes\n\n| benchmark | |", rule = "|---|---|";
  for (std::int64_t n : sizes) {
    text += fmt::format(" {:g} |", static_cast<double>(n));
    rule += "---:|";
  }
  text += "\n" + rule + "\n";
  for (const Panel& panel : panels(rows))
    for (std::size_t k = 0; k < ways.size(); ++k) {
      if (panel.ms[k].empty()) continue;
      text += fmt::format("| {} | {} |", panel.benchmark, ways[k].name);
      for (std::int64_t n : sizes) {
        const auto found = panel.ms[k].find(n);
        text += found == panel.ms[k].end() ? " |" : fmt::format(" {:.3g} |", found->second);
      }
      text += "\n";
    }
  return text;
}

std::string figure_csv(const std::vector<Row>& rows) {
  std::string text = "benchmark,way,n,median_ms\n";
  for (const Panel& panel : panels(rows))
    for (std::size_t k = 0; k < ways.size(); ++k)
      for (const auto& [n, ms] : panel.ms[k])
        text += fmt::format("{},\"{}\",{},{:.3g}\n", panel.benchmark, ways[k].name, n, ms);
  return text;
}

}  // namespace bench
