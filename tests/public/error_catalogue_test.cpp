// docs/errors.md, between its marks: each program of error_programs.h, and what it throws. `./dev golden`
// rewrites the page.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <regex>
#include <sstream>

#include "error_programs.h"
#include "error_programs_of_bundles.h"
#include "error_programs_of_files.h"
#include "error_programs_of_kernels.h"

namespace {

using error_programs::error_programs;

const std::string folder = FULGURITE_TEST_DATA;
const std::string page = folder + "/../../docs/errors.md";

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// "ShapeError: ..."; of each program alone, with the environment as it was.
std::string thrown_by(const error_programs::ErrorProgram& program) {
  const char* set = std::getenv("FULGURITE_ENGINE");
  const std::string engine = set == nullptr ? "" : set;
  setenv("FULGURITE_ENGINE", "interpreter", 1);
  std::string said = "nothing";
  try {
    program.run();
  } catch (const fulgurite::Error& error) {
    said = error.kind() + ": " + error.message();
  } catch (const std::exception& error) {  // what the command line prints
    said = std::regex_replace(error.what(), std::regex("^fulgurite::|\n$"), "");
  }
  setenv("FULGURITE_ENGINE", engine.c_str(), 1);
  unsetenv("FULGURITE_DUMP");
  unsetenv("FULGURITE_DEBUG");
  std::remove("errors.npy");
  std::remove("errors.json");
  std::remove("errors.fgb");
  return std::regex_replace(said, std::regex("error_programs.h:[0-9]+"), "program.cpp:2");
}

std::string block(const std::string& language, const std::string& text) {
  return "```" + language + "\n" + text + "```\n";
}

/// The sections: programs as they stand in error_programs.h, each with its error.
std::string catalogue() {
  std::string headers;
  for (const char* of : {"", "_of_files", "_of_bundles", "_of_kernels"})
    headers += text_of(folder + "/error_programs" + of + ".h");
  std::istringstream source(headers);
  std::string result, line;
  while (std::getline(source, line)) {
    if (line.starts_with("// ## ")) result += "\n#" + line.substr(3) + "\n";
    if (!line.starts_with("ERROR_PROGRAM(")) continue;
    const std::string name = line.substr(14, line.find(')') - 14);
    std::string body;
    while (std::getline(source, line) && line != "}")
      body += line.substr(std::min<std::size_t>(2, line.size())) + "\n";
    const auto program =
        std::ranges::find_if(error_programs(), [&](const auto& p) { return p.name == name; });
    if (program == error_programs().end()) return "there is no program " + name;
    result += "\n" + block("cpp", body) + "\n" + block("text", thrown_by(*program) + "\n");
  }
  return result + "\n";
}

TEST(ErrorCatalogue, GoldenOfErrorsMd) {
  const std::string old = text_of(page), begin = "<!-- programs -->\n", end = "<!-- end of programs -->\n";
  const std::size_t from = old.find(begin), to = old.find(end);
  ASSERT_TRUE(from != std::string::npos && to != std::string::npos) << page;
  const std::string text = old.substr(0, from) + begin + catalogue() + old.substr(to);
  EXPECT_EQ(text.find("\nnothing\n"), std::string::npos) << "a program throws nothing";
  if (std::getenv("FULGURITE_UPDATE_GOLDEN") != nullptr) std::ofstream(page, std::ios::binary) << text;
  EXPECT_EQ(text_of(page), text) << "run ./dev golden";
}

}  // namespace
