#include "emit/names.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include "scalar/type.h"

namespace fulgurite::emit {
namespace {

// Keywords of C, C++ (CUDA) and OpenCL C, names that are predefined there, and the names that a phase has
// itself.
constexpr std::string_view reserved =
    " "
    "local alignas alignof and and_eq asm auto b1 bitand bitor bool break case catch char char16_t "
    "char32_t char8_t class co_await co_return co_yield compl concept const const_cast "
    "consteval constexpr constinit constant context continue decltype default delete do double "
    "dynamic_cast else enum event_t explicit export extern false first float for friend "
    "generic global goto half if image2d_t inline int kernel last linux long main mutable "
    "namespace new noexcept not not_eq nullptr operator or or_eq pipe private protected public "
    "quad queue_t read_only read_write register reinterpret_cast requires restrict return "
    "sampler_t short signed sizeof static static_assert static_cast struct switch template "
    "this thread_local throw true try typedef typeid typename typeof typeof_unqual uchar uint "
    "ulong uniform union unix unsigned ushort using virtual void volatile wchar_t while "
    "write_only xor xor_eq ";

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

// Element types and vectors of them (f32, f32x16), and OpenCL's (float4).
bool is_type(std::string_view name) {
  std::string_view head = name;
  while (!head.empty() && std::isdigit(static_cast<unsigned char>(head.back()))) head.remove_suffix(1);
  if (head.size() != name.size()) {
    for (std::string_view type :
         {"char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "float", "double", "half"})
      if (head == type) return true;
    if (head.ends_with('x')) head.remove_suffix(1);
  }
  return head == "b1" || scalar::kind_named(head) || scalar::kind_named(name);
}

bool is_reserved(const std::string& name) {
  return reserved.find(" " + name + " ") != std::string_view::npos || is_type(name) ||
         name.starts_with("fg_") || name.starts_with("FG_") || name.starts_with("__") ||
         name.starts_with("get_");
}

// Capitals alone may be macros of the prelude or of a platform (V, INT, NAN), and _X is reserved everywhere.
bool is_macro_like(std::string_view name) {
  return std::ranges::none_of(name, [](unsigned char c) { return std::islower(c); }) &&
         std::ranges::any_of(name, [](unsigned char c) { return std::isupper(c); });
}

std::string legal(std::string_view wanted) {
  std::string name;
  for (char c : wanted.substr(0, 32)) name += is_word(c) ? c : '_';
  while (name.starts_with('_')) name.erase(0, 1);
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name.front()))) name = "v" + name;
  if (is_macro_like(name) && name.size() > 1) name += "_";
  const auto begins_as_ours = [&](std::string_view prefix) { return name.starts_with(prefix); };
  if (begins_as_ours("fg_") || begins_as_ours("FG_") || begins_as_ours("get_")) name = "v_" + name;
  if (is_reserved(name)) name += "_";
  return name;
}

}  // namespace

bool is_legal(std::string_view name) {
  return !name.empty() && name.size() <= 64 && std::ranges::all_of(name, is_word) &&
         std::isalpha(static_cast<unsigned char>(name.front())) != 0 && !is_macro_like(name) &&
         !is_reserved(std::string(name));
}

std::string Names::fresh(std::string_view wanted) {
  std::string base = legal(wanted);
  if (taken_.insert(base).second) return base;
  const std::string numbered = std::isdigit(static_cast<unsigned char>(base.back())) ? base + "_" : base;
  for (int& number = last_number_.try_emplace(numbered, 1).first->second;;) {
    std::string name = numbered + std::to_string(++number);
    if (!is_reserved(name) && taken_.insert(name).second) return name;
  }
}

}  // namespace fulgurite::emit
