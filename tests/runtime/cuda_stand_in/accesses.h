// What a kernel calls: its place, barriers and shuffles, and ahead of each load and store what checks it.
#pragma once

#include "kernel_host.h"

namespace fulgurite::runtime::test {

const KernelHost& kernel_host();

}  // namespace fulgurite::runtime::test
