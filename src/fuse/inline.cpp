#include "fuse/inline.h"

#include <algorithm>
#include <functional>
#include <ranges>

#include "base/check.h"
#include "base/match.h"
#include "simplify/index_algebra.h"
#include "soac/bind_sizes.h"
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
      : arena_(arena),
        producer_(producer),
        rewrite_(rewrite),
        is_of_elements_(!path.empty()),
        algebra_(arena) {
    for (const Axis& axis : path) enter(axis);
  }

  void statement(Stm& stm, std::vector<Stm>& before) {
    early_.clear();
    inside_.clear();
    if (!producer_.may_fail) find_early(stm);
    nested(stm, before);
  }

  /// Replaces the reads in the expressions.
  void roots(std::vector<Expr>& exprs, std::vector<Stm>& before) {
    std::unordered_map<Expr, Expr> replaced;
    scalar::Substitution substitute(arena_, [&](Expr e) {
      auto found = replaced.find(e);
      return found == replaced.end() ? Expr() : found->second;
    });
    const auto now = [&](Expr i) { return algebra_(substitute(i)); };
    scalar::for_each_node(exprs, [&](Expr e) {
      if (e.op() != Op::index || producer_.find(e.arg(0).var()) < 0) return;
      const Expr value = value_of(e, now, before);
      if (rewrite_) replaced.emplace(e, value);
    });
    if (!rewrite_ || replaced.empty()) return;
    n_replaced_ += replaced.size();
    for (Expr& e : exprs) e = algebra_(substitute(e));
  }

  /// The values of reads at the top of a Soac's function, or among expressions.
  std::vector<Replacement> values(const std::vector<Expr>& reads, const Soac* function) {
    std::vector<Stm> none;
    if (function && !producer_.may_fail)
      for (Expr e : reads) early_read(e, none);
    if (function) {
      ++n_around_;
      for (std::size_t axis = 0; axis < function->dims.size(); ++axis)
        enter({function->body.params[axis], function->dims[axis]});
    }
    std::vector<Replacement> replacements;
    for (Expr e : reads) {
      const Expr value = value_of(e, [&](Expr i) { return algebra_(i); }, none);
      if (rewrite_) replacements.emplace_back(e, algebra_(value));
    }
    return replacements;
  }

  const Reads& reads() const { return reads_; }
  std::vector<Var> changed() && { return std::move(changed_); }

 private:
  struct Evaluated {
    std::vector<Expr> indices;
    std::vector<Expr> values;
  };

  /// The read with indices `now`; absent if nothing is rewritten.
  Expr value_of(Expr read, const auto& now, std::vector<Stm>& before) {
    const auto result = static_cast<std::size_t>(producer_.find(read.arg(0).var()));
    std::vector<Expr> indices;
    for (Expr i : read.args().subspan(1)) indices.push_back(now(i));
    note_distinct(indices);
    const std::vector<Expr> here(indices.begin(),
                                 indices.begin() + static_cast<std::ptrdiff_t>(producer_.extents.size()));
    if (read.site() != 0 && rewrite_) check(here, read.site(), before);
    const Expr value = element(here, result, before);
    if (!rewrite_) return {};
    const std::vector<Expr> rest(indices.begin() + static_cast<std::ptrdiff_t>(here.size()), indices.end());
    return rest.empty() ? value : arena_.index(value, rest, read.site());
  }

  void nested(Stm& stm, std::vector<Stm>& before) {
    const std::size_t n_before = n_replaced_;
    own_and_inner(stm, before);
    if (n_replaced_ > n_before && !stm.names.empty()) changed_.push_back(stm.names[0]);
  }

  void own_and_inner(Stm& stm, std::vector<Stm>& before) {
    std::vector<Expr> own = soac::roots_of(stm);
    roots(own, before);
    if (rewrite_) {
      auto next = own.begin();
      soac::map_roots(stm, [&](Expr) { return *next++; });
    }
    early(stm, before);
    if (auto* branches = as<If>(stm.op)) {
      const Reads start = reads_;
      lambda(branches->then_branch);
      const Reads then_reads = std::exchange(reads_, start);
      lambda(branches->else_branch);
      reads_.evaluations = std::max(reads_.evaluations, then_reads.evaluations);
      reads_.distinct = std::max(reads_.distinct, then_reads.distinct);
      reads_.copies += then_reads.copies - start.copies;
      reads_.repeats = reads_.repeats || then_reads.repeats;
      reads_.at_offsets = reads_.at_offsets && then_reads.at_offsets;
      return;
    }
    const bool was_of_elements = is_of_elements_;
    is_of_elements_ = is_of_elements_ || as<Soac>(stm.op);
    ++n_around_;
    for (auto& inner : soac::nested_in(stm)) {
      const simplify::IndexAlgebra::Scope ranges(algebra_);
      const std::size_t depth = path_.size();
      const bool was_unbounded = unbounded_;
      for (std::size_t axis = 0; axis < inner.extents.size(); ++axis)
        enter({inner.lambda->params[axis], inner.extents[axis]});
      if (inner.extents.empty()) unbounded_ = true;
      lambda(*inner.lambda);
      path_.resize(depth);
      unbounded_ = was_unbounded;
    }
    --n_around_;
    is_of_elements_ = was_of_elements;
  }

  void enter(const Axis& axis) {
    path_.push_back(axis);
    algebra_.range(axis.var, axis.extent);
  }

  void lambda(Lambda& l) {
    const std::size_t n_evaluated = evaluated_.size(), n_distinct = distinct_.size();
    std::vector<Stm> body;
    for (Stm& stm : l.body) {
      nested(stm, body);
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
    const auto range = inside_.find(&stm);
    if (range == inside_.end()) return;
    const auto [begin, end] = range->second;
    for (std::size_t k = begin; k < end; k = early_[k].next)
      if (early_[k].read) early_read(early_[k].read, before);
  }

  /// Finds the reads that early() looks at, for a statement and all inside it.
  void find_early(const Stm& stm) {
    const std::size_t begin = early_.size();
    const auto add = [&](const std::vector<Expr>& exprs) {
      scalar::for_each_node(exprs, [&](Expr e) {
        if (e.op() == Op::index && e.site() == 0 && producer_.find(e.arg(0).var()) >= 0)
          early_.push_back({e, early_.size() + 1});
      });
    };
    const bool is_branch = as<If>(stm.op) != nullptr;
    if (is_branch) early_.push_back({});
    for (const auto& inner : soac::nested_in(stm)) {
      for (const Stm& s : inner.lambda->body) {
        add(soac::roots_of(s));
        find_early(s);
      }
      add(inner.lambda->results);
    }
    if (is_branch) early_[begin].next = early_.size();
    if (early_.size() > begin) inside_.emplace(&stm, std::pair(begin, early_.size()));
  }

  void early_read(Expr e, std::vector<Stm>& before) {
    std::vector<Expr> here;
    for (std::size_t axis = 0; axis < producer_.extents.size(); ++axis) {
      here.push_back(e.arg(axis + 1));
      const bool known = here.back().is_constant() || (here.back().is_name() && on_path(here.back().var()));
      if (!known || !algebra_.is_below(here.back(), producer_.extents[axis])) return;
    }
    element(here, 0, before);
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
    ++reads_.copies;
    reads_.repeats = reads_.repeats || unbounded_ || !is_injective(arena_, indices, path_);
    reads_.at_offsets = reads_.at_offsets && n_around_ == 1 && !unbounded_ &&
                        std::ranges::all_of(indices, [&](Expr i) { return is_at_offset(i); });
    evaluated_.push_back({indices, {}});
    if (!rewrite_) return {};
    const std::vector<Expr> at = soac::bind_for_shapes(arena_, producer_.at, indices, before);
    soac::Applied applied = soac::apply(arena_, producer_.at, at);
    if (!is_of_elements_) soac::bind_sizes(arena_, applied.body);
    std::move(applied.body.begin(), applied.body.end(), std::back_inserter(before));
    evaluated_.back().values = std::move(applied.results);
    return evaluated_.back().values[result];
  }

  bool is_at_offset(Expr index) const {
    const auto is_read = [](Expr e) { return e.op() == Op::index; };
    for (const Axis& axis : path_) {
      if (!scalar::mentions(index, axis.var)) continue;
      const auto affine = scalar::affine_in(arena_, index, axis.var);
      if (!affine || !(affine->coefficient.is_constant(1) || affine->coefficient.is_constant(-1)))
        return false;
      index = affine->base;
      break;
    }
    bool is_still = true;
    scalar::for_each_node(std::span(&index, 1), [&](Expr e) {
      is_still = is_still && !is_read(e) && !(e.is_name() && on_path(e.var()));
    });
    return is_still;
  }

  void note_distinct(const std::vector<Expr>& indices) {
    if (std::find(distinct_.begin(), distinct_.end(), indices) != distinct_.end()) return;
    distinct_.push_back(indices);
    ++reads_.distinct;
    // An array result is computed where its element is read: all of the indices must tell the points apart.
    if (indices.size() > producer_.extents.size())
      reads_.repeats = reads_.repeats || unbounded_ || !is_injective(arena_, indices, path_);
  }

  /// The operands are quoted by the message of an index: index and extent.
  void check(const std::vector<Expr>& indices, Site site, std::vector<Stm>& before) {
    for (std::size_t axis = 0; axis < indices.size(); ++axis) {
      const Expr i = indices[axis], extent = producer_.extents[axis];
      if (algebra_.is_below(i, extent)) continue;
      const Expr below = i < extent, above = 0 <= i;  // numbered in this order
      const Expr inside = above & below;
      before.push_back({{}, Check{inside, site, {i, extent}}, {}, "index"});
    }
  }

  Arena& arena_;
  const Producer& producer_;
  const bool rewrite_;
  bool is_of_elements_;  // the function at hand, or one around it, is a Soac's
  simplify::IndexAlgebra algebra_;
  Path path_;
  std::size_t n_around_ = 0;          // Soacs and Loops around what is looked at
  bool unbounded_ = false;            // inside something that runs an unknown number of times
  std::vector<Evaluated> evaluated_;  // in this function and those around it
  std::vector<std::vector<Expr>> distinct_;
  Reads reads_;
  // Reads inside the statement at hand, in the order of the program. Before reads in a branch stands an entry
  // without a read, whose `next` is after them.
  struct Early {
    Expr read;
    std::size_t next = 0;
  };
  std::vector<Early> early_;
  std::unordered_map<const Stm*, std::pair<std::size_t, std::size_t>> inside_;  // of a statement: begin, end
  std::size_t n_replaced_ = 0;
  std::vector<Var> changed_;  // first names of statements in which reads were replaced
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

Reads reads_in(Arena& arena, const Producer& producer, const std::vector<Expr>& reads, const Soac* function,
               const Path& path) {
  Inliner inliner(arena, producer, false, path);
  inliner.values(reads, function);
  return inliner.reads();
}

std::vector<Replacement> values_of(Arena& arena, const Producer& producer, const std::vector<Expr>& reads,
                                   const Soac* function, const Path& path) {
  FULGURITE_CHECK(producer.at.body.empty(), "a producer with statements");
  return Inliner(arena, producer, true, path).values(reads, function);
}

namespace {

/// Calls visit with the function that puts the values in.
void put_in(Arena& arena, const std::vector<Replacement>& replacements, const Soac* function,
            const Path& path, const std::function<void(const std::function<Expr(Expr)>&)>& visit) {
  simplify::IndexAlgebra algebra(arena);
  for (const Axis& axis : path) algebra.range(axis.var, axis.extent);
  for (std::size_t axis = 0; function && axis < function->dims.size(); ++axis)
    algebra.range(function->body.params[axis], function->dims[axis]);
  std::unordered_map<Expr, Expr> values;
  scalar::Substitution substitute(arena, [&](Expr e) {
    const auto found = values.find(e);
    return found == values.end() ? Expr() : found->second;
  });
  for (const auto& [read, value] : std::views::reverse(replacements)) values.emplace(read, substitute(value));
  visit([&](Expr e) { return algebra(substitute(e)); });
}

}  // namespace

void put_in(Arena& arena, const std::vector<Replacement>& replacements, Soac& function, const Path& path) {
  put_in(arena, replacements, &function, path, [&](const auto& with_values) {
    for (Stm& stm : function.body.body) soac::map_roots(stm, with_values);
    for (Expr& e : function.body.results) e = with_values(e);
  });
}

void put_in(Arena& arena, const std::vector<Replacement>& replacements, std::vector<Expr>& roots,
            const Path& path) {
  put_in(arena, replacements, nullptr, path, [&](const auto& with_values) {
    for (Expr& e : roots) e = with_values(e);
  });
}

std::vector<Var> inline_reads(Arena& arena, const Producer& producer, Stm& stm, std::vector<Stm>& before,
                              const Path& path) {
  Inliner inliner(arena, producer, true, path);
  inliner.statement(stm, before);
  return std::move(inliner).changed();
}

void inline_reads(Arena& arena, const Producer& producer, std::vector<Expr>& roots, std::vector<Stm>& before,
                  const Path& path) {
  Inliner(arena, producer, true, path).roots(roots, before);
}

}  // namespace fulgurite::fuse
