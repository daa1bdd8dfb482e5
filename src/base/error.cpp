// The text of errors (include/fulgurite/error.h). Out of line, so that throwing costs user code nothing.
#include <fulgurite/error.h>

#include <fmt/core.h>

namespace fulgurite {
namespace {

// Messages name the file without its folder; Error::file() keeps the whole path.
std::string place(const Where& where) {
  if (where.file.empty()) return "";
  std::string name = where.file.substr(where.file.rfind('/') + 1);
  return where.line == 0 ? fmt::format("{}: ", name) : fmt::format("{}:{}: ", name, where.line);
}

}  // namespace

Error::Error(const char* kind, const std::string& message, const Where& where)
    : std::runtime_error(fmt::format("{}fulgurite::{}: {}", place(where), kind, message)),
      kind_(kind),
      message_(message),
      where_(where) {}

}  // namespace fulgurite
