// Layout by the program `dot` of Graphviz: the graph goes in as a file, places come out as lines of text
// (`dot -Tplain`), in inches from the lower left corner.
#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <map>
#include <memory>
#include <sstream>
#include <string>

#include "tool/layout.h"

namespace fulgurite::tool {
namespace {

constexpr double points_per_inch = 72;
constexpr std::size_t most_boxes = 1000;  // dot takes minutes for larger graphs

std::string graph_text(const std::vector<Box>& boxes, const std::vector<Link>& links) {
  std::string text =
      "digraph {\ngraph [ranksep=0.55 nodesep=0.35]\nnode [shape=box fixedsize=true label=\"\"]\nedge "
      "[dir=none]\n";
  std::string sinks;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    text += fmt::format("{} [width={:.4f} height={:.4f}]\n", i, boxes[i].width / points_per_inch,
                        boxes[i].height / points_per_inch);
    if (boxes[i].is_sink) sinks += fmt::format(" {};", i);
  }
  if (!sinks.empty()) text += fmt::format("{{rank=sink;{}}}\n", sinks);
  for (const Link& link : links)
    text += fmt::format("{} -> {} [weight={}]\n", link.from, link.to, link.is_light ? 1 : 4);
  return text + "}\n";
}

// What dot writes, or nothing where it is not installed.
std::string output_of_dot(const std::string& graph) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> input(std::tmpfile(), &std::fclose);
  int ends[2];
  if (!input || std::fwrite(graph.data(), 1, graph.size(), input.get()) != graph.size() ||
      std::fflush(input.get()) != 0 || std::fseek(input.get(), 0, SEEK_SET) != 0 ||
      pipe2(ends, O_CLOEXEC) != 0)
    return "";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, fileno(input.get()), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::string program = "dot", form = "-Tplain";
  char* arguments[] = {program.data(), form.data(), nullptr};
  pid_t child = 0;
  const bool runs = posix_spawnp(&child, "dot", &actions, nullptr, arguments, environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text;
  char part[4096];
  for (ssize_t n = 0; runs && (n = read(ends[0], part, sizeof part)) > 0;)
    text.append(part, static_cast<std::size_t>(n));
  close(ends[0]);
  if (runs) waitpid(child, nullptr, 0);
  return text;
}

// Reads dot's lines, with y from the upper side down.
class Places {
 public:
  Places(const std::string& text, std::vector<Box>& boxes, std::vector<Link>& links)
      : text_(text), boxes_(boxes), links_(links) {
    for (std::size_t l = 0; l < links.size(); ++l) unread_.emplace(std::pair{links[l].from, links[l].to}, l);
  }

  // Nothing if the text is not complete.
  std::optional<Extent> read() {
    std::string word;
    while (text_ >> word) {
      if (word == "stop") return extent_;
      if (word == "graph") read_extent();
      if (word == "node") read_box();
      if (word == "edge") read_link();
      if (!text_) return {};
      std::getline(text_, word);
    }
    return {};
  }

 private:
  double number() {
    double inches = 0;
    text_ >> inches;
    return inches * points_per_inch;
  }
  Point point() {
    const double x = number();
    return {x, extent_.height - number()};
  }
  void read_extent() {
    double scale = 0;
    text_ >> scale;
    extent_.width = number();
    extent_.height = number();
  }
  void read_box() {
    std::size_t i = 0;
    text_ >> i;
    const Point middle = point();
    if (i >= boxes_.size()) return text_.setstate(std::ios::failbit);
    boxes_[i].x = middle.x;
    boxes_[i].y = middle.y - boxes_[i].height / 2;
  }
  void read_link() {
    std::size_t from = 0, to = 0, n = 0;
    text_ >> from >> to >> n;
    const auto found = unread_.find({from, to});
    if (found == unread_.end()) return text_.setstate(std::ios::failbit);
    std::vector<Point>& points = links_[found->second].points;
    unread_.erase(found);
    points.clear();
    for (std::size_t k = 0; k < n && text_; ++k) points.push_back(point());
    if (points.size() % 3 != 1) text_.setstate(std::ios::failbit);
  }

  std::istringstream text_;
  std::vector<Box>& boxes_;
  std::vector<Link>& links_;
  std::multimap<std::pair<std::size_t, std::size_t>, std::size_t> unread_;
  Extent extent_;
};

}  // namespace

std::optional<Extent> by_graphviz(std::vector<Box>& boxes, std::vector<Link>& links) {
  if (boxes.empty() || boxes.size() > most_boxes) return {};
  return Places(output_of_dot(graph_text(boxes, links)), boxes, links).read();
}

}  // namespace fulgurite::tool
