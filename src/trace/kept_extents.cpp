#include "trace/kept_extents.h"

#include <algorithm>

#include "base/match.h"

namespace fulgurite::trace {

namespace {

// Loops inside of each other that are looked into: each may be looked into once for each extent of the one
// around it.
constexpr int most_loops_inside = 4;

std::size_t first_state(const soac::Loop& loop) {
  return loop.trips ? 1 : 0;
}

class Kept {
 public:
  explicit Kept(Tracer& t) : t_(t) {}

  // With what is known of names around the loop.
  KeptExtents of(Exprs known, const soac::Lambda& body, std::size_t first_param, const Known& around) {
    Known inner;
    for (bool changed = true; changed;) {
      changed = false;
      inner.clear();
      Known before = around;
      for (std::size_t i = 0; i < known.size(); ++i)
        if (known[i]) before.emplace(body.params[first_param + i], known[i]);
      for (std::size_t i = 0; i < known.size(); ++i) {
        if (!known[i]) continue;
        Known given;
        const Expr after = result_of(body, i, before, given);
        for (const auto& [name, value] : given)
          inner.emplace(name, t_.is_same(value, known[i]) ? known[i] : value);
        if (t_.is_same(after, known[i])) continue;
        known[i] = Expr();
        changed = true;
      }
    }
    return {std::move(known), std::move(inner)};
  }

 private:
  Expr result_of(const soac::Lambda& f, std::size_t k, const Known& before, Known& given) {
    bodies_.push_back(&f.body);
    const Expr value = value_of(f.results[k], before, given);
    bodies_.pop_back();
    return value;
  }

  // What an extent is after the statements of `bodies_`, with what is known of names before them. Names of
  // branches and loops that it is known by are added to `given`.
  Expr value_of(Expr e, const Known& before, Known& given) {
    const Expr value = t_.unsettled(e);
    const auto [s, k] = value.is_name() ? giver_of(value.var()) : Giver{};
    Known inner;
    Expr after;
    if (s) {
      if (const auto* choice = base::as<soac::If>(s->op)) after = result_of(*choice, k, before, inner);
      if (const auto* loop = base::as<soac::Loop>(s->op)) after = result_of(*s, *loop, k, before, inner);
    }
    if (!after) return scalar::substitute(t_.arena(), value, before);
    given.merge(inner);
    given.emplace(value.var(), after);
    return after;
  }

  // The statement that gives a name, and which of its results it is; null: none of `bodies_` does.
  using Giver = std::pair<const soac::Stm*, std::size_t>;
  Giver giver_of(Var name) const {
    for (const std::vector<soac::Stm>* body : bodies_)
      for (const soac::Stm& s : *body)
        if (const auto at = std::ranges::find(s.names, name); at != s.names.end())
          return {&s, static_cast<std::size_t>(at - s.names.begin())};
    return {};
  }

  // The value of a result of branches; absent: they give different ones.
  Expr result_of(const soac::If& choice, std::size_t k, const Known& before, Known& given) {
    const Expr then_value = result_of(choice.then_branch, k, before, given);
    const Expr else_value = result_of(choice.else_branch, k, before, given);
    return t_.is_same(then_value, else_value) ? then_value : Expr();
  }

  // The value of a result of the loop `s`; absent: iterations may change it.
  Expr result_of(const soac::Stm& s, const soac::Loop& loop, std::size_t k, const Known& before,
                 Known& given) {
    if (n_loops_ == most_loops_inside) return {};
    ++n_loops_;
    const std::size_t first = first_state(loop);
    const std::vector<bool> is_extent = extents_of(loop.body, first);
    Exprs known(loop.initial.size());
    for (std::size_t i = 0; i < known.size(); ++i)
      if (is_extent[i]) known[i] = value_of(loop.initial[i], before, given);
    auto [kept, inner] = of(std::move(known), loop.body, first, before);
    --n_loops_;
    given.merge(inner);
    for (std::size_t i = 0; i < kept.size(); ++i) {
      if (!kept[i]) continue;
      given.emplace(s.names[i], kept[i]);
      given.emplace(loop.body.params[first + i], kept[i]);
      if (!loop.trips) given.emplace(loop.condition.params[i], kept[i]);
    }
    return kept[k];
  }

  // Which states of a loop are extents of others.
  std::vector<bool> extents_of(const soac::Lambda& body, std::size_t first) {
    soac::Vars extents;
    for (const Var param : body.params) {
      const Expr name = t_.arena().name(param);
      if (name.type().rank == 0) continue;
      for (const Expr extent : t_.shape(name))
        if (extent.is_name()) extents.insert(extent.var());
    }
    std::vector<bool> marks;
    for (std::size_t i = first; i < body.params.size(); ++i)
      marks.push_back(extents.contains(body.params[i]));
    return marks;
  }

  Tracer& t_;
  // The statements before what is looked at, those around it first.
  std::vector<const std::vector<soac::Stm>*> bodies_;
  int n_loops_ = 0;
};

template <class T>
void erase_at(std::vector<T>& list, std::size_t k) {
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(k));
}

}  // namespace

KeptExtents kept_extents(Tracer& t, Exprs initial, const soac::Lambda& body, std::size_t first_param) {
  return Kept(t).of(std::move(initial), body, first_param, {});
}

void drop(std::vector<soac::Stm>& body, const Known& names) {
  for (soac::Stm& s : body) {
    auto* choice = base::as<soac::If>(s.op);
    auto* loop = base::as<soac::Loop>(s.op);
    for (std::size_t k = s.names.size(); k-- > 0;) {
      if (!names.contains(s.names[k]) || !(choice || loop)) continue;
      erase_at(s.names, k);
      if (choice) {
        erase_at(choice->then_branch.results, k);
        erase_at(choice->else_branch.results, k);
      } else {
        erase_at(loop->initial, k);
        erase_at(loop->body.params, first_state(*loop) + k);
        erase_at(loop->body.results, k);
        if (!loop->trips) erase_at(loop->condition.params, k);
      }
    }
    if (choice) {
      drop(choice->then_branch.body, names);
      drop(choice->else_branch.body, names);
    }
    if (loop) {
      drop(loop->condition.body, names);
      drop(loop->body.body, names);
    }
  }
}

}  // namespace fulgurite::trace
