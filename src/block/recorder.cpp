#include "block/recorder.h"

#include <fulgurite/error.h>

namespace fulgurite::detail::block {
namespace {

thread_local Recorder* innermost = nullptr;

}  // namespace

Recorder::Recorder(const std::string& name, const Here& at)
    : where(at), code(name), outer_(std::exchange(innermost, this)) {
  made->ir.name = name;
}

Recorder::~Recorder() {
  innermost = outer_;
}

Recorder& Recorder::current(const Here& where) {
  if (innermost == nullptr)
    throw TraceError(
        "no kernel is being recorded here: sync, par and what is built from them stand inside the function "
        "that is given to kernel()",
        where);
  return *innermost;
}

Recorder* Recorder::if_any() {
  return innermost;
}

Expr Recorder::in_array(std::int64_t block, const Value& index) {
  scalar::Arena& arena = code.arena();
  const Expr i = code.tracer().expr(index, where);
  return block == 0 ? i : arena.add(arena.mul(launch.block_number, arena.i64(block)), i);
}

Value Recorder::exists(Expr extent, const Value& index) {
  scalar::Arena& arena = code.arena();
  const Expr i = code.tracer().expr(index, where);
  const Expr is_below = arena.lt(i, extent), is_number = arena.le(arena.i64(0), i);
  return code.tracer().value(arena.logical_and(is_number, is_below));
}

}  // namespace fulgurite::detail::block
