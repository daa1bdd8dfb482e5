// A user's program that has a CLI11 of its own (cli11_slow_test.cpp): compiled with another choice of CLI11's
// macros, or with all of it in another namespace.
#include <CLI/CLI.hpp>

#include <fulgurite/fulgurite.h>
#include <fulgurite/main.h>

#include <cstdio>
#include <string>

namespace fg = fulgurite;
using fg::Exp, fg::Vec;

namespace {

// Its own command line, before the library's.
const bool is_parsed = [] {
  CLI::App app("its own");
  int n = 0;
  std::string name;
  app.add_option("-n", n)->check(CLI::Range(1, 9));
  app.add_option("--name", name);
  app.parse("-n 7 --name seven", false);
  std::printf("its own CLI is used: %s %d\n", name.c_str(), n);
  try {
    app.parse("-n 70", false);
  } catch (const CLI::ParseError& error) {
    std::printf("its own CLI refuses: %s\n", error.get_name().c_str());
  }
  return true;
}();

Vec<float> saxpy(Exp<float> alpha, Vec<float> x, Vec<float> y) {
  return alpha * x + y;
}

}  // namespace

FULGURITE_MAIN(saxpy)
