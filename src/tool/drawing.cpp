#include "tool/drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "base/match.h"
#include "base/text.h"
#include "soac/walk.h"
#include "tool/layout.h"

namespace fulgurite::tool {
namespace {

using soac::Expr;
using soac::Stm;
using soac::Var;

constexpr double character = 7.23, line_height = 17, padding = 12, margin = 24, header_height = 64,
                 caption = 46, head = 6;

struct Node {
  enum class Kind { parameter, operation, result };
  Kind kind = Kind::operation;
  std::vector<std::string> lines;  // the first one is what it is, the others are details
  std::set<std::size_t> kernels;   // that it is part of
  std::string type;                // of what it makes
};
struct Edge {
  std::size_t from, to;
  bool is_array;
};
struct Graph {
  std::vector<Node> nodes;
  std::vector<Edge> edges;
};

// Fill and border of kernel k; of what no kernel does.
struct Colour {
  const char *fill, *line;
};
constexpr std::array<Colour, 8> kernel_colours = {{{"#dbe9fb", "#3b76c4"},
                                                   {"#fde7cf", "#d07c1c"},
                                                   {"#dcf1dd", "#3c9a4e"},
                                                   {"#f3dff2", "#a04a9c"},
                                                   {"#fbe0de", "#c5473d"},
                                                   {"#d8f1f0", "#2b918c"},
                                                   {"#f2eccb", "#9a8719"},
                                                   {"#e5e2f8", "#6656bd"}}};
constexpr Colour host_colour = {"#f0f1f3", "#8a9099"};
constexpr Colour value_colour = {"#ffffff", "#555b66"};

Colour colour_of(const Node& node) {
  if (node.kind != Node::Kind::operation) return value_colour;
  return node.kernels.empty() ? host_colour : kernel_colours[*node.kernels.begin() % kernel_colours.size()];
}

std::string escaped(std::string_view text) {
  std::string result;
  for (char c : text) {
    switch (c) {
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '&': result += "&amp;"; break;
      case '"': result += "&quot;"; break;
      default: result += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
  }
  return result;
}

std::string shortened(std::string text, std::size_t length) {
  if (text.size() > length) text.replace(length - 3, std::string::npos, "...");
  return text;
}

// Statements at the level of the program; functions inside them are details.
class GraphOf {
 public:
  GraphOf(const soac::Program& program, SizeNames& sizes) : program_(program), sizes_(sizes) {
    for (Var param : program.params) {
      bind(param,
           {Node::Kind::parameter, {fmt::format("{}: {}", sizes.name(param), sizes.type(param))}, {}, {}});
      // Sizes of an argument are there with it; they are not drawn.
    }
  }

  template <class Describe>
  Graph statements(Describe&& describe) {
    for (const Stm& stm : program_.body) {
      if (std::holds_alternative<soac::Check>(stm.op)) continue;
      Node node = describe(stm);
      node.type = base::join(stm.names, ", ", [&](Var name) { return sizes_.type(name); });
      soac::Vars mentioned;
      soac::add_mentioned(stm, mentioned);
      const std::size_t number = graph_.nodes.size();
      connect(mentioned, number);
      graph_.nodes.push_back(std::move(node));
      for (Var name : stm.names) maker_[name] = number;
    }
    for (std::size_t k = 0; k < program_.results.size(); ++k) {
      const Expr result = program_.results[k];
      soac::Vars mentioned;
      soac::add_mentioned(std::span(&result, 1), mentioned);
      connect(mentioned, graph_.nodes.size());
      const std::string type =
          result.type().rank > 0 ? sizes_.type(result.var()) : std::string(name_of(result.kind()));
      graph_.nodes.push_back(
          {Node::Kind::result,
           {fmt::format("result{}: {}", program_.results.size() > 1 ? fmt::format(" {}", k + 1) : "", type)},
           {},
           {}});
    }
    return std::move(graph_);
  }

 private:
  void bind(Var name, Node node) {
    maker_[name] = graph_.nodes.size();
    graph_.nodes.push_back(std::move(node));
  }
  void connect(const soac::Vars& mentioned, std::size_t to) {
    std::vector<Edge> edges;
    for (Var name : mentioned) {
      const auto from = maker_.find(name);
      if (from == maker_.end()) continue;
      const bool is_array = program_.arena->info(name).type.rank > 0;
      const auto same =
          std::find_if(edges.begin(), edges.end(), [&](const Edge& e) { return e.from == from->second; });
      if (same == edges.end())
        edges.push_back({from->second, to, is_array});
      else
        same->is_array = same->is_array || is_array;
    }
    std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) { return a.from < b.from; });
    graph_.edges.insert(graph_.edges.end(), edges.begin(), edges.end());
  }

