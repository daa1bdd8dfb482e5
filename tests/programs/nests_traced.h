// Random nests (nests.h) traced as functions of a user's are.
#pragma once

#include "nests.h"
#include "nests_folds.h"
#include "trace/traced.h"

namespace fulgurite::programs::nests {

/// One nest. `sizes` are staged numbers, `arrays` what its reads have in memory.
class TracedNest {
 public:
  TracedNest(const Nest& nest, std::span<const Value> sizes, std::span<const Value> arrays)
      : nest_(nest), here_(Here::current()) {
    for (std::size_t k = 0; k < nest.reads.size(); ++k) views_.push_back(view_of(nest.reads[k], arrays[k]));
    for (std::size_t v = 0; v < nest.sizes.size(); ++v) sizes_.push_back(size_of(v, sizes));
  }

  Value result() const {
    switch (nest_.form) {
      case Form::along_axis: return after(along_axis());
      case Form::rows: return after(rows());
      case Form::copy: return after(copy());
      case Form::stencil: return after(stencil());
      case Form::small: return after(of_map([&](std::span<const Value> at) { return of_small_array(at); }));
      default: return after(of_map([&](std::span<const Value> at) { return finished(inner(at), at); }));
    }
  }

 private:
  Value one() const { return number(Kind::i64, 1); }

  // What is read.

  Value view_of(const Read& read, Value array) const {
    const int axis = static_cast<int>(read.axis), rank = static_cast<int>(read.along.size());
    switch (read.way) {
      case Way::transposed: {
        std::vector<int> order;
        for (int k = rank; k-- > 0;) order.push_back(k);
        return detail::transpose(array, order, here_);
      }
      case Way::flipped: return detail::reverse(array, axis, here_);
      case Way::sliced: {
        std::vector<detail::Bounds> bounds;
        for (int k = 0; k < rank; ++k)
          bounds.push_back({number(Kind::i64, k == axis ? 1 : 0), detail::extent(array, k, here_),
                            number(Kind::i64, k == axis ? 2 : 1)});
        return detail::slice(array, bounds, here_);
      }
      case Way::made:
        return each_of({array}, [&](std::span<const Value> x) {
          return Values{call("add", detail::apply("abs", {x[0]}, here_), number(read.kind, 1))};
        })[0];
      case Way::padded: return padded(read, array);
      default: return array;
    }
  }
  /// One element more at each end of each axis.
  Value padded(const Read& read, const Value& array) const {
    Values extents;
    for (std::size_t k = 0; k < read.along.size(); ++k)
      extents.push_back(call("add", detail::extent(array, static_cast<int>(k), here_), number(Kind::i64, 4)));
    return generated(extents, [&](std::span<const Value> at) {
      Values inside;
      for (const Value& place : at) inside.push_back(call("sub", place, number(Kind::i64, 1)));
      return Values{element_or_one(read, array, inside)};
    })[0];
  }
  Value is_inside(const Value& place, const Value& extent) const {
    return call("logical_and", call("le", number(Kind::i64, 0), place), call("lt", place, extent));
  }
  Value element_or_one(const Read& read, const Value& array, const Values& places) const {
    Value inside = number(Kind::boolean, 1);
    for (std::size_t k = 0; k < places.size(); ++k)
      inside = call("logical_and", inside,
                    is_inside(places[k], detail::extent(array, static_cast<int>(k), here_)));
    const auto yes = [&](std::span<const Value>) { return Values{detail::index(array, places, here_)}; };
    const auto no = [&](std::span<const Value>) { return Values{number(read.kind, 1)}; };
    const std::size_t widths[] = {1};
    return detail::cond(inside, Body(yes), Body(no), widths, here_)[0];
  }
  Value element_within_or_one(const Read& read, const Value& array, const Values& places) const {
    Value inside = number(Kind::boolean, 1);
    Values within;
    for (std::size_t k = 0; k < places.size(); ++k) {
      const Value extent = detail::extent(array, static_cast<int>(k), here_);
      inside = call("logical_and", inside, is_inside(places[k], extent));
      within.push_back(call("max", call("min", places[k], call("sub", extent, one())), number(Kind::i64, 0)));
    }
    return select(inside, detail::index(array, within, here_), number(read.kind, 1));
  }

