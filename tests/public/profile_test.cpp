// Profiles that an application makes of itself.
#include "engines.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "../runtime/temporary_directory.h"

namespace {

using Json = nlohmann::json;

class Profiles : public testing::Test {
 protected:
  std::string file() const { return (directory_.path() / "trace.json").string(); }
  Json events() const {
    std::ifstream in(file());
    return Json::parse(in).at("traceEvents");
  }
  const fulgurite::runtime::test::TemporaryDirectory directory_;
};

TEST_F(Profiles, KernelsSayWhatTheyAreOf) {
  const auto f =
      fg::compile([](Vec<float> x) { return fg::scan(fg::plus, 0.0F, x * x); }, {.name = "energy"});
  const unsigned line = __LINE__ - 1;
  {
    const auto profile = fg::profile(file());
    f(std::vector<float>(1000, 1.0F));
  }
  const Json all = events();
  const auto kernel = std::ranges::find_if(all, [](const Json& e) { return e.value("cat", "") == "kernel"; });
  ASSERT_NE(kernel, all.end()) << all.dump(1);
  const Json& of = kernel->at("args");
  EXPECT_EQ(of.at("program"), "energy");
  EXPECT_NE(of.at("operation").get<std::string>().find("scan"), std::string::npos) << of.dump();
  EXPECT_TRUE(of.at("file").get<std::string>().ends_with("profile_test.cpp"));
  EXPECT_EQ(of.at("line"), line);
  EXPECT_TRUE(std::ranges::any_of(all, [](const Json& e) { return e.at("name") == "thread_name"; }));
}

// Equal programs share what was compiled for the first of them.
TEST_F(Profiles, EqualProgramsHaveTheirOwnNames) {
  const auto add_one = [](Vec<float> x) { return x + 1.0F; };
  const auto first = fg::compile(add_one, {.name = "first"}),
             second = fg::compile(add_one, {.name = "second"});
  first(std::vector<float>(1000));
  {
    const auto profile = fg::profile(file());
    second(std::vector<float>(1000));
  }
  for (const Json& e : events()) {
    if (e.value("cat", "") == "kernel") {
      EXPECT_EQ(e.at("args").at("program"), "second");
    }
  }
}

TEST_F(Profiles, ThereIsOneAtATime) {
  fg::Profile profile(file());
  EXPECT_THROW(fg::Profile((directory_.path() / "other.json").string()).write(), fg::FormatError);
  profile.write();
  profile.write();
  EXPECT_TRUE(std::filesystem::exists(file()));
  EXPECT_FALSE(std::filesystem::exists(directory_.path() / "other.json"));
  fg::Profile((directory_.path() / "other.json").string()).write();
  EXPECT_TRUE(std::filesystem::exists(directory_.path() / "other.json"));
}

TEST_F(Profiles, NoneIsLeftByAnException) {
  try {
    const auto profile = fg::profile(file());
    throw std::runtime_error("of the application's own");
  } catch (const std::runtime_error&) {
  }
  EXPECT_FALSE(std::filesystem::exists(file()));
  fg::Profile(file()).write();
  EXPECT_TRUE(std::filesystem::exists(file())) << "the other one is over";
}

TEST_F(Profiles, AFileThatCannotBeMadeIsRefusedAtOnce) {
  EXPECT_THROW(fg::Profile("/no/such/folder/trace.json").write(), fg::FormatError);
}

}  // namespace
