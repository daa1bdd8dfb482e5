// Writes the Halide peers: one library and header for each pipeline, into the current directory.
#include <Halide.h>

#include <string>
#include <vector>

using namespace Halide;

namespace {

constexpr int chunk = 32768;
const Target target("x86-64-linux-sse41-avx-avx2-f16c-fma-avx512-avx512_skylake-no_asserts-no_bounds_query");
bool first = true;  // the first library has the run time
void write(Func f, const std::vector<Argument>& arguments, const std::string& name) {
  const Target t = first ? target : target.with_feature(Target::NoRuntime);
  first = false;
  f.compile_to_static_library(name, arguments, name, t);
}
void schedule_map(Func f, Var i, Expr n, int cut = 16384) {
  Var io, ii;
  f.specialize(n < cut).vectorize(i, 16, TailStrategy::GuardWithIf);
  f.split(i, io, ii, chunk, TailStrategy::GuardWithIf)
      .parallel(io)
      .vectorize(ii, 32, TailStrategy::GuardWithIf);
}
template <class E>
Func reduction(E e, Expr n, Type t) {
  Func s;
  s() = cast(t, 0);
  RDom r(0, 64, 0, chunk / 64, 0, n / chunk), q(0, n % chunk);
  s() += e(r.z * chunk + r.y * 64 + r.x);
  s() += e(n / chunk * chunk + q);
  Var l, u;
  Func in = s.update(0).rfactor({{r.x, l}, {r.z, u}});
  in.compute_root().parallel(u).vectorize(l, 64);
  in.update().reorder(l, r.y, u).parallel(u).vectorize(l, 64);
  RVar qo, qi;
  s.update(1).split(q, qo, qi, 16).atomic().vectorize(qi);
  return s;
}
Expr normal_cdf(Expr d) {
  Expr L = abs(d), k = 1.f / (1.f + 0.2316419f * L),
       w = 1.f - 0.39894228f * exp(-0.5f * L * L) *
                     (k * (0.31938153f + k * (-0.356563782f +
                                              k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
  return select(d < 0.f, 1.f - w, w);
}
void black_scholes(Expr S, Expr X, Expr T, Expr& c, Expr& p) {
  const float r = .08f, v = .3f;
  Expr sq = sqrt(T), d1 = (log(S / X) + (r + .5f * v * v) * T) / (v * sq), d2 = d1 - v * sq,
       e = X * exp(-r * T), n1 = normal_cdf(d1), n2 = normal_cdf(d2);
  c = S * n1 - e * n2;
  p = e * (1.f - n2) - S * (1.f - n1);
}
}  // namespace

int main() {
  Var i("i"), j("j");
  ImageParam x(Float(32), 1, "x"), y(Float(32), 1, "y"), z(Float(32), 1, "z"), w(Float(32), 1, "w"),
      a(Int(32), 1, "a"), g(Float(32), 2, "g"), A(Float(32), 2, "A"), B(Float(32), 2, "B");
  Expr n = x.dim(0).extent();
  {
    Func f;
    f(i) = 1.7f * x(i) + y(i);
    schedule_map(f, i, f.output_buffer().dim(0).extent());
    write(f, {x, y}, "halide_saxpy");
  }
  {
    Func f;
    f(i) = x(i + 1) - x(i);
    schedule_map(f, i, f.output_buffer().dim(0).extent());
    write(f, {x}, "halide_forward_difference");
  }
  {
    Func f;
    Expr s = 0.f;
    for (int k = 0; k < 15; k++) s += w(k) * x(i + k);
    f(i) = s;
    schedule_map(f, i, f.output_buffer().dim(0).extent());
    write(f, {x, w}, "halide_moving_average");
  }
  {
    Func f;
    Param<int> M;
    f(i, j) = 0.2f * (g(i, j) + g(i, j - 1) + g(i, j + 1) + g(i - 1, j) + g(i + 1, j));
    Var jo, ji;
    f.specialize(M < 128).vectorize(i, 16, TailStrategy::GuardWithIf);
    f.split(j, jo, ji, 32, TailStrategy::GuardWithIf)
        .parallel(jo)
        .vectorize(i, 16, TailStrategy::GuardWithIf);
    write(f, {g, M}, "halide_jacobi");
  }
  {
    Func f;
    Expr c, p;
    black_scholes(x(i), y(i), z(i), c, p);
    f(i) = Tuple(c, p);
    Expr e = f.output_buffers()[0].dim(0).extent();
    Var io, ii;
    f.specialize(e < 1024).vectorize(i, 16, TailStrategy::GuardWithIf);
    f.split(i, io, ii, 8192, TailStrategy::GuardWithIf)
        .parallel(io)
        .vectorize(ii, 16, TailStrategy::GuardWithIf);
    write(f, {x, y, z}, "halide_black_scholes_map");
  }
  {
    Param<int> m;
    Param<float> rn;
    write(reduction(
              [&](Expr k) {
                Expr t = cast<float>(k + 1) * rn, c, p;
                black_scholes(58.f + 4.f * t, 65.f, 10.f * t, c, p);
                return c;
              },
              m, Float(32)),
          {m, rn}, "halide_black_scholes_sum");
  }
  write(reduction([&](Expr k) { return x(k) * y(k); }, n, Float(32)), {x, y}, "halide_sdot");
  write(reduction(
            [&](Expr k) {
              Expr d = x(k) - y(k);
              return d * d;
            },
            n, Float(32)),
        {x, y}, "halide_squared_error");
  write(reduction([&](Expr k) { return a(k); }, a.dim(0).extent(), Int(32)), {a}, "halide_sum");
  {
    Func C, p;
    RDom k(0, 1024);
    p(i, j) = 0.f;
    p(i, j) += A(k, j) * B(i, k);
    C(i, j) = p(i, j);
    Var io, jo, ii, ji;
    C.bound(i, 0, 1024).bound(j, 0, 1024);
    Var t;
    C.tile(i, j, io, jo, ii, ji, 32, 8)
        .reorder(ii, ji, jo, io)
        .vectorize(ii, 16)
        .unroll(ii)
        .unroll(ji)
        .parallel(io);
    p.compute_at(C, jo).vectorize(i, 16).unroll(i).unroll(j);
    p.update().reorder(i, j, k).vectorize(i, 16).unroll(i).unroll(j);
    write(C, {A, B}, "halide_matrix_product");
  }
  {
    Func f;
    Expr N = x.dim(0).extent();
    RDom k(0, N);
    Expr dx = x(k) - x(i), dy = y(k) - y(i), dz = z(k) - z(i), q = dx * dx + dy * dy + dz * dz + 1e-3f,
         r = 1.f / sqrt(q), m = w(k) * r * r * r;
    f(i) = Tuple(0.f, 0.f, 0.f);
    f(i) = Tuple(f(i)[0] + m * dx, f(i)[1] + m * dy, f(i)[2] + m * dz);
    Func o;
    o(i) = Tuple(f(i)[0], f(i)[1], f(i)[2]);
    Var io, ii;
    o.split(i, io, ii, 64).parallel(io).vectorize(ii, 64);
    f.compute_at(o, io).vectorize(i, 64);
    f.update().reorder(i, k).vectorize(i, 64);
    write(o, {x, y, z, w}, "halide_n_body");
  }
}
