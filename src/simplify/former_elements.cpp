// Points can change arrays of their own where they lie (soac/reuse.h) only if nothing reads the former array
// afterwards. Readers of elements do not need it:
//   y = with(x, p, v); ... x[i] ...
//     becomes  old = x[p]; y = with(x, p, v); ... i == p ? old : y[i]
//   y = with(x, first.., map(k) { .. x[k] .. })
//     becomes  v = map(k) { .. x[k] .. }; y = with(x, first.., v)
//   y = loop (x) { .. x[i] .. }, where i comes from outside
//     becomes  old = x[i]; y = loop (x) { .. old .. }; elements that loops replace: replaced_elements.h
// so that a step of a loop costs as much as the elements that it replaces, and not as the array. It runs
// late, as it makes reads of two arrays where other passes still see reads of one.
#include <algorithm>

#include "base/match.h"
#include "simplify/replaced_elements.h"
#include "simplify/simplify.h"
#include "soac/outputs.h"
#include "soac/rename.h"
#include "soac/reuse.h"
#include "soac/update.h"
#include "soac/walk.h"

namespace fulgurite::simplify {

using base::as;
using scalar::Arena;
using scalar::Expr;
using scalar::Op;
using scalar::Var;
using soac::Lambda;
using soac::Soac;
using soac::Stm;
using soac::Vars;

namespace {

/// An update by a statement that does nothing else: a scatter that begins as these arrays.
struct Update {
  std::vector<Expr> place;
  std::vector<Var> from, to;
};

std::optional<Update> update_of(const Stm& s) {
  const auto* op = as<Soac>(s.op);
  if (!op || op->scatters.size() != 1 || !op->scatters[0].combine.empty()) return {};
  const soac::OutputView outputs = soac::view_of(s);
  if (!outputs.reductions.empty() || !outputs.partitions.empty() || !outputs.mapped.empty()) return {};
  const soac::OutputView::Scattered& scattered = outputs.scatters[0];
  Update update{{scattered.place.begin(), scattered.place.end()}, {}, {}};
  for (std::size_t k = 0; k < scattered.arrays.size(); ++k) {
    const std::optional<Var> from = soac::contents_of(scattered.to, k);
    if (!from) return {};
    update.from.push_back(*from);
    update.to.push_back(scattered.arrays[k]);
  }
  return update;
}

class FormerElements {
 public:
  explicit FormerElements(Arena& arena) : arena_(arena) {}

  void outside(std::vector<Stm>& stms) {
    for (Stm& s : stms)
      for (auto& inner : soac::nested_in(s)) {
        if (inner.role == soac::Role::points)
          scope(*inner.lambda, {}, {});
        else if (inner.role != soac::Role::operation && inner.role != soac::Role::contents)
          outside(inner.lambda->body);
      }
  }

 private:
  // `own`: arrays whose memory the function may change; `holds`: conditions that hold in it.
  void scope(Lambda& f, Vars own, std::vector<Expr> holds) {
    for (std::size_t i = 0; i < f.body.size(); ++i) {
      if (const auto update = update_of(f.body[i])) {
        apart(f, i, *update, own);
        i += static_cast<std::size_t>(keep_elements(f, i, *update, own, holds));
      }
      if (as<soac::Loop>(f.body[i].op)) {
        read_of_states(arena_, f, i);
        i += read_before(f, i, own, holds);
      }
      Stm& s = f.body[i];
      for (auto& inner : soac::nested_in(s)) {
        Vars of_inner;
        if (inner.role == soac::Role::iteration)
          for (Var param : inner.lambda->params)
            if (arena_.info(param).type.rank > 0) of_inner.insert(param);
        if (inner.role == soac::Role::branch) of_inner = own;
        if (inner.role != soac::Role::operation && inner.role != soac::Role::contents)
          scope(*inner.lambda, std::move(of_inner), holds);
      }
      if (const auto* check = as<soac::Check>(s.op)) soac::add_conjuncts(check->condition, holds);
      for (Var name : s.names)
        if (arena_.info(name).type.rank > 0 && !as<soac::Sort>(s.op)) own.insert(name);
    }
  }

