// The kernel language: what one block of threads computes, from pull and push arrays and connection patterns
// (the Obsidian papers), recorded as a kernel that can be printed, proved and run. `namespace k =
// fulgurite::kernel;`. See docs/guide/kernels.md.
#pragma once

#include <fulgurite/fulgurite.h>
#include <fulgurite/kernel/accumulate.h>
#include <fulgurite/kernel/arrays.h>
#include <fulgurite/kernel/call.h>
#include <fulgurite/kernel/components.h>
#include <fulgurite/kernel/filter.h>
#include <fulgurite/kernel/iterate.h>
#include <fulgurite/kernel/kernel.h>
#include <fulgurite/kernel/lanes.h>
#include <fulgurite/kernel/matrices.h>
#include <fulgurite/kernel/matrix.h>
#include <fulgurite/kernel/matrix_arguments.h>
#include <fulgurite/kernel/matrix_tiles.h>
#include <fulgurite/kernel/patterns.h>
#include <fulgurite/kernel/reduce_scan.h>
#include <fulgurite/kernel/tiles.h>