  const soac::Program& program_;
  SizeNames& sizes_;
  Graph graph_;
  std::unordered_map<Var, std::size_t> maker_;
};

std::string titled(const Stm& stm) {
  return stm.origin.empty() ? "scalars" : stm.origin;
}

// Operations of functions inside a statement.
void add_inner(const Stm& stm, std::vector<std::string>& lines) {
  for (const auto& inner : soac::nested_in(stm))
    for (const Stm& s : inner.lambda->body) {
      if (std::holds_alternative<soac::Check>(s.op)) continue;
      lines.push_back(fmt::format("for each: {} {}", titled(s), place(s.where)));
      add_inner(s, lines);
    }
}

Graph graph_before(const pipeline::Report& report, SizeNames& sizes) {
  const auto landing = launches_of(report);
  return GraphOf(report.traced, sizes).statements([&](const Stm& stm) {
    Node node{Node::Kind::operation, {titled(stm), place(stm.where)}, {}, {}};
    add_inner(stm, node.lines);
    for (Var name : stm.names)
      if (auto found = landing.find(name); found != landing.end())
        node.kernels.insert(found->second.begin(), found->second.end());
    if (node.kernels.size() > 1)
      node.lines.push_back("in kernels " + base::join(node.kernels, ", ",
                                                      [](std::size_t k) { return std::to_string(k + 1); }));
    return node;
  });
}

Graph graph_after(const pipeline::Report& report, const Explanation& e, SizeNames& sizes) {
  const auto landing = launches_of(report);
  return GraphOf(report.optimised, sizes).statements([&](const Stm& stm) {
    Node node;
    for (Var name : stm.names)
      if (auto found = landing.find(name); found != landing.end())
        node.kernels.insert(found->second.begin(), found->second.end());
    const bool is_kernel =
        (std::holds_alternative<soac::Soac>(stm.op) || std::holds_alternative<soac::Call>(stm.op)) &&
        !node.kernels.empty();
    const LaunchReport* launch = is_kernel ? &e.launches[*node.kernels.begin()] : nullptr;
    if (launch) {
      node.lines = {fmt::format("kernel {}: {}", *node.kernels.begin() + 1, titled(stm)), place(stm.where)};
      for (const Operation& o : launch->fused)
        node.lines.push_back(fmt::format("+ {} {}", o.origin, place(o.where)));
      if (!launch->sequential.empty()) node.lines.emplace_back("has a sequential loop");
    } else {
      node.lines = {titled(stm), place(stm.where)};
      add_inner(stm, node.lines);
    }
    return node;
  });
}

// Lines that are there several times stand once, with a number.
void count_equal(std::vector<std::string>& lines) {
  std::vector<std::pair<std::string, int>> counts;
  for (const std::string& line : lines) {
    const auto same =
        std::find_if(counts.begin(), counts.end(), [&](const auto& c) { return c.first == line; });
    if (same == counts.end())
      counts.emplace_back(line, 1);
    else
      ++same->second;
  }
  lines.clear();
  for (const auto& [line, n] : counts) lines.push_back(n == 1 ? line : fmt::format("{}, {} times", line, n));
}

class Panel {
 public:
  explicit Panel(Graph graph) : graph_(std::move(graph)) {
    for (Node& node : graph_.nodes) {
      constexpr std::size_t most_lines = 12, most_characters = 44;
      count_equal(node.lines);
      if (node.lines.size() > most_lines) {
        const std::size_t more = node.lines.size() - most_lines + 1;
        node.lines.resize(most_lines - 1);
        node.lines.push_back(fmt::format("and {} more", more));
      }
      if (!node.type.empty()) node.lines.push_back("gives " + node.type);
      std::erase(node.lines, "");
      Box box;
      for (std::string& line : node.lines) {
        line = shortened(line, most_characters);
        box.width = std::max(box.width, static_cast<double>(line.size()) * character + 2 * padding);
      }
      box.height = static_cast<double>(node.lines.size()) * line_height + padding;
      box.is_source = node.kind == Node::Kind::parameter;
      box.is_sink = node.kind == Node::Kind::result;
      boxes_.push_back(box);
    }
    for (const Edge& edge : graph_.edges) links_.push_back({edge.from, edge.to, {}, !edge.is_array});
    const std::optional<Extent> extent = by_graphviz(boxes_, links_);
    extent_ = extent ? *extent : layered(boxes_, links_);
  }

  double width(std::string_view title) const {
    return std::max(extent_.width, static_cast<double>(title.size()) * character * 1.05) + 2 * margin;
  }
  double height() const { return extent_.height + caption + 2 * margin; }

  std::string svg(double x, double y, double panel_width, double panel_height, std::string_view title) const {
    std::string text = fmt::format("<g transform=\"translate({:.1f} {:.1f})\">\n", x, y);
    text += fmt::format(
        "<rect width=\"{:.1f}\" height=\"{:.1f}\" rx=\"10\" fill=\"#fbfbfc\" stroke=\"#dfe2e6\"/>\n",
        panel_width, panel_height);
    text += fmt::format("<text class=\"panel\" x=\"{}\" y=\"30\">{}</text>\n", margin, escaped(title));
    text += fmt::format("<g transform=\"translate({:.1f} {:.1f})\">\n", (panel_width - extent_.width) / 2,
                        caption + margin / 2);
    for (std::size_t l = 0; l < links_.size(); ++l) text += link(links_[l], graph_.edges[l].is_array);
    for (std::size_t i = 0; i < boxes_.size(); ++i) text += box(boxes_[i], graph_.nodes[i]);
    return text + "</g>\n</g>\n";
  }