  bool is_inside(const Update& update, const std::vector<Expr>& holds) const {
    const auto knows = [&](Expr e) { return e.is_constant(1) || std::ranges::find(holds, e) != holds.end(); };
    const std::vector<Expr>& shape = arena_.info(update.from[0]).shape;
    for (std::size_t d = 0; d < shape.size(); ++d)
      if (!knows(0 <= update.place[d]) || !knows(update.place[d] < shape[d])) return false;
    return true;
  }

  // ---- elements that a loop reads of what it begins with

  /// Adds the elements of the array that the root reads; false: it needs the array otherwise, or elements
  /// whose places mention one of the names.
  static bool add_reads(Expr root, Var array, const Vars& names, std::vector<Expr>& reads) {
    bool is_fixed = !(root.is_name() && root.var() == array);
    scalar::for_each_node(std::span(&root, 1), [&](Expr e) {
      if (e.op() != Op::index || e.arg(0).var() != array) return;
      is_fixed &= !soac::mentions_any(e.args().subspan(1), names);
      if (std::ranges::find(reads, e) == reads.end()) reads.push_back(e);
    });
    return is_fixed;
  }

  /// The elements of what a component begins as that iterations read, and what follows the loop, if nothing
  /// else of the array is needed; none if places change meanwhile.
  std::vector<Expr> fixed_reads(const Lambda& f, std::size_t i, Var array) const {
    const auto& loop = std::get<soac::Loop>(f.body[i].op);
    std::vector<Expr> reads;
    bool is_fixed = true;
    for (const Lambda* lambda : {&loop.body, &loop.condition}) {
      Vars inside;
      soac::add_bound(*lambda, inside);
      is_fixed &= std::ranges::none_of(lambda->body, [&](const Stm& s) { return begins_as(s, array); });
      soac::for_each_root(*lambda, [&](Expr root) { is_fixed &= add_reads(root, array, inside, reads); });
    }
    if (reads.empty() || !is_fixed || use_behind(f, i, array) == Use::whole) return {};
    Vars later;
    for (std::size_t k = i; k < f.body.size(); ++k) soac::add_bound(f.body[k], later);
    const auto look = [&](Expr root) { is_fixed &= add_reads(root, array, later, reads); };
    for (std::size_t k = i + 1; k < f.body.size(); ++k) soac::for_each_root(f.body[k], look);
    for (Expr result : f.results) look(result);
    return is_fixed ? reads : std::vector<Expr>();
  }

  /// Reads such elements before the loop, which may then change the array where it lies. How many statements
  /// stand before the loop now.
  std::size_t read_before(Lambda& f, std::size_t i, const Vars& own, const std::vector<Expr>& holds) {
    const soac::Loop loop = std::get<soac::Loop>(f.body[i].op);
    const auto places = soac::kept_places(arena_, loop);
    std::size_t n = 0;
    for (std::size_t k = 0; k < places.size(); ++k) {
      if (places[k] != k || !own.contains(loop.initial[k].var())) continue;
      const Var array = loop.initial[k].var(), result = f.body[i].names[k];
      const Var state = soac::state_of(loop)[k];
      if (std::ranges::count(loop.initial, loop.initial[k]) > 1) continue;
      const std::vector<Expr>& shape = arena_.info(array).shape;
      if (arena_.info(state).shape != shape || arena_.info(result).shape != shape) continue;
      for (Expr read : fixed_reads(f, i, array)) {
        std::vector<Stm> before;
        const auto [is_inside, old] = element_if_there(read, holds, f.body[i], before);
        auto& now = std::get<soac::Loop>(f.body[i].op);
        scalar::Substitution in_body = replacing(read, is_inside, old, state);
        soac::substitute_in(now.body, in_body);
        if (!loop.trips) {
          scalar::Substitution in_condition = replacing(read, is_inside, old, loop.condition.params[k]);
          soac::substitute_in(now.condition, in_condition);
        }
        scalar::Substitution afterwards = replacing(read, is_inside, old, result);
        for (std::size_t later = i + 1; later < f.body.size(); ++later)
          soac::substitute_in(f.body[later], afterwards);
        for (Expr& each : f.results)
          if (each.type().rank == 0) each = afterwards(each);
        f.body.insert(f.body.begin() + static_cast<std::ptrdiff_t>(i), before.begin(), before.end());
        i += before.size();
        n += before.size();
      }
    }
    return n;
  }

