#include "harness/figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace bench {
namespace {

struct Way {
  const char *name, *colour;
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
    {"Thrust, natural", "#d95f02", [](const std::string& p) { return is_thrust(p) && !is_tuned(p); }},
    {"Thrust, tuned", "#e6ab02", [](const std::string& p) { return is_thrust(p) && !p.ends_with("-naive"); }},
    {"Fulgurite, no fusion", "#7570b3", [](const std::string& p) { return p == unfused_name; }},
    {"Fulgurite", "#1b9e77", [](const std::string& p) { return p == our_name; }},
    {"hand-written", "#444444", [](const std::string& p) { return p.starts_with("omp-expert"); }},
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

// Positions of values on one logarithmic axis of a panel.
class Axis {
 public:
  Axis(double least, double most, double from, double to)
      : low_(std::floor(std::log10(least))),
        high_(std::max(std::ceil(std::log10(most)), low_ + 1)),
        from_(from),
        to_(to) {}
  double operator()(double value) const {
    return from_ + (std::log10(value) - low_) / (high_ - low_) * (to_ - from_);
  }
  template <class Draw>
  void for_each_decade(Draw draw) const {
    for (int exponent = static_cast<int>(low_); exponent <= static_cast<int>(high_); ++exponent)
      draw(exponent, (*this)(std::pow(10.0, exponent)));
  }

 private:
  double low_, high_, from_, to_;
};

constexpr double panel_width = 300, panel_height = 220, left = 46, right = 12, top = 28, bottom = 30;
constexpr int columns = 3;
constexpr double legend_height = 34;

std::string text_at(double x, double y, const char* anchor, const std::string& text) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor, text);
}

std::string drawn(const Panel& panel, double x0, double y0) {
  double least = 1e30, most = 0, first = 1e30, last = 0;
  for (const auto& line : panel.ms)
    for (const auto& [n, ms] : line) {
      least = std::min(least, ms);
      most = std::max(most, ms);
      first = std::min(first, static_cast<double>(n));
      last = std::max(last, static_cast<double>(n));
    }
  if (most == 0) return "";
  const double x1 = x0 + left, x2 = x0 + panel_width - right, y1 = y0 + panel_height - bottom, y2 = y0 + top;
  const Axis across(first, last, x1, x2), up(least, most, y1, y2);
  std::string svg = text_at((x1 + x2) / 2, y0 + 18, "middle", panel.benchmark + " (ms)");
  const auto rule = [&](double xa, double ya, double xb, double yb) {
    svg += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#dddddd\"/>\n",
                       xa, ya, xb, yb);
  };
  across.for_each_decade([&](int exponent, double x) {
    rule(x, y1, x, y2);
    svg += text_at(x, y1 + 16, "middle", fmt::format("1e{}", exponent));
  });
  up.for_each_decade([&](int exponent, double y) {
    rule(x1, y, x2, y);
    svg += text_at(x1 - 5, y + 4, "end", fmt::format("1e{}", exponent));
  });
  for (std::size_t k = 0; k < ways.size(); ++k) {
    std::string points;
    for (const auto& [n, ms] : panel.ms[k])
      points += fmt::format("{:.1f},{:.1f} ", across(static_cast<double>(n)), up(ms));
    svg += fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.8\"/>\n", points,
                       ways[k].colour);
  }
  return svg;
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

std::string figure_svg(const std::vector<Row>& rows) {
  const std::vector<Panel> all = panels(rows);
  const auto n_rows = (all.size() + columns - 1) / columns;
  const double width = columns * panel_width,
               height = legend_height + static_cast<double>(n_rows) * panel_height;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
      "{1:.0f}\" "
      "font-family=\"sans-serif\" font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      width, height);
  for (std::size_t k = 0; k < ways.size(); ++k) {
    const double x = 20 + static_cast<double>(k) * (width - 20) / static_cast<double>(ways.size());
    svg += fmt::format(
        "<line x1=\"{0:.1f}\" y1=\"18\" x2=\"{1:.1f}\" y2=\"18\" stroke=\"{2}\" stroke-width=\"3\"/>\n", x,
        x + 22, ways[k].colour);
    svg += text_at(x + 28, 22, "start", ways[k].name);
  }
  for (std::size_t k = 0; k < all.size(); ++k)
    svg += drawn(all[k], static_cast<double>(k % columns) * panel_width,
                 legend_height + static_cast<double>(k / columns) * panel_height);
  return svg + "</svg>\n";
}

}  // namespace bench