  Value place_on(const Along& along, std::span<const Value> at) const {
    Value place = at[along.first];
    if (along.factor != 1) place = call("mul", place, number(Kind::i64, along.factor));
    if (along.second >= 0) place = call("add", place, at[static_cast<std::size_t>(along.second)]);
    if (along.from != 0) place = call("add", place, number(Kind::i64, along.from));
    return place;
  }
  Value element_of(std::size_t k, std::span<const Value> at) const {
    const Read& read = nest_.reads[k];
    const Value& view = views_[k];
    Values places;
    for (const Along& along : read.along) {
      places.push_back(place_on(along, at));
      if (read.way == Way::branched || read.way == Way::selected)
        places.back() = call("sub", places.back(), one());
    }
    switch (read.way) {
      case Way::branched: return element_or_one(read, view, places);
      case Way::selected: return element_within_or_one(read, view, places);
      case Way::padded:  // which is 4 longer than what is read
        for (std::size_t p = 0; p < places.size(); ++p)
          places[p] =
              call("min", places[p], call("sub", detail::extent(view, static_cast<int>(p), here_), one()));
        return detail::index(view, places, here_);
      case Way::flat: {
        const Value extents[] = {detail::size(view, here_)};
        Value place = places[0];
        for (std::size_t p = 1; p < places.size(); ++p)
          place =
              call("add", call("mul", place, detail::extent(view, static_cast<int>(p), here_)), places[p]);
        return detail::index(detail::reshape(view, extents, here_), {&place, 1}, here_);
      }
      default: return detail::index(view, places, here_);
    }
  }

  /// The size of a variable: known while tracing, of an array that is read by it alone, or a number.
  Value size_of(std::size_t variable, std::span<const Value> sizes) const {
    const std::size_t size = nest_.sizes[variable];
    if (size >= n_run_sizes) return number(Kind::i64, static_sizes[size - n_run_sizes]);
    for (std::size_t k = 0; nest_.asks_arrays && k < nest_.reads.size(); ++k)
      for (std::size_t axis = 0; axis < nest_.reads[k].along.size(); ++axis)
        if (nest_.reads[k].along[axis] == Along{.first = variable} && nest_.reads[k].way < Way::padded)
          return detail::extent(views_[k], static_cast<int>(axis), here_);
    return sizes[size];
  }

  // What is computed of it.

  Value combined(std::span<const Value> at) const {
    Values x;
    for (std::size_t k = 0; k < nest_.reads.size(); ++k) x.push_back(to(nest_.kind, element_of(k, at)));
    const auto apart = [&](const Value& a, const Value& b) {
      return detail::apply("abs", {call("sub", a, b)}, here_);
    };
    if (x.size() == 1) switch (nest_.combine) {
        case 1: return call("add", x[0], small(nest_.kind, at.back()));
        case 2:
          return select(call("eq", call("rem", at.back(), number(Kind::i64, 2)), number(Kind::i64, 0)), x[0],
                        call("add", x[0], x[0]));
        case 3: return apart(x[0], number(nest_.kind, 1));
        default: return x[0];
      }
    Value all;
    switch (nest_.combine) {
      case 1: all = call("add", x[0], x[1]); break;
      case 2: all = apart(x[0], x[1]); break;
      case 3: all = select(call("lt", x[0], x[1]), x[0], x[1]); break;
      case 4: all = call("min", x[0], x[1]); break;
      default: all = call("mul", x[0], x[1]);
    }
    if (x.size() == 2) return all;
    switch (nest_.combine) {
      case 2:
      case 5: return call("add", all, x[2]);
      case 6: return select(call("gt", x[2], number(nest_.kind, 1)), all, x[0]);
      default: return call("mul", all, x[2]);
    }
  }

  /// The points of the folded axis: how many, and from which place on.
  struct Points {
    Value n, first;
  };
  Points points(const Value& n, std::span<const Value> at) const {
    const Value zero = number(Kind::i64, 0), &row = at.front(), &column = at.back();
    switch (nest_.bound) {
      case 5: return {call("min", call("add", row, one()), n), zero};
      case 6: {
        const Value first = call("min", column, n);
        return {call("sub", n, first), first};
      }
      case 7: return {call("div", n, number(Kind::i64, 2)), zero};
      case 8: return {call("max", call("sub", n, row), zero), zero};
      case 9: {  // a band
        const Value first = call("max", call("sub", column, number(Kind::i64, 2)), zero);
        return {
            call("max", call("sub", call("min", call("add", column, number(Kind::i64, 3)), n), first), zero),
            first};
      }
      default: return {n, zero};
    }
  }

