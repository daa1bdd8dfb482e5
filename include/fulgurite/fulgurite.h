// All of Fulgurite's array language: staged values, operations on them, compiled programs and what explain
// tells of them, real arrays, errors, FULGURITE_MAIN.
#pragma once

#include <fulgurite/acc.h>
#include <fulgurite/arrange.h>
#include <fulgurite/array.h>
#include <fulgurite/compile.h>
#include <fulgurite/control.h>
#include <fulgurite/error.h>
#include <fulgurite/exp.h>
#include <fulgurite/expand.h>
#include <fulgurite/explain.h>
#include <fulgurite/filter.h>
#include <fulgurite/functions.h>
#include <fulgurite/log.h>
#include <fulgurite/main.h>
#include <fulgurite/map.h>
#include <fulgurite/mistakes.h>
#include <fulgurite/numeric.h>
#include <fulgurite/options.h>
#include <fulgurite/profile.h>
#include <fulgurite/ragged.h>
#include <fulgurite/ragged_array.h>
#include <fulgurite/ragged_rows.h>
#include <fulgurite/reduce.h>
#include <fulgurite/scan.h>
#include <fulgurite/scatter.h>
#include <fulgurite/segmented.h>
#include <fulgurite/shape.h>
#include <fulgurite/slices.h>
#include <fulgurite/sort.h>
#include <fulgurite/stats.h>
#include <fulgurite/stencil.h>
#include <fulgurite/update.h>
