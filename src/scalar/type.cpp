#include "scalar/type.h"

#include <array>

#include <fmt/format.h>

namespace fulgurite::scalar {
namespace {

struct KindInfo {
  std::string_view name;
  std::size_t size;
};
constexpr std::array<KindInfo, n_kinds> kinds = {{{"bool", 1},
                                                  {"i8", 1},
                                                  {"i16", 2},
                                                  {"i32", 4},
                                                  {"i64", 8},
                                                  {"u8", 1},
                                                  {"u16", 2},
                                                  {"u32", 4},
                                                  {"u64", 8},
                                                  {"f32", 4},
                                                  {"f64", 8}}};

const KindInfo& info(Kind kind) {
  return kinds[static_cast<std::size_t>(kind)];
}

}  // namespace

std::size_t size_of(Kind kind) {
  return info(kind).size;
}
std::string_view name_of(Kind kind) {
  return info(kind).name;
}

std::optional<Kind> kind_named(std::string_view name) {
  for (std::size_t k = 0; k < kinds.size(); ++k)
    if (kinds[k].name == name) return static_cast<Kind>(k);
  return {};
}

bool is_float(Kind kind) {
  return kind == Kind::f32 || kind == Kind::f64;
}
bool is_signed(Kind kind) {
  return is_float(kind) || (kind >= Kind::i8 && kind <= Kind::i64);
}
bool is_integer(Kind kind) {
  return kind != Kind::boolean && !is_float(kind);
}

std::string to_string(Type type) {
  std::string text(name_of(type.kind));
  if (type.lanes > 1) text += fmt::format("x{}", type.lanes);
  if (type.rank > 0) text += fmt::format("[{}]", std::string(type.rank - 1u, ','));
  return text;
}

}  // namespace fulgurite::scalar
