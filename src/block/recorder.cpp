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
  const Expr i = code.tracer().expr(index, where);
  return block == 0 ? i : launch.block_number * block + i;
}

Value Recorder::exists(Expr extent, const Value& index) {
  const Expr i = code.tracer().expr(index, where);
  const Expr is_below = i < extent, is_number = 0 <= i;
  return code.tracer().value(is_number & is_below);
}

}  // namespace fulgurite::detail::block
