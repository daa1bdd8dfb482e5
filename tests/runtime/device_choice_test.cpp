// Devices by number and by name.
#include "runtime/device_choice.h"

#include <fulgurite/error.h>
#include <gtest/gtest.h>

namespace fulgurite::runtime {
namespace {

const std::vector<std::string> names{"Tesla K40", "GeForce 4090", "geforce 3060"};

std::size_t chosen(const std::string& wanted) {
  return choose_device(names, wanted, "FULGURITE_OPENCL_DEVICE", 2);
}
std::string refusal(const std::string& wanted) {
  try {
    return names[chosen(wanted)];
  } catch (const DeviceError& error) {
    return error.what();
  }
}

TEST(DeviceChoice, ByNumberOrPartOfAName) {
  EXPECT_EQ(chosen(""), 2u) << "what the engine prefers";
  EXPECT_EQ(chosen("0"), 0u);
  EXPECT_EQ(chosen("2"), 2u);
  EXPECT_EQ(chosen("GEFORCE"), 1u) << "the first that has it, in any case";
  EXPECT_EQ(chosen("ce 3060"), 2u);
}

TEST(DeviceChoice, SaysWhatThereIs) {
  for (const char* wanted : {"3", "4090", "Radeon", "-1", "99999999999999999999999"}) {
    const std::string said = refusal(wanted);
    EXPECT_NE(said.find("FULGURITE_OPENCL_DEVICE is '" + std::string(wanted) + "'"), std::string::npos)
        << said;
    for (const std::string& name : names) EXPECT_NE(said.find(name), std::string::npos) << said;
  }
}

TEST(DeviceChoice, NumbersAreThoseOfTheList) {
  EXPECT_NO_THROW(check_number(names, 2, "opencl"));
  EXPECT_THROW(check_number(names, 3, "opencl"), DeviceError);
  EXPECT_THROW(check_number(names, -1, "opencl"), DeviceError);
}

}  // namespace
}  // namespace fulgurite::runtime
