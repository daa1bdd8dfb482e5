#include "simplify/replaced_elements.h"

#include <algorithm>
#include <optional>

#include "base/match.h"
#include "soac/outputs.h"
#include "soac/rename.h"
#include "soac/update.h"
#include "soac/walk.h"

namespace fulgurite::simplify {

using base::as;
using scalar::Arena;
using scalar::Expr;
using scalar::Op;
using scalar::Var;
using soac::Lambda;
using soac::Loop;
using soac::Soac;
using soac::Stm;

namespace {

/// The element that a statement of one point replaces of an array, and that array.
struct Replaced {
  Expr place;
  Var from;
};

// `to`: the array with the new element. Absent: the statement does not make it so.
std::optional<Replaced> replaced_by(const Stm& s, Var to) {
  const auto* op = as<Soac>(s.op);
  if (!op || !std::ranges::all_of(op->dims, [](Expr n) { return n.is_constant(1); })) return {};
  soac::Vars inside;
  soac::add_bound(op->body, inside);
  for (const soac::OutputView::Scattered& scattered : soac::view_of(s).scatters) {
    if (scattered.arrays.size() != 1 || scattered.arrays[0] != to || scattered.place.size() != 1) continue;
    const auto from = soac::contents_of(scattered.to, 0);
    const bool is_fixed = !soac::mentions_any(scattered.place, inside);
    if (from && scattered.to.combine.empty() && is_fixed) return Replaced{scattered.place[0], *from};
  }
  return {};
}

// The statement that makes the array; the end: none does.
std::vector<Stm>::const_iterator maker_of(const std::vector<Stm>& body, Var array) {
  return std::ranges::find_if(
      body, [&](const Stm& s) { return std::ranges::find(s.names, array) != s.names.end(); });
}

// Whether the statement needs the array but for its elements at this place, at any depth.
bool needs_more(const Stm& s, Var array, Expr place) {
  bool needs = false;
  soac::for_each_root(s, [&](Expr root) {
    needs = needs || (root.is_name() && root.var() == array);
    scalar::for_each_node(std::span(&root, 1), [&](Expr e) {
      if (e.op() == Op::index && e.arg(0).var() == array) needs = needs || e.arg(1) != place;
    });
  });
  return needs;
}

class States {
 public:
  States(Arena& arena, Lambda& f, std::size_t i) : arena_(arena), f_(f), i_(i) {}

  void run() {
    const auto* loop = as<Loop>(f_.body[i_].op);
    for (std::size_t k = 0; loop && loop->trips && k < loop->initial.size(); ++k)
      if (loop->initial[k].type().rank == 1) state(k);
  }

 private:
  Loop& loop() const { return std::get<Loop>(f_.body[i_].op); }
  Var param(std::size_t k) const { return loop().body.params[k + 1]; }

  void state(std::size_t k) {
    const Var result = loop().body.results[k].var();
    const std::vector<Stm>& body = loop().body.body;
    const auto at = maker_of(body, result);
    const auto replaced = at == body.end() ? std::nullopt : replaced_by(*at, result);
    if (!replaced || replaced->from != param(k)) return;
    const auto along = scalar::affine_in(arena_, replaced->place, loop().body.params[0]);
    soac::Vars inside;
    soac::add_bound(loop().body, inside);
    if (!along || !is_step(along->coefficient) || soac::mentions_any({&along->base, 1}, inside)) return;
    replace_reads(k, at - body.begin(), replaced->place, *along);
  }

  // So small that no number of iterations wraps around.
  static bool is_step(Expr coefficient) {
    constexpr std::int64_t most = 1 << 20;
    if (!coefficient.is_constant()) return false;
    const auto step = static_cast<std::int64_t>(coefficient.bits());
    return step != 0 && -most <= step && step <= most;
  }

  // The arrays that the state begins as, with elements that are replaced before the loop.
  void replace_reads(std::size_t k, std::ptrdiff_t at, Expr place, const scalar::Affine& along) {
    std::optional<Var> array = loop().initial[k].var();
    while (array) {
      read_of_state(*array, k, at, place);
      const auto maker = maker_of(f_.body, *array);
      const auto before = maker == f_.body.end() ? std::nullopt : replaced_by(*maker, *array);
      array.reset();
      if (before && comes_after(along, before->place)) array = before->from;
    }
  }

  // Whether no iteration replaces the element at this place.
  static bool comes_after(const scalar::Affine& along, Expr place) {
    if (!place.is_constant() || !along.base.is_constant()) return false;
    const auto value_of = [](Expr e) { return static_cast<std::int64_t>(e.bits()); };
    const std::int64_t step = value_of(along.coefficient), first = value_of(along.base);
    return step > 0 && value_of(place) < first;
  }

  // In iterations until they replace the element, nothing else of the array being needed.
  void read_of_state(Var array, std::size_t k, std::ptrdiff_t at, Expr place) {
    std::vector<Stm>& body = loop().body.body;
    if (arena_.info(array).shape != arena_.info(param(k)).shape) return;
    for (std::ptrdiff_t n = 0; n < std::ssize(body); ++n) {
      const Stm& s = body[static_cast<std::size_t>(n)];
      if (n > at ? soac::mentions_any(s, {array}) : needs_more(s, array, place)) return;
    }
    for (Expr result : loop().body.results)
      if (mentions(result, array)) return;
    const Expr state = arena_.name(param(k));
    scalar::Substitution of_state(arena_, [&](Expr e) {
      if (e.op() != Op::index || e.arg(0).var() != array) return Expr();
      const scalar::Axes inside = e.inside();
      return arena_.index(state, std::span(&place, 1), e.site(), inside);
    });
    for (std::ptrdiff_t n = 0; n <= at; ++n) soac::substitute_in(body[static_cast<std::size_t>(n)], of_state);
  }

  Arena& arena_;
  Lambda& f_;
  const std::size_t i_;
};

}  // namespace

void read_of_states(Arena& arena, Lambda& f, std::size_t i) {
  States(arena, f, i).run();
}

}  // namespace fulgurite::simplify
