// A recorded kernel as text: source code of each language, the kernel IR, a picture.
#include "block/block_kernel.h"
#include "block/network.h"
#include "emit/dialect.h"
#include "emit/printer.h"
#include "kernel/print.h"
#include "runtime/cpu/device.h"
#include "tidy/passes.h"

namespace fulgurite::detail::block {
namespace {

std::string text_for_cpu(const Kernel& k) {
  const int vector_bytes = runtime::cpu::CpuDevice::shared().describe().vector_bytes;
  return emit::print(tidy::run(tidy::Route::user_on_cpu, k.contracted, {.vector_bytes = vector_bytes}),
                     emit::c);
}

}  // namespace

std::string text(const Kernel& k, const char* language) {
  const std::string_view wanted = language;
  if (wanted == "ir") return kernel::print(k.contracted);
  if (wanted == "cuda") return emit::print(k.contracted, emit::cuda);
  if (wanted == "opencl") return emit::print(k.contracted, emit::opencl);
  return text_for_cpu(k);
}

std::string drawing(const Kernel& k, std::span<const kernel::PictureFrame> frames) {
  return fulgurite::block::draw(fulgurite::block::network_of(k.ir), k.ir.name, frames);
}
int depth(const Kernel& k) {
  return fulgurite::block::network_of(k.ir).depth;
}

}  // namespace fulgurite::detail::block
