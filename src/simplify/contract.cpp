// Contraction: a sum or difference of floats takes a product without rounding it first, by an explicit
// fast_fma, so that every engine and the interpreter compute the same bits. It comes first, on the program as
// it was traced: what is contracted depends on what the user wrote, not on what was fused. Which sums are:
//
//   a * b + c, a * b - c, c - a * b    where nothing else uses the product, and c is no product.
//
// A sum or difference of two products stays as it is written: x * y - z * w of equal products is 0. So does a
// product with several uses: all of them see one value. The product may be an element of an array that an
// elementwise operation made for the sum alone: x * y + z means the same of arrays as of scalars. Kernels
// that the program calls are contracted by the same rules (kernel/contract.h).
#include <unordered_map>

#include "base/match.h"
#include "scalar/contract.h"
#include "simplify/dead.h"
#include "simplify/simplify.h"
#include "soac/outputs.h"
#include "soac/rename.h"
#include "soac/sums.h"
#include "soac/walk.h"

namespace fulgurite::simplify {

using base::as;
using scalar::Arena;
using scalar::Expr;
using scalar::Op;
using scalar::Product;
using scalar::Var;
using soac::Event;
using soac::If;
using soac::Lambda;
using soac::PassContext;
using soac::Program;
using soac::Soac;
using soac::Stm;

namespace {

/// How often each node is an operand, or a root, in a program.
class Uses {
 public:
  explicit Uses(std::span<const Expr> roots) {
    for (Expr root : roots) ++of_[root.id()];
    scalar::for_each_node(roots, [&](Expr e) {
      for (Expr operand : e.args()) ++of_[operand.id()];
    });
  }
  bool is_single(Expr e) const {
    const auto found = of_.find(e.id());
    return found != of_.end() && found->second == 1;
  }

 private:
  std::unordered_map<std::uint32_t, int> of_;
};

std::vector<Expr> roots_of(const Program& program) {
  std::vector<Expr> roots;
  for (const Stm& stm : program.body) soac::for_each_root(stm, [&](Expr e) { roots.push_back(e); });
  roots.insert(roots.end(), program.results.begin(), program.results.end());
  return roots;
}

/// A product whose own rounding nothing else sees: it, and its negation if that is between it and
/// the sum, are used once.
std::optional<Product> product_used_once(Arena& arena, const Uses& uses, Expr e) {
  if (!uses.is_single(e) || (e.op() == Op::neg && !uses.is_single(e.arg(0)))) return {};
  return scalar::product_of(arena, e);
}

class Contraction {
 public:
  Contraction(Program& program, PassContext& context)
      : program_(program), arena_(*program.arena), context_(context), uses_(roots_of(program)) {}

  void run() {
    find_made(program_.body);
    const std::vector<Expr> roots = roots_of(program_);
    scalar::for_each_node(roots, [&](Expr e) { rewrite(e); });
    replace(program_.body);
    replace(program_.results);
  }

 private:
  using Scope = const std::vector<Stm>*;
  /// Where a name is bound.
  struct Made {
    const Stm* by;
    std::size_t number;  // of the name
    Scope scope;
  };
  /// A Soac of which the name is a parameter.
  struct Point {
    const Stm* of;
    std::size_t axis;
    Scope scope;
  };

  void find_made(const std::vector<Stm>& scope) {
    for (const Stm& stm : scope) {
      for (std::size_t k = 0; k < stm.names.size(); ++k) made_[stm.names[k]] = {&stm, k, &scope};
      if (const auto* soac = as<Soac>(stm.op))
        for (std::size_t axis = 0; axis < soac->body.params.size(); ++axis)
          points_[soac->body.params[axis]] = {&stm, axis, &scope};
      for (const auto& inner : soac::nested_in(stm)) find_made(inner.lambda->body);
    }
  }

  const Made* made(Var name) const {
    const auto found = made_.find(name);
    return found == made_.end() ? nullptr : &found->second;
  }

  /// An element of the array, in terms of the parameters of the Soac that maps it; absent: unknown.
  static Expr element_of(const Made& array) {
    const Expr element = soac::mapped_result(*array.by, array.by->names[array.number]);
    return element && element.type().rank == 0 ? element : Expr();
  }

  // Operands come before what they are operands of, producers before consumers.
  void rewrite(Expr e) {
    std::vector<Expr> args;
    for (Expr operand : e.args()) args.push_back(rewritten_.at(operand.node()));
    rewritten_[e.node()] = scalar::is_float(e.kind()) && (e.op() == Op::add || e.op() == Op::sub)
                               ? sum(e, args)
                               : scalar::rebuild(arena_, e, args);
    if (is_product(e)) products_.insert(e.node());
  }

