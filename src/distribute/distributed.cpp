#include "distribute/distributed.h"

#include <algorithm>

namespace fulgurite::distribute {

kernel::Var Distributed::add_own(scalar::Kind kind, const std::string& name, runtime::OwnArray array) {
  const kernel::Expr added = kernel.arena->fresh_array(kind, {kernel.arena->i64(0)}, name);
  const auto behind = std::ranges::find(kernel.params, kernel::Param::Role::scalar, &kernel::Param::role);
  kernel.params.insert(behind, {added.var(), kernel::Param::Role::output});
  own.push_back(array);
  return added.var();
}

}  // namespace fulgurite::distribute