 private:
  static std::string link(const Link& link, bool is_array) {
    std::vector<Point> p = link.points;
    // Room for the arrow's head.
    Point& end = p.back();
    const Point before = p[p.size() - 2];
    const double length = std::hypot(end.x - before.x, end.y - before.y);
    if (length > 0)
      end = {end.x - head * (end.x - before.x) / length, end.y - head * (end.y - before.y) / length};
    std::string path = fmt::format("M{:.1f} {:.1f}", p[0].x, p[0].y);
    for (std::size_t k = 1; k + 2 < p.size(); k += 3)
      path += fmt::format(" C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}", p[k].x, p[k].y, p[k + 1].x,
                          p[k + 1].y, p[k + 2].x, p[k + 2].y);
    return fmt::format("<path class=\"{}\" d=\"{}\" marker-end=\"url(#arrow)\"/>\n",
                       is_array ? "array" : "scalar", path);
  }
  static std::string box(const Box& box, const Node& node) {
    const Colour colour = colour_of(node);
    std::string text = fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"{}\" fill=\"{}\" "
        "stroke=\"{}\" stroke-width=\"1.3\"/>\n",
        box.x - box.width / 2, box.y, box.width, box.height,
        node.kind == Node::Kind::operation ? 6.0 : box.height / 2, colour.fill, colour.line);
    double y = box.y + padding / 2 + line_height * 0.74;
    for (std::size_t k = 0; k < node.lines.size(); ++k, y += line_height)
      text += fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
                          k == 0 ? "name" : "detail", box.x, y, escaped(node.lines[k]));
    return text;
  }

  Graph graph_;
  std::vector<Box> boxes_;
  std::vector<Link> links_;
  Extent extent_;
};

constexpr std::string_view style = R"(<style>
text { font-family: "DejaVu Sans Mono", Menlo, Consolas, monospace; font-size: 12px; fill: #23272f }
.title { font-size: 15px; font-weight: bold }
.note { fill: #6a717c }
.panel { font-size: 12.5px; font-weight: bold; fill: #4a505a }
.name { text-anchor: middle; font-weight: bold }
.detail { text-anchor: middle; fill: #4a505a }
.array, .scalar { fill: none; stroke: #5a616c; stroke-width: 1.6 }
.scalar { stroke-width: 1.1; stroke-dasharray: 4 3 }
</style>
<defs><marker id="arrow" viewBox="0 0 8 8" refX="2" refY="4" markerWidth="7" markerHeight="7" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0 L8 4 L0 8 Z" fill="#5a616c"/></marker></defs>
)";

}  // namespace

std::string to_svg(const pipeline::Report& report, const Explanation& e,
                   const std::vector<std::string>& parameters) {
  SizeNames sizes(report.traced, parameters);
  const Panel before(graph_before(report, sizes)), after(graph_after(report, e, sizes));
  const auto same = [](const std::string& s) { return s; };
  const std::string title = fmt::format("{}({}) -> {}", e.name, base::join(e.parameters, ", ", same),
                                        base::join(e.results, ", ", same));
  const std::string note = bytes_told(e);
  const std::string before_title =
      fmt::format("as written: {} operation{}", e.n_operations, e.n_operations == 1 ? "" : "s");
  const std::string after_title =
      fmt::format("after fusion: {} kernel{}, {} intermediate array{}", e.launches.size(),
                  e.launches.size() == 1 ? "" : "s", e.n_intermediate(), e.n_intermediate() == 1 ? "" : "s");
  const std::string legend =
      "solid: an array, dashed: a scalar; a colour is a kernel, grey is done without one";
  const double left = before.width(before_title), right = after.width(after_title);
  const double panel_height = std::max(before.height(), after.height());
  const double text_width =
      static_cast<double>(std::max(title.size() * 5 / 4, std::max(note.size(), legend.size()))) * character;
  const double width = std::max(left + right + margin, text_width) + 2 * margin,
               height = header_height + panel_height + 2.2 * margin;
  // Room that is left over where the texts are wider than the panels.
  const double spare = width - 2 * margin - (left + right + margin);
  std::string text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
      "width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\">\n",
      width, height);
  text += style;
  text += "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
  text += fmt::format(
      "<text class=\"title\" x=\"{0}\" y=\"30\">{1}</text>\n<text class=\"note\" x=\"{0}\" "
      "y=\"50\">{2}</text>\n",
      margin, escaped(title), escaped(note));
  text += before.svg(margin, header_height, left + spare / 2, panel_height, before_title);
  text +=
      after.svg(2 * margin + left + spare / 2, header_height, right + spare / 2, panel_height, after_title);
  text += fmt::format("<text class=\"note\" x=\"{}\" y=\"{:.1f}\">{}</text>\n", margin, height - margin * 0.7,
                      legend);
  return text + "</svg>\n";
}

}  // namespace fulgurite::tool
