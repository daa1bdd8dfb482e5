// A recorded kernel as a step of an array program: what the launch needs to know, said of the kernel's sizes
// and scalars, is said of the program's.
#include <fmt/format.h>
#include <fulgurite/error.h>

#include "block/block_kernel.h"
#include "trace/tracer.h"

namespace fulgurite::detail::block {
namespace {

using scalar::Expr;
using scalar::Var;

// Expressions of one arena in another: names become what they are there.
class Imported {
 public:
  Imported(scalar::Arena& to, std::unordered_map<Var, Expr> names) : to_(to), names_(std::move(names)) {}

  Expr operator()(Expr root) {
    std::unordered_map<const scalar::Node*, Expr> made;
    scalar::for_each_node(std::span(&root, 1), [&](Expr e) {
      std::vector<Expr> operands;
      for (Expr operand : e.args()) operands.push_back(made.at(operand.node()));
      made[e.node()] = e.is_name()       ? names_.at(e.var())
                       : e.is_constant() ? to_.constant(e.kind(), e.bits())
                                         : scalar::rebuild(to_, e, operands);
    });
    return made.at(root.node());
  }

 private:
  scalar::Arena& to_;
  std::unordered_map<Var, Expr> names_;
};

class Calling {
 public:
  Calling(const Kernel& k, std::span<const Value> given, Here where)
      : k_(k), t_(trace::Tracer::current(where)), where_(where), given_(t_.exprs(given, where)) {}

  Values operator()() {
    std::vector<Expr> extents, scalars;
    deal(extents, scalars);
    scalars.insert(scalars.end(), extents.begin(), extents.end());
    Imported here(t_.arena(), k_.by_name(scalars));
    for (const Requirement& r : k_.requirements) {
      trace::Exprs quoted;
      for (Expr e : r.operands) quoted.push_back(here(e));
      t_.check(here(r.condition), r.message, std::move(quoted), where_);
    }
    scalars.push_back(t_.settled(here(k_.n_blocks), where_));
    op_.scalars = std::move(scalars);
    op_.kernel = std::shared_ptr<const kernel::Kernel>(k_.shared_from_this(), &k_.ir);
    for (const soac::SiteInfo& site : k_.sites)
      op_.sites.push_back(t_.site(site.error, site.message, where_));
    const trace::Exprs results = made(here);
    t_.add(results, std::move(op_), fmt::format("kernel {}", k_.ir.name), where_);
    return t_.values(results);  // results in blocks' own memory come last
  }

 private:
  // Arguments to where the kernel's parameters have them.
  void deal(std::vector<Expr>& extents, std::vector<Expr>& scalars) {
    std::size_t next = 0;
    for (const Input& input : k_.inputs) {
      first_.push_back(next);
      const std::span<const Expr> components = std::span(given_).subspan(next, input.components.size());
      next += components.size();
      if (input.is_scalar) {
        for (Expr component : components) scalars.push_back(t_.settled(component, where_));
        continue;
      }
      const auto& shape = t_.shape(components[0]);
      extents.insert(extents.end(), shape.begin(), shape.end());
      if (!input.is_updated) op_.arrays.insert(op_.arrays.end(), components.begin(), components.end());
    }
  }

  trace::Exprs made(Imported& here) {
    trace::Exprs results;
    for (std::size_t r = 0; r < k_.outputs.size(); ++r) {
      const Output& output = k_.outputs[r];
      trace::Exprs shape;
      for (Expr extent : k_.shapes[r]) shape.push_back(t_.settled(here(extent), where_));
      for (std::size_t c = 0; c < output.components.size(); ++c) {
        results.push_back(t_.fresh_array(trace::kind_of(output.components[c]), shape, k_.ir.name));
        op_.former.push_back(former(output, c, shape[0]));
      }
    }
    return results;
  }

  Expr former(const Output& output, std::size_t component, Expr size) {
    if (output.updates >= 0) return given_[first_[static_cast<std::size_t>(output.updates)] + component];
    if (!output.initial) return {};
    const Value n = t_.value(size);
    const auto each = [&](std::span<const Value>) {
      return Values{{nullptr, *output.initial, output.components[component], 0}};
    };
    return t_.expr(generate({&n, 1}, detail::Body(each), "initial", where_).front(), where_);
  }

  const Kernel& k_;
  trace::Tracer& t_;
  Here where_;
  trace::Exprs given_;
  std::vector<std::size_t> first_;  // component of each argument
  soac::Call op_;
};

}  // namespace

Values call(const Kernel& k, std::span<const Value> given, Here where) {
  return Calling(k, given, where)();
}

}  // namespace fulgurite::detail::block
