// What a failing site says, as the exception that it names.
#include <fmt/format.h>
#include <fulgurite/error.h>

#include "soac/interpret.h"

namespace fulgurite::soac {

void raise(const SiteInfo& site, std::span<const std::int64_t> values) {
  std::string message;
  for (std::size_t i = 0; i < site.message.size(); ++i) {
    const std::string_view rest = std::string_view(site.message).substr(i);
    const bool quotes =
        rest.size() >= 3 && rest[0] == '{' && rest[1] >= '0' && rest[1] <= '9' && rest[2] == '}';
    if (quotes && static_cast<std::size_t>(rest[1] - '0') < values.size()) {
      message += fmt::format("{}", values[static_cast<std::size_t>(rest[1] - '0')]);
      i += 2;
    } else {
      message += rest[0];
    }
  }
  const Where where = {site.where.file, site.where.line};
  switch (site.error) {
    case SiteInfo::Error::index: throw IndexError(message, where);
    case SiteInfo::Error::arithmetic: throw ArithmeticError(message, where);
    case SiteInfo::Error::shape:
    case SiteInfo::Error::argument: break;
  }
  throw ShapeError(message, where);
}

}  // namespace fulgurite::soac
