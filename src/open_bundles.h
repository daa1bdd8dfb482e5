// The bundles that this process has opened, and the programs that are found there: with their kernels, for
// this machine, without any compiler.
#pragma once

#include <fulgurite/options.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bundled/file.h"
#include "plan/execute.h"
#include "soac/ir.h"

namespace fulgurite::bundles {

/// Opens the bundle; compile() finds its programs as long as somebody holds it. Throws FormatError.
std::shared_ptr<const bundled::File> open(const std::string& path);

/// A traced program in a bundle that is open, or in that which FULGURITE_BUNDLE names: loaded for the device
/// of the options, with the sites of the program that was given. Nothing if no bundle has it for that device.
std::optional<plan::Loaded> find(const soac::Program& traced, const Options&);

/// A bundle's program, loaded for the device of the options, which are the bundle's but for engine and
/// device. Nothing if the bundle does not have it for that device.
std::optional<plan::Loaded> load(const bundled::File&, const bundled::File::StoredProgram&, const Options&);

/// What the bundle has the program for: "x86-64-v3, x86-64-v4, sm_90, OpenCL".
std::string targets_text(const bundled::File::StoredProgram&);

/// Bytes that a block of threads may share in the OpenCL C of bundles.
inline constexpr std::size_t opencl_shared_memory = std::size_t{32} << 10;

}  // namespace fulgurite::bundles
