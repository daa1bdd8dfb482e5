#include "tool/layout.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace fulgurite::tool {
namespace {

constexpr double column_gap = 28, layer_gap = 44, port_gap = 14;

// The curve through a chain of places, of which every second pair is joined by a straight line:
// upright in each place.
std::vector<Point> curve_through(const std::vector<Point>& places) {
  std::vector<Point> curve{places[0]};
  for (std::size_t k = 1; k < places.size(); ++k) {
    const Point a = places[k - 1], b = places[k];
    const double half = (b.y - a.y) / 2;
    curve.insert(curve.end(), {{a.x, a.y + half}, {b.x, b.y - half}, b});
  }
  return curve;
}

// Boxes, and for every link and layer that it crosses a narrow place.
struct Item {
  double width = 0, height = 0;
  std::size_t layer = 0;
  double middle = 0;
  std::vector<std::size_t> above, below;
};

class Layering {
 public:
  Layering(const std::vector<Box>& boxes, const std::vector<Link>& links) {
    for (const Box& box : boxes) items_.push_back({box.width, box.height, 0, 0, {}, {}});
    choose_layers(boxes, links);
    for (const Link& link : links) chains_.push_back(chain(link));
    std::size_t n_layers = 0;
    for (const Item& item : items_) n_layers = std::max(n_layers, item.layer + 1);
    layers_.resize(n_layers);
    for (std::size_t i = 0; i < items_.size(); ++i) layers_[items_[i].layer].push_back(i);
  }

  void arrange() {
    for (auto& layer : layers_) place(layer, std::vector<double>(layer.size(), 0));
    for (int sweep = 0; sweep < 24; ++sweep) {
      const bool down = sweep % 2 == 0, reorders = sweep < 16;
      for (std::size_t k = 0; k < layers_.size(); ++k)
        align(layers_[down ? k : layers_.size() - 1 - k], down, reorders);
    }
  }

  Extent write(std::vector<Box>& boxes, std::vector<Link>& links) {
    double left = std::numeric_limits<double>::max(), right = 0;
    for (const Item& item : items_) left = std::min(left, item.middle - item.width / 2);
    for (Item& item : items_) {
      item.middle -= left;
      right = std::max(right, item.middle + item.width / 2);
    }
    std::vector<double> top(layers_.size()), bottom(layers_.size());
    double y = 0;
    for (std::size_t k = 0; k < layers_.size(); ++k) {
      double height = 0;
      for (std::size_t i : layers_[k]) height = std::max(height, items_[i].height);
      top[k] = y;
      bottom[k] = y + height;
      y += height + layer_gap;
    }
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      boxes[i].x = items_[i].middle;
      boxes[i].y =
          top[items_[i].layer] + (bottom[items_[i].layer] - top[items_[i].layer] - items_[i].height) / 2;
    }
    for (std::size_t l = 0; l < links.size(); ++l) {
      const std::vector<std::size_t>& chain = chains_[l];
      Link& link = links[l];
      link.points = {{port(chain[0], chain[1], true), boxes[link.from].y + boxes[link.from].height}};
      for (std::size_t k = 1; k + 1 < chain.size(); ++k) {
        const Item& item = items_[chain[k]];
        link.points.push_back({item.middle, top[item.layer]});
        link.points.push_back({item.middle, bottom[item.layer]});
      }
      link.points.push_back({port(chain.back(), chain[chain.size() - 2], false), boxes[link.to].y});
      link.points = curve_through(link.points);
    }
    return {right, y - layer_gap};
  }

