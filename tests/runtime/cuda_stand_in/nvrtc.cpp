// NVRTC's functions.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <stdexcept>

#include "compile.h"
#include "findings.h"
#include "text.h"

namespace {

using namespace fulgurite::runtime::test;

namespace nvrtc_status {
constexpr Status compilation = 6;
}

struct Source {
  std::string text, code, log;
};
Source& source_of(void* program) {
  return *static_cast<Source*>(program);
}

int n_compiling = 0;
std::condition_variable_any compiling_changed;

// For a while, until as many compile as a test wants.
void wait_for_others(Lock& lock) {
  machine().most_compilations_at_once = std::max(machine().most_compilations_at_once, ++n_compiling);
  compiling_changed.notify_all();
  compiling_changed.wait_for(lock, std::chrono::seconds(5), [] {
    return machine().most_compilations_at_once >= machine().compilations_at_once;
  });
  --n_compiling;
}

void give(const std::string& text, char* to) {
  std::memcpy(to, text.c_str(), text.size() + 1);
}

}  // namespace

EXPORTED Status nvrtcVersion(std::int32_t* major, std::int32_t* minor) {
  *major = machine().nvrtc_version / 1000;
  *minor = machine().nvrtc_version % 1000 / 10;
  return 0;
}
EXPORTED const char* nvrtcGetErrorString(Status code) {
  return code == nvrtc_status::compilation ? "NVRTC_ERROR_COMPILATION" : "NVRTC_ERROR_OF_STAND_IN";
}
EXPORTED Status nvrtcGetNumSupportedArchs(std::int32_t* n) {
  *n = static_cast<std::int32_t>(machine().capabilities.size());
  return 0;
}
EXPORTED Status nvrtcGetSupportedArchs(std::int32_t* to) {
  std::copy(machine().capabilities.begin(), machine().capabilities.end(), to);
  return 0;
}
EXPORTED Status nvrtcCreateProgram(void** program, const char* text, const char*, std::int32_t,
                                   const char* const*, const char* const*) {
  *program = new Source{text, {}, {}};
  return 0;
}
EXPORTED Status nvrtcDestroyProgram(void** program) {
  delete static_cast<Source*>(*program);
  return 0;
}
EXPORTED Status nvrtcCompileProgram(void* program, std::int32_t n, const char* const* options) {
  Source& source = source_of(program);
  std::string architecture, text = source.text;
  {
    Lock lock(machine().mutex);
    machine().options.assign(options, options + n);
    architecture = machine().options.at(0);
    wait_for_others(lock);
    if (!machine().dropped_statement.empty())
      machine().most_droppable =
          std::max(machine().most_droppable,
                   drop_statement(text, machine().dropped_statement, machine().dropped_number));
  }
  Compiled compiled;
  try {
    compiled = compile(as_host_text(text));
  } catch (const std::runtime_error& error) {
    compiled.log = error.what();
  }
  source.log = compiled.log;
  if (compiled.library.empty()) return nvrtc_status::compilation;
  source.code = fmt::format("stand-in code for {}\n{}\n{}\n", architecture.substr(architecture.find('=') + 1),
                            version(), compiled.library);
  const Lock lock(machine().mutex);
  return wanted("nvrtcCompileProgram").value_or(0);
}
EXPORTED Status nvrtcGetProgramLogSize(void* program, std::size_t* bytes) {
  *bytes = source_of(program).log.size() + 1;
  return 0;
}
EXPORTED Status nvrtcGetProgramLog(void* program, char* to) {
  give(source_of(program).log, to);
  return 0;
}
EXPORTED Status nvrtcGetPTXSize(void* program, std::size_t* bytes) {
  *bytes = source_of(program).code.size() + 1;
  return 0;
}
EXPORTED Status nvrtcGetPTX(void* program, char* to) {
  give(source_of(program).code, to);
  return 0;
}
EXPORTED Status nvrtcGetCUBINSize(void* program, std::size_t* bytes) {
  return nvrtcGetPTXSize(program, bytes);
}
EXPORTED Status nvrtcGetCUBIN(void* program, char* to) {
  return nvrtcGetPTX(program, to);
}
