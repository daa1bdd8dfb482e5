#include "fuse/partition.h"

#include <algorithm>

#include "base/check.h"
#include "base/match.h"
#include "scalar/value.h"
#include "soac/count.h"
#include "soac/layout.h"
#include "soac/rename.h"
#include "soac/walk.h"

namespace fulgurite::fuse {

using base::as;
using scalar::Arena;
using scalar::Expr;
using scalar::Kind;
using scalar::Op;
using scalar::Var;
using soac::Lambda;
using soac::Layout;
using soac::Soac;
using soac::Stm;
using soac::Vars;

namespace {

class IntoPartition {
 public:
  IntoPartition(Arena& arena, const Stm& keeper, const Stm& reader, std::size_t partition)
      : arena_(arena),
        keeper_(keeper),
        reader_(reader),
        a_(std::get<Soac>(keeper.op)),
        b_(std::get<Soac>(reader.op)),
        of_a_(layout_of(a_)),
        of_b_(layout_of(b_)),
        at_(partition),
        part_(of_a_.partitions[partition]) {}

  Stm run() {
    Soac merged = a_;
    Stm stm{{}, {}, reader_.where, reader_.origin};
    // Both bodies at this point; the reader's only where the point is kept.
    std::unordered_map<Var, Expr> values;
    for (std::size_t k = 0; k + 1 < part_.n_results; ++k)
      values.emplace(keeper_.names[part_.name + 2 + k], a_.body.results[part_.result + 1 + k]);
    scalar::Substitution substitute(arena_, [&](Expr e) {
      if (e.op() != Op::index) return Expr();
      auto found = values.find(e.arg(0).var());
      return found == values.end() ? Expr() : found->second;
    });
    Lambda kept{{}, b_.body.body, b_.body.results};
    soac::substitute_in(kept, substitute);
    Lambda dropped;
    for (std::size_t k = 0; k < kept.results.size(); ++k) dropped.results.push_back(nothing(k));
    std::vector<Expr> results;
    Stm choice{{}, {}, reader_.where, reader_.origin};
    for (Expr e : kept.results) {
      results.push_back(arena_.fresh(e.type(), "kept"));
      choice.names.push_back(results.back().var());
    }
    choice.op = soac::If{is_kept(), std::move(kept), std::move(dropped)};
    merged.body.body.push_back(std::move(choice));

    merged.body.results.clear();
    auto take = [&](const Layout::Part& p, const std::vector<Expr>& from, const std::vector<Var>& names) {
      for (std::size_t k = 0; k < p.n_results; ++k) merged.body.results.push_back(from[p.result + k]);
      for (std::size_t k = 0; k < p.n_names; ++k) stm.names.push_back(names[p.name + k]);
    };
    auto take_all = [&](const auto& parts, const std::vector<Expr>& from, const std::vector<Var>& names) {
      for (const Layout::Part& p : parts) take(p, from, names);
    };
    take_all(of_a_.reductions, a_.body.results, keeper_.names);
    take_all(of_b_.reductions, results, reader_.names);
    take_all(of_a_.scatters, a_.body.results, keeper_.names);
    take_all(of_b_.scatters, results, reader_.names);
    for (std::size_t k = 0; k < of_a_.partitions.size(); ++k) {
      take(of_a_.partitions[k], a_.body.results, keeper_.names);
      if (k == at_) take(of_b_.mapped, results, reader_.names);
    }
    take_all(of_b_.partitions, results, reader_.names);
    take(of_a_.mapped, a_.body.results, keeper_.names);
    merged.partitions[at_].n_values += of_b_.mapped.n_names;
    append(merged.reductions, b_.reductions);
    append(merged.scatters, b_.scatters);
    append(merged.partitions, b_.partitions);
    stm.op = std::move(merged);
    return stm;
  }