 private:
  void choose_layers(const std::vector<Box>& boxes, const std::vector<Link>& links) {
    std::size_t last = 0;
    std::vector<Link> sorted = links;
    std::stable_sort(sorted.begin(), sorted.end(), [](const Link& a, const Link& b) { return a.to < b.to; });
    for (const Link& link : sorted) {
      items_[link.to].layer = std::max(items_[link.to].layer, items_[link.from].layer + 1);
      last = std::max(last, items_[link.to].layer);
    }
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      if (boxes[i].is_sink) items_[i].layer = last;
      if (!boxes[i].is_source) continue;
      std::size_t first_use = last;
      for (const Link& link : links)
        if (link.from == i) first_use = std::min(first_use, items_[link.to].layer);
      items_[i].layer = first_use > 0 ? first_use - 1 : 0;
    }
  }

  std::vector<std::size_t> chain(const Link& link) {
    std::vector<std::size_t> chain{link.from};
    for (std::size_t layer = items_[link.from].layer + 1; layer < items_[link.to].layer; ++layer) {
      items_.push_back({4, 0, layer, 0, {}, {}});
      chain.push_back(items_.size() - 1);
    }
    chain.push_back(link.to);
    for (std::size_t k = 0; k + 1 < chain.size(); ++k) {
      items_[chain[k]].below.push_back(chain[k + 1]);
      items_[chain[k + 1]].above.push_back(chain[k]);
    }
    return chain;
  }

  void align(std::vector<std::size_t>& layer, bool down, bool reorders) {
    auto wish = [&](std::size_t i) {
      const auto& neighbours = down ? items_[i].above : items_[i].below;
      if (neighbours.empty()) return items_[i].middle;
      double sum = 0;
      for (std::size_t n : neighbours) sum += items_[n].middle;
      return sum / static_cast<double>(neighbours.size());
    };
    std::vector<std::pair<double, std::size_t>> wishes;
    for (std::size_t i : layer) wishes.emplace_back(wish(i), i);
    if (reorders)
      std::stable_sort(wishes.begin(), wishes.end(),
                       [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<double> middles;
    layer.clear();
    for (const auto& [middle, i] : wishes) {
      layer.push_back(i);
      middles.push_back(middle);
    }
    place(layer, middles);
  }

  // Isotonic regression: with the least offsets that the order and the gaps demand taken off, places must not
  // decrease; runs that would are pooled at their mean.
  void place(const std::vector<std::size_t>& layer, const std::vector<double>& wishes) {
    struct Pool {
      double sum;
      std::size_t count;
      double mean() const { return sum / static_cast<double>(count); }
    };
    std::vector<double> offsets;
    std::vector<Pool> pools;
    double offset = 0;
    for (std::size_t k = 0; k < layer.size(); ++k) {
      if (k > 0) offset += (items_[layer[k - 1]].width + items_[layer[k]].width) / 2 + column_gap;
      offsets.push_back(offset);
      pools.push_back({wishes[k] - offset, 1});
      while (pools.size() > 1 && pools[pools.size() - 2].mean() > pools.back().mean()) {
        pools[pools.size() - 2].sum += pools.back().sum;
        pools[pools.size() - 2].count += pools.back().count;
        pools.pop_back();
      }
    }
    std::size_t k = 0;
    for (const Pool& pool : pools)
      for (std::size_t n = 0; n < pool.count; ++n, ++k) items_[layer[k]].middle = pool.mean() + offsets[k];
  }

  // Where a link leaves or enters a box: side by side with the others, in the order of where they go.
  double port(std::size_t item, std::size_t neighbour, bool leaves) const {
    const Item& box = items_[item];
    const auto& neighbours = leaves ? box.below : box.above;
    double rank = 0;
    for (std::size_t n : neighbours) rank += items_[n].middle < items_[neighbour].middle ? 1 : 0;
    const auto n = static_cast<double>(neighbours.size());
    return box.middle + (rank - (n - 1) / 2) * std::min(port_gap, box.width / (n + 1));
  }

  std::vector<Item> items_;
  std::vector<std::vector<std::size_t>> layers_, chains_;
};

}  // namespace

Extent layered(std::vector<Box>& boxes, std::vector<Link>& links) {
  if (boxes.empty()) return {};
  Layering layering(boxes, links);
  layering.arrange();
  return layering.write(boxes, links);
}

}  // namespace fulgurite::tool
