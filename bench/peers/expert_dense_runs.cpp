// Hand-written reductions of variants whose operators do not commute.
#include "peers/dense_functions.h"
#include "peers/expert_runs.h"

namespace bench {
namespace {

class AffineRuns {
 public:
  void step(Ints x) {
    const Ints factor = _mm512_add_epi32(_mm512_add_epi32(x, x), _mm512_set1_epi32(1));
    factor_ = _mm512_mullo_epi32(factor_, factor);
    summand_ = _mm512_add_epi32(_mm512_mullo_epi32(summand_, factor), x);
  }
  Affine lane(int l) const {
    return {reinterpret_cast<const Lanes<std::uint32_t>&>(factor_)[l],
            reinterpret_cast<const Lanes<std::uint32_t>&>(summand_)[l]};
  }
  static Affine joined(Affine a, Affine b) { return after(a, b); }
  static Affine of(std::int32_t x) { return affine(x); }

 private:
  Ints factor_ = _mm512_set1_epi32(1), summand_ = _mm512_setzero_si512();
};

class QuaternionRuns {
 public:
  using F = Lanes<float>;
  void step(Ints bits) {
    const F of = reinterpret_cast<F>(bits), square = of * of;  // the other one's real part is 1
    const F x = (of - 0.5f) * 1e-3f, y = (square - 1.f / 3) * 1e-3f, z = (square * of - 0.25f) * 1e-3f;
    const F w = (w_ - x_ * x) - (y_ * y + z_ * z);
    const F a = (x_ + w_ * x) + (y_ * z - z_ * y), b = (y_ + w_ * y) + (z_ * x - x_ * z),
            c = (z_ + w_ * z) + (x_ * y - y_ * x);
    w_ = w, x_ = a, y_ = b, z_ = c;
  }
  Quaternion<float> lane(int l) const { return {w_[l], x_[l], y_[l], z_[l]}; }
  static Quaternion<float> joined(Quaternion<float> a, Quaternion<float> b) { return multiply(a, b); }
  static Quaternion<float> of(float x) { return rotation<float>(x); }

 private:
  F w_ = all_lanes_of(1.f), x_{}, y_{}, z_{};
};

class SegmentRuns {
 public:
  using F = Lanes<float>;
  void step(Ints bits) {
    const F x = reinterpret_cast<F>(bits) - 0.5f;
    suffix_ = __builtin_elementwise_max(suffix_ + x, F{});
    best_ = __builtin_elementwise_max(best_, suffix_);
    total_ += x;
    prefix_ = __builtin_elementwise_max(prefix_, total_);
  }
  RealSegment<float> lane(int l) const { return {best_[l], prefix_[l], suffix_[l], total_[l]}; }
  static RealSegment<float> joined(RealSegment<float> a, RealSegment<float> b) { return join(a, b); }
  static RealSegment<float> of(float x) { return real_segment<float>(x); }

 private:
  F best_{}, prefix_{}, suffix_{}, total_{};
};

class StretchRuns {
 public:
  void step(Ints x) {
    const __mmask16 positive = _mm512_cmpgt_epi32_mask(x, _mm512_setzero_si512());
    const Ints one = _mm512_set1_epi32(1);
    suffix_ = _mm512_maskz_add_epi32(positive, suffix_, one);
    best_ = _mm512_max_epi32(best_, suffix_);
    unbroken_ &= positive;
    prefix_ = _mm512_mask_add_epi32(prefix_, unbroken_, prefix_, one);
    ++length_;
  }
  Stretch lane(int l) const {
    using I = Lanes<std::int32_t>;
    return {reinterpret_cast<const I&>(best_)[l], reinterpret_cast<const I&>(prefix_)[l],
            reinterpret_cast<const I&>(suffix_)[l], length_};
  }
  static Stretch joined(Stretch a, Stretch b) { return join(a, b); }
  static Stretch of(std::int32_t x) { return stretch(x); }

 private:
  Ints best_ = _mm512_setzero_si512(), prefix_ = best_, suffix_ = best_;
  __mmask16 unbroken_ = 0xFFFF;
  std::int32_t length_ = 0;
};

}  // namespace

void add_expert_dense_runs(Peers& peers) {
  peers.add("Reduce2x2MM-affine", "omp-expert", [](Data& d) {
    const Affine all = fold_in_order<AffineRuns>(d.small, d.n, Affine{1, 0});
    d.results[0] = all.factor;
    d.results[1] = all.summand;
  });
  peers.add("Reduce2x2MM-quaternion", "omp-expert", [](Data& d) {
    const auto all = fold_in_order<QuaternionRuns>(d.x, d.n, Quaternion<float>{1, 0, 0, 0});
    d.results[0] = all.w;
    d.results[1] = all.x;
    d.results[2] = all.y;
    d.results[3] = all.z;
  });
  peers.add("MSSP-f32", "omp-expert", [](Data& d) {
    const auto all = fold_in_order<SegmentRuns>(d.x, d.n, RealSegment<float>{0, 0, 0, 0});
    d.results[0] = all.best;
    d.results[1] = all.prefix;
    d.results[2] = all.suffix;
    d.results[3] = all.total;
  });
  peers.add("MSSP-run", "omp-expert", [](Data& d) {
    const Stretch all = fold_in_order<StretchRuns>(d.small, d.n, Stretch{0, 0, 0, 0});
    d.results[0] = all.best;
    d.results[1] = all.prefix;
    d.results[2] = all.suffix;
    d.results[3] = all.length;
  });
}

}  // namespace bench
