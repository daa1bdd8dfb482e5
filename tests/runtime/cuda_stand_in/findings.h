// What the functions of the stand-in share: the machine, statuses that a test wants, and findings.
#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "machine.h"
#include "runtime/cuda/driver.h"

#define EXPORTED extern "C" [[gnu::visibility("default")]]

namespace fulgurite::runtime::test {

using cuda::Address;
using cuda::Attribute;
using cuda::ContextId;
using cuda::DeviceId;
using cuda::EventId;
using cuda::FunctionId;
using cuda::ModuleId;
using cuda::Status;
using cuda::StreamId;
namespace value = cuda::value;

// Statuses of the driver that the library knows by their texts only.
namespace status {
inline constexpr Status invalid_value = 1, invalid_image = 200, invalid_context = 201, not_found = 500,
                        illegal_address = 700, out_of_resources = 701, misaligned_address = 716,
                        launch_failed = 719;
}

CudaStandIn& machine();
using Lock = std::unique_lock<std::recursive_mutex>;

void note(std::string call);

// What a kernel or a copy did that it must not. The first one is kept until a call of the driver returns it.
struct Finding {
  Status status = status::launch_failed;
  std::string text;
};
void report(Finding finding);
// The status of the finding that nobody was told of, or success.
Status take_finding();
// What cuGetErrorString says of a status.
const char* text_of(Status status);

// The status that a test wants of this call.
std::optional<Status> wanted(const std::string& function);
// The status of a call that needs a context, if it is refused.
std::optional<Status> refused(const std::string& function);

// The contexts of this thread, the current one last.
std::vector<ContextId>& contexts_here();

template <class Id, class T>
Status make(Id* id, T* object) {
  *id = reinterpret_cast<Id>(object);
  ++machine().n_objects;
  return 0;
}

}  // namespace fulgurite::runtime::test
