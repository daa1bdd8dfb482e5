#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "../../programs/kept.h"
#include "../../simplify/pass_file.h"
#include "../../soac/semantics_rows.h"
#include "replayed.h"
#include "sections.h"
#include "soac/parse.h"

namespace fulgurite::testing_replay {
namespace {

namespace fs = std::filesystem;

const fs::path tests = fs::path(FULGURITE_TEST_DATA) / "..";

std::vector<fs::path> soac_files(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".soac") files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

void add_files_of_passes(std::vector<ArrayProgram>& all) {
  for (const char* folder : {"fuse", "simplify", "soac"})
    for (const fs::path& path : soac_files(tests / folder))
      all.push_back({path.stem().string(), soac::parse(testing::read_pass_file(path).before)});
}

}  // namespace

std::vector<ArrayProgram> programs_of_files() {
  std::vector<ArrayProgram> all;
  add_files_of_passes(all);
  for (const soac::SemanticsRow& row : soac::semantics_rows())
    all.push_back({row.name, soac::parse(row.program)});
  for (const fs::path& path : soac_files(tests / "programs" / "kept"))
    all.push_back({path.stem().string(), programs::kept_program(path).program});
  for (const char* file : {"traced.soac", "drawn.soac"})
    for (const Section& section : sections(fs::path(FULGURITE_TEST_DATA) / "replay" / file))
      all.push_back({section.name, soac::parse(section.text),
                     section.name.ends_with(" strict") ? Precision::strict : Precision::fast});
  return all;
}

}  // namespace fulgurite::testing_replay
