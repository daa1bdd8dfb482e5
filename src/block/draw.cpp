#include <fmt/format.h>
#include <fulgurite/error.h>

#include <algorithm>

#include "block/network.h"

namespace fulgurite::block {
namespace {

constexpr int between_wires = 14, between_columns = 10, between_stages = 16, margin = 16;
constexpr int around_box = 5, name_height = 12, name_size = 9;

// What stands in one column: from wire `low` to wire `high`.
struct Line {
  std::int64_t low, high;
  bool is_comparator;
  std::int64_t out;
  std::vector<std::int64_t> in;
};

// The nodes of a stage; the two halves of a comparator are one line.
std::vector<Line> lines_of(const std::vector<Network::Node>& stage) {
  std::vector<Line> lines;
  for (const Network::Node& node : stage) {
    if (node.op == "max" && node.in.size() == 2) {
      const auto half = std::ranges::find_if(stage, [&](const Network::Node& other) {
        return other.op == "min" && std::ranges::is_permutation(other.in, node.in) && other.out != node.out;
      });
      if (half != stage.end()) {
        lines.push_back(
            {std::min(half->out, node.out), std::max(half->out, node.out), true, node.out, node.in});
        continue;
      }
    }
    if (node.op == "min" && node.in.size() == 2 &&
        std::ranges::any_of(stage, [&](const Network::Node& other) {
          return other.op == "max" && std::ranges::is_permutation(other.in, node.in) && other.out != node.out;
        }))
      continue;
    Line line{node.out, node.out, false, node.out, node.in};
    for (std::int64_t wire : node.in)
      line.low = std::min(line.low, wire), line.high = std::max(line.high, wire);
    lines.push_back(std::move(line));
  }
  std::ranges::stable_sort(lines, {}, &Line::low);
  return lines;
}

std::string point(int x, std::int64_t wire) {
  return fmt::format("cx=\"{}\" cy=\"{}\"", x, margin + wire * between_wires);
}

std::string escaped(const std::string& name) {
  std::string text;
  for (char c : name) text += c == '<' ? "&lt;" : c == '&' ? "&amp;" : std::string(1, c);
  return text;
}

void require_all_framed(const Network& network, std::span<const kernel::PictureFrame> frames) {
  std::int64_t stages = 0;
  for (const kernel::PictureFrame& f : frames) {
    if (f.stages < 1 || f.wires < 0 || (f.wires > 0 && network.n_wires % f.wires != 0))
      throw ShapeError(
          fmt::format("the frame '{}' has {} stages and boxes of {} wires, in a picture of {} wires", f.name,
                      f.stages, f.wires, network.n_wires));
    stages += f.stages;
  }
  if (stages != std::ssize(network.stages))
    throw ShapeError(
        fmt::format("the frames of a picture have {} stages, and it has {}", stages, network.stages.size()));
}

class Picture {
 public:
  std::string operator()(const Network& network, const std::string& title,
                         std::span<const kernel::PictureFrame> frames) {
    int x = margin + between_stages;
    auto stage = network.stages.begin();
    if (frames.empty())
      for (; stage != network.stages.end(); ++stage) x = column(*stage, x) + between_stages;
    for (const kernel::PictureFrame& f : frames) {
      const int left = x;
      for (std::int64_t i = 0; i < f.stages; ++i) x = column(*stage++, x) + between_stages;
      frame(f, left, x - between_stages - between_columns, network.n_wires);
    }
    const int top = frames.empty() ? 0 : name_height;
    const std::int64_t height =
        top + 2 * margin + std::max<std::int64_t>(network.n_wires - 1, 0) * between_wires;
    const int width = x + margin;
    std::string text = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 {5} {0} {1}\">\n"
        "<title>{2}: {3} stages, depth {4}</title>\n<g stroke=\"black\" stroke-width=\"1\">\n",
        width, height, title, network.stages.size(), network.depth, -top);
    for (std::int64_t wire = 0; wire < network.n_wires; ++wire)
      line(text, margin, wire, width - margin, wire);
    return text + shapes_ + "</g>\n</svg>\n";
  }

 private:
  static void line(std::string& to, int x1, std::int64_t from, int x2, std::int64_t wire) {
    to += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>\n", x1, margin + from * between_wires,
                      x2, margin + wire * between_wires);
  }

  // Lines that would overlap stand in columns of their own. Gives the x after the last one.
  int column(const std::vector<Network::Node>& stage, int x) {
    std::vector<std::int64_t> ends;  // of each column, the lowest wire that is free
    for (const Line& l : lines_of(stage)) {
      auto free = std::ranges::find_if(ends, [&](std::int64_t end) { return end < l.low; });
      if (free == ends.end()) free = ends.insert(ends.end(), -1);
      *free = l.high;
      draw(l, x + static_cast<int>(free - ends.begin()) * between_columns);
    }
    return x + static_cast<int>(ends.size()) * between_columns;
  }

  // Around what stands from `left` to `right`.
  void frame(const kernel::PictureFrame& f, int left, int right, std::int64_t n_wires) {
    shapes_ += fmt::format(
        "<text x=\"{}\" y=\"{}\" stroke=\"none\" font-family=\"sans-serif\" font-size=\"{}\" "
        "text-anchor=\"middle\">{}</text>\n",
        (left + right) / 2, margin - name_height, name_size, escaped(f.name));
    for (std::int64_t first = 0; f.wires > 0 && first < n_wires; first += f.wires)
      shapes_ +=
          fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"gray\"/>\n",
                      left - between_stages / 2, margin + first * between_wires - around_box,
                      right - left + between_stages, (f.wires - 1) * between_wires + 2 * around_box);
  }

  void draw(const Line& l, int x) {
    if (l.is_comparator) {
      line(shapes_, x, l.low, x, l.high);
      for (std::int64_t wire : {l.low, l.high})
        shapes_ += fmt::format("<circle {} r=\"2\"/>\n", point(x, wire));
      return;
    }
    for (std::int64_t wire : l.in)
      if (wire != l.out) line(shapes_, x - between_columns + 2, wire, x, l.out);
    if (l.in.size() > 1) shapes_ += fmt::format("<circle {} r=\"3\"/>\n", point(x, l.out));
  }

  std::string shapes_;
};

}  // namespace

std::string draw(const Network& network, const std::string& title,
                 std::span<const kernel::PictureFrame> frames) {
  if (!frames.empty()) require_all_framed(network, frames);
  return Picture()(network, title, frames);
}

}  // namespace fulgurite::block