  static Values with(std::span<const Value> at, const Value& more) {
    Values all(at.begin(), at.end());
    all.push_back(more);
    return all;
  }
  /// The components of all points along the first folded axis.
  Values lifted(const Folding& how, std::span<const Value> at) const {
    const std::size_t variable = nest_.rank;
    const Points along = points(sizes_[variable], at);
    return generated({along.n}, [&](std::span<const Value> l) {
      const Values all = with(at, nest_.bound < 5 ? l[0] : call("add", l[0], along.first));
      return how.lift(sizes_.size() > variable + 1 ? along_second(all) : combined(all), all.back());
    });
  }
  Value along_second(std::span<const Value> at) const {
    const Folding how = folding(nest_.variant % 4 < 2 ? 0 : 1 + nest_.variant / 4 % 3, nest_.kind);
    const Value x = folded(how, generated({sizes_.back()}, [&](std::span<const Value> l) {
                             return how.lift(combined(with(at, l[0])), l[0]);
                           }));
    // What may be infinite stays so small that sums are exact.
    return how.neutral.size() == 1 && nest_.variant % 4 < 2
               ? x
               : call("max", call("min", x, number(nest_.kind, 50)), number(nest_.kind, -50));
  }

  Value inner(std::span<const Value> at) const {
    if (sizes_.size() == nest_.rank) return combined(at);
    const Folding how = folding(nest_.fold, nest_.kind);
    switch (nest_.inner) {
      case 6: {  // by a loop
        const Points along = points(sizes_[nest_.rank], at);
        const auto step = [&](std::span<const Value> state) {
          const Values all = with(at, call("add", state[0], along.first));
          Values joined(state.begin() + 1, state.end());
          for (const Value& x :
               how.lift(sizes_.size() > nest_.rank + 1 ? along_second(all) : combined(all), all.back()))
            joined.push_back(x);
          return how.join(joined);
        };
        const std::vector<std::size_t> widths(how.neutral.size(), 1);
        return how.result(detail::iterate(along.n, Body(step), how.neutral, widths, here_));
      }
      case 7: {  // the largest, or the last, of what was folded on the way
        const detail::Scanning scanning{.origin = "scan", .neutral = how.neutral, .initial = {}};
        const Values all = detail::scan(scanning, Body(how.join), lifted(how, at), here_);
        const Value results =
            each_of(all, [&](std::span<const Value> x) { return Values{how.result(x)}; })[0];
        return folded(folding(nest_.variant % 2 == 0 ? 1 : 5, results.kind), {results});
      }
      case 8: {  // where the least stands
        const Values all = lifted(folding(0, nest_.kind), at);
        const Value one_more =
            generated({call("max", detail::extent(all[0], 0, here_), one())}, [&](std::span<const Value> l) {
              const Value x = generated_or_zero(all[0], l[0]);
              return Values{x};
            })[0];
        return detail::arg_reduce(nest_.variant % 2 == 0 ? "lt" : "gt", "argmin", one_more, 0, here_);
      }
      case 9: {  // from another element on
        const Values initial(how.neutral);
        const detail::Fold fold{.origin = "fold", .neutral = {}, .initial = initial};
        return how.result(detail::reduce(fold, Body(how.join), lifted(how, at), here_));
      }
      default:
        if (nest_.fold == 0) return detail::reduce("add", "sum", lifted(how, at)[0], std::nullopt, here_);
        return folded(how, lifted(how, at));
    }
  }
  Value generated_or_zero(const Value& array, const Value& at) const {
    const Value n = detail::extent(array, 0, here_);
    const auto yes = [&](std::span<const Value>) { return Values{detail::index(array, {&at, 1}, here_)}; };
    const auto no = [&](std::span<const Value>) { return Values{number(nest_.kind, 0)}; };
    const std::size_t widths[] = {1};
    return detail::cond(call("lt", at, n), Body(yes), Body(no), widths, here_)[0];
  }

  /// What the same function does with an element at last.
  Value finished(const Value& x, std::span<const Value> at) const {
    switch (nest_.epilogue) {
      case 1: return call("add", call("max", x, number(x.kind, 0)), small(x.kind, at.back()));
      case 2: return select(call("lt", at.back(), number(Kind::i64, 3)), x, call("add", x, x));
      case 3: return call("add", x, small(x.kind, at.front()));
      default: return x;
    }
  }

