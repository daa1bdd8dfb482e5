#include "fuse/partition.h"

#include <algorithm>

#include "base/check.h"
#include "base/match.h"
#include "scalar/value.h"
#include "soac/count.h"
#include "soac/outputs.h"
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
using soac::Outputs;
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
        at_(partition),
        made_(soac::view_of(keeper).partitions[partition]) {}

  Stm run() {
    // Both bodies at this point; the reader's only where the point is kept.
    std::unordered_map<Var, Expr> values;
    for (std::size_t k = 0; k < made_.values.size(); ++k) values.emplace(made_.arrays[k], made_.values[k]);
    scalar::Substitution substitute(arena_, [&](Expr e) {
      if (e.op() != Op::index) return Expr();
      auto found = values.find(e.arg(0).var());
      return found == values.end() ? Expr() : found->second;
    });
    Lambda kept{{}, b_.body.body, b_.body.results};
    soac::substitute_in(kept, substitute);
    const Stm of_dropped = soac::with_outputs(reader_, of_dropped_point());
    Lambda dropped{{}, {}, std::get<Soac>(of_dropped.op).body.results};
    Stm reader = reader_;
    std::vector<Expr>& results = std::get<Soac>(reader.op).body.results;
    results.clear();
    Stm choice{{}, {}, reader_.where, reader_.origin};
    for (Expr e : kept.results) {
      results.push_back(arena_.fresh(e.type(), "kept"));
      choice.names.push_back(results.back().var());
    }
    choice.op = soac::If{is_kept(), std::move(kept), std::move(dropped)};

    Outputs outputs = soac::outputs_of(keeper_), more = soac::take_outputs(reader);
    append(outputs.reductions, std::move(more.reductions));
    append(outputs.scatters, std::move(more.scatters));
    Outputs::Partitioned& with_mapped = outputs.partitions[at_];
    for (const soac::Mapped& m : more.mapped) {
      with_mapped.values.push_back(m.result);
      with_mapped.arrays.push_back(m.array);
    }
    append(outputs.partitions, std::move(more.partitions));
    Stm merged{{}, a_, reader_.where, reader_.origin};
    std::get<Soac>(merged.op).body.body.push_back(std::move(choice));
    return soac::with_outputs(std::move(merged), std::move(outputs));
  }

  bool fits() const {
    if (!a_.partitions[at_].classes.is_constant(1) || is_scan(b_)) return false;
    if (b_.dims.size() != 1 || b_.dims[0] != arena_.name(made_.kept)) return false;
    for (Expr e : b_.body.results)
      if (e.type().rank > 0) return false;
    for (const soac::Reduction& r : b_.reductions)
      if (r.neutral.empty()) return false;
    // Only kept elements at the reader's own index, and only in its body.
    const Vars made(keeper_.names.begin(), keeper_.names.end());
    const Vars kept(made_.arrays.begin(), made_.arrays.end());
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
  static void append(std::vector<T>& list, std::vector<T>&& more) {
    list.insert(list.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  }

  Expr is_kept() const {
    const Expr c = made_.point_class;
    if (c.op() == Op::select && c.arg(1).is_constant(0) && c.arg(2).is_constant() && !c.arg(2).is_constant(0))
      return c.arg(0);
    return equal(c, 0);
  }

  /// The reader's results at a point that is not kept: values that change no output.
  Outputs of_dropped_point() const {
    Outputs outputs = soac::outputs_of(reader_);
    const auto become_zero = [&](std::vector<Expr>& values) {
      for (Expr& e : values) e = zero_of(e);
    };
    const Expr nowhere = arena_.i64(-1);
    for (Outputs::Reduced& r : outputs.reductions) r.operands = r.by.neutral;
    for (Outputs::Scattered& s : outputs.scatters) {
      std::ranges::fill(s.place, nowhere);
      become_zero(s.values);
    }
    for (Outputs::Partitioned& p : outputs.partitions) {
      p.point_class = nowhere;
      become_zero(p.values);
    }
    for (soac::Mapped& m : outputs.mapped) m.result = zero_of(m.result);
    return outputs;
  }

  Expr zero_of(Expr e) const { return arena_.constant(e.kind(), scalar::zero(e.kind())); }

  Arena& arena_;
  const Stm &keeper_, &reader_;
  const Soac &a_, &b_;
  const std::size_t at_;
  const soac::OutputView::Partitioned made_;  // by the keeper's partition with that number
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
