// Structs of emitted headers, as C and C++ compilers take them, and what their converters do.
#include <fulgurite/emitted.h>
#include <fulgurite/fulgurite.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace {

namespace fg = fulgurite;
namespace fs = std::filesystem;
using fg::Exp, fg::Vec;

struct Place {
  double x;
  bool is_known;
  float y;
};
Vec<Place> moved(Vec<Place> places) {
  return fg::map(
      [](Exp<Place> place) {
        auto [x, is_known, y] = place;
        return fg::make<Place>(x + 1.0, is_known, y);
      },
      places);
}

const std::vector<std::string> components = {"x", "is_known", "y"};

std::string header(const fg::EmittedProgram& program) {
  fg::EmitOptions options;
  options.levels = {"x86-64-v2"};
  for (const fg::EmittedFile& file : fg::emitted({program}, fg::Target::c, options))
    if (file.name.ends_with(".h") && file.name != "fulgurite_c.h") return file.text;
  return {};
}

constexpr const char* application = R"(
#include <stdbool.h>
#ifdef USERS
struct users { float y; int other; double x; bool is_known; };
#define MOVED_PLACES_STRUCT struct users
#endif
#include HEADER
int main(void) {
  moved_places places[3], back[3];
  moved_there there[1];
  double x[3];
  bool is_known[3];
  float y[3];
  for (int i = 0; i < 3; ++i) {
    places[i].x = i;
    places[i].is_known = i == 1;
    places[i].y = (float)(10 * i);
  }
  moved_places_split(places, 3, x, is_known, y);
  moved_places_join(x, is_known, y, 2, back);
  moved_there_join(x + 2, is_known + 2, y + 2, 1, there);
  back[2] = there[0];
  for (int i = 0; i < 3; ++i)
    if (x[i] != i || back[i].x != i || back[i].is_known != (i == 1) || back[i].y != (float)(10 * i)) return 1;
  return 0;
}
)";

void expect_converters(fg::Target target, const std::string& header, const std::string& includes,
                       const std::vector<std::string>& compilers) {
  std::string name = (fs::temp_directory_path() / "fulgurite_structs_XXXXXX").string();
  const fs::path folder = mkdtemp(name.data());
  fg::EmitOptions options;
  options.levels = {"x86-64-v2"};
  for (const fg::EmittedFile& file :
       fg::emitted({{"moved", moved, {{"places", components}}, {{"there", components}}}}, target, options))
    std::ofstream(folder / file.name) << file.text;
  std::ofstream(folder / "main.c") << "#define HEADER \"" << header << "\"\n" << application;
  for (const std::string& compiler : compilers)
    for (const char* type : {"", " -DUSERS"}) {
      const std::string command = "cd '" + folder.string() + "' && " + compiler + type + includes +
                                  " -Wall -Wextra -Wpedantic -Werror main.c -o main && ./main";
      EXPECT_EQ(std::system(command.c_str()), 0) << command;
    }
  fs::remove_all(folder);
}

TEST(EmittedStructs, ConvertersGoThereAndBack) {
  expect_converters(fg::Target::c, "moved.h", "",
                    {"gcc -std=c11", "g++ -x c++ -std=c++17", "clang-19 -std=c11"});
}
TEST(EmittedStructs, ConvertersOfCuda) {
  expect_converters(fg::Target::cuda, "moved.cuh",
                    " -isystem " FULGURITE_TEST_DATA "/../pipeline/emitted_cuda", {"g++ -x c++ -std=c++17"});
}
TEST(EmittedStructs, ConvertersOfOpenCl) {
  expect_converters(fg::Target::opencl, "moved.h", " -isystem " FULGURITE_TEST_DATA "/opencl_headers",
                    {"gcc -std=c11", "g++ -x c++ -std=c++17", "clang-19 -std=c11"});
}

TEST(EmittedHeaders, AreOfOneVersionAndStandBesideTheRunTimes) {
  std::string name = (fs::temp_directory_path() / "fulgurite_headers_XXXXXX").string();
  const fs::path folder = mkdtemp(name.data());
  fg::EmitOptions options;
  options.levels = {"x86-64-v2"};
  for (const fg::EmittedFile& file : fg::emitted({{"moved", moved}}, fg::Target::c, options))
    std::ofstream(folder / file.name) << file.text;
  std::ofstream(folder / "both.c") << "#include \"moved.h\"\n#include <fulgurite_runtime.h>\n";
  const auto status = [&](const std::string& words) {
    return std::system(("cd '" + folder.string() + "' && " + words).c_str());
  };
  for (const char* compiler : {"gcc -std=c11", "g++ -x c++ -std=c++17", "clang-19 -std=c11"})
    EXPECT_EQ(status(std::string(compiler) + " -Wall -Wextra -Werror -I '" FULGURITE_TEST_DATA
                                             "/../../include' -fsyntax-only both.c"),
              0)
        << compiler;
  EXPECT_EQ(status("gcc -DFULGURITE_C_H -DFULGURITE_C_VERSION=2 -fsyntax-only moved.h 2>&1 | grep -q "
                   "'moved.h needs version 1 of fulgurite_c.h'"),
            0);
  fs::remove_all(folder);
}

TEST(EmittedStructs, OnlyForComponentsThatTheAuthorNamed) {
  const std::string named = header({"moved", moved, {{"places", components}}, {"there"}});
  EXPECT_NE(named.find("moved_places_split"), std::string::npos) << named;
  EXPECT_EQ(named.find("moved_there_"), named.find("moved_there_capacity")) << named;
  // No member can be called so, though the array may be.
  const std::string keyword = header({"moved", moved, {{"places", {"int", "is_known", "y"}}}, {"there"}});
  EXPECT_EQ(keyword.find("_split"), std::string::npos) << keyword;
}

TEST(EmittedStructs, NamesThatTheHeaderNeedsAreTaken) {
  EXPECT_THROW((void)header({"moved", moved, {{"workspace", components}}, {"there"}}), fg::TraceError);
  EXPECT_THROW((void)header({"moved", moved, {{"there_capacity", components}}, {"there"}}), fg::TraceError);
  EXPECT_NO_THROW((void)header({"moved", moved, {"workspace"}, {"there"}}));
}

}  // namespace
