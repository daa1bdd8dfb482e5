#include "scalar/width.h"

namespace fulgurite::scalar {

int bits_of(Kind kind) {
  return 8 * static_cast<int>(size_of(kind));
}

Kind unsigned_of(Kind kind) {
  switch (size_of(kind)) {
    case 1: return Kind::u8;
    case 2: return Kind::u16;
    case 4: return Kind::u32;
    default: return Kind::u64;
  }
}

Kind signed_of(Kind kind) {
  switch (size_of(kind)) {
    case 1: return Kind::i8;
    case 2: return Kind::i16;
    case 4: return Kind::i32;
    default: return Kind::i64;
  }
}

}  // namespace fulgurite::scalar
