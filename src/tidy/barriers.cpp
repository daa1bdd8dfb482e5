#include "tidy/barriers.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "kernel/traverse.h"
#include "tidy/thread_forms.h"

namespace fulgurite::tidy {
namespace {

using namespace kernel;
using scalar::Bits;

constexpr std::int64_t lanes_of_warp = 32;

// Who touches an element of a buffer: `thread` -1 means any, `element` -1 all of them. Arrays that are laid
// out in the block's memory (Allocate::offset) are one buffer, whose elements are its bytes.
struct Touch {
  Var buffer;
  std::int64_t element, thread;
  bool writes;
};
using Touches = std::vector<Touch>;

// What the statements of a task touch.
class Accesses {
 public:
  Accesses(Arena& arena, const Block& task) : arena_(arena) {
    for_each_stm(task, [&](const Stm& s) {
      if (const auto* array = std::get_if<Allocate>(&s.op); array && array->offset >= 0)
        laid_out_[array->buffer] = array->offset;
    });
    if (!laid_out_.empty()) shared_ = std::min_element(laid_out_.begin(), laid_out_.end())->first;
  }

  Touches of(const Stm& s) {
    found_.clear();
    if (const auto* par = std::get_if<Par>(&s.op); par && par->n.is_constant())
      threads(*par);
    else
      anybody({s});
    return std::move(found_);
  }

 private:
  void threads(const Par& par) {
    t_ = par.name, n_ = static_cast<std::int64_t>(par.n.bits());
    definitions_.clear();
    std::unordered_set<Var> own;  // of each thread
    for_each_stm(par.body, [&](const Stm& s) {
      if (const auto* let = std::get_if<Let>(&s.op)) definitions_[let->name] = let->value;
      if (const auto* array = std::get_if<Allocate>(&s.op)) own.insert(array->buffer);
      touches(s, [&](Var buffer, Expr index, bool writes) {
        if (!own.contains(buffer)) by_threads(buffer, index, writes);
      });
    });
  }
  void anybody(const Block& body) {
    for_each_stm(body, [&](const Stm& s) {
      touches(s, [&](Var buffer, Expr index, bool writes) {
        const std::int64_t element =
            index && index.is_constant() ? static_cast<std::int64_t>(index.bits()) : -1;
        touch(buffer, element, -1, writes);
      });
    });
  }
  void touch(Var buffer, std::int64_t element, std::int64_t thread, bool writes) {
    const auto place = laid_out_.find(buffer);
    if (place == laid_out_.end()) {
      found_.push_back({buffer, element, thread, writes});
    } else if (element < 0) {
      found_.push_back({shared_, -1, thread, writes});
    } else {
      const auto size = static_cast<std::int64_t>(size_of(arena_.info(buffer).type.kind));
      for (std::int64_t byte = 0; byte < size; ++byte)
        found_.push_back({shared_, place->second + element * size + byte, thread, writes});
    }
  }

  // Statements that have no index of their own touch everything.
  template <class F>
  static void touches(const Stm& s, F&& f) {
    if (const auto* load = std::get_if<Load>(&s.op)) return f(load->from.buffer, load->from.index, false);
    if (const auto* store = std::get_if<Store>(&s.op)) return f(store->to.buffer, store->to.index, true);
    if (const auto* atomic = std::get_if<Atomic>(&s.op)) return f(atomic->at.buffer, atomic->at.index, true);
    if (std::holds_alternative<Prefetch>(s.op)) return;
    Parts parts;
    parts.var = [&](Var v, Use use) {
      if (use == Use::loads || use == Use::stores) f(v, Expr(), use == Use::stores);
      return v;
    };
    parts.block = [](const Block&) { return Block(); };
    map_children(s, parts);
  }

  void by_threads(Var buffer, Expr index, bool writes) {
    std::optional<std::vector<Bits>> elements;
    if (index) {
      for (Expr expanded; expanded != index;) {
        expanded = index;
        index = scalar::substitute(arena_, expanded, definitions_);
      }
      elements = values_for(index, t_, n_);
      if (index.is_constant()) elements = std::vector<Bits>(static_cast<std::size_t>(n_), index.bits());
    }
    if (!elements) {
      touch(buffer, -1, -1, writes);
      return;
    }
    for (std::int64_t t = 0; t < n_; ++t)
      touch(buffer, static_cast<std::int64_t>((*elements)[static_cast<std::size_t>(t)]), t, writes);
  }

