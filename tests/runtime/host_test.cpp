#include "runtime/host.h"

#include <fulgurite/error.h>
#include <gtest/gtest.h>

#include <sched.h>

#include <cstdlib>
#include <string>

namespace fulgurite::runtime {
namespace {

class WantedCpu : public testing::Test {
 protected:
  WantedCpu() {
    if (const char* set = std::getenv("FULGURITE_CPU")) before_ = set;
  }
  ~WantedCpu() override { setenv("FULGURITE_CPU", before_.c_str(), 1); }

 private:
  std::string before_;  // empty counts as not set
};

TEST_F(WantedCpu, IsWhatTheEnvironmentNames) {
  unsetenv("FULGURITE_CPU");
  EXPECT_EQ(wanted_cpu(), "native");
  setenv("FULGURITE_CPU", "", 1);
  EXPECT_EQ(wanted_cpu(), "native");
  const std::string lowest(cpu_levels().front());
  setenv("FULGURITE_CPU", lowest.c_str(), 1);
  EXPECT_EQ(wanted_cpu(), lowest);
}

TEST_F(WantedCpu, IsALevelThatWeKnowAndHave) {
  setenv("FULGURITE_CPU", "z80", 1);
  try {
    wanted_cpu();
    FAIL() << "no error";
  } catch (const DeviceError& error) {
    EXPECT_NE(std::string(error.what()).find(cpu_levels().back()), std::string::npos) << error.what();
  }
  const std::string highest(cpu_levels().back());
  setenv("FULGURITE_CPU", highest.c_str(), 1);
  if (host_level() != highest) {
    EXPECT_THROW(wanted_cpu(), DeviceError);
  } else {
    EXPECT_EQ(wanted_cpu(), highest);
  }
}

TEST(Host, HasTheCoresThatTheProcessMayUse) {
  cpu_set_t set;
  ASSERT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
  EXPECT_EQ(host().n_cores, CPU_COUNT(&set));
}

}  // namespace
}  // namespace fulgurite::runtime
