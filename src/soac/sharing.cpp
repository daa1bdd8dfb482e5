#include "soac/sharing.h"

#include <algorithm>

#include "soac/walk.h"

namespace fulgurite::soac {
namespace {

constexpr int deepest = 40;  // levels of an expression that are printed in one piece

struct Block {
  Place parent;
  int depth;
  std::size_t n_statements;
};

struct Root {
  Expr e;
  Place place;
};

/// The facts of a node, in the order of the walk.
struct Use {
  Expr e;
  int count = 0;
  Place place;
  int height = 0;
  bool named = false;
};

/// Whether printing it again costs no more than printing its name.
bool is_small(Expr e) {
  bool constant = e.op() == scalar::Op::cast || e.op() == scalar::Op::neg || e.op() == scalar::Op::bit_not;
  for (Expr a : e.args()) {
    if (!a.args().empty()) return false;
    constant = constant || a.is_constant();
  }
  return e.op() == scalar::Op::index || constant;
}

class Analysis {
 public:
  explicit Analysis(const Program& program) {
    const int block = open({-1, 0}, 0, program.body);
    statements(program.body, block, 0);
    for (Expr e : program.results) roots_.push_back({e, {block, static_cast<int>(program.body.size())}});
    number();
    count();
    split();
  }

  std::vector<std::vector<std::vector<Expr>>> named() const {
    std::vector<std::vector<std::vector<Expr>>> result;
    for (const Block& b : blocks_) result.emplace_back(b.n_statements + 1);
    for (const Use& use : uses_)
      if (use.named)
        result[static_cast<std::size_t>(use.place.block)][static_cast<std::size_t>(use.place.statement)]
            .push_back(use.e);
    return result;
  }

 private:
  int open(Place parent, int depth, const std::vector<Stm>& body) {
    blocks_.push_back({parent, depth, body.size()});
    return static_cast<int>(blocks_.size()) - 1;
  }

  void statements(const std::vector<Stm>& body, int block, int depth) {
    for (std::size_t i = 0; i < body.size(); ++i) {
      const Place place{block, static_cast<int>(i)};
      for (Expr e : roots_of(body[i])) roots_.push_back({e, place});
      for (const auto& inner : nested_in(body[i])) {
        const Lambda& lambda = *inner.lambda;
        const int nested = open(place, depth + 1, lambda.body);
        statements(lambda.body, nested, depth + 1);
        for (Expr e : lambda.results) roots_.push_back({e, {nested, static_cast<int>(lambda.body.size())}});
      }
    }
  }

  /// All nodes, operands first, in the order in which the program reaches them.
  void number() {
    struct Frame {
      Expr e;
      std::size_t next;
    };
    std::vector<Frame> stack;
    for (const Root& root : roots_) {
      if (!index_.try_emplace(root.e.node(), -1).second) continue;
      stack.push_back({root.e, 0});
      while (!stack.empty()) {
        Frame& frame = stack.back();
        if (frame.next == frame.e.args().size()) {
          index_[frame.e.node()] = static_cast<int>(uses_.size());
          uses_.push_back({frame.e, 0, {}, 0, false});
          stack.pop_back();
          continue;
        }
        const Expr child = frame.e.arg(frame.next++);
        if (index_.try_emplace(child.node(), -1).second) stack.push_back({child, 0});
      }
    }
  }

  Use& use_of(Expr e) { return uses_[static_cast<std::size_t>(index_.find(e.node())->second)]; }

  void add(Expr e, Place place) {
    Use& use = use_of(e);
    use.place = use.count++ == 0 ? place : covering(use.place, place);
  }

  /// Users before operands, so that where a named part stands is where its operands are used.
  void count() {
    for (const Root& root : roots_) add(root.e, root.place);
    for (std::size_t i = uses_.size(); i-- > 0;) {
      Use& use = uses_[i];
      use.named = use.count > 1 && !use.e.args().empty() && !is_small(use.e);
      for (Expr child : use.e.args()) add(child, use.place);
    }
  }

  void split() {
    for (Use& use : uses_) {
      for (Expr child : use.e.args()) {
        const Use& below = use_of(child);
        if (!below.named) use.height = std::max(use.height, below.height + 1);
      }
      if (use.height > deepest) use.named = true;
    }
  }

  Place covering(Place a, Place b) const {
    while (a.block != b.block) {
      Place& deeper =
          blocks_[static_cast<std::size_t>(a.block)].depth >= blocks_[static_cast<std::size_t>(b.block)].depth
              ? a
              : b;
      deeper = blocks_[static_cast<std::size_t>(deeper.block)].parent;
    }
    return {a.block, std::min(a.statement, b.statement)};
  }

  std::vector<Block> blocks_;
  std::vector<Root> roots_;
  std::vector<Use> uses_;
  std::unordered_map<const scalar::Node*, int> index_;
};

}  // namespace

Sharing::Sharing(const Program& program) : named_(Analysis(program).named()) {}

const std::vector<Expr>& Sharing::at(Place place) const {
  return named_[static_cast<std::size_t>(place.block)][static_cast<std::size_t>(place.statement)];
}

}  // namespace fulgurite::soac
