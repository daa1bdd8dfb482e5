// Extents: is_extent (walk.h) of many expressions that share parts, where each node is looked at once.
#pragma once

#include <unordered_map>

#include "soac/ir.h"

namespace fulgurite::soac {

class Extents {
 public:
  bool operator()(Expr);

 private:
  bool is_total(Expr node) const;  // its operands are known

  std::unordered_map<const scalar::Node*, bool> known_;
};

}  // namespace fulgurite::soac
