#include "tidy/barriers.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>

#include "kernel/traverse.h"
#include "tidy/values.h"

namespace fulgurite::tidy {
namespace {

using namespace kernel;
using scalar::Bits;

constexpr std::int32_t lanes_of_warp = 32;

// One access, by all threads of a Par(block): which unit of a buffer each of them touches first, and how many
// neighbours it takes. Without units: anybody touches anything. Arrays that are laid out in the block's
// memory, or its part of global memory (Allocate::offset), are one buffer, whose unit is as large as the
// smallest of their elements; a unit of another buffer is an element.
struct Touch {
  Var buffer;
  bool writes;
  std::vector<std::int32_t> units = {};  // of each thread
  std::int32_t width = 1;
};
using Touches = std::vector<Touch>;

constexpr std::int64_t most_units = std::int64_t{1} << 20;  // beyond, nothing is known

// The elements that the statements of a task touch.
class Accesses {
 public:
  Accesses(Arena& arena, const Block& task) : arena_(arena) {
    for_each_stm(task, [&](const Stm& s) {
      const auto* array = std::get_if<Allocate>(&s.op);
      if (array == nullptr || array->offset < 0) return;
      const Var memory = memories_.try_emplace(array->space, array->buffer).first->second;
      laid_out_[array->buffer] = {memory, array->offset};
      unit_ = std::min(unit_, element_bytes(array->buffer));
    });
  }

  Touches of(const Stm& s) {
    found_.clear();
    if (const auto* par = std::get_if<Par>(&s.op); par && par->n.is_constant())
      threads(*par);
    else
      for_each_stm({s}, [&](const Stm& inner) {
        touches(inner, [&](Var buffer, Expr, bool writes) { anything(buffer, writes); });
      });
    return std::move(found_);
  }

 private:
  std::int64_t element_bytes(Var buffer) const {
    return static_cast<std::int64_t>(size_of(arena_.info(buffer).type.kind));
  }

  void threads(const Par& par) {
    values_.emplace(static_cast<std::int64_t>(par.n.bits()), par.name);
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

  void anything(Var buffer, bool writes) {
    const auto place = laid_out_.find(buffer);
    found_.push_back({place == laid_out_.end() ? buffer : place->second.memory, writes});
  }

  void by_threads(Var buffer, Expr index, bool writes) {
    for (Expr expanded; index && expanded != index;) {
      expanded = index;
      index = scalar::substitute(arena_, expanded, definitions_);
    }
    const auto* elements = index ? values_->of(index) : nullptr;
    if (elements == nullptr) return anything(buffer, writes);
    Touch touch{buffer, writes};
    std::int64_t first = 0, width = 1;
    if (const auto place = laid_out_.find(buffer); place != laid_out_.end())
      touch.buffer = place->second.memory, first = place->second.offset / unit_,
      width = element_bytes(buffer) / unit_;
    touch.width = static_cast<std::int32_t>(width);
    for (Bits element : *elements) {
      const auto e = static_cast<std::int64_t>(element);
      if (e < 0 || e > most_units || first + e * width > most_units) return anything(buffer, writes);
      touch.units.push_back(static_cast<std::int32_t>(first + e * width));
    }
    found_.push_back(std::move(touch));
  }

  Arena& arena_;
  std::optional<Values> values_;
  std::unordered_map<Var, Expr> definitions_;
  struct Place {
    Var memory;  // the first array in it stands for all of it
    std::int64_t offset;
  };
  std::unordered_map<Var, Place> laid_out_;
  std::map<Space, Var> memories_;
  std::int64_t unit_ = 8;
  Touches found_;
};

// Which threads access something: none, a certain one, or several; and likewise which warps.
class Who {
 public:
  void add(std::int32_t thread) {
    join(thread_, thread);
    join(warp_, thread / lanes_of_warp);
  }
  bool has_other_than(std::int32_t thread) const { return thread_ != nobody && thread_ != thread; }
  bool has_warp_other_than(std::int32_t thread) const {
    return warp_ != nobody && warp_ != thread / lanes_of_warp;
  }

 private:
  static constexpr std::int32_t nobody = -1, several = -2;
  static void join(std::int32_t& all, std::int32_t one) { all = all == nobody || all == one ? one : several; }

