#include "fuse/inline.h"

#include <algorithm>

#include "base/match.h"
#include "simplify/index_algebra.h"
#include "soac/rename.h"

namespace fulgurite::fuse {

using base::as;
using scalar::Arena;
using scalar::Expr;
using scalar::Op;
using scalar::Site;
using scalar::Var;
using soac::Check;
using soac::If;
using soac::Lambda;
using soac::Loop;
using soac::Role;
using soac::Soac;
using soac::Stm;

namespace {

/// One walk over a consumer. With `rewrite` off it only counts what the rewrite would do.
class Inliner {
 public:
  Inliner(Arena& arena, const Producer& producer, bool rewrite, const Path& path)
      : arena_(arena), producer_(producer), rewrite_(rewrite), algebra_(arena) {
    for (const Axis& axis : path) enter(axis);
  }

  void statement(Stm& stm, std::vector<Stm>& before) {
    std::vector<Expr> own = soac::roots_of(stm);
    roots(own, before);
    if (rewrite_) {
      auto next = own.begin();
      soac::map_roots(stm, [&](Expr) { return *next++; });
    }
    if (!producer_.may_fail) early(stm, before);
    if (auto* branches = as<If>(stm.op)) {
      const Reads start = reads_;
      lambda(branches->then_branch);
      const Reads then_reads = std::exchange(reads_, start);
      lambda(branches->else_branch);
      reads_.evaluations = std::max(reads_.evaluations, then_reads.evaluations);
      reads_.distinct = std::max(reads_.distinct, then_reads.distinct);
      reads_.repeats = reads_.repeats || then_reads.repeats;
      return;
    }
    for (auto& inner : soac::nested_in(stm)) {
      const std::size_t depth = path_.size();
      const bool was_unbounded = unbounded_;
      for (std::size_t axis = 0; axis < inner.extents.size(); ++axis)
        enter({inner.lambda->params[axis], inner.extents[axis]});
      if (inner.extents.empty()) unbounded_ = true;
      lambda(*inner.lambda);
      path_.resize(depth);
      unbounded_ = was_unbounded;
    }
  }

  /// Replaces the reads in the expressions.
  void roots(std::vector<Expr>& exprs, std::vector<Stm>& before) {
    std::unordered_map<Expr, Expr> replaced;
    scalar::Substitution substitute(arena_, [&](Expr e) {
      auto found = replaced.find(e);
      return found == replaced.end() ? Expr() : found->second;
    });
    scalar::for_each_node(exprs, [&](Expr e) {
      if (e.op() != Op::index) return;
      const int result = producer_.find(e.arg(0).var());
      if (result < 0) return;
      std::vector<Expr> indices;
      for (Expr i : e.args().subspan(1)) indices.push_back(algebra_(substitute(i)));
      note_distinct(indices);
      const std::vector<Expr> here(indices.begin(),
                                   indices.begin() + static_cast<std::ptrdiff_t>(producer_.extents.size()));
      if (e.site() != 0 && rewrite_) check(here, e.site(), before);
      const Expr value = element(here, static_cast<std::size_t>(result), before);
      if (!rewrite_) return;
      const std::vector<Expr> rest(indices.begin() + static_cast<std::ptrdiff_t>(here.size()), indices.end());
      replaced.emplace(e, rest.empty() ? value : arena_.index(value, rest, e.site()));
    });
    if (!rewrite_ || replaced.empty()) return;
    for (Expr& e : exprs) e = algebra_(substitute(e));
  }

  const Reads& reads() const { return reads_; }

 private:
  struct Evaluated {
    std::vector<Expr> indices;
    std::vector<Expr> values;
  };

  void enter(const Axis& axis) {
    path_.push_back(axis);
    algebra_.range(axis.var, axis.extent);
  }

  void lambda(Lambda& l) {
    const std::size_t n_evaluated = evaluated_.size(), n_distinct = distinct_.size();
    std::vector<Stm> body;
    for (Stm& stm : l.body) {
      statement(stm, body);
      if (rewrite_) body.push_back(std::move(stm));
    }
    roots(l.results, body);
    if (rewrite_) l.body = std::move(body);
    evaluated_.resize(n_evaluated);
    distinct_.resize(n_distinct);
  }

  /// Reads inside the statement's functions that can be done before it: see the head of inline.h. Not those
  /// of branches, which may not run.
  void early(const Stm& stm, std::vector<Stm>& before) {
    if (as<If>(stm.op)) return;
    for (const auto& inner : soac::nested_in(stm)) {
      for (const Stm& s : inner.lambda->body) {
        early_roots(soac::roots_of(s), before);
        early(s, before);
      }
      early_roots(inner.lambda->results, before);
    }
  }

