// Element types to repeat a test with.
#pragma once

#include <fulgurite/fulgurite.h>

#include <gtest/gtest.h>

namespace fg = fulgurite;

using IntegerTypes = testing::Types<fg::i8, fg::i16, fg::i32, fg::i64, fg::u8, fg::u16, fg::u32, fg::u64>;

/// test.operator()<T>() for integers of every width and signedness, for these and floats, for these and
/// booleans.
template <class Test>
void for_every_integer(Test test) {
  test.template operator()<fg::i8>();
  test.template operator()<fg::u64>();
  test.template operator()<fg::u16>();
  test.template operator()<fg::i32>();
  test.template operator()<fg::i64>();
}
template <class Test>
void for_every_number(Test test) {
  for_every_integer(test);
  test.template operator()<fg::f32>();
  test.template operator()<fg::f64>();
}
template <class Test>
void for_every_scalar(Test test) {
  test.template operator()<bool>();
  for_every_number(test);
}