  std::int32_t thread_ = nobody, warp_ = nobody;
};

// Accesses that no barrier has ordered yet.
class Pending {
 public:
  void add(const Touches& touches) {
    for (const Touch& t : touches) {
      Buffer& buffer = buffers_[t.buffer];
      (t.writes ? buffer.is_written : buffer.is_read) = true;
      if (t.units.empty()) {
        (t.writes ? buffer.anybody_writes : buffer.anybody_reads) = true;
        continue;
      }
      const auto end = static_cast<std::size_t>(std::ranges::max(t.units) + t.width);
      if (buffer.units.size() < end) buffer.units.resize(end);
      for (std::size_t thread = 0; thread < t.units.size(); ++thread)
        for (std::int32_t k = 0; k < t.width; ++k) {
          Unit& unit = buffer.units[static_cast<std::size_t>(t.units[thread] + k)];
          (t.writes ? unit.writers : unit.readers).add(static_cast<std::int32_t>(thread));
        }
    }
  }
  void clear() { buffers_.clear(); }

  enum class Conflict : std::uint8_t { none, in_a_warp, between_warps };
  Conflict with(std::span<const Touches> statements) const {
    Conflict worst = Conflict::none;
    for (const Touches& touches : statements)
      for (const Touch& t : touches) {
        worst = std::max(worst, with(t));
        if (worst == Conflict::between_warps) return worst;
      }
    return worst;
  }

 private:
  struct Unit {
    Who readers, writers;
  };
  struct Buffer {
    std::vector<Unit> units;
    bool is_read = false, is_written = false, anybody_reads = false, anybody_writes = false;
  };

  Conflict with(const Touch& t) const {
    const auto found = buffers_.find(t.buffer);
    if (found == buffers_.end()) return Conflict::none;
    const Buffer& buffer = found->second;
    const bool is_vague = t.units.empty();
    if ((is_vague ? buffer.is_written : buffer.anybody_writes) ||
        (t.writes && (is_vague ? buffer.is_read : buffer.anybody_reads)))
      return Conflict::between_warps;
    Conflict worst = Conflict::none;
    for (std::size_t i = 0; i < t.units.size(); ++i) {
      const auto thread = static_cast<std::int32_t>(i);
      const auto first = static_cast<std::size_t>(t.units[i]);
      const std::size_t end = std::min(first + static_cast<std::size_t>(t.width), buffer.units.size());
      for (std::size_t at = first; at < end; ++at) {
        const Unit& unit = buffer.units[at];
        if (unit.writers.has_warp_other_than(thread) ||
            (t.writes && unit.readers.has_warp_other_than(thread)))
          return Conflict::between_warps;
        if (unit.writers.has_other_than(thread) || (t.writes && unit.readers.has_other_than(thread)))
          worst = Conflict::in_a_warp;
      }
    }
    return worst;
  }

  std::unordered_map<Var, Buffer> buffers_;
};

class Barriers {
 public:
  Barriers(Arena& arena, const Block& task) : accesses_(arena, task) {}

  Block operator()(const Block& task) { return in_order(task, {}, false); }

 private:
  // Accesses since the last barrier of the block, and since the last one of the warps.
  struct Since {
    Pending block, warp;
    void add(const Touches& touches) { block.add(touches), warp.add(touches); }
  };

  // The statements of a task, or of a loop in it, after whose end others follow.
  Block in_order(const Block& body, Since since, bool in_loop) {
    std::vector<Touches> touches;
    for (const Stm& s : body) touches.push_back(accesses_.of(s));
    Block out;
    for (std::size_t i = 0; i < body.size(); ++i) {
      const auto* sync = std::get_if<Sync>(&body[i].op);
      if (sync == nullptr) {
        other(body[i], touches[i], since, out);
        continue;
      }
      bool known = true;
      std::size_t end = i + 1;
      for (; end < body.size() && !std::holds_alternative<Sync>(body[end].op); ++end)
        known &= !has_sync(body[end]);
      known &= end < body.size() || !in_loop;
      const std::span after(touches.data() + i + 1, end - i - 1);
      using Conflict = Pending::Conflict;
      const bool between_warps =
          sync->level == Level::block && (!known || since.block.with(after) == Conflict::between_warps);
      if (between_warps) {
        out.push_back(body[i]);
        since.block.clear(), since.warp.clear();
      } else if (!known || since.warp.with(after) != Conflict::none) {
        out.push_back({Sync{Level::warp}, body[i].line});
        since.warp.clear();
      }
    }
    return out;
  }