  Arena& arena_;
  Var t_{};
  std::int64_t n_ = 0;
  std::unordered_map<Var, Expr> definitions_;
  std::unordered_map<Var, std::int64_t> laid_out_;  // where they begin
  Var shared_{};
  Touches found_;
};

// What has been touched and not yet ordered.
class Pending {
 public:
  void add(const Touches& touches) {
    for (const Touch& t : touches) {
      if (t.element < 0 || t.thread < 0)
        vague_[t.buffer] |= t.writes;
      else
        known_[{t.buffer, t.element}].push_back(t);
      (t.writes ? written_ : read_).insert(t.buffer);
    }
  }
  void clear() { *this = {}; }

  enum class Conflict : std::uint8_t { none, in_a_warp, between_warps };
  Conflict with(const Touches& touches) const {
    Conflict worst = Conflict::none;
    for (const Touch& t : touches) worst = std::max(worst, with(t));
    return worst;
  }

 private:
  Conflict with(const Touch& t) const {
    const bool is_vague = t.element < 0 || t.thread < 0;
    if (is_vague)
      return written_.contains(t.buffer) || (t.writes && read_.contains(t.buffer)) ? Conflict::between_warps
                                                                                   : Conflict::none;
    if (const auto vague = vague_.find(t.buffer); vague != vague_.end() && (vague->second || t.writes))
      return Conflict::between_warps;
    Conflict worst = Conflict::none;
    const auto known = known_.find({t.buffer, t.element});
    if (known == known_.end()) return worst;
    for (const Touch& other : known->second) {
      if (other.thread == t.thread || !(other.writes || t.writes)) continue;
      worst =
          std::max(worst, other.thread / lanes_of_warp == t.thread / lanes_of_warp ? Conflict::in_a_warp
                                                                                   : Conflict::between_warps);
    }
    return worst;
  }

  std::map<std::pair<Var, std::int64_t>, Touches> known_;
  std::unordered_map<Var, bool> vague_;  // buffer; whether written
  std::unordered_set<Var> written_, read_;
};

class Barriers {
 public:
  Barriers(Arena& arena, const Block& task) : accesses_(arena, task) {}

  // The statements of a task, or of a loop in it, at the start of which everything is ordered.
  Block operator()(const Block& body) {
    Pending since_block, since_warp;
    Block out;
    for (std::size_t i = 0; i < body.size(); ++i) {
      const auto* sync = std::get_if<Sync>(&body[i].op);
      if (sync == nullptr) {
        const Touches touches = accesses_.of(body[i]);
        since_block.add(touches), since_warp.add(touches);
        out.push_back(body[i]);
        continue;
      }
      Touches after;
      bool known = true;
      for (std::size_t k = i + 1; k < body.size() && !std::holds_alternative<Sync>(body[k].op); ++k) {
        known &= !has_sync(body[k]);
        const Touches touches = accesses_.of(body[k]);
        after.insert(after.end(), touches.begin(), touches.end());
      }
      using Conflict = Pending::Conflict;
      const bool between_warps =
          sync->level == Level::block && (!known || since_block.with(after) == Conflict::between_warps);
      if (between_warps) {
        out.push_back(body[i]);
        since_block.clear(), since_warp.clear();
      } else if (!known || since_warp.with(after) != Conflict::none) {
        out.push_back({Sync{Level::warp}, body[i].line});
        since_warp.clear();
      }
    }
    return out;
  }

 private:
  static bool has_sync(const Stm& s) {
    bool found = false;
    for_each_stm({s}, [&](const Stm& inner) { found |= std::holds_alternative<Sync>(inner.op); });
    return found;
  }

  Accesses accesses_;
};

// Par statements of equal size that follow each other: each thread does what it did.
Block joined(Arena& arena, const Block& body) {
  Block out;
  for (const Stm& s : body) {
    const auto* par = std::get_if<Par>(&s.op);
    auto* last = out.empty() ? nullptr : std::get_if<Par>(&out.back().op);
    if (par != nullptr && last != nullptr && par->level == Level::block && last->level == Level::block &&
        last->n == par->n) {
      const Block more = substitute(arena, par->body, {{par->name, arena.name(last->name)}});
      last->body.insert(last->body.end(), more.begin(), more.end());
      continue;
    }
    out.push_back(s);
  }
  return out;
}

}  // namespace

kernel::Kernel barriers(kernel::Kernel kernel) {
  for (Stm& phase : kernel.body)
    if (auto* grid = std::get_if<Par>(&phase.op))
      grid->body = joined(*kernel.arena, Barriers(*kernel.arena, grid->body)(grid->body));
  return kernel;
}

}  // namespace fulgurite::tidy