  // Forms.

  template <class F>
  Value of_map(const F& f) const {
    const Values free(sizes_.begin(), sizes_.begin() + static_cast<std::ptrdiff_t>(nest_.rank));
    if (!nest_.is_flat || nest_.rank < 2)
      return generated(free, [&](std::span<const Value> at) { return Values{f(at)}; })[0];
    Value n = free[0];
    for (std::size_t k = 1; k < free.size(); ++k) n = call("mul", n, free[k]);
    const Value all = generated({n}, [&](std::span<const Value> place) {
      Values at(free.size());
      Value left = place[0];
      for (std::size_t k = free.size(); k-- > 1;) {
        at[k] = call("rem", left, free[k]);
        left = call("div", left, free[k]);
      }
      at[0] = left;
      return Values{f(at)};
    })[0];
    return nest_.variant % 2 == 0 ? all : detail::reshape(all, free, here_);
  }

  Values all_lifted(const Folding& how, std::size_t axis) const {
    return generated(sizes_, [&](std::span<const Value> at) { return how.lift(combined(at), at[axis]); });
  }
  Value along_axis() const {
    const auto axis = static_cast<int>(nest_.axis);
    const Folding how = folding(nest_.fold, nest_.kind);
    switch (nest_.inner) {
      case 4:
      case 5: return scanned(how, all_lifted(how, nest_.axis), axis, nest_.variant % 4 == 3);
      case 6:
        return scanned(folding(0, nest_.kind), all_lifted(folding(0, nest_.kind), nest_.axis), axis, false);
      case 7: {
        Values longer = sizes_;
        longer[nest_.axis] = call("max", longer[nest_.axis], one());
        const Value all =
            generated(sizes_, [&](std::span<const Value> at) { return Values{combined(at)}; })[0];
        const Value x = generated(longer, [&](std::span<const Value> at) {
          Values inside(at.begin(), at.end());
          const auto yes = [&](std::span<const Value>) { return Values{detail::index(all, inside, here_)}; };
          const auto no = [&](std::span<const Value>) { return Values{number(nest_.kind, 0)}; };
          const std::size_t widths[] = {1};
          return detail::cond(call("lt", at[nest_.axis], sizes_[nest_.axis]), Body(yes), Body(no), widths,
                              here_);
        })[0];
        return detail::arg_reduce(nest_.variant % 2 == 0 ? "lt" : "gt", "argmin", x, axis, here_);
      }
      case 8: {
        const Value x = generated(sizes_, [&](std::span<const Value> at) { return Values{combined(at)}; })[0];
        return detail::reduce(nest_.variant % 2 == 0 ? "add" : "max", "sum", x, axis, here_);
      }
      default: return folded(how, all_lifted(how, nest_.axis), axis);
    }
  }

  /// A function of whole rows, which are read twice.
  Value rows() const {
    const Value x = generated(sizes_, [&](std::span<const Value> at) { return Values{combined(at)}; })[0];
    const Folding how = folding(nest_.fold, nest_.kind);
    const auto of_row = [&](std::span<const Value> row) {
      Values lifted = generated({detail::extent(row[0], 0, here_)}, [&](std::span<const Value> l) {
        return how.lift(detail::index(row[0], l, here_), l[0]);
      });
      if (nest_.inner % 3 == 1) {
        const detail::Scanning scanning{.origin = "scan", .neutral = how.neutral, .initial = {}};
        const Values all = detail::scan(scanning, Body(how.join), lifted, here_);
        return Values{each_of(all, [&](std::span<const Value> p) { return Values{how.result(p)}; })[0]};
      }
      const Value all = to(nest_.kind, folded(how, lifted));
      if (nest_.inner % 3 == 2) return Values{all};
      return each_of({row[0]}, [&](std::span<const Value> e) {
        return Values{select(call("lt", e[0], all), call("add", e[0], e[0]), e[0])};
      });
    };
    const detail::Pass pass =
        nest_.variant % 4 == 3 && nest_.rank == 2 ? detail::Pass::slices : detail::Pass::rows;
    const detail::Operand operands[] = {{std::span(&x, 1), pass, 1}};
    return detail::map(operands, Body(of_row), here_)[0];
  }