  bool fits() const {
    if (!a_.partitions[at_].classes.is_constant(1) || is_scan(b_)) return false;
    if (b_.dims.size() != 1 || b_.dims[0] != arena_.name(keeper_.names[part_.name])) return false;
    for (Expr e : b_.body.results)
      if (e.type().rank > 0) return false;
    for (const soac::Reduction& r : b_.reductions)
      if (r.neutral.empty()) return false;
    // Only kept elements at the reader's own index, and only in its body.
    const Vars made(keeper_.names.begin(), keeper_.names.end());
    const Vars kept(keeper_.names.begin() + static_cast<std::ptrdiff_t>(part_.name + 2),
                    keeper_.names.begin() + static_cast<std::ptrdiff_t>(part_.name + part_.n_names));
    const Expr own = arena_.name(b_.body.params[0]);
    auto is_forbidden = [&](Expr e) { return e.is_name() && (made.contains(e.var()) || e == own); };
    bool fine = true;
    auto look = [&](const std::vector<Expr>& roots) {
      fine = fine && std::none_of(roots.begin(), roots.end(), is_forbidden);
      scalar::for_each_node(roots, [&](Expr e) {
        const bool is_kept_element = e.op() == Op::index && kept.contains(e.arg(0).var()) && e.arg(1) == own;
        if (!is_kept_element) fine = fine && std::none_of(e.args().begin(), e.args().end(), is_forbidden);
      });
    };
    std::vector<Expr> roots;
    soac::for_each_root(b_.body, [&](Expr e) { roots.push_back(e); });
    look(roots);
    Vars outside;
    std::vector<Expr> own_roots = soac::roots_of(reader_);
    own_roots.erase(own_roots.begin());  // the space
    soac::add_mentioned(own_roots, outside);
    for (const auto& inner : soac::nested_in(reader_))
      if (inner.role != soac::Role::points) soac::add_mentioned(*inner.lambda, outside);
    return fine && std::none_of(outside.begin(), outside.end(), [&](Var v) { return made.contains(v); });
  }

 private:
  template <class T>
  static void append(std::vector<T>& list, const std::vector<T>& more) {
    list.insert(list.end(), more.begin(), more.end());
  }

  Expr is_kept() const {
    const Expr c = a_.body.results[part_.result];
    if (c.op() == Op::select && c.arg(1).is_constant(0) && c.arg(2).is_constant() && !c.arg(2).is_constant(0))
      return c.arg(0);
    return arena_.eq(c, arena_.i64(0));
  }

  /// What the reader's result k is where the point is not kept.
  Expr nothing(std::size_t k) const {
    for (std::size_t r = 0; r < b_.reductions.size(); ++r) {
      const Layout::Part& p = of_b_.reductions[r];
      if (k >= p.result && k < p.result + p.n_results) return b_.reductions[r].neutral[k - p.result];
    }
    for (std::size_t s = 0; s < b_.scatters.size(); ++s)
      if (k >= of_b_.scatters[s].result && k < of_b_.scatters[s].result + b_.scatters[s].shape.size())
        return arena_.i64(-1);
    for (const Layout::Part& p : of_b_.partitions)
      if (k == p.result) return arena_.i64(-1);
    const Kind kind = b_.body.results[k].kind();
    return arena_.constant(kind, scalar::zero(kind));
  }

  Arena& arena_;
  const Stm &keeper_, &reader_;
  const Soac &a_, &b_;
  const Layout of_a_, of_b_;
  const std::size_t at_;
  const Layout::Part part_;
};

/// The first partition of the keeper that the reader fits, as the reader's place.
std::optional<IntoPartition> place_in(Arena& arena, const Stm& keeper, const Stm& reader) {
  for (std::size_t k = 0; k < std::get<Soac>(keeper.op).partitions.size(); ++k)
    if (IntoPartition into(arena, keeper, reader, k); into.fits()) return into;
  return {};
}

}  // namespace

bool fits_partition(Arena& arena, const Stm& keeper, const Stm& reader) {
  return place_in(arena, keeper, reader).has_value();
}

Stm into_partition(Arena& arena, const Stm& keeper, const Stm& reader) {
  auto into = place_in(arena, keeper, reader);
  FULGURITE_CHECK(into.has_value(), "a reader that does not fit");
  return into->run();
}

}  // namespace fulgurite::fuse