  /// The element, or anything where its place is outside; whether it is inside, a constant where that is
  /// known.
  std::pair<Expr, Expr> element_if_there(Expr read, const std::vector<Expr>& holds, const Stm& of,
                                         std::vector<Stm>& before) const {
    const Update place{{read.args().begin() + 1, read.args().end()}, {read.arg(0).var()}, {}};
    const Expr element = arena_.index(read.arg(0), place.place);
    const Expr old = arena_.fresh({element.kind()}, "former");
    if (is_inside(place, holds)) {
      before.push_back({{old.var()}, soac::Let{element}, of.where, of.origin});
      return {arena_.boolean(true), old};
    }
    const std::vector<Expr> shape = arena_.info(place.from[0]).shape;
    Expr inside = arena_.boolean(true);
    for (std::size_t d = 0; d < shape.size(); ++d)
      inside = inside & (0 <= place.place[d]) & (place.place[d] < shape[d]);
    const Expr is_there = arena_.fresh({scalar::Kind::boolean}, "is_there");
    before.push_back({{is_there.var()}, soac::Let{inside}, of.where, of.origin});
    before.push_back({{old.var()},
                      soac::If{is_there, {{}, {}, {element}}, {{}, {}, {arena_.constant(element.kind(), 0)}}},
                      of.where,
                      of.origin});
    return {is_there, old};
  }

  /// Where the place is outside, the element of `other` that is read instead fails as the former one did.
  scalar::Substitution replacing(Expr read, Expr is_inside, Expr old, Var other) const {
    return scalar::Substitution(arena_, [=, this](Expr e) -> Expr {
      if (!(e == read)) return Expr();
      // One that is read without a check is inside wherever it is read.
      if (is_inside.is_constant(1) || e.site() == 0) return old;
      const std::vector<Expr> place(e.args().begin() + 1, e.args().end());
      return select(is_inside, old, arena_.index(arena_.name(other), place, e.site()));
    });
  }

  // ---- elements that are read afterwards

  // How statements after i, and results, use the array: not at all, as elements, or as a whole.
  enum class Use : std::uint8_t { none, elements, whole };
  Use use_behind(const Lambda& f, std::size_t i, Var array) const {
    Use use = Use::none;
    const auto look = [&](Expr root) {
      if (root.type().rank > 0) {
        if (root.is_name() && root.var() == array) use = Use::whole;
        return;
      }
      scalar::for_each_node(std::span(&root, 1), [&](Expr e) {
        if (e.op() == Op::index && e.arg(0).var() == array) use = std::max(use, Use::elements);
      });
    };
    for (std::size_t k = i + 1; k < f.body.size(); ++k) {
      soac::for_each_root(f.body[k], look);
      // The first contents of scatters stay as they are.
      if (begins_as(f.body[k], array)) return Use::whole;
    }
    for (Expr result : f.results) look(result);
    return use;
  }
  static bool begins_as(const Stm& s, Var array) {
    for (const auto& inner : soac::nested_in(s)) {
      if (inner.role == soac::Role::contents) {
        Vars names;
        soac::add_mentioned(*inner.lambda, names);
        if (names.contains(array)) return true;
      }
      if (std::ranges::any_of(inner.lambda->body, [&](const Stm& each) { return begins_as(each, array); }))
        return true;
    }
    return false;
  }

