// Hyperbolic functions and their inverses (rules: types.c). Near 0 odd minimax polynomials x + x^3 p(x^2) (Remez; ../fit.py), elsewhere exponentials and
// logarithms of sums that are carried in two parts (fast two-sum, Dekker, Numer. Math. 18, 1971).

//! sinh_rest_ f64
// (sinh(x) - x) / x^3, a function of z = x^2, |x| <= 1
FG_INLINE V(f64) FN(sinh_rest_, f64)(V(f64) z) {
  V(f64) p = MULADD(S(f64, 0x1.d2ec50fe1c365p-48), z, S(f64, 0x1.a6635a0a8b874p-41));
  p = MULADD(p, z, S(f64, 0x1.61314fc1f4555p-33));
  p = MULADD(p, z, S(f64, 0x1.ae64411fb10aap-26));
  p = MULADD(p, z, S(f64, 0x1.71de3a68d1dfp-19));
  p = MULADD(p, z, S(f64, 0x1.a01a01a00734fp-13));
  p = MULADD(p, z, S(f64, 0x1.111111111119bp-7));
  return MULADD(p, z, S(f64, 0x1.5555555555555p-3));
}

//! tanh_rest_ f64
// (tanh(x) - x) / x^3, a function of z = x^2, |x| <= 0.55
FG_INLINE V(f64) FN(tanh_rest_, f64)(V(f64) z) {
  V(f64) p = MULADD(S(f64, -0x1.46ed9384c6864p-16), z, S(f64, 0x1.5d665aef511c9p-14));
  p = MULADD(p, z, S(f64, -0x1.e96b03fcb3264p-13));
  p = MULADD(p, z, S(f64, 0x1.348339fd02bb4p-11));
  p = MULADD(p, z, S(f64, -0x1.7d8fc5dff426cp-10));
  p = MULADD(p, z, S(f64, 0x1.d6d29a8b789f6p-9));
  p = MULADD(p, z, S(f64, -0x1.226e2f0e061a9p-7));
  p = MULADD(p, z, S(f64, 0x1.664f48593f5f3p-6));
  p = MULADD(p, z, S(f64, -0x1.ba1ba1b97cb13p-5));
  p = MULADD(p, z, S(f64, 0x1.111111111079p-3));
  return MULADD(p, z, S(f64, -0x1.555555555554fp-2));
}

//! asinh_rest_ f64
// (asinh(x) - x) / x^3, a function of z = x^2, |x| <= 1/2
FG_INLINE V(f64) FN(asinh_rest_, f64)(V(f64) z) {
  V(f64) p = MULADD(S(f64, -0x1.608b64178e5fcp-10), z, S(f64, 0x1.fe603a25c6c2cp-9));
  p = MULADD(p, z, S(f64, -0x1.9d185a8c6974ap-8));
  p = MULADD(p, z, S(f64, 0x1.09d687d4d1c01p-7));
  p = MULADD(p, z, S(f64, -0x1.3e18a0ade7797p-7));
  p = MULADD(p, z, S(f64, 0x1.7a48794e21f82p-7));
  p = MULADD(p, z, S(f64, -0x1.c9935f21dbe1cp-7));
  p = MULADD(p, z, S(f64, 0x1.1c4e8dd4284c5p-6));
  p = MULADD(p, z, S(f64, -0x1.6e8ba05336bb6p-6));
  p = MULADD(p, z, S(f64, 0x1.f1c71c5dc6897p-6));
  p = MULADD(p, z, S(f64, -0x1.6db6db6d89171p-5));
  p = MULADD(p, z, S(f64, 0x1.3333333332fe6p-4));
  return MULADD(p, z, S(f64, -0x1.5555555555554p-3));
}

