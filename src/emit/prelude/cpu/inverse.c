// Inverse trigonometric functions (rules: types.c). Odd minimax polynomials x + x^3 p(x^2) (Remez; ../fit.py) near 0; elsewhere
// atan(x) = pi/4 + atan((x - 1) / (x + 1)) = pi/2 - atan(1/x), asin(x) = pi/2 - 2 asin(sqrt((1 - x) / 2)).

//! atan_rest_ f64
// (atan(x) - x) / x^3, a function of z = x^2, |x| <= 0.66
FG_INLINE V(f64) FN(atan_rest_, f64)(V(f64) z) {
  V(f64) p = MULADD(S(f64, -0x1.0039834a14c14p-10), z, S(f64, 0x1.4dde858ddf3dfp-8));
  p = MULADD(p, z, S(f64, -0x1.ae641b69fd451p-7));
  p = MULADD(p, z, S(f64, 0x1.77aef9c3643f5p-6));
  p = MULADD(p, z, S(f64, -0x1.02a4fea86a288p-5));
  p = MULADD(p, z, S(f64, 0x1.373305018655p-5));
  p = MULADD(p, z, S(f64, -0x1.5f76c114461eap-5));
  p = MULADD(p, z, S(f64, 0x1.850df4812ba05p-5));
  p = MULADD(p, z, S(f64, -0x1.aefb3b84ca48cp-5));
  p = MULADD(p, z, S(f64, 0x1.e1dc1184a220ep-5));
  p = MULADD(p, z, S(f64, -0x1.1110c9bd185cbp-4));
  p = MULADD(p, z, S(f64, 0x1.3b13ac4566288p-4));
  p = MULADD(p, z, S(f64, -0x1.745d170835a33p-4));
  p = MULADD(p, z, S(f64, 0x1.c71c71c5248f1p-4));
  p = MULADD(p, z, S(f64, -0x1.249249248d73fp-3));
  p = MULADD(p, z, S(f64, 0x1.99999999998d8p-3));
  return MULADD(p, z, S(f64, -0x1.5555555555555p-2));
}

//! asin_rest_ f64
// (asin(x) - x) / x^3, a function of z = x^2, |x| <= 1/2
FG_INLINE V(f64) FN(asin_rest_, f64)(V(f64) z) {
  V(f64) p = MULADD(S(f64, 0x1.0b45e32103455p-5), z, S(f64, -0x1.57fab0e8cdacp-6));
  p = MULADD(p, z, S(f64, 0x1.639a6f9d9a664p-6));
  p = MULADD(p, z, S(f64, 0x1.e5fc39168b90ap-9));
  p = MULADD(p, z, S(f64, 0x1.613c1a575b9adp-7));
  p = MULADD(p, z, S(f64, 0x1.75859e02d3744p-7));
  p = MULADD(p, z, S(f64, 0x1.ca1f8af8ae4acp-7));
  p = MULADD(p, z, S(f64, 0x1.1c49f076b3779p-6));
  p = MULADD(p, z, S(f64, 0x1.6e8bdededba31p-6));
  p = MULADD(p, z, S(f64, 0x1.f1c71a94feefcp-6));
  p = MULADD(p, z, S(f64, 0x1.6db6db72124a8p-5));
  p = MULADD(p, z, S(f64, 0x1.333333332e133p-4));
  return MULADD(p, z, S(f64, 0x1.5555555555577p-3));
}

//! atan_ratio_ f64
//! needs atan_rest_ f64
// The angle of (x, y) in the first quadrant; x, y >= 0, not both zero, not both infinite.
FG_INLINE V(f64) FN(atan_ratio_, f64)(V(f64) y, V(f64) x) {
  M(f64) low = y < 0.66 * x, high = 0.66 * y > x;
  V(f64) above = CHOOSE(f64, low, y, (CHOOSE(f64, high, -x, y - x))), below = CHOOSE(f64, low, x, (CHOOSE(f64, high, y, y + x)));
  V(f64) t = above / below, z = t * t;
  V(f64) head = CHOOSE(f64, low, S(f64, 0), (CHOOSE(f64, high, S(f64, 0x1.921fb54442d18p0), S(f64, 0x1.921fb54442d18p-1))));
  V(f64) rest = CHOOSE(f64, low, S(f64, 0), (CHOOSE(f64, high, S(f64, 0x1.1a62633145c07p-54), S(f64, 0x1.1a62633145c07p-55))));
  V(f64) sum = head + t;
  rest = MULADD(t * z, FN(atan_rest_, f64)(z), rest);
  return sum + (CHOOSE(f64, low, rest, ((head - sum) + t) + rest));
}