  // How many statements stand before the update now.
  int keep_elements(Lambda& f, std::size_t i, const Update& update, const Vars& own,
                    const std::vector<Expr>& holds) {
    const auto& op = std::get<Soac>(f.body[i].op);
    if (!std::ranges::all_of(op.dims, [](Expr n) { return n.is_constant(1); })) return 0;
    Vars inside;
    soac::add_bound(op.body, inside);
    if (soac::mentions_any(update.place, inside) || !is_inside(update, holds)) return 0;
    std::vector<Stm> before;
    std::unordered_map<Var, std::pair<Expr, Expr>> now;  // the element that was replaced, and the new array
    for (std::size_t k = 0; k < update.from.size(); ++k) {
      const Var array = update.from[k];
      if (!own.contains(array) || use_behind(f, i, array) != Use::elements || now.contains(array)) continue;
      const Expr old = arena_.fresh({arena_.info(array).type.kind}, "former");
      before.push_back(Stm{{old.var()},
                           soac::Let{arena_.index(arena_.name(array), update.place)},
                           f.body[i].where,
                           f.body[i].origin});
      now.emplace(array, std::pair{old, arena_.name(update.to[k])});
    }
    if (now.empty()) return 0;
    scalar::Substitution* again = nullptr;
    scalar::Substitution substitute(arena_, [&](Expr e) {
      const auto found = e.op() == Op::index ? now.find(e.arg(0).var()) : now.end();
      if (found == now.end()) return Expr();
      std::vector<Expr> indices;
      for (Expr index : e.args().subspan(1)) indices.push_back((*again)(index));
      Expr is_replaced = arena_.boolean(true);
      for (std::size_t d = 0; d < indices.size(); ++d)
        is_replaced = is_replaced & are_equal(indices[d], update.place[d]);
      if (is_replaced.is_constant(1)) return found->second.first;
      const Expr read = arena_.index(found->second.second, indices, e.site());
      return is_replaced.is_constant(0) ? read : select(is_replaced, found->second.first, read);
    });
    again = &substitute;
    for (std::size_t k = i + 1; k < f.body.size(); ++k) soac::substitute_in(f.body[k], substitute);
    for (Expr& result : f.results)
      if (result.type().rank == 0) result = substitute(result);
    const auto n = static_cast<int>(before.size());
    f.body.insert(f.body.begin() + static_cast<std::ptrdiff_t>(i), before.begin(), before.end());
    return n;
  }

  Expr are_equal(Expr a, Expr b) const {
    const Expr apart = a - b;
    if (apart.is_constant()) return arena_.boolean(apart.is_constant(0));
    return equal(a, b);
  }

  // ---- elements that others replace

  // Values that read what is replaced are computed before, if only they do.
  void apart(Lambda& f, std::size_t& i, const Update& update, const Vars& own) {
    const auto op = std::get<Soac>(f.body[i].op);
    const auto is_needed = [&](Var from) { return use_behind(f, i, from) != Use::none; };
    if (!std::ranges::all_of(update.from, [&](Var from) { return own.contains(from) && !is_needed(from); }))
      return;
    const auto updated = soac::updates(arena_, op, 0);
    if (std::ranges::all_of(updated, [](const auto& array) { return array.has_value(); })) return;
    Vars not_of_places(update.from.begin(), update.from.end());
    soac::add_bound(op.body, not_of_places);
    for (Var param : op.body.params) not_of_places.erase(param);
    if (soac::mentions_any(update.place, not_of_places)) return;
    // Nor may the array be read but element by element.
    Vars whole;
    soac::for_each_root(op.body, [&](Expr e) {
      if (e.type().rank > 0 && e.is_name()) whole.insert(e.var());
    });
    if (std::ranges::any_of(update.from, [&](Var from) { return whole.contains(from); })) return;
    Stm values{{}, Soac{op.dims, {op.body.params, op.body.body, {}}}, f.body[i].where, f.body[i].origin};
    std::get<Soac>(values.op).outer_axes = op.outer_axes;
    Soac stores = op;
    stores.body.body.clear();
    stores.body.params.clear();
    std::unordered_map<Var, Expr> params;
    std::vector<Expr> point;
    for (Var param : op.body.params) {
      point.push_back(arena_.fresh({scalar::Kind::i64}, arena_.info(param).name));
      stores.body.params.push_back(point.back().var());
      params.emplace(param, point.back());
    }
    for (std::size_t r = 0; r < op.body.results.size(); ++r) {
      const Expr result = op.body.results[r];
      if (r < update.place.size()) {
        stores.body.results[r] = scalar::substitute(arena_, result, params);
        continue;
      }
      const Expr array = arena_.fresh_array(result.kind(), op.dims, "values");
      values.names.push_back(array.var());
      std::get<Soac>(values.op).body.results.push_back(result);
      stores.body.results[r] = arena_.index(array, point);
    }
    f.body[i].op = std::move(stores);
    f.body.insert(f.body.begin() + static_cast<std::ptrdiff_t>(i), std::move(values));
    ++i;
  }

  Arena& arena_;
};

soac::Program run_former_elements(soac::Program program, soac::PassContext&) {
  FormerElements(*program.arena).outside(program.body);
  return program;
}

}  // namespace

const soac::Pass former_elements{"former_elements",
                                 "readers of elements do not keep an array from being changed where it lies",
                                 run_former_elements};

}  // namespace fulgurite::simplify
