#include "walk/blocks/inner.h"

#include "walk/inner.h"

namespace fulgurite::walk::blocks {

void inner(const Emitter& e, const soac::Stm& s) {
  walk::inner(e, s, [&](const soac::Stm& walked, const lanes::Entry& entry) {
    e.note_sequential(walked, "is inside of another combinator, whose points have a thread each");
    return walk_alone(e, walked, entry);
  });
}

}  // namespace fulgurite::walk::blocks