//! atan f64
//! needs atan_ratio_ f64
FG_INLINE V(f64) FN(atan, f64)(V(f64) x) {
  V(f64) size = __builtin_elementwise_abs(x);
  V(f64) y = FN(atan_ratio_, f64)(size, S(f64, 1));
  return __builtin_elementwise_copysign(CHOOSE(f64, size > 0x1p60, S(f64, 0x1.921fb54442d18p0), y), x);
}

//! atan2 f64
//! needs atan_ratio_ f64
// Large operands are halved twice and small ones enlarged, so that sums and products in atan_ratio_ stay in range; the ratio stays.
FG_INLINE V(f64) FN(atan2, f64)(V(f64) y, V(f64) x) {
  V(f64) size_y = __builtin_elementwise_abs(y), size_x = __builtin_elementwise_abs(x);
  M(f64) infinite = size_x == __builtin_inf() & size_y == __builtin_inf();
  V(f64) a = CHOOSE(f64, infinite, S(f64, 1), size_y), b = CHOOSE(f64, infinite, S(f64, 1), size_x);
  M(f64) large = a > 0x1p1000 | b > 0x1p1000, small = a < 0x1p-900 & b < 0x1p-900;
  V(f64) factor = CHOOSE(f64, large, S(f64, 0.25), (CHOOSE(f64, small, S(f64, 0x1p120), S(f64, 1))));
  V(f64) angle = FN(atan_ratio_, f64)(a * factor, b * factor);
  angle = CHOOSE(f64, (a == 0 & b == 0), S(f64, 0), angle);
  M(f64) left = BITS(i64, x) < 0;  // a negative zero is on the left
  V(f64) mirrored = 0x1.921fb54442d18p1 - (angle - 0x1.1a62633145c07p-53);
  angle = CHOOSE(f64, left, mirrored, angle);
  return CHOOSE(f64, (x != x | y != y), x + y, __builtin_elementwise_copysign(angle, y));
}

//! asin f64
//! needs asin_rest_ f64
FG_INLINE V(f64) FN(asin, f64)(V(f64) x) {
  V(f64) size = __builtin_elementwise_abs(x);
  M(f64) outer = size > 0.5;
  V(f64) half = 0.5 * (1 - size), z = CHOOSE(f64, outer, half, x * x);  // exact where it is used
  V(f64) root = __builtin_elementwise_sqrt(half), t = CHOOSE(f64, outer, root, size);
  V(f64) tail = t * z * FN(asin_rest_, f64)(z);
  V(f64) far = 0x1.921fb54442d18p0 - 2 * t, rest = ((0x1.921fb54442d18p0 - far) - 2 * t) + 0x1.1a62633145c07p-54;
  V(f64) y = CHOOSE(f64, outer, far + (rest - 2 * tail), t + tail);
  return __builtin_elementwise_copysign(y, x);
}

//! acos f64
//! needs asin_rest_ f64
FG_INLINE V(f64) FN(acos, f64)(V(f64) x) {
  V(f64) size = __builtin_elementwise_abs(x);
  M(f64) outer = size > 0.5;
  V(f64) half = 0.5 * (1 - size), z = CHOOSE(f64, outer, half, x * x);
  V(f64) t = CHOOSE(f64, outer, __builtin_elementwise_sqrt(half), x);
  V(f64) tail = t * z * FN(asin_rest_, f64)(z);
  V(f64) head = CHOOSE(f64, outer, S(f64, 0x1.921fb54442d18p1), S(f64, 0x1.921fb54442d18p0));
  V(f64) rest = CHOOSE(f64, outer, S(f64, 0x1.1a62633145c07p-53), S(f64, 0x1.1a62633145c07p-54));
  V(f64) by = CHOOSE(f64, outer, 2 * t, t), far = head - by;
  V(f64) y = far + ((((head - far) - by) + rest) - (CHOOSE(f64, outer, 2 * tail, tail)));
  return CHOOSE(f64, (x > 0.5), 2 * (t + tail), y);
}
