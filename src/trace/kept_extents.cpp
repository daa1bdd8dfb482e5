#include "trace/kept_extents.h"

#include <algorithm>

#include "base/match.h"

namespace fulgurite::trace {

namespace {

// Loops that are looked into, at most.
constexpr int most_loops = 100;

std::size_t first_state(const soac::Loop& loop) {
  return loop.trips ? 1 : 0;
}

class Kept {
 public:
  explicit Kept(Tracer& t) : t_(t) {}

  // The extents that are kept: what is assumed of all of them is wrong of some, until it is right of all that
  // are left.
  Exprs of(Exprs known, const soac::Lambda& body, std::size_t first_param) {
    const Known around = values_;
    for (bool changed = true; changed;) {
      changed = false;
      values_ = around;
      for (std::size_t i = 0; i < known.size(); ++i)
        if (known[i]) values_.emplace(body.params[first_param + i], known[i]);
      bodies_.push_back(&body.body);
      for (std::size_t i = 0; i < known.size(); ++i) {
        if (!known[i] || t_.is_same(value_of(body.results[i]), known[i])) continue;
        known[i] = Expr();
        changed = true;
      }
      bodies_.pop_back();
    }
    return known;
  }

  const Known& values() const { return values_; }

 private:
  // What an extent is after the statements of `bodies_`.
  Expr value_of(Expr e) {
    const Expr value = t_.unsettled(e);
    if (value.is_name()) look_into(value.var());
    return scalar::substitute(t_.arena(), value, values_);
  }

  // Adds to `values_` what is found of the name. What is not found once is not found later, when less is
  // assumed.
  void look_into(Var name) {
    if (values_.contains(name) || unknown_.contains(name)) return;
    if (const auto [s, k] = giver_of(name); s) {
      if (const auto* choice = base::as<soac::If>(s->op)) look_into(name, *choice, k);
      if (const auto* loop = base::as<soac::Loop>(s->op)) look_into(*s, *loop);
    }
    if (!values_.contains(name)) unknown_.insert(name);
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

  // Branches that give the same.
  void look_into(Var name, const soac::If& choice, std::size_t k) {
    const auto value_in = [&](const soac::Lambda& branch) {
      bodies_.push_back(&branch.body);
      const Expr value = value_of(branch.results[k]);
      bodies_.pop_back();
      return value;
    };
    const Expr then_value = value_in(choice.then_branch), else_value = value_in(choice.else_branch);
    if (t_.is_same(then_value, else_value)) values_.emplace(name, then_value);
  }

  // The extents that a loop keeps, all at once.
  void look_into(const soac::Stm& s, const soac::Loop& loop) {
    if (n_loops_ == most_loops) return;
    ++n_loops_;
    const std::size_t first = first_state(loop);
    const std::vector<bool> is_extent = extents_of(loop.body, first);
    Exprs known(loop.initial.size());
    for (std::size_t i = 0; i < known.size(); ++i)
      if (is_extent[i]) known[i] = value_of(loop.initial[i]);
    known = of(std::move(known), loop.body, first);
    for (std::size_t i = 0; i < known.size(); ++i) {
      if (!known[i]) {
        unknown_.insert(s.names[i]);
        continue;
      }
      values_.emplace(s.names[i], known[i]);
      if (!loop.trips) values_.emplace(loop.condition.params[i], known[i]);
    }
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
  // Names that are known to be equal to something, and those of which nothing was found.
  Known values_;
  soac::Vars unknown_;
  int n_loops_ = 0;
};

template <class T>
void erase_at(std::vector<T>& list, std::size_t k) {
  list.erase(list.begin() + static_cast<std::ptrdiff_t>(k));
}

}  // namespace

KeptExtents kept_extents(Tracer& t, Exprs initial, const soac::Lambda& body, std::size_t first_param) {
  Kept kept(t);
  Exprs known = kept.of(std::move(initial), body, first_param);
  Known inner = kept.values();
  // Sizes that are equal are written in one way.
  for (auto& [name, value] : inner)
    for (const Expr extent : known)
      if (extent && t.is_same(value, extent)) {
        value = extent;
        break;
      }
  return {std::move(known), std::move(inner)};
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
