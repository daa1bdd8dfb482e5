// The work of the fuse pass on one program; merge runs it again where it made new opportunities.
#pragma once

#include "soac/pass.h"

namespace fulgurite::fuse {

void fuse_vertically(soac::Program&, soac::PassContext&);

}  // namespace fulgurite::fuse
