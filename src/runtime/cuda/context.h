// The primary context of a CUDA device: the one that CUDA's own libraries use, so that memory and streams of
// theirs and ours may meet. It lives while the device or a kernel of ours needs it.
#pragma once

#include "runtime/cuda/catalogue.h"
#include "runtime/cuda/driver.h"

namespace fulgurite::runtime::cuda {

class Context {
 public:
  // `driver` outlives the context.
  Context(const Driver& driver, const DeviceEntry& device);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const Driver& driver() const { return driver_; }

  // Makes a context that of the calling thread for as long as this lives. Where that fails, so does the next
  // call of the driver, which says why.
  class Current {
   public:
    explicit Current(const Context& context) noexcept;
    ~Current();
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;

   private:
    const Driver& driver_;
    const bool is_pushed_;
  };

 private:
  const Driver& driver_;
  const DeviceId device_;
  ContextId id_ = nullptr;
};

}  // namespace fulgurite::runtime::cuda
