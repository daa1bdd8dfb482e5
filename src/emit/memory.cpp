#include "emit/memory.h"

#include <fmt/format.h>

#include "emit/expression.h"

namespace fulgurite::emit {
namespace {

std::string element(const Place& p) {
  return fmt::format("{}[{}]", p.buffer, p.index);
}
bool is_scalar(const Place& p) {
  return p.lanes == 1 && !p.index_by_lane;
}
std::string every_lane(const Dialect& d, const Place& p) {
  return call(d, "splat", Kind::boolean, p.lanes, "1");
}

// The function for an access, "load", "load_reversed" or "load_strided", and its arguments up to the mask.
struct Variant {
  std::string function, args;
};
Variant regular(std::string_view verb, const Place& p) {
  std::string address = "&" + element(p);
  if (p.constant_stride == 1) return {std::string(verb), address};
  if (p.constant_stride == -1) return {fmt::format("{}_reversed", verb), address};
  return {fmt::format("{}_strided", verb), address + ", " + p.stride};
}

}  // namespace

std::string load_text(const Dialect& d, const Place& p) {
  if (is_scalar(p)) return p.mask.empty() ? element(p) : fmt::format("{} ? {} : 0", p.mask, element(p));
  if (p.index_by_lane) {
    std::string mask = p.mask.empty() ? every_lane(d, p) : p.mask;
    return call(d, p.is_near ? "gather_near" : "gather", p.kind, p.lanes,
                fmt::format("{}, {}, {}", p.buffer, p.index, mask));
  }
  if (p.constant_stride == 2 && p.mask.empty())
    return call(d, "load_every_second", p.kind, p.lanes, "&" + element(p));
  if (p.constant_stride == 0 && !p.mask.empty() && d.has_vector_operators)
    return call(d, "load_same_masked", p.kind, p.lanes, fmt::format("&{}, {}", element(p), p.mask));
  Variant v = regular("load", p);
  if (p.mask.empty()) return call(d, v.function, p.kind, p.lanes, v.args);
  std::string args = v.args + ", " + p.mask;
  if (p.constant_stride == 1)
    args += ", " + as_value(d, {"0"}, {p.kind, 0, static_cast<std::uint16_t>(p.lanes)});
  return call(d, v.function + "_masked", p.kind, p.lanes, args);
}

bool is_run(const Place& p) {
  return !is_scalar(p) && !p.index_by_lane && p.constant_stride == 1 && p.mask.empty();
}

std::string touch_text(const Place& p) {
  constexpr std::size_t cache_line = 64;
  std::string text = fmt::format("fg_touch(&{});", element(p));
  const std::size_t bytes = size_of(p.kind) * static_cast<std::size_t>(p.lanes);
  for (std::size_t byte = cache_line; byte < bytes; byte += cache_line)
    text += fmt::format(" fg_touch(&{} + {});", element(p), byte / size_of(p.kind));
  return text;
}

std::string store_text(const Dialect& d, const Place& p, const std::string& value, bool streaming) {
  if (is_scalar(p)) {
    std::string assignment = fmt::format("{} = {};", element(p), value);
    return p.mask.empty() ? assignment : fmt::format("if ({}) {}", p.mask, assignment);
  }
  if (p.index_by_lane) {
    std::string mask = p.mask.empty() ? every_lane(d, p) : p.mask;
    return call(d, "scatter", p.kind, p.lanes,
                fmt::format("{}, {}, {}, {}", p.buffer, p.index, value, mask)) +
           ";";
  }
  if (streaming)
    return call(d, "store_streaming", p.kind, p.lanes, fmt::format("&{}, {}", element(p), value)) + ";";
  if (p.constant_stride == 2 && p.mask.empty())
    return call(d, "store_every_second", p.kind, p.lanes, fmt::format("&{}, {}", element(p), value)) + ";";
  Variant v = regular("store", p);
  if (p.mask.empty()) return call(d, v.function, p.kind, p.lanes, v.args + ", " + value) + ";";
  return call(d, v.function + "_masked", p.kind, p.lanes, v.args + ", " + value + ", " + p.mask) + ";";
}

}  // namespace fulgurite::emit
