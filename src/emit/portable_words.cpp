#include "emit/portable_words.h"

#include "base/text.h"

namespace fulgurite::emit {

int bytes_of(std::string_view kind) {
  if (kind == "b1") return 4;
  if (kind.ends_with("64")) return 8;
  if (kind.ends_with("32")) return 4;
  return kind.ends_with("16") ? 2 : 1;
}

// What the sections call a processor's feature by: a compiler's own macro says what the whole file may use.
std::string PortableWords::name(std::string_view word) const {
  if (word == "__FMA__") return "FG_FMA";
  if (word == "__ARM_FEATURE_FMA") return "FG_ARM_FMA";
  if (word == "__SSSE3__") return "FG_SSSE3";
  if (word == "__x86_64__") return "FG_X86";
  if (word.starts_with("__AVX") && word.ends_with("__"))
    return "FG_" + std::string(word.substr(2, word.size() - 4));
  return Words::name(word);
}

// "_mm256_min_ps", "_mm_cmp_epu32"
std::string PortableWords::intrinsic(const std::string& stem, bool is_signed) const {
  const int bytes = vector_bytes();
  const std::string prefix = bytes == 64 ? "_mm512_" : bytes == 32 ? "_mm256_" : "_mm_";
  const std::string& kind = function_.kind;
  if (kind[0] == 'f') return prefix + stem + (kind == "f32" ? "_ps" : "_pd");
  return prefix + stem + (kind[0] == 'u' && !is_signed ? "_epu" : "_epi") + kind.substr(1);
}

std::optional<std::string> PortableWords::call(std::string_view word,
                                               const std::vector<std::string>& a) const {
  const bool is_vector = lanes_ > 1;
  const bool has_fma = level_ == Level::v3 || level_ == Level::v4;
  if (word == "MULADD")
    return has_fma ? call_of("fma", function_.kind, a[0] + ", " + a[1] + ", " + a[2])
                   : fmt::format("(({}) * ({}) + ({}))", a[0], a[1], a[2]);
  constexpr std::string_view elementwise = "__builtin_elementwise_";
  if (word.starts_with(elementwise)) {
    std::string_view stem = word.substr(elementwise.size());
    if (stem == "roundeven") stem = "rint";
    return call_of(stem, function_.kind, base::join(a, ", ", [](const std::string& x) { return x; }));
  }
  if (word == "ELEMENTWISE") return call_of(a[0], a[1], a[2]);
  if (word == "INTRINSIC") return intrinsic(a[0], false);
  if (word == "SIGNED_INTRINSIC") return intrinsic(a[0], true);
  if (word == "REGISTER") {  // as intrinsics take it
    if (function_.kind[0] == 'f') return a[0];
    const int bytes = vector_bytes();
    return fmt::format("(__m{}i)({})", bytes * 8, a[0]);
  }
  if (word == "PREFIX" || word == "SI") {  // _mm256_movemask_epi8, _mm256_testz_si256
    const int bits = 8 * vector_bytes();
    const std::string prefix = bits == 128 ? "_mm_" : fmt::format("_mm{}_", bits);
    return prefix + a[0] + (word == "SI" ? fmt::format("_si{}", bits) : "");
  }
  if (word == "FLOAT_REGISTER") return fmt::format("__m{}", 8 * vector_bytes());
  if (word == "INTEGER_REGISTER") return fmt::format("__m{}i", 8 * vector_bytes());
  if (word == "REGISTER_OF") return fmt::format("__m{}i", 8 * lanes_ * bytes_of(a[0]));
  if (word == "ELEMENTS") {  // the address of a KIND as intrinsics that count in elements take it
    if (function_.kind[0] == 'f') return a[0];
    return fmt::format("({}*)({})", bytes_of(function_.kind) == 8 ? "long long" : "int", a[0]);
  }
  if (word == "ONE") return fmt::format("fg_{}_{}_x1", a[0], a[1]);
  if (word == "MATHS") return a[0] + (function_.kind == "f32" ? "f" : "");
  if (word == "COMPARISON") return a[0] == "eq" ? "==" : a[0] == "ne" ? "!=" : a[0] == "lt" ? "<" : "<=";
  if (word == "IS_ON") {
    if (!is_vector) return a[0];
    return level_ == Level::v4 ? fmt::format("({} >> {} & 1)", a[0], a[1]) : a[0] + "[" + a[1] + "]";
  }
  const bool is_bit_cast = word == "__builtin_bit_cast";
  if (is_bit_cast || (word == "BITS" && !is_vector)) return fmt::format("FG_BITS({}, {})", a[0], a[1]);
  if (word == "CHOOSE" && !is_vector) return fmt::format("({} ? {} : {})", a[1], a[2], a[3]);
  if (!is_vector) return Words::call(word, a);
  if (word == "NOT") return "~" + a[0];
  if (word == "TO_B1") {
    if (level_ != Level::v4) return fmt::format("__builtin_convertvector({}, {})", a[0], vector("b1"));
    return call_of("to", "b1", fmt::format("__builtin_convertvector({}, {})", a[0], vector("i32")));
  }
  if (word == "S") return call_of("splat", a[0], a[1]);
  if (word == "BITS") return fmt::format("(({})({}))", vector(a[0]), a[1]);
  if (word == "ANY") return call_of("any_lane", integer_of(a[0], 'i'), a[1]);
  if (word == "CHOOSE") return call_of("choose", a[0], a[1] + ", " + a[2] + ", " + a[3]);
  if (word == "MASK") return call_of("mask", integer_of(a[0], 'i'), a[1]);
  return Words::call(word, a);
}

}  // namespace fulgurite::emit
