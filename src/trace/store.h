// Statements that store elements at computed places.
#pragma once

#include "trace/tracer.h"

namespace fulgurite::trace {

inline Exprs shape_of(Tracer& t, Expr array) {
  return Exprs(t.shape(array).begin(), t.shape(array).end());
}

/// The contents before, element by element.
template <class F>
soac::Lambda contents(Tracer& t, std::size_t rank, const char* origin, const Here& where, F&& f) {
  Scope scope(t, origin, where);
  const Exprs indices = index_parameters(scope, rank);
  Exprs results = f(indices);
  return scope.close(std::move(results));
}

/// What a point stores.
struct Stored {
  Exprs place, values;
};

/// Stores what `points`, called with the indices of a point of `dims`, returns.
template <class F>
Values store(Tracer& t, Exprs dims, soac::Scatter scatter, const char* origin, const Here& where,
             F&& points) {
  Exprs names;
  for (Expr e : scatter.initial.results) names.push_back(t.fresh_array(e.kind(), scatter.shape, origin));
  Scope scope(t, origin, where);
  const Exprs indices = index_parameters(scope, dims.size());
  Stored stored = points(indices);
  soac::Outputs outputs;
  outputs.scatters.push_back(
      {std::move(scatter), std::move(stored.place), std::move(stored.values), vars_of(names)});
  t.add(std::move(dims), scope.close({}), std::move(outputs), origin, where);
  return t.values(names);
}

inline soac::Lambda same_as(Tracer& t, const Exprs& arrays, const char* origin, const Here& where) {
  return contents(t, t.shape(arrays[0]).size(), origin, where,
                  [&](const Exprs& indices) { return elements(t, arrays, indices); });
}

}  // namespace fulgurite::trace