  /// Whether e is a product, or one of several values of which one is.
  bool is_product(Expr e) const {
    if (e.op() == Op::mul) return scalar::is_float(e.kind());
    bool is = false;
    auto ask = [&](Expr choice) { is = is || products_.contains(choice.node()); };
    scalar::for_each_choice(e, ask);
    if (e.op() != Op::index && !e.is_name()) return is;
    const Made* from = made(e.is_name() ? e.var() : e.arg(0).var());
    if (from == nullptr) return false;
    if (const auto* branches = as<If>(from->by->op); branches && e.is_name()) {
      ask(branches->then_branch.results[from->number]);
      ask(branches->else_branch.results[from->number]);
    } else if (const Expr element = e.is_name() ? Expr() : element_of(*from)) {
      ask(element);
    }
    return is;
  }

  Expr sum(Expr e, const std::vector<Expr>& args) {
    const bool is_left = products_.contains(e.arg(0).node()), is_right = products_.contains(e.arg(1).node());
    if (is_left != is_right) {
      const std::size_t at = is_left ? 0 : 1;
      std::optional<Product> product = product_used_once(arena_, uses_, e.arg(at));
      if (product)
        product = scalar::product_of(arena_, args[at]);  // of its factors as they are now
      else
        product = element_product(e.arg(at));
      if (product) return scalar::contracted(arena_, e.op(), *product, is_left, args[1 - at]);
    }
    return scalar::rebuild(arena_, e, args);
  }

  /// array[i...] where elementwise operations made the array for this alone, by one product of what is there
  /// anyway, or by the negation of such an array: the product of the same elements here. The array is not
  /// needed any more.
  std::optional<Product> element_product(Expr e) {
    if (e.op() != Op::index || !uses_.is_single(e) || !uses_.is_single(e.arg(0))) return {};
    const Made* array = made(e.arg(0).var());
    if (array == nullptr) return {};
    const auto* by = as<Soac>(array->by->op);
    const Expr element = element_of(*array);
    if (!element || !by->body.body.empty() || !is_elementwise(e, *array)) return {};
    std::optional<Product> product;
    if (product_used_once(arena_, uses_, element)) {
      product = scalar::product_of(arena_, rewritten_.at(element.node()));
    } else if (element.op() == Op::neg && uses_.is_single(element)) {
      product = element_product(element.arg(0));
      if (product) product = scalar::negated(arena_, *product);
    }
    if (!product || !is_read(product->a) || !is_read(product->b)) return {};
    std::unordered_map<Var, Expr> here;
    for (std::size_t axis = 0; axis < by->body.params.size(); ++axis)
      here[by->body.params[axis]] = e.arg(axis + 1);
    const Stm& into = *points_.at(e.arg(1).var()).of;
    if (array->by->names.size() == 1)
      context_.log.push_back(
          event_of(Event::Kind::fused, *array->by, into, "its products are parts of sums"));
    return Product{scalar::substitute(arena_, product->a, here),
                   scalar::substitute(arena_, product->b, here)};
  }

  /// Whether the element's indices are the indices of the points of a Soac beside the one that makes the
  /// array.
  bool is_elementwise(Expr element, const Made& array) const {
    const Stm* at = nullptr;
    for (std::size_t axis = 0; axis + 1 < element.args().size(); ++axis) {
      const Expr index = element.arg(axis + 1);
      const auto found = index.is_name() ? points_.find(index.var()) : points_.end();
      if (found == points_.end()) return false;
      const Point& point = found->second;
      if (point.axis != axis || point.scope != array.scope || (at != nullptr && at != point.of)) return false;
      at = point.of;
    }
    return at != nullptr && std::get<Soac>(at->op).dims.size() + 1 == element.args().size();
  }

  /// A constant, a name, an element: what costs no more in another place.
  static bool is_read(Expr e) {
    bool is = true;
    scalar::for_each_node(std::span(&e, 1), [&](Expr node) {
      is = is && (node.args().empty() || node.op() == Op::index || node.op() == Op::neg ||
                  (node.type() == scalar::Type{} && !scalar::can_fail(node)));
    });
    return is;
  }

