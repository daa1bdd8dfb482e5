// Finding OpenCL: the library, its platforms and devices, and the one that is wanted.
#include "runtime/opencl/catalogue.h"

#include <fulgurite/error.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "runtime/opencl/api.h"

namespace fulgurite::runtime::opencl {
namespace {

TEST(OpenClApi, AMissingLibraryIsNamed) {
  try {
    load_api("libOpenCL_that_nobody_has.so.1");
    FAIL();
  } catch (const DeviceError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("libOpenCL_that_nobody_has.so.1"), std::string::npos) << text;
    EXPECT_NE(text.find("install"), std::string::npos) << text;
  }
  EXPECT_THROW(load_api("libm.so.6"), DeviceError) << "no OpenCL in it";
}

TEST(OpenClCatalogue, NoPlatformAndNoDeviceAreErrors) {
  Api library{};
  library.get_platform_ids = [](std::uint32_t, PlatformId*, std::uint32_t*) -> Status { return -1001; };
  EXPECT_THROW(list_devices(library), DeviceError);
  library.get_platform_ids = [](std::uint32_t, PlatformId* platform, std::uint32_t* n) -> Status {
    if (platform != nullptr) *platform = nullptr;
    if (n != nullptr) *n = 1;
    return 0;
  };
  library.get_device_ids = [](PlatformId, Bits, std::uint32_t, DeviceId*, std::uint32_t*) -> Status {
    return -1;
  };
  EXPECT_THROW(list_devices(library), DeviceError);
}

TEST(OpenClCatalogue, ChoosesByNumberOrName) {
  const auto entry = [](const char* name, bool is_gpu) {
    DeviceEntry e{};
    e.name = name;
    e.is_gpu = is_gpu;
    return e;
  };
  const std::vector<DeviceEntry> devices = {entry("Some CPU", false), entry("Big GPU 2000", true),
                                            entry("Small GPU 10", true)};
  const auto chosen = [&](const std::string& wanted) {
    return device_with(devices, choose_device(devices, wanted)).name;
  };
  EXPECT_EQ(chosen(""), "Big GPU 2000");
  EXPECT_EQ(choose_device({devices.data(), 1}, ""), 0);
  EXPECT_EQ(chosen("0"), "Some CPU");
  EXPECT_EQ(chosen("2"), "Small GPU 10");
  EXPECT_EQ(chosen("small"), "Small GPU 10");
  EXPECT_EQ(chosen("GPU"), "Big GPU 2000");
  for (const char* wanted : {"3", "99999999999999999999", "abacus"}) {
    try {
      chosen(wanted);
      FAIL() << wanted;
    } catch (const DeviceError& error) {
      const std::string text = error.what();
      EXPECT_NE(text.find(wanted), std::string::npos) << text;
      EXPECT_NE(text.find("2 (Small GPU 10)"), std::string::npos) << text;
    }
  }
}

}  // namespace
}  // namespace fulgurite::runtime::opencl
