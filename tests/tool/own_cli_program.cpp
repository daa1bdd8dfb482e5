// A user's program whose own namespace CLI has classes and functions with the names of CLI11's, and another
// layout (cli11_slow_test.cpp). The library uses CLI11 for command lines: it must call none of these.
#include <fulgurite/fulgurite.h>
#include <fulgurite/main.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace fg = fulgurite;
using fg::Exp, fg::Vec;

namespace {
bool is_in_main = false;  // where only the library calls what is named as CLI11's is

void called(const char* function) {
  if (!is_in_main) return;
  std::printf("the library calls %s of the program\n", function);
  std::fflush(stdout);
  std::abort();
}
}  // namespace

namespace CLI {

// None of these is inline, so that the program exports them under the names that CLI11's functions have.
class App {
 public:
  explicit App(std::string description, std::string name);
  App(std::string description, std::string name, App* parent);
  virtual ~App();
  void parse(int argc, const char* const* argv);
  void parse(std::vector<std::string>& words);
  App* add_subcommand(std::string name, std::string description);
  void clear();
  void run_callback(bool is_final, bool suppress);

 protected:
  void _parse(std::vector<std::string>& words);
  void _configure();
  void _process();

  char name_[3] = {};
};

App::App(std::string, std::string) {
  called("App::App");
}
App::App(std::string, std::string, App*) {
  called("App::App");
}
App::~App() {
  called("App::~App");
}
void App::parse(int, const char* const*) {
  called("App::parse");
}
void App::parse(std::vector<std::string>&) {
  called("App::parse");
}
App* App::add_subcommand(std::string, std::string) {
  called("App::add_subcommand");
  return this;
}
void App::clear() {
  called("App::clear");
}
void App::run_callback(bool, bool) {
  called("App::run_callback");
}
void App::_parse(std::vector<std::string>&) {
  called("App::_parse");
}
void App::_configure() {
  called("App::_configure");
}
void App::_process() {
  called("App::_process");
}

namespace detail {
std::vector<std::string> split_names(std::string) {
  called("split_names");
  return {};
}
std::string to_lower(std::string text) {
  called("to_lower");
  return text;
}
}  // namespace detail
}  // namespace CLI

namespace {

bool use_its_own() {
  CLI::App app("", "");
  app.add_subcommand("run", "")->clear();
  app.parse(0, nullptr);
  std::printf("its own CLI is used: %s\n", CLI::detail::to_lower("yes").c_str());
  return true;
}
const bool is_used = is_in_main = use_its_own();

Vec<float> saxpy(Exp<float> alpha, Vec<float> x, Vec<float> y) {
  return alpha * x + y;
}

}  // namespace

FULGURITE_MAIN(saxpy)
