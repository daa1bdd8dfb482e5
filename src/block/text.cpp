// A recorded kernel as text: source code of each language, the kernel IR, a picture.
#include "base/check.h"
#include "block/block_kernel.h"
#include "block/network.h"
#include "emit/printer.h"
#include "engines/engines.h"
#include "kernel/print.h"
#include "tidy/passes.h"

namespace fulgurite::detail::block {
namespace {

std::string text_for_lanes(const Kernel& k, const engines::Row& engine) {
  const int vector_bytes = engine.device(-1).describe().vector_bytes;
  return emit::print(tidy::run(tidy::Route::user_on_cpu, k.contracted, {.vector_bytes = vector_bytes}),
                     *engine.dialect);
}

}  // namespace

std::string text_for(const Kernel& k, const engines::Row& engine) {
  if (engine.dialect == nullptr) return kernel::print(k.contracted);
  return engine.runs_blocks ? emit::print(k.contracted, *engine.dialect) : text_for_lanes(k, engine);
}

std::string text(const Kernel& k, const char* language) {
  const std::string_view wanted = language;
  if (wanted == "ir") return kernel::print(k.contracted);
  const engines::Row* engine = engines::of_language(wanted);
  FULGURITE_CHECK(engine != nullptr, "no language '{}'", wanted);
  return text_for(k, *engine);
}

std::string drawing(const Kernel& k, std::span<const kernel::PictureFrame> frames) {
  return fulgurite::block::draw(fulgurite::block::network_of(k.ir), k.ir.name, frames);
}
int depth(const Kernel& k) {
  return fulgurite::block::network_of(k.ir).depth;
}

}  // namespace fulgurite::detail::block
