#include "runtime/opencl/program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fulgurite/error.h>

#include <array>

namespace fulgurite::runtime::opencl {
namespace {

// OpenCL C contracts products and sums unless it is told not to, and only the text can tell.
constexpr std::string_view no_contraction = "#pragma OPENCL FP_CONTRACT OFF\n#line 1\n";

// Division and square root are correctly rounded wherever the device can do that. Without warnings: there is
// nobody to read them, and some compilers announce them on standard error.
std::string options_of(const DeviceEntry& device) {
  return fmt::format("-cl-std={} -w{}", device.groups_wait ? "CL3.0" : "CL1.2",
                     device.divides_correctly_rounded ? " -cl-fp32-correctly-rounded-divide-sqrt" : "");
}

std::string log_of(const Api& api, Program program, DeviceId device) {
  std::size_t bytes = 0;
  if (api.get_program_build_info(program, device, value::program_build_log, 0, nullptr, &bytes) != 0 ||
      bytes == 0)
    return "(the compiler says nothing)";
  std::string log(bytes, '\0');
  api.get_program_build_info(program, device, value::program_build_log, bytes, log.data(), nullptr);
  log.pop_back();  // it ends with a zero
  return log;
}

}  // namespace

Owned<Program> compile(const Api& api, Context context, const DeviceEntry& device,
                       const KernelSource& source) {
  std::array<const char*, 2> texts{no_contraction.data(), source.text.data()};
  std::array<std::size_t, 2> sizes{no_contraction.size(), source.text.size()};
  Status status = value::success;
  Owned<Program> program(
      api.create_program_with_source(context, texts.size(), texts.data(), sizes.data(), &status),
      api.release_program);
  check(status, fmt::format("clCreateProgramWithSource of kernel '{}'", source.name));
  status = api.build_program(program.get(), 1, &device.id, options_of(device).c_str(), nullptr, nullptr);
  if (status != value::success)
    throw DeviceError(fmt::format(
        "the OpenCL device '{}' refuses kernel '{}' ({}): install another version of its driver ({}, {}), or "
        "set the engine to cpu; its compiler says:\n{}",
        device.name, source.name, status_text(status), device.platform, device.driver,
        log_of(api, program.get(), device.id)));
  return program;
}

Owned<Program> from_binary(const Api& api, Context context, const DeviceEntry& device,
                           std::string_view binary) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(binary.data());
  const std::size_t size = binary.size();
  Status of_binary = value::success, status = value::success;
  Owned<Program> program(
      api.create_program_with_binary(context, 1, &device.id, &size, &bytes, &of_binary, &status),
      api.release_program);
  if (status != value::success || of_binary != value::success) return {nullptr, api.release_program};
  status = api.build_program(program.get(), 1, &device.id, options_of(device).c_str(), nullptr, nullptr);
  if (status != value::success) return {nullptr, api.release_program};
  return program;
}

std::string binary_of(const Api& api, Program program) {
  std::size_t size = 0;
  if (api.get_program_info(program, value::program_binary_sizes, sizeof size, &size, nullptr) != 0) return {};
  std::string binary(size, '\0');
  char* data = binary.data();
  if (size == 0 || api.get_program_info(program, value::program_binaries, sizeof data, &data, nullptr) != 0)
    return {};
  return binary;
}

std::string identity(const DeviceEntry& device, const KernelSource& source) {
  return fmt::format("opencl {}\n{}\n{}\n{}\n{} {} [{}] [{}] {}\n{}", device.platform_version, device.name,
                     device.driver, options_of(device), source.name, source.n_phases,
                     fmt::join(source.arguments, " "), fmt::join(source.block_sizes, " "), source.can_fail,
                     source.text);
}

}  // namespace fulgurite::runtime::opencl