  void replace(std::vector<Stm>& scope) {
    for (Stm& stm : scope) {
      soac::map_roots(stm, [&](Expr e) { return rewritten_.at(e.node()); });
      for (auto& inner : soac::nested_in(stm)) {
        replace(inner.lambda->body);
        replace(inner.lambda->results);
      }
      if (auto* call = as<soac::Call>(stm.op)) {  // calls of one kernel stay calls of one kernel
        auto& contracted = kernels_[call->kernel];
        if (!contracted) contracted = soac::contracted(*call->kernel);
        call->kernel = contracted;
      }
    }
  }
  void replace(std::vector<Expr>& roots) {
    for (Expr& e : roots) e = rewritten_.at(e.node());
  }

  Program& program_;
  Arena& arena_;
  PassContext& context_;
  const Uses uses_;
  std::unordered_map<Var, Made> made_;
  std::unordered_map<Var, Point> points_;
  std::unordered_map<const scalar::Node*, Expr> rewritten_;
  std::unordered_set<const scalar::Node*> products_;
  std::unordered_map<std::shared_ptr<const kernel::Kernel>, std::shared_ptr<const kernel::Kernel>> kernels_;
};

// A product in code that nothing needs is no use.
Program run_contract(Program program, PassContext& context) {
  remove_dead(program);
  Contraction(program, context).run();
  remove_dead(program);
  return program;
}

/// Contracts reductions and scans, whose order is the engine's choice: operands of sums of floats
/// that are products become fma_sums, and in operators a sum (not a difference) of two products takes one of
/// them without rounding it. The rounding of their results is not specified to the bit in any case.
class SumsOfProducts {
 public:
  explicit SumsOfProducts(Program& program) : arena_(*program.arena), uses_(roots_of(program)) {}

  void scope(std::vector<Stm>& stms) {
    for (Stm& stm : stms) {
      if (auto* soac = as<Soac>(stm.op); soac && !soac->reductions.empty()) reductions(stm);
      if (auto* scan = as<soac::Scan>(stm.op)) operation(scan->reduction.op, scan->operands);
      for (auto& inner : soac::nested_in(stm)) scope(inner.lambda->body);
    }
  }

 private:
  void reductions(Stm& stm) {
    soac::Outputs outputs = soac::take_outputs(stm);
    for (soac::Outputs::Reduced& r : outputs.reductions) {
      for (std::size_t k = 0; k < r.operands.size(); ++k) {
        const auto product = product_used_once(arena_, uses_, r.operands[k]);
        if (product && soac::is_sum_of_floats(r.by, k))
          r.operands[k] = arena_.apply(Op::fma_sum, {product->a, product->b});
      }
      operation(r.by.op, r.operands);
    }
    stm = soac::with_outputs(std::move(stm), std::move(outputs));
  }

  void operation(Lambda& op, std::span<const Expr> operands) {
    std::unordered_set<const scalar::Node*> constants;  // parameters that are one value at every point
    for (std::size_t k = 0; k < operands.size(); ++k)
      if (operands[k].is_constant()) constants.insert(arena_.name(op.params[operands.size() + k]).node());
    std::unordered_map<const scalar::Node*, Expr> rewritten;
    scalar::for_each_node(op.results, [&](Expr e) {
      std::vector<Expr> args;
      for (Expr operand : e.args()) args.push_back(rewritten.at(operand.node()));
      const bool is_of_two = e.op() == Op::add && scalar::is_float(e.kind()) && e.arg(0).op() == Op::mul &&
                             e.arg(1).op() == Op::mul;
      Expr& result = rewritten[e.node()] = scalar::rebuild(arena_, e, args);
      if (!is_of_two) return;
      // A product by 1 is none: the other one is taken then.
      const auto has_constant = [&](Expr product) {
        return constants.contains(product.arg(0).node()) || constants.contains(product.arg(1).node());
      };
      const std::size_t at = has_constant(e.arg(0)) ? 1 : 0;
      if (uses_.is_single(e.arg(at)))
        result =
            scalar::contracted(arena_, Op::add, *scalar::product_of(arena_, args[at]), at == 0, args[1 - at]);
    });
    for (Expr& e : op.results) e = rewritten.at(e.node());
  }

  Arena& arena_;
  const Uses uses_;
};

Program run_fma_sum(Program program, PassContext&) {
  SumsOfProducts(program).scope(program.body);
  return program;
}

}  // namespace

const soac::Pass contract{"contract", "products that one sum uses are rounded with it: explicit fma",
                          run_contract};

const soac::Pass fma_sum{"fma_sum", "reductions that add products take these without rounding them first",
                         run_fma_sum};

}  // namespace fulgurite::simplify
