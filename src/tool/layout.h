// Places for the nodes and edges of a directed acyclic graph, in layers from top to bottom. In ours, longest
// paths give the layers, barycentres the order within them (Sugiyama, Tagawa and Toda, 1981), and each
// layer's places are the least-squares fit to the middles of its neighbours that keeps the order and the
// gaps.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace fulgurite::tool {

struct Box {
  double width = 0, height = 0;
  // Sources stand right above what they feed, sinks in the last layer.
  bool is_source = false, is_sink = false;
  double x = 0, y = 0;  // of the middle of the upper side; set by layout()
};
struct Point {
  double x, y;
};
struct Link {
  std::size_t from, to;  // from < to
  // Set by a layout: a Bezier curve, 3 n + 1 points, from the edge of `from` down to the edge of `to`.
  std::vector<Point> points;
  bool is_light = false;  // it may make detours, so that others need not
};
struct Extent {
  double width = 0, height = 0;
};

/// Everything lies within (0, 0) and the extent.
Extent layered(std::vector<Box>& boxes, std::vector<Link>& links);
/// A layout by Graphviz, whose program `dot` knows more about crossings; nothing if it is not installed.
std::optional<Extent> by_graphviz(std::vector<Box>& boxes, std::vector<Link>& links);

}  // namespace fulgurite::tool
