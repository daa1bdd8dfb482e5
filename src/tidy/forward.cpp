#include "tidy/forward.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "kernel/traverse.h"
#include "tidy/values.h"

namespace fulgurite::tidy {
namespace {

using namespace kernel;

// The straight line of a Par. What is stored in a branch or loop, or under a mask, is not followed.
class Straight {
 public:
  Straight(Arena& arena, const Par& par)
      : arena_(arena), values_(static_cast<std::int64_t>(par.n.bits()), par.name) {}

  Block operator()(const Block& body) {
    Block out;
    for (const Stm& s : body) {
      if (const auto* let = std::get_if<Let>(&s.op)) {
        definitions_[let->name] = scalar::substitute(arena_, let->value, definitions_);
      } else if (const auto* store = std::get_if<Store>(&s.op); store && !store->to.mask) {
        remember(store->to.buffer, scalar::substitute(arena_, store->to.index, definitions_), store->value);
      } else if (const auto* load = std::get_if<Load>(&s.op); load && !load->from.mask) {
        const Expr index = scalar::substitute(arena_, load->from.index, definitions_);
        const auto& known = stored_[load->from.buffer];
        const auto found = std::ranges::find(known, index, &Stored::index);
        if (found != known.end()) {
          out.push_back({Let{load->name, found->value}, s.line});
          continue;
        }
      } else {
        const Names names = names_of({s});
        for (Var buffer : names.stores) stored_.erase(buffer);
        for (Var variable : names.assigns) forget(variable);
      }
      out.push_back(s);
    }
    return out;
  }

 private:
  struct Stored {
    Expr index, value;
  };

  // Notes a store. Earlier stores of the thread stay known unless they may have been to this element.
  void remember(Var buffer, Expr index, Expr value) {
    std::vector<Stored>& known = stored_[buffer];
    std::erase_if(known, [&](const Stored& before) { return !differ(before.index, index); });
    known.push_back({index, value});
  }
  void forget(Var variable) {
    for (auto& [buffer, known] : stored_)
      std::erase_if(known, [&](const Stored& s) {
        return scalar::mentions(s.index, variable) || scalar::mentions(s.value, variable);
      });
  }
  bool differ(Expr a, Expr b) {
    const Expr apart = a - b;
    if (apart.is_constant()) return !apart.is_constant(0);
    const auto* values = values_.if_dependent(apart);
    return values != nullptr && std::ranges::find(*values, scalar::Bits{0}) == values->end();
  }

  Arena& arena_;
  Values values_;
  std::unordered_map<Var, Expr> definitions_;
  std::unordered_map<Var, std::vector<Stored>> stored_;
};

Block forwarded(Arena& arena, const Block& task) {
  Block out;
  for (const Stm& s : task) {
    const auto* par = std::get_if<Par>(&s.op);
    if (par != nullptr && par->n.is_constant()) {
      out.push_back({Par{par->level, par->name, par->n, Straight(arena, *par)(par->body)}, s.line});
      continue;
    }
    Parts parts;
    parts.block = [&](const Block& b) { return forwarded(arena, b); };
    out.push_back(map_children(s, parts));
  }
  return out;
}

Block without_unread(const Block& body, const std::unordered_set<Var>& unread) {
  Block out;
  for (const Stm& s : body) {
    if (const auto* store = std::get_if<Store>(&s.op); store && unread.contains(store->to.buffer)) continue;
    if (const auto* array = std::get_if<Allocate>(&s.op); array && unread.contains(array->buffer)) continue;
    Parts parts;
    parts.block = [&](const Block& b) { return without_unread(b, unread); };
    out.push_back(map_children(s, parts));
  }
  return out;
}

// Arrays of the block that are stored to, and nothing else.
std::unordered_set<Var> unread_in(const Block& task) {
  std::unordered_set<Var> unread;
  for_each_stm(task, [&](const Stm& s) {
    if (const auto* array = std::get_if<Allocate>(&s.op); array && array->space != Space::thread)
      unread.insert(array->buffer);
  });
  for_each_stm(task, [&](const Stm& s) {
    if (std::holds_alternative<Store>(s.op)) return;
    Parts parts;
    parts.block = [](const Block&) { return Block(); };
    parts.var = [&](Var v, Use use) {
      if (use != Use::binds) unread.erase(v);
      return v;
    };
    map_children(s, parts);
  });
  return unread;
}

}  // namespace

const kernel::Pass forward{
    .name = "forward",
    .description = "a thread does not load what it just stored; arrays that nothing loads from go",
    .run = kernel::on_grids<[](Arena& arena, const Block& body) {
      const Block read = forwarded(arena, body);
      return without_unread(read, unread_in(read));
    }>,
    .is_optional = true};

}  // namespace fulgurite::tidy
