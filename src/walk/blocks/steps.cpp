#include "walk/blocks/steps.h"

#include "base/match.h"
#include "schedule/nest.h"
#include "schedule/rewrites/operators.h"
#include "schedule/rewrites/slice.h"
#include "schedule/rewrites/steps.h"
#include "soac/outputs.h"
#include "soac/rename.h"
#include "walk/operators.h"

namespace fulgurite::walk::blocks {

using schedule::Unit;

Numbers numbers_of(const schedule::Nest& nest) {
  Numbers numbers;
  numbers.by_number = nest.axes[0].by_number;
  numbers.has_tiles = schedule::innermost(nest, Unit::sequence) != nullptr;
  const std::int64_t together = schedule::size_by(nest, Unit::registers, 1);
  if (numbers.has_tiles)
    numbers.items = static_cast<int>(together);
  else
    numbers.neighbours = together;
  for (const schedule::Combine& combine : nest.combines)
    for (const schedule::Combine::Level& level : combine.levels)
      if (level.how == schedule::Join::chain) numbers.chain = level.n;
  return numbers;
}

Steps::Steps(const Emitter& e, const soac::Stm& s, const Block& block, int items,
             const Running::Groups& entry, std::span<const Update> updates)
    : e_(e),
      arena_(e.arena()),
      s_(s),
      op_(std::get<soac::Soac>(s.op)),
      threads_(block.threads),
      tile_(std::int64_t{block.threads} * items) {
  read_once();
  add_scans(entry);
  add_reductions();
  find_last(updates);
}

void Steps::read_once() {
  for (Expr e : schedule::read_again(op_)) {
    Read read{e, arena_.fresh(e.type(), "again"), e_.allocate_shared(e.kind(), tile_)};
    again_by_node_.emplace(e.id(), again_.size());
    again_.push_back(read);
  }
}

void Steps::add_scans(const Running::Groups& entry) {
  const std::vector<const soac::Stm*> scans = schedule::scans_of(op_.body);
  const std::vector<int> levels = schedule::levels_of(op_.body);
  for (std::size_t k = 0; k < scans.size(); ++k) {
    const auto& scan = std::get<soac::Scan>(scans[k]->op);
    level_of_scan_.emplace(scans[k]->names[0], levels[k]);
    Level& level = at(levels[k]);
    parts::Ordered o{operator_of(e_, scan.reduction), {}, {}, {}, true, scan.inclusive};
    std::vector<Expr> operands = scan.operands;
    // Without shuffles it may be PoCL 3.1, which computes wrong values with such counts.
    if (e_.context().has_shuffles && schedule::counts_little(scan)) {
      operands[0] = cast(operands[0], Kind::i32);
      o.in_tile =
          operator_of(e_, schedule::reduction_by(arena_, scalar::Op::add, arena_.constant(Kind::i32, 0)));
    }
    add(o, level, entry[k], operands);
    scanned_.push_back(o.so_far);
    std::vector<Expr> names;
    for (Var name : scans[k]->names) {
      names.push_back(arena_.fresh(arena_.info(name).type, arena_.info(name).name));
      scan_values_.emplace(name, names.back());
    }
    level.groups.push_back(std::move(o));
    level.names.push_back(std::move(names));
  }
}

void Steps::add_reductions() {
  for (const soac::OutputView::Reduced& r : soac::view_of(op_).reductions) {
    if (!schedule::in_order(r.by)) continue;
    Level& level = at(schedule::level_of(op_.body, r.operands, level_of_scan_));
    parts::Ordered o{operator_of(e_, r.by), {}, {}, {}};
    add(o, level, e_.lower(r.by.neutral), r.operands);
    folded_.push_back(o);
    level.groups.push_back(std::move(o));
    level.names.emplace_back();
  }
}

Steps::Level& Steps::at(int level) {
  const auto number = static_cast<std::size_t>(level);
  if (levels_.size() <= number) levels_.resize(number + 1);
  return levels_[number];
}

// The components get memory. A Scan's values become what it binds; equal values of reductions share theirs.
void Steps::add(parts::Ordered& o, Level& level, std::span<const Expr> start,
                std::span<const Expr> operands) {
  for (std::size_t k = 0; k < start.size(); ++k) {
    o.so_far.push_back(e_.declare(start[k], "so_far"));
    const auto same = folded_values_.find(operands[k].id());
    if (!o.is_scan && same != folded_values_.end()) {
      o.values.push_back(same->second);
    } else {
      o.values.push_back(e_.allocate_shared(operands[k].kind(), tile_));
      level.operands.push_back(operands[k]);
      level.buffers.push_back(o.values.back());
      if (!o.is_scan) folded_values_.emplace(operands[k].id(), o.values.back());
    }
    o.totals.push_back(e_.allocate_shared(operands[k].kind(), threads_));
  }
}

void Steps::find_last(std::span<const Update> updates) {
  last_ = rest_of(e_, s_, updates, tile_);
  soac::Outputs outputs = soac::take_outputs(last_.stm);
  if (is_one_step()) {
    for (Expr value : levels_[0].operands)
      outputs.mapped.push_back({value, arena_.fresh_array(value.kind(), {arena_.i64(0)}, "staged").var()});
  } else if (!levels_.empty()) {
    const std::vector<bool> early = schedule::are_early(op_);
    for (std::size_t k = early.size(); k-- > 0;) {
      if (!early[k]) continue;
      early_.push_back(outputs.mapped[k]);
      outputs.mapped.erase(outputs.mapped.begin() + static_cast<std::ptrdiff_t>(k));
    }
  }
  last_.stm = soac::with_outputs(std::move(last_.stm), std::move(outputs));
  soac::Lambda& body = std::get<soac::Soac>(last_.stm.op).body;
  body = part(body.results, levels_.empty() || is_one_step());
}

// The part of the body that these results need, with the Scans' values for the Scans; and unless it comes
// first, with what has been read before.
soac::Lambda Steps::part(std::vector<Expr> results, bool is_first) const {
  soac::Lambda f = schedule::slice(arena_, op_.body, std::move(results));
  std::erase_if(f.body, [](const soac::Stm& s) { return base::as<soac::Scan>(s.op) != nullptr; });
  if (is_first || (scan_values_.empty() && again_.empty())) return f;
  scalar::Substitution substitute(arena_, [&](Expr e) {
    const auto read = again_by_node_.find(e.id());
    if (read != again_by_node_.end()) return again_[read->second].name;
    const auto found = e.is_name() ? scan_values_.find(e.var()) : scan_values_.end();
    return found == scan_values_.end() ? Expr() : found->second;
  });
  soac::substitute_in(f, substitute);
  return f;
}

soac::Stm Steps::operands_of(std::size_t level) const {
  const bool is_first = level == 0;
  std::vector<Expr> results = levels_[level].operands;
  if (is_first)
    for (const Read& read : again_) results.push_back(read.element);
  soac::Stm s{{}, {}, s_.where, s_.origin};
  name_staged(s, results);
  if (is_first)
    for (const soac::Mapped& mapped : early_) {
      s.names.push_back(mapped.array);
      results.push_back(mapped.result);
    }
  s.op = soac::Soac{op_.dims, part(std::move(results), is_first)};
  return s;
}

void Steps::name_staged(soac::Stm& s, std::span<const Expr> values) const {
  for (Expr value : values)
    s.names.push_back(arena_.fresh_array(value.kind(), {arena_.i64(0)}, "staged").var());
}

void Steps::place(const Emitter& e, std::span<const Var> names, std::size_t level, Expr base) const {
  for (std::size_t k = 0; k < names.size(); ++k)
    e.set_destination(names[k], {levels_[level].buffers[k], base});
}

void Steps::place_operands(const Emitter& e, const soac::Stm& step, std::size_t level, Expr base) const {
  std::size_t next = levels_[level].operands.size();
  place(e, std::span(step.names).first(next), level, base);
  if (level == 0)
    for (const Read& read : again_) e.set_destination(step.names[next++], {read.buffer, base});
}

void Steps::place_last(const Emitter& e, Expr base) const {
  for (const Posts& posts : last_.posts)
    for (std::size_t k = 0; k < posts.names.size(); ++k)
      e.set_destination(posts.names[k], {posts.buffers[k], base});
  if (is_one_step()) place(e, std::span(last_.stm.names).last(levels_[0].operands.size()), 0, base);
}

void Steps::bind_staged(const Emitter& e, std::span<const Before> before, Expr at) const {
  for (const Read& read : again_)
    if (!before.empty()) e.bind_name(read.name.var(), e.load_plain(read.buffer, at, "again"));
  for (std::size_t l = 0; l < before.size(); ++l)
    for (std::size_t g = 0; g < levels_[l].groups.size(); ++g)
      for (std::size_t k = 0; k < levels_[l].names[g].size(); ++k) {
        const parts::Ordered& group = levels_[l].groups[g];
        const Expr name = levels_[l].names[g][k], value = e.load_plain(group.values[k], at, "scanned");
        const Expr whole = group.in_tile ? before[l][g][k] + cast(value, name.kind()) : value;
        e.bind_name(name.var(), e.lower(whole));
      }
}

}  // namespace fulgurite::walk::blocks
