// Files that say what passes make of a program:
//   # passes: simplify fuse
//   # structure: soac 1, map 1, reduce 0, redomap 0, if 0, loop 0, check 0, arrays 0        as
//   soac::to_string(Counts) begins program ... # becomes program ...
// The structure, or the program after `# becomes`, may be left out.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "soac/check.h"
#include "soac/count.h"
#include "soac/parse.h"
#include "soac/pass.h"
#include "soac/print.h"

namespace fulgurite::testing {

struct PassFile {
  std::vector<std::string> passes;
  std::string structure, before, after;
};

inline PassFile read_pass_file(const std::filesystem::path& path) {
  PassFile file;
  std::ifstream in(path);
  bool is_after = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("# passes: ")) {
      std::istringstream words(line.substr(10));
      for (std::string word; words >> word;) file.passes.push_back(word);
    } else if (line.starts_with("# structure: ")) {
      file.structure = line.substr(13);
    } else if (line == "# becomes") {
      is_after = true;
    }
    (is_after ? file.after : file.before) += line + "\n";
  }
  return file;
}

/// The files of a folder by their names.
inline std::set<std::string> pass_files(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".soac") names.insert(entry.path().stem());
  return names;
}

inline soac::Program run(const std::vector<const soac::Pass*>& passes, soac::Program program,
                         soac::PassContext& context) {
  for (const soac::Pass* pass : passes) {
    program = pass->run(std::move(program), context);
    soac::check(program, pass->name);
  }
  return program;
}

/// Runs the file's passes and compares. Gives the program after them.
inline soac::Program expect_pass_file(const std::filesystem::path& path,
                                      const std::vector<const soac::Pass*>& known) {
  const PassFile file = read_pass_file(path);
  std::vector<const soac::Pass*> passes;
  for (const std::string& name : file.passes)
    for (const soac::Pass* pass : known)
      if (pass->name == name) passes.push_back(pass);
  EXPECT_EQ(passes.size(), file.passes.size()) << "a pass is not known";
  soac::PassContext context;
  soac::Program program = run(passes, soac::parse(file.before, path), context);
  const std::string text = soac::print(program, {.locations = false});
  EXPECT_TRUE(soac::to_string(soac::count(program)).starts_with(file.structure))
      << soac::to_string(soac::count(program)) << "\n"
      << text;
  if (!file.after.empty()) {
    EXPECT_EQ(soac::canonical(program), soac::canonical(soac::parse(file.after, path))) << text;
  }
  return program;
}

}  // namespace fulgurite::testing
