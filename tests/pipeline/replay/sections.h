// Files of many programs: each begins with a line that says `# `, its name.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace fulgurite::testing_replay {

struct Section {
  std::string name, text;
};

inline std::vector<Section> sections(const std::filesystem::path& path) {
  std::vector<Section> all;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("# "))
      all.push_back({line.substr(2), ""});
    else if (!all.empty())
      all.back().text += line + "\n";
  }
  return all;
}

}  // namespace fulgurite::testing_replay
