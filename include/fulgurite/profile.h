// What a program spends its time on, as a file for chrome://tracing and Perfetto: tracing, each pass, each
// kernel's compilation, transfers, and kernels with the operations and the user's line that they are of, the
// bytes that they move and how fast; on the CPU also what each thread ran of them.
#pragma once

#include <fulgurite/abi.h>

#include <string>

#pragma GCC visibility push(default)

namespace fulgurite {

/// A profile of this process, which begins with the object and ends with it, or with write(). Meanwhile each
/// kernel is waited for, so that a trace shows when it ran. Of several ranks there is one profile: all make
/// it and end it together, and the first one writes the file.
class [[nodiscard]] Profile {
 public:
  /// Throws FormatError if the file's folder cannot be written to, or while there is another profile.
  explicit Profile(std::string path);
  /// write(), unless that was called; what it would throw goes to the log (log.h). Where an exception leaves
  /// the block, the profile ends without a file: other ranks may not come here.
  ~Profile();
  Profile(const Profile&) = delete;
  Profile& operator=(const Profile&) = delete;

  /// Ends the profile and writes the file. Throws FormatError if it cannot be written. Again: does nothing.
  void write();

 private:
  std::string path_;
  bool is_over_ = false;
  int n_exceptions_;
};

/// A profile until the end of the block:
///   const auto profile = fg::profile("trace.json");
inline Profile profile(std::string path) {
  return Profile(static_cast<std::string&&>(path));
}

}  // namespace fulgurite

#pragma GCC visibility pop
