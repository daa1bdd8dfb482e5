// Commands that tests run as processes of their own.
#pragma once

#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace test {

struct Outcome {
  int status = -1;  // -1: ended by a signal
  std::string out;  // what it printed, errors too
};

inline std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Runs a command of the shell; what it prints goes through the file `out`.
inline Outcome shell(const std::string& command, const std::filesystem::path& out) {
  const int status = std::system(("{ " + command + "; } >'" + out.string() + "' 2>&1 </dev/null").c_str());
  const bool by_signal = !WIFEXITED(status) || WEXITSTATUS(status) >= 128;
  return {by_signal ? -1 : WEXITSTATUS(status), text_of(out)};
}

}  // namespace test
