// Programs that were once wrong, kept as text: the program (soac/parse.h), a line that says `arguments`, and
// for each of its runs one line for each argument: its kind, its extents, `:`, the bits of its elements as
// numbers; a run ends with a line that says `run`.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>

#include "outcome.h"
#include "scalar/type.h"
#include "soac/parse.h"

namespace fulgurite::programs {

struct Kept {
  std::string name;
  soac::Program program;
  std::vector<std::vector<soac::Value>> arguments;
};

inline std::string text_of(const soac::Program& program,
                           const std::vector<std::vector<soac::Value>>& arguments) {
  std::ostringstream out;
  out << soac::print(program) << "arguments\n";
  for (const auto& run : arguments) {
    for (const soac::Value& value : run) {
      out << static_cast<int>(value.kind);
      for (std::int64_t extent : value.shape) out << ' ' << extent;
      out << " :";
      for (std::size_t i = 0; i < value.size(); ++i) out << ' ' << value.at(i);
      out << "\n";
    }
    out << "run\n";
  }
  return out.str();
}

inline Kept kept_program(const std::filesystem::path& path) {
  std::ifstream in(path);
  Kept kept{path.stem(), {}, {}};
  std::string text;
  for (std::string line; std::getline(in, line) && line != "arguments";) text += line + "\n";
  kept.program = soac::parse(text, kept.name);
  std::vector<soac::Value> run;
  for (std::string line; std::getline(in, line);) {
    if (line == "run") {
      kept.arguments.push_back(std::exchange(run, {}));
      continue;
    }
    std::istringstream words(line);
    int kind = 0;
    words >> kind;
    soac::Value value{static_cast<scalar::Kind>(kind), {}, {}};
    std::size_t n = 1;
    for (std::string word; words >> word && word != ":";) {
      value.shape.push_back(std::stoll(word));
      n *= static_cast<std::size_t>(value.shape.back());
    }
    value.bytes.resize(n * scalar::size_of(value.kind));
    for (std::size_t i = 0; i < n; ++i) {
      scalar::Bits bits = 0;
      words >> bits;
      value.set(i, bits);
    }
    run.push_back(std::move(value));
  }
  return kept;
}

inline std::vector<Kept> all_kept() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(FULGURITE_TEST_DATA "/kept"))
    if (entry.path().extension() == ".soac") paths.push_back(entry.path());
  std::ranges::sort(paths);
  std::vector<Kept> all;
  for (const auto& path : paths) all.push_back(kept_program(path));
  return all;
}

}  // namespace fulgurite::programs
