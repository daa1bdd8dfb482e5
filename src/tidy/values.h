// Integers and booleans as lists: what an expression is for each of n numbers. The lists are made once for
// each expression, so that asking about the parts of one costs nothing more.
#pragma once

#include <functional>
#include <unordered_map>
#include <vector>

#include "kernel/ir.h"
#include "scalar/value.h"

namespace fulgurite::tidy {

class Values {
 public:
  /// The nodes for which `is_number` holds are 0 ... n - 1.
  Values(std::int64_t n, std::function<bool(scalar::Expr)> is_number);
  /// The name t is.
  Values(std::int64_t n, scalar::Var t)
      : Values(n, [t](scalar::Expr e) { return e.is_name() && e.var() == t; }) {}

  /// Null if e has other names or cannot be computed. Valid until the next call.
  const std::vector<scalar::Bits>* of(scalar::Expr e);
  /// As of(), but null if e does not depend on the number.
  const std::vector<scalar::Bits>* if_dependent(scalar::Expr e);

 private:
  struct List {
    bool is_known = false, is_dependent = false;
    std::vector<scalar::Bits> values = {};
  };
  const List& list(scalar::Expr);
  List made(scalar::Expr) const;

  std::size_t n_;
  std::function<bool(scalar::Expr)> is_number_;
  std::unordered_map<std::uint32_t, List> lists_;  // by Expr::id
  std::size_t n_held_ = 0;                         // values in all of them
};

}  // namespace fulgurite::tidy
