#include "lower/gpu/sinks.h"

namespace fulgurite::lower::gpu {

void update(const Emitter& e, const Update& how, Expr number, std::span<const std::pair<Var, Expr>> elements,
            std::span<const Expr> values) {
  auto store = [&] {
    for (std::size_t k = 0; k < values.size(); ++k)
      e.store_plain(elements[k].first, elements[k].second, values[k]);
  };
  if (how.how == Update::How::plain) return store();
  if (how.how == Update::How::winner) {
    Expr winner = e.load_plain(how.winners, elements[0].second, "winner");
    return e.if_then(e.bind(e.arena().eq(winner, number), "wins"), store);
  }
  for (std::size_t k = 0; k < values.size(); ++k)
    e.atomic({{}, how.what, {elements[k].first, elements[k].second, e.arena().i64(1), {}}, values[k], {}});
}

}  // namespace fulgurite::lower::gpu