//! atanh_rest_ f64
// (atanh(x) - x) / x^3, a function of z = x^2, |x| <= 1/2
FG_INLINE V(f64) FN(atanh_rest_, f64)(V(f64) z) {
  V(f64) p = MULADD(S(f64, 0x1.ecdb6d8adf10ap-3), z, S(f64, -0x1.90196a6914565p-3));
  p = MULADD(p, z, S(f64, 0x1.652f0f220d0abp-3));
  p = MULADD(p, z, S(f64, -0x1.4f4e4c4a518b2p-8));
  p = MULADD(p, z, S(f64, 0x1.e77bb329e106cp-5));
  p = MULADD(p, z, S(f64, 0x1.9e6fdaa9b9ef4p-5));
  p = MULADD(p, z, S(f64, 0x1.e3ed1bbe82845p-5));
  p = MULADD(p, z, S(f64, 0x1.10fa5345f828dp-4));
  p = MULADD(p, z, S(f64, 0x1.3b1513dde009ap-4));
  p = MULADD(p, z, S(f64, 0x1.745d089580819p-4));
  p = MULADD(p, z, S(f64, 0x1.c71c722bb4a3dp-4));
  p = MULADD(p, z, S(f64, 0x1.24924923c6497p-3));
  p = MULADD(p, z, S(f64, 0x1.999999999b3b8p-3));
  return MULADD(p, z, S(f64, 0x1.555555555554cp-2));
}

//! half_exp_ f64
//! needs exp_sum_ f64
// e^x / 2 for x >= 0, infinite only where that is.
FG_INLINE V(f64) FN(half_exp_, f64)(V(f64) x) {
  V(f64) head = x - 0x1.62e42fefa39efp-1, back = x - head;
  V(f64) low = (x - (head + back)) + (back - 0x1.62e42fefa39efp-1);
  return FN(exp_sum_, f64)(head, CHOOSE(f64, x < 800, low - 0x1.abc9e3b39803fp-56, S(f64, 0)));
}

//! sinh f64
//! needs half_exp_ f64, sinh_rest_ f64
FG_INLINE V(f64) FN(sinh, f64)(V(f64) x) {
  V(f64) size = __builtin_elementwise_abs(x), z = x * x;
  V(f64) near = MULADD(size * z, FN(sinh_rest_, f64)(z), size);
  V(f64) half = FN(half_exp_, f64)(size);
  return __builtin_elementwise_copysign(CHOOSE(f64, size < 1, near, half - 0.25 / half), x);
}

//! cosh f64
//! needs half_exp_ f64
FG_INLINE V(f64) FN(cosh, f64)(V(f64) x) {
  V(f64) half = FN(half_exp_, f64)(__builtin_elementwise_abs(x));
  return half + 0.25 / half;
}

//! tanh f64
//! needs exp_sum_ f64, tanh_rest_ f64
FG_INLINE V(f64) FN(tanh, f64)(V(f64) x) {
  V(f64) size = __builtin_elementwise_abs(x), z = x * x;
  V(f64) near = MULADD(size * z, FN(tanh_rest_, f64)(z), size);
  V(f64) far = 1 - 2 / (FN(exp_sum_, f64)(2 * size, S(f64, 0)) + 1);
  return __builtin_elementwise_copysign(CHOOSE(f64, size < 0.55, near, far), x);
}

//! asinh f64
//! needs log_sum_ f64, product_ f64, asinh_rest_ f64
// log(a + sqrt(a^2 + 1)), a = |x|; beyond 2^28 log(2 a).
FG_INLINE V(f64) FN(asinh, f64)(V(f64) x) {
  V(f64) size = __builtin_elementwise_abs(x), z = x * x;
  M(f64) large = size > 0x1p28;
  V(f64) a = CHOOSE(f64, large, S(f64, 1), size), error, square = FN(product_, f64)(a, a, &error);
  V(f64) sum = square + 1;
  error += CHOOSE(f64, square > 1, (square - sum) + 1, (1 - sum) + square);
  V(f64) root = __builtin_elementwise_sqrt(sum), lost, back = FN(product_, f64)(root, root, &lost);
  V(f64) root_low = (((sum - back) - lost) + error) / (2 * root);
  V(f64) argument = root + a, low = ((root - argument) + a) + root_low;
  V(f64) y = FN(log_sum_, f64)(CHOOSE(f64, large, size, argument), CHOOSE(f64, large, S(f64, 0), low)) + (CHOOSE(f64, large, S(f64, 0x1.62e42fefa39efp-1), S(f64, 0)));
  return __builtin_elementwise_copysign(CHOOSE(f64, size < 0.5, MULADD(size * z, FN(asinh_rest_, f64)(z), size), y), x);
}

