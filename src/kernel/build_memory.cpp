#include <algorithm>

#include "kernel/code.h"

namespace fulgurite::kernel {

Var Builder::allocate(Space space, Kind kind, std::int64_t n, std::string name) const {
  Expr buffer = arena().fresh_array(kind, {arena().i64(n)}, std::move(name));
  code_->own_buffers[buffer.var()] = code_->depth();
  append(Allocate{buffer.var(), space, arena().i64(n)});
  return buffer.var();
}

Var Builder::allocate_shared(Kind kind, std::int64_t n) const {
  return allocate(Space::shared, kind, n, "shared");
}

void Builder::set_update(Var buffer) const {
  code_->updates.insert(buffer);
}

Expr Builder::load(Var buffer, Expr index, Expr mask, std::string_view name, std::size_t from) const {
  buffer = code_->buffer(buffer, Param::Role::input);
  Expr loaded = arena().fresh({arena().info(buffer).type.kind}, std::string(name));
  const auto own = code_->own_buffers.find(buffer);
  const bool is_own = own != code_->own_buffers.end();
  if (is_own) from = std::max(from, own->second);
  std::size_t at = code_->depth();
  // Out of the iterations of scalar loops that it does not depend on.
  if (!mask && !guard())
    while (at > std::max(code_->depth_of(index), from) && code_->open[at].enclosure == Enclosure::iteration)
      --at;
  code_->depths[loaded.var()] = at;
  const Expr touched = is_own ? Expr() : context_->touching;
  code_->open[at].statements.push_back(
      {Load{loaded.var(), {buffer, index, arena().i64(1), mask}, touched}, context_->line});
  return loaded;
}

Expr Builder::load_plain(Var buffer, Expr index, std::string_view name) const {
  buffer = code_->buffer(buffer, Param::Role::input);
  Expr loaded = fresh({arena().info(buffer).type.kind}, name);
  append(Load{loaded.var(), {buffer, index, arena().i64(1), {}}});
  return loaded;
}

std::size_t Builder::written_at(Expr node) const {
  if (code_->outside.reads_early) return 0;
  std::size_t at = code_->depth();
  while (at > 0 && code_->open[at].first_node > node.id()) --at;
  return at;
}

void Builder::store(Var buffer, Expr index, Expr value) const {
  const bool stays_in_cache = code_->own_buffers.contains(buffer);
  if (!context_->streaming || stays_in_cache) return store_plain(buffer, index, value);
  const Access to{code_->buffer(buffer, Param::Role::output), index, arena().i64(1), {}};
  append(If{context_->streaming, {{Store{to, value, true}}}, {{Store{to, value, false}}}});
}

void Builder::store_plain(Var buffer, Expr index, Expr value, Expr mask) const {
  buffer = code_->buffer(buffer, Param::Role::output);
  append(Store{{buffer, index, arena().i64(1), mask}, value, false});
}

void Builder::prefetch(Var buffer, Expr index, int n, Expr per_task, Expr end) const {
  buffer = code_->buffer(buffer, Param::Role::input);
  append(Prefetch{buffer, index, n, lower(per_task), lower(end)});
}

Expr Builder::atomic(Atomic operation, std::string_view name) const {
  operation.at.buffer = code_->buffer(operation.at.buffer, Param::Role::output);
  Expr old = fresh(operation.value.type(), name);
  operation.name = old.var();
  append(std::move(operation));
  return old;
}

void Builder::atomic(Atomic operation) const {
  operation.at.buffer = code_->buffer(operation.at.buffer, Param::Role::output);
  append(std::move(operation));
}

void Builder::pack(Var next, Expr keep, std::span<const Var> buffers, std::vector<Expr> values) const {
  Pack statement{next, keep, {}, std::move(values)};
  for (Var buffer : buffers) statement.buffers.push_back(code_->buffer(buffer, Param::Role::output));
  append(std::move(statement));
}

}  // namespace fulgurite::kernel
