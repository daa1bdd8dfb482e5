// The message of a failing site, as the exception that it names.
#include <fulgurite/error.h>

#include "base/quote.h"
#include "soac/interpret.h"

namespace fulgurite::soac {

void raise(const SiteInfo& site, std::span<const std::int64_t> values, std::int64_t position) {
  const std::string message = base::quote(site.message, values, position);
  const Where where = {site.where.file, site.where.line};
  switch (site.error) {
    case SiteInfo::Error::index: throw IndexError(message, where);
    case SiteInfo::Error::arithmetic: throw ArithmeticError(message, where);
    case SiteInfo::Error::memory: throw OutOfMemory(message, where);
    case SiteInfo::Error::shape:
    case SiteInfo::Error::argument: break;
  }
  throw ShapeError(message, where);
}

}  // namespace fulgurite::soac