//! acosh f64
//! needs log_sum_ f64, product_ f64
// log(1 + u), u = d + sqrt(d (d + 2)), d = x - 1; beyond 2^28 log(2 x).
FG_INLINE V(f64) FN(acosh, f64)(V(f64) x) {
  M(f64) large = x > 0x1p28;
  V(f64) d = CHOOSE(f64, large, S(f64, 1), x - 1);  // exact up to 2, beyond that its error does not matter
  V(f64) next = d + 2, next_low = (2 - next) + d, error, square = FN(product_, f64)(d, next, &error);
  V(f64) root = __builtin_elementwise_sqrt(square), lost, back = FN(product_, f64)(root, root, &lost);
  V(f64) root_low = CHOOSE(f64, root > 0, (((square - back) - lost) + MULADD(d, next_low, error)) / (2 * root), S(f64, 0));
  V(f64) u = root + d, u_low = ((root - u) + d) + root_low;
  V(f64) sum = 1 + u, low = (CHOOSE(f64, u > 1, (u - sum) + 1, (1 - sum) + u)) + u_low;
  V(f64) y = FN(log_sum_, f64)(CHOOSE(f64, large, x, sum), CHOOSE(f64, large, S(f64, 0), low)) + (CHOOSE(f64, large, S(f64, 0x1.62e42fefa39efp-1), S(f64, 0)));
  return CHOOSE(f64, x < 1, S(f64, __builtin_nan("")), y);
}

//! atanh f64
//! needs log_sum_ f64, product_ f64, atanh_rest_ f64
// log((1 + a) / (1 - a)) / 2, a = |x|
FG_INLINE V(f64) FN(atanh, f64)(V(f64) x) {
  V(f64) size = __builtin_elementwise_abs(x), z = x * x;
  V(f64) above = 1 + size, above_low = (1 - above) + size, below = 1 - size;  // below: exact from 1/2 on
  V(f64) ratio = above / below, error, back = FN(product_, f64)(ratio, below, &error);
  V(f64) low = (((above - back) - error) + above_low) / below;
  V(f64) y = 0.5 * FN(log_sum_, f64)(ratio, low);
  return __builtin_elementwise_copysign(CHOOSE(f64, size < 0.5, MULADD(size * z, FN(atanh_rest_, f64)(z), size), y), x);
}

//! tanh_rest_ f32
// (tanh(x) - x) / x^3, a function of z = x^2, |x| <= 0.63
FG_INLINE V(f32) FN(tanh_rest_, f32)(V(f32) z) {
  V(f32) p = MULADD(S(f32, -0x1.732d32p-8f), z, S(f32, 0x1.519084p-6f));
  p = MULADD(p, z, S(f32, -0x1.b8262ep-5f));
  p = MULADD(p, z, S(f32, 0x1.110684p-3f));
  return MULADD(p, z, S(f32, -0x1.55553p-2f));
}

//! tanh f32
//! needs tanh_rest_ f32, exp f32
FG_INLINE V(f32) FN(tanh, f32)(V(f32) x) {
  V(f32) size = __builtin_elementwise_abs(x), z = x * x;
  V(f32) near = MULADD(size * z, FN(tanh_rest_, f32)(z), size);
  V(f32) far = 1 - 2 / (FN(exp, f32)(2 * size) + 1);
  return __builtin_elementwise_copysign(CHOOSE(f32, size < 0.625f, near, far), x);
}