  void early_roots(const std::vector<Expr>& exprs, std::vector<Stm>& before) {
    scalar::for_each_node(exprs, [&](Expr e) {
      if (e.op() != Op::index || e.site() != 0 || producer_.find(e.arg(0).var()) < 0) return;
      std::vector<Expr> here;
      for (std::size_t axis = 0; axis < producer_.extents.size(); ++axis) {
        here.push_back(e.arg(axis + 1));
        const bool known = here.back().is_constant() || (here.back().is_name() && on_path(here.back().var()));
        if (!known || !algebra_.is_below(here.back(), producer_.extents[axis])) return;
      }
      element(here, 0, before);
    });
  }

  bool on_path(Var v) const {
    return std::any_of(path_.begin(), path_.end(), [&](const Axis& a) { return a.var == v; });
  }

  /// The producer's element at the indices, computed in the function at hand unless it, or one around it, has
  /// done so.
  Expr element(const std::vector<Expr>& indices, std::size_t result, std::vector<Stm>& before) {
    for (const Evaluated& known : evaluated_)
      if (known.indices == indices) return rewrite_ ? known.values[result] : Expr();
    ++reads_.evaluations;
    reads_.repeats = reads_.repeats || unbounded_ || !is_injective(arena_, indices, path_);
    evaluated_.push_back({indices, {}});
    if (!rewrite_) return {};
    soac::Applied applied = soac::apply(arena_, producer_.at, indices);
    std::move(applied.body.begin(), applied.body.end(), std::back_inserter(before));
    evaluated_.back().values = std::move(applied.results);
    return evaluated_.back().values[result];
  }

  void note_distinct(const std::vector<Expr>& indices) {
    if (std::find(distinct_.begin(), distinct_.end(), indices) != distinct_.end()) return;
    distinct_.push_back(indices);
    ++reads_.distinct;
    // An array result is computed where its element is read: all of the indices must tell the points apart.
    if (indices.size() > producer_.extents.size())
      reads_.repeats = reads_.repeats || unbounded_ || !is_injective(arena_, indices, path_);
  }

  /// The operands are what the message of an index quotes: index, extent, number of the point that reads,
  /// greatest index.
  void check(const std::vector<Expr>& indices, Site site, std::vector<Stm>& before) {
    Expr point = arena_.i64(0);
    for (const Axis& axis : path_) point = arena_.add(arena_.mul(point, axis.extent), arena_.name(axis.var));
    for (std::size_t axis = 0; axis < indices.size(); ++axis) {
      const Expr i = indices[axis], extent = producer_.extents[axis];
      if (algebra_.is_below(i, extent)) continue;
      const Expr below = arena_.lt(i, extent), above = arena_.le(arena_.i64(0), i);  // numbered in this order
      const Expr inside = arena_.logical_and(above, below);
      before.push_back(
          {{}, Check{inside, site, {i, extent, point, arena_.sub(extent, arena_.i64(1))}}, {}, "index"});
    }
  }

  Arena& arena_;
  const Producer& producer_;
  const bool rewrite_;
  simplify::IndexAlgebra algebra_;
  Path path_;
  bool unbounded_ = false;            // inside something that runs an unknown number of times
  std::vector<Evaluated> evaluated_;  // in this function and those around it
  std::vector<std::vector<Expr>> distinct_;
  Reads reads_;
};

}  // namespace

Reads reads_in(Arena& arena, const Producer& producer, const Stm& stm, const Path& path) {
  Inliner inliner(arena, producer, false, path);
  Stm copy = stm;
  std::vector<Stm> none;
  inliner.statement(copy, none);
  return inliner.reads();
}

Reads reads_in(Arena& arena, const Producer& producer, const std::vector<Expr>& roots, const Path& path) {
  Inliner inliner(arena, producer, false, path);
  std::vector<Expr> copy = roots;
  std::vector<Stm> none;
  inliner.roots(copy, none);
  return inliner.reads();
}

void inline_reads(Arena& arena, const Producer& producer, Stm& stm, std::vector<Stm>& before,
                  const Path& path) {
  Inliner(arena, producer, true, path).statement(stm, before);
}

void inline_reads(Arena& arena, const Producer& producer, std::vector<Expr>& roots, std::vector<Stm>& before,
                  const Path& path) {
  Inliner(arena, producer, true, path).roots(roots, before);
}

}  // namespace fulgurite::fuse
