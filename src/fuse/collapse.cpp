#include "fuse/collapse.h"

#include <algorithm>

#include "base/match.h"
#include "soac/count.h"
#include "soac/outputs.h"
#include "soac/walk.h"

namespace fulgurite::fuse {

using base::as;
using scalar::Expr;
using soac::Soac;
using soac::Stm;
using soac::Vars;

bool collapse(Stm& stm) {
  bool changed = false;
  for (;;) {
    auto* outer = as<Soac>(stm.op);
    if (!outer || !is_map(*outer) || outer->body.body.size() != 1 || outer->body.results.empty())
      return changed;
    const Stm& only = outer->body.body[0];
    const auto* inner = as<Soac>(only.op);
    if (!inner || !is_map(*inner)) return changed;
    Vars used;
    soac::add_mentioned(inner->dims, used);
    for (auto p : outer->body.params)
      if (used.contains(p)) return changed;
    Soac flat;
    for (Expr result : outer->body.results) {
      const Expr element = result.is_name() ? soac::mapped_result(only, result.var()) : Expr();
      if (!element) return changed;
      flat.body.results.push_back(element);
    }
    flat.outer_axes = outer->outer_axes > 0 ? outer->outer_axes : outer->dims.size();
    flat.dims = outer->dims;
    flat.dims.insert(flat.dims.end(), inner->dims.begin(), inner->dims.end());
    flat.body.params = outer->body.params;
    flat.body.params.insert(flat.body.params.end(), inner->body.params.begin(), inner->body.params.end());
    flat.body.body = inner->body.body;
    stm.op = std::move(flat);
    changed = true;
  }
}

}  // namespace fulgurite::fuse
