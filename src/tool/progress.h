// What takes long is shown on a terminal while it lasts: "running rmse ... 12 s", on standard error, cleared
// at the end. Nothing is shown for what is over within a third of a second, or where standard error is not a
// terminal.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace fulgurite::tool {

class Progress {
 public:
  explicit Progress(std::string what);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

 private:
  void show();

  std::string what_;
  std::mutex mutex_;
  std::condition_variable over_;
  bool is_over_ = false;
  std::thread thread_;
};

}  // namespace fulgurite::tool
