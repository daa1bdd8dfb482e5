#include "lower/results.h"

#include <algorithm>

#include "soac/walk.h"

namespace fulgurite::lower {

using soac::Layout;

Results::Results(Launches& launches, const Emitter& e, const soac::Stm& original, const soac::Stm& s)
    : launches_(launches),
      arena_(launches.arena()),
      host_(launches.host()),
      e_(e),
      original_(original),
      s_(s),
      op_(std::get<soac::Soac>(s.op)),
      layout_(soac::layout_of(op_)) {
  soac::Vars read;
  soac::add_mentioned(op_.body, read);
  for (const Layout::Part& part : layout_.scatters)
    for (Var array : names(part)) {
      if (is_original(array)) arrays_.push_back(array);
      if (read.contains(array)) e_.set_update(array);
    }
  for (const Layout::Part& part : layout_.partitions) {
    const auto bound = names(part);
    arrays_.push_back(bound[1]);
    sorted_.insert(sorted_.end(), bound.begin() + 2, bound.end());
  }
  for (Var array : names(layout_.mapped)) arrays_.push_back(array);
  const Expr n_points = launches_.product(op_.dims);
  Expr filtered = i64(0);
  written_ = i64(0);
  for (Var array : arrays_) written_ = arena_.add(written_, launches_.bytes(array));
  for (std::size_t g = 0; g < op_.partitions.size(); ++g) {
    const auto bound = names(layout_.partitions[g]);
    for (Var array : bound.subspan(2)) {
      const auto size = static_cast<std::int64_t>(size_of(arena_.info(array).type.kind));
      Expr& bytes = op_.partitions[g].classes.is_constant(1) ? filtered : written_;
      bytes = arena_.add(bytes, arena_.mul(n_points, i64(size)));
    }
  }
  written_ = arena_.add(written_, filtered);
  for (Var array : arrays_) e_.set_destination(array, {array, {}});
  for (Var array : sorted_) e_.set_destination(array, {array, {}});
}

bool Results::is_original(Var name) const {
  return std::ranges::find(original_.names, name) != original_.names.end();
}

void Results::allocate(std::span<const Var> temporaries) {
  for (Var array : arrays_)
    if (std::ranges::find(copies_, array, &Copy::array) == copies_.end()) launches_.allocate(array);
  const std::vector<Expr> capacity{launches_.product(op_.dims)};
  for (Var array : sorted_) launches_.allocate(array, capacity);
  for (Var array : temporaries) launches_.allocate(array);
  for (const Copy& copy : copies_) {
    const scalar::VarInfo& info = arena_.info(copy.array);
    const plan::Place to = host_.fresh_place();
    const plan::Slot fresh = host_.fresh_slot();
    host_.bind(copy.fresh.var(), fresh);
    host_.append(plan::Reuse{to, host_.place(copy.from), info.type.kind, host_.slots(info.shape), fresh,
                             false, launches_.memory_site()});
    host_.bind_place(copy.array, to);
  }
}

void Results::launch(kernel::Block phases, std::span<const Expr> tasks, std::span<const Var> temporaries,
                     LaunchNote note) {
  allocate(temporaries);
  Expr read = i64(0);
  for (const Emitter::FreeBuffer& buffer : e_.free_buffers())
    if (buffer.param.role == kernel::Param::Role::input)
      read = arena_.add(read, launches_.bytes(buffer.array));
  // In explanations as if all was copied; in the plan as it is.
  Expr written = written_, copied = i64(0);
  const Expr n_points = launches_.product(op_.dims);
  for (const Copy& copy : copies_) {
    const Kind kind = arena_.info(copy.array).type.kind;
    Expr stored = arena_.mul(n_points, i64(static_cast<std::int64_t>(size_of(kind))));
    const Expr bytes = launches_.bytes(copy.array);
    Expr spared = arena_.mul(arena_.sub(i64(1), copy.fresh), bytes);
    copied = arena_.add(copied, spared);
    written = arena_.add(written, arena_.sub(stored, spared));
  }
  note.origin = s_.origin;
  note.where = s_.where;
  note.names = original_.names;
  note.bytes_read = read;
  note.bytes_written = written_;
  note.source = std::make_shared<LaunchSource>();
  note.source->stm = s_;
  for (const Copy& copy : copies_)
    note.source->copies.push_back({copy.array, copy.from, copy.fresh, host_.place(copy.array)});
  note.source->own.assign(temporaries.begin(), temporaries.end());
  const std::string name = note.launch->name;
  launches_.launch(name, e_, std::move(phases), tasks, arena_.sub(read, copied), written, std::move(note));
}

void Results::bind_scalars(std::span<const Var> totals, std::span<const Var> kept) {
  std::vector<Var> made(totals.begin(), totals.end()), bound;
  for (const Layout::Part& part : layout_.reductions)
    for (Var name : names(part)) bound.push_back(name);
  for (std::size_t g = 0; g < op_.partitions.size(); ++g) {
    made.push_back(kept[g]);
    bound.push_back(names(layout_.partitions[g])[0]);
  }
  launches_.bind_scalars(bound, made);
  for (const Layout::Part& part : layout_.partitions) {
    const auto arrays = names(part);
    for (std::size_t k = 2; k < arrays.size(); ++k)
      host_.append(plan::Shrink{host_.place(arrays[k]), host_.slot(arena_.name(arrays[0]))});
  }
}

}  // namespace fulgurite::lower
