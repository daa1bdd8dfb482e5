// Comparisons of sorts, as they are written.
#pragma once

#include <optional>

#include "trace/tracer.h"

namespace fulgurite::trace {

/// A comparison that compares one function of both elements: key(a) < key(b), or, where it descends,
/// key(b) < key(a).
struct KeyOrder {
  std::vector<Var> element;  // the components that `key` mentions
  Expr key;
  bool descends = false;
};

/// The value of a comparison of elements of these components, if it is one such and its key
/// cannot fail.
std::optional<KeyOrder> key_order(Tracer&, const detail::Body& less, std::span<const scalar::Kind> kinds,
                                  const Here& where);

/// The vectors by radix of that key: in ascending or descending order of its values, -0 and +0 being equal.
/// `segments`: offsets of segments that are sorted by themselves, or absent.
Exprs sorted(Tracer&, Exprs vectors, const KeyOrder&, Expr segments, const char* origin, const Here& where);

}  // namespace fulgurite::trace
