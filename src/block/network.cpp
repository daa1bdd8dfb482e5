#include "block/network.h"

#include <fmt/format.h>
#include <fulgurite/error.h>

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>

#include "kernel/traverse.h"
#include "scalar/value.h"
#include "tidy/values.h"

namespace fulgurite::block {
namespace {

using namespace kernel;
using scalar::Bits;
using scalar::Op;

// An element in memory, and what it stands for.
using Place = std::pair<Var, std::int64_t>;
struct Element {
  std::int64_t wire;
  int depth;
};

class Reader {
 public:
  explicit Reader(const Kernel& kernel) : kernel_(kernel), arena_(*kernel.arena) {}

  Network operator()() {
    if (kernel_.body.size() != 1) refuse("it has several phases");
    const auto& grid = std::get<Par>(kernel_.body[0].op);
    block_ = grid.name;
    task(grid.body);
    for (const auto& [place, element] : elements_)
      network_.n_wires = std::max(network_.n_wires, element.wire + 1);
    return std::move(network_);
  }

 private:
  [[noreturn]] void refuse(std::string_view why) const {
    throw TraceError(fmt::format("kernel '{}' is no network of fixed connections: {}", kernel_.name, why));
  }

  // Loops of the block go round as often as they say.
  void task(const Block& body) {
    for (const Stm& s : body) {
      if (const auto* let = std::get_if<Let>(&s.op)) {
        define(*let);
      } else if (const auto* par = std::get_if<Par>(&s.op)) {
        stage(*par);
      } else if (const auto* loop = std::get_if<For>(&s.op)) {
        const std::int64_t end = constant(loop->end), step = constant(loop->step);
        for (std::int64_t i = constant(loop->begin); i < end; i += step) {
          definitions_[loop->name] = arena_.i64(i);
          task(loop->body);
        }
      } else if (!std::holds_alternative<Allocate>(s.op) && !std::holds_alternative<Sync>(s.op)) {
        refuse("the block as a whole does what depends on data");
      }
    }
  }
  std::int64_t constant(Expr e) {
    const Expr value = known(e);
    if (!value.is_constant()) refuse("how often a loop goes round is known only when it runs");
    return static_cast<std::int64_t>(value.bits());
  }

  // The first block: its number is 0.
  void define(const Let& let) {
    definitions_[let.name] = scalar::substitute(arena_, scalar::substitute(arena_, let.value, definitions_),
                                                {{block_, arena_.i64(0)}});
  }
  Expr known(Expr e) {
    return scalar::substitute(arena_, scalar::substitute(arena_, e, definitions_), {{block_, arena_.i64(0)}});
  }
  std::vector<std::int64_t> numbers(Expr index) {
    const Expr e = known(index);
    std::vector<std::int64_t> all(static_cast<std::size_t>(n_));
    if (e.is_constant()) {
      std::ranges::fill(all, static_cast<std::int64_t>(e.bits()));
      return all;
    }
    tidy::Values by_thread(n_, thread_);
    const auto* values = by_thread.if_dependent(e);
    if (values == nullptr) refuse("where elements go depends on what they are");
    for (std::size_t t = 0; t < all.size(); ++t) all[t] = static_cast<std::int64_t>((*values)[t]);
    return all;
  }

  struct Access {
    Var buffer;
    std::vector<std::int64_t> elements;  // of each thread
  };

  // Statements in order, each for all threads: they meet only at barriers.
  void stage(const Par& par) {
    thread_ = par.name, n_ = static_cast<std::int64_t>(par.n.bits());
    loads_.clear();
    network_.stages.emplace_back();
    for (const Stm& s : par.body) {
      if (const auto* let = std::get_if<Let>(&s.op)) {
        define(*let);
      } else if (const auto* load = std::get_if<Load>(&s.op)) {
        remember(load->name, {load->from.buffer, numbers(load->from.index)});
      } else if (const auto* store = std::get_if<Store>(&s.op)) {
        const Expr value = known(store->value);
        write({store->to.buffer, numbers(store->to.index)}, value);
      } else {
        refuse("it branches, loops or has atomics");
      }
    }
    if (network_.stages.back().empty()) network_.stages.pop_back();
  }

  // Loaded values as they were at that moment.
  void remember(Var name, const Access& from) {
    std::vector<Element>& held = loads_[name];
    for (std::int64_t number : from.elements) {
      const auto known_element = elements_.find({from.buffer, number});
      held.push_back(known_element != elements_.end() ? known_element->second : Element{number, 0});
    }
  }

  void write(const Access& to, Expr value) {
    std::vector<Var> names;  // loaded, in order
    scalar::for_each_node(std::span(&value, 1), [&](Expr e) {
      if (e.is_name() && loads_.contains(e.var())) names.push_back(e.var());
    });
    for (std::int64_t t = 0; t < n_; ++t) {
      const std::int64_t out = to.elements[static_cast<std::size_t>(t)];
      Element element{out, 0};
      Network::Node node{out, {}, std::string(scalar::info(value.op()).name), 0};
      for (Var name : names) {
        const Element& from = loads_.at(name)[static_cast<std::size_t>(t)];
        element.depth = std::max(element.depth, from.depth);
        if (std::ranges::find(node.in, from.wire) == node.in.end()) node.in.push_back(from.wire);
      }
      const bool joins = node.in.size() > 1;
      if (joins) ++element.depth;
      if (joins || (node.in.size() == 1 && node.in[0] != out)) {
        if (!joins) node.op = "move";
        node.depth = element.depth;
        network_.stages.back().push_back(std::move(node));
      }
      network_.depth = std::max(network_.depth, element.depth);
      elements_[{to.buffer, out}] = element;
    }
  }

  const Kernel& kernel_;
  Arena& arena_;
  Var block_{}, thread_{};
  std::int64_t n_ = 0;
  std::unordered_map<Var, Expr> definitions_;
  std::unordered_map<Var, std::vector<Element>> loads_;  // of this stage: what each thread holds
  std::map<Place, Element> elements_;
  Network network_;
};

}  // namespace

Network network_of(const kernel::Kernel& kernel) {
  return Reader(kernel)();
}

}  // namespace fulgurite::block