  void other(const Stm& s, const Touches& touched, Since& since, Block& out) {
    const auto* loop = std::get_if<For>(&s.op);
    const auto* repeat = std::get_if<While>(&s.op);
    if (!has_sync(s) || (loop == nullptr && repeat == nullptr)) {
      since.add(touched);
      out.push_back(s);
      return;
    }
    if (repeat != nullptr)
      for (const Stm& h : repeat->head) since.add(accesses_.of(h));
    const Block& body = loop != nullptr ? loop->body : repeat->body;
    // The last barrier of a round stays: after it comes the next round, or what follows the loop.
    const auto* last = body.empty() ? nullptr : std::get_if<Sync>(&body.back().op);
    Since at_start = since;
    const bool ends_ordered = last != nullptr && last->level == Level::block;
    if (!ends_ordered) at_start.add(touched);
    Block inner = in_order(body, at_start, true);
    if (!ends_ordered) since.add(touched);
    if (loop != nullptr)
      out.push_back({For{loop->name, loop->begin, loop->end, loop->step, std::move(inner)}, s.line});
    else
      out.push_back({While{repeat->head, repeat->condition, std::move(inner)}, s.line});
  }

  static bool has_sync(const Stm& s) {
    bool found = false;
    for_each_stm({s}, [&](const Stm& inner) { found |= std::holds_alternative<Sync>(inner.op); });
    return found;
  }

  Accesses accesses_;
};

// The bytes of a block that arrays take.
class TakenBytes {
 public:
  TakenBytes(const Arena& arena, const Block& task) {
    for_each_stm(task, [&](const Stm& s) {
      const auto* array = std::get_if<Allocate>(&s.op);
      if (array == nullptr || array->offset < 0) return;
      const auto element = static_cast<std::int64_t>(size_of(arena.info(array->buffer).type.kind));
      taken_[array->buffer] = {array->offset,
                               array->offset + static_cast<std::int64_t>(array->n.bits()) * element};
    });
  }
  bool may_share(const Stm& array, const Stm& user) const {
    const auto mine = taken_.find(std::get<Allocate>(array.op).buffer);
    if (mine == taken_.end()) return true;
    const Names names = names_of({user});
    return std::ranges::any_of(taken_, [&](const auto& other) {
      const auto& [var, bytes] = other;
      return (names.reads.contains(var) || names.stores.contains(var)) && bytes.first < mine->second.second &&
             mine->second.first < bytes.second;
    });
  }

 private:
  std::unordered_map<Var, std::pair<std::int64_t, std::int64_t>> taken_;
};

// Par statements of equal size that follow each other: each thread does what it did. Arrays that begin
// between the two begin before them.
Block joined(Arena& arena, const TakenBytes& places, const Block& body) {
  Block out;
  for (const Stm& s : body) {
    const auto* par = std::get_if<Par>(&s.op);
    std::size_t before = out.size();  // where the last Par may be
    while (par != nullptr && before > 0 && std::holds_alternative<Allocate>(out[before - 1].op)) --before;
    const Par* last = before == 0 ? nullptr : std::get_if<Par>(&out[before - 1].op);
    bool fits = par != nullptr && last != nullptr && par->level == Level::block &&
                last->level == Level::block && last->n == par->n;
    for (std::size_t i = before; fits && i < out.size(); ++i)
      fits = !places.may_share(out[i], out[before - 1]);
    if (!fits) {
      Parts parts;
      parts.block = [&](const Block& inner) { return joined(arena, places, inner); };
      out.push_back(par != nullptr ? s : map_children(s, parts));
      continue;
    }
    const auto at = out.begin() + static_cast<std::ptrdiff_t>(before);
    std::rotate(at - 1, at, out.end());
    Par& grown = std::get<Par>(out.back().op);
    const Block more = substitute(arena, par->body, {{par->name, arena.name(grown.name)}});
    grown.body.insert(grown.body.end(), more.begin(), more.end());
  }
  return out;
}

}  // namespace

const kernel::Pass barriers{
    .name = "barriers",
    .description =
        "barriers that order nothing go, those within a warp are weakened, neighbouring Pars are joined",
    .run = kernel::on_grids<[](Arena& arena, const Block& body) {
      return joined(arena, TakenBytes(arena, body), Barriers(arena, body)(body));
    }>,
    .is_optional = true};

}  // namespace fulgurite::tidy
