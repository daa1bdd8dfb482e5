// The queue that the user wants an engine's device to be made with, said before it is made.
#pragma once

#include <fulgurite/error.h>

#include <mutex>
#include <string>

namespace fulgurite::runtime {

template <class Queue>
class UsersQueue {
 public:
  // Throws DeviceError once there is a device.
  void set(Queue queue, const std::string& engine) {
    const std::lock_guard lock(mutex_);
    if (has_device_)
      throw DeviceError("the engine " + engine + " is in use: call use_queue before anything runs on it");
    queue_ = queue;
  }

  // make(queue), of null where none is wanted; a device that could not be made may be tried again.
  template <class Make>
  auto make_device(const Make& make) {
    const std::lock_guard lock(mutex_);
    auto device = make(queue_);
    has_device_ = true;
    return device;
  }

 private:
  std::mutex mutex_;
  Queue queue_ = nullptr;
  bool has_device_ = false;
};

}  // namespace fulgurite::runtime