  Value copy() const {
    const Value x = generated(sizes_, [&](std::span<const Value> at) { return Values{combined(at)}; })[0];
    const Value turned = detail::transpose(x, nest_.order, here_);
    if (nest_.variant % 2 == 0) return turned;
    return detail::reverse(turned, static_cast<int>(nest_.axis), here_);
  }

  Value stencil() const {
    const Values free(sizes_.begin(), sizes_.begin() + static_cast<std::ptrdiff_t>(nest_.rank));
    const Value x = generated(free, [&](std::span<const Value> at) { return Values{combined(at)}; })[0];
    const auto around = [&](detail::Neighbours& near) {
      std::vector<int> at(nest_.rank, 0);
      Value sum = near.read(0, at)[0];
      for (std::size_t axis = 0; axis < nest_.rank; ++axis)
        for (const int distance : {-1, 1, nest_.variant % 4 == 3 ? 2 : 0}) {
          if (distance == 0) continue;
          at[axis] = distance;
          sum = call(nest_.fold % 2 == 0 ? "add" : "max", sum, near.read(0, at)[0]);
          at[axis] = 0;
        }
      return Values{sum};
    };
    const auto outside = [&](std::span<const Value>) { return Values{number(nest_.kind, 1)}; };
    const auto edge = static_cast<detail::Edge>(nest_.inner % 4);
    std::vector<Body> bodies;
    if (edge == detail::Edge::outside) bodies.push_back(Body(outside));
    const auto once = [&](std::span<const Value> state) {
      const detail::Operand operands[] = {{state.subspan(1, 1)}};
      return detail::stencil(detail::StencilBody(around), edge, bodies, operands, here_);
    };
    const std::size_t widths[] = {1};
    return detail::iterate(number(Kind::i64, 1 + static_cast<std::int64_t>(nest_.bound % 3)), Body(once),
                           {&x, 1}, widths, here_)[0];
  }

  /// An array of a few elements in a function of elements, which a loop changes.
  Value of_small_array(std::span<const Value> at) const {
    const std::int64_t n = 2 + static_cast<std::int64_t>(nest_.variant % 4);
    const Value first = generated({number(Kind::i64, n)}, [&](std::span<const Value> l) {
      return Values{call("add", combined(at), small(nest_.kind, call("add", l[0], at.front())))};
    })[0];
    const auto step = [&](std::span<const Value> state) {
      const Value pivot = detail::index(state[1], {state.data(), 1}, here_);
      return generated({number(Kind::i64, n)}, [&](std::span<const Value> l) {
        const Value x = detail::index(state[1], l, here_);
        const Value next =
            nest_.fold % 2 == 0 ? call("max", x, pivot) : call("add", x, number(nest_.kind, 1));
        return Values{select(call("gt", l[0], state[0]), next, x)};
      });
    };
    const std::size_t widths[] = {1};
    const Value last = detail::iterate(number(Kind::i64, nest_.bound % 2 == 0 ? n : 2), Body(step),
                                       {&first, 1}, widths, here_)[0];
    const Folding how = folding(nest_.fold, nest_.kind);
    const Values lifted = generated({number(Kind::i64, n)}, [&](std::span<const Value> l) {
      return how.lift(detail::index(last, l, here_), l[0]);
    });
    return finished(folded(how, lifted), at);
  }

  /// What another operation does with the whole result.
  Value after(const Value& x) const {
    switch (nest_.epilogue) {
      case 5:
        return each_of({x}, [&](std::span<const Value> e) {
          return Values{call("add", call("max", e[0], number(e[0].kind, 1)), number(e[0].kind, 1))};
        })[0];
      case 6: {
        std::vector<int> order;
        for (int k = x.rank; k-- > 0;) order.push_back(k);
        return x.rank < 2 ? x : detail::transpose(x, order, here_);
      }
      case 7:
        return x.rank < 2 ? x
                          : detail::reduce("max", "max", x, static_cast<int>(nest_.variant) % x.rank, here_);
      case 8: {  // read twice, elsewhere too
        const Value turned = detail::reverse(x, x.rank - 1, here_);
        return each_of({x, turned},
                       [&](std::span<const Value> e) { return Values{call("max", e[0], e[1])}; })[0];
      }
      default: return x;
    }
  }

  const Nest& nest_;
  Here here_;
  Values views_, sizes_;
};

}  // namespace fulgurite::programs::nests
