#include "plan/raise.h"

#include <fulgurite/error.h>

#include "base/quote.h"

namespace fulgurite::plan {

void raise(const SiteText& site, std::span<const std::int64_t> values, std::int64_t position) {
  const std::string message = base::quote(site.message, values, position);
  switch (site.error) {
    case SiteText::Error::shape: throw ShapeError(message, site.where);
    case SiteText::Error::index: throw IndexError(message, site.where);
    case SiteText::Error::arithmetic: throw ArithmeticError(message, site.where);
    case SiteText::Error::memory: throw OutOfMemory(message, site.where);
    case SiteText::Error::argument: break;
  }
  throw ShapeError(message, site.where);
}

}  // namespace fulgurite::plan
