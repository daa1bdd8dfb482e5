// An engine's devices, one object each for the whole process, and the queue that the user wants for the one
// that programs run on where they do not say: that is said before any device is made.
#pragma once

#include <fulgurite/error.h>

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace fulgurite::runtime {

template <class Device, class Queue>
class SharedDevices {
 public:
  // `queue`, not null, is of the device with that number. Throws DeviceError once there is a device.
  void set_queue(Queue queue, const std::string& engine, int number) {
    const std::lock_guard lock(mutex_);
    if (!devices_.empty())
      throw DeviceError("the engine " + engine + " is in use: call use_queue before anything runs on it");
    queue_ = queue;
    usual_ = number;
  }

  // The device with the number `wanted`, or, if that is negative, that of the user's queue, or without one
  // choose(). It is made by make(number, queue), with a null queue unless it is that of the user's queue, and
  // never destroyed: arrays may outlive everything, and at exit the driver may be gone before us. What throws
  // is tried again by the next call.
  template <class Choose, class Make>
  Device& get(int wanted, const Choose& choose, const Make& make) {
    const std::lock_guard lock(mutex_);
    if (!usual_ && wanted < 0) usual_ = choose();
    const int number = wanted < 0 ? *usual_ : wanted;
    if (const auto known = devices_.find(number); known != devices_.end()) return *known->second;
    std::unique_ptr<Device> device(make(number, usual_ == number ? queue_ : nullptr));
    devices_.emplace(number, device.get());
    return *device.release();
  }

 private:
  std::mutex mutex_;
  Queue queue_ = nullptr;
  std::optional<int> usual_;
  std::map<int, Device*> devices_;
};

}  // namespace fulgurite::runtime
