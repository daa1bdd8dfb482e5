// Functions of portable C, as GCC and Clang compile them with flags that would change what they compute if
// the text let them, against those of the CPU engine at the same level: the same bits.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <random>
#include <sstream>

#include "../runtime/temporary_directory.h"
#include "compiled_prelude.h"
#include "emit/portable_prelude.h"

namespace fulgurite::emit::testing {
namespace {

/// stem_kind[_to]: what is applied to arrays a, b and c.
struct Called {
  std::string stem, kind, to;
  int n_arguments;
  int lanes;

  std::string name() const {
    return fmt::format("{}_{}{}_x{}", stem, kind, to.empty() ? "" : "_" + to, lanes);
  }
};

std::string in_memory(const std::string& kind) {
  return kind == "b1" ? "u8" : kind;
}
/// The kind of what comes out.
std::string result_of(const Called& f) {
  if (!f.to.empty()) return f.to;
  const bool is_test =
      f.stem.starts_with("is") || f.stem == "eq" || f.stem == "ne" || f.stem == "lt" || f.stem == "le";
  return is_test ? "b1" : f.kind;
}

std::string function(const Called& f) {
  auto load = [&](const std::string& kind, const char* array) {
    return fmt::format("fg_load_{}_x{}((const {}*){} + i)", kind, f.lanes, in_memory(kind), array);
  };
  std::string arguments = f.stem == "select" ? load("b1", "c") + ", " : "";
  arguments += load(f.kind, "a");
  if (f.n_arguments > 1) arguments += ", " + load(f.kind, "b");
  if (f.n_arguments > 2) arguments += ", " + load(f.kind, "c");
  const std::string to = result_of(f);
  return fmt::format(
      "FG_TARGET void {0}(const void* a, const void* b, const void* c, void* r, i64 n) {{\n  (void)b, "
      "(void)c;\n"
      "  for (i64 i = 0; i < n; i += {1}) fg_store_{2}_x{1}(({3}*)r + i, fg_{0}({4}));\n}}\n",
      f.name(), f.lanes, to, in_memory(to), arguments);
}

const std::vector<std::string> integers = {"i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"};

std::vector<Called> functions() {
  std::vector<Called> all;
  for (const char* kind : {"f32", "f64"}) {
    const int lanes = kind[1] == '3' ? 64 : 32;
    for (const char* stem : {"exp",   "exp2",  "exp10", "expm1", "log",  "log2",  "log10", "log1p",   "sin",
                             "cos",   "tan",   "asin",  "acos",  "atan", "sinh",  "cosh",  "tanh",    "asinh",
                             "acosh", "atanh", "erf",   "erfc",  "cbrt", "rsqrt", "sqrt",  "floor",   "ceil",
                             "trunc", "round", "rint",  "abs",   "sign", "isnan", "isinf", "isfinite"})
      all.push_back({stem, kind, "", 1, lanes});
    for (const char* stem : {"pow", "atan2", "hypot", "rem", "div", "min", "max", "min_of_number",
                             "max_of_number", "copysign", "eq", "ne", "lt", "le", "select"})
      all.push_back({stem, kind, "", 2, lanes});
    all.push_back({"muladd", kind, "", 3, lanes});
  }
  for (const std::string& kind : integers) {
    for (const char* stem : {"abs", "sign", "popcount", "clz", "ctz"}) all.push_back({stem, kind, "", 1, 32});
    for (const char* stem :
         {"div", "rem", "ceil_div", "min", "max", "shl", "shr", "eq", "ne", "lt", "le", "select"})
      all.push_back({stem, kind, "", 2, 32});
    for (const char* stem : {"add_half_products", "add_quarter_products"})
      all.push_back({stem, kind, "", 3, 32});
  }
  std::vector<std::string> kinds = integers;
  kinds.insert(kinds.end(), {"f32", "f64", "b1"});
  for (const std::string& from : kinds)
    for (const std::string& to : kinds)
      if (from != to) all.push_back({"cast", from, to, 1, 16});
  return all;
}

std::vector<std::byte> values(const std::string& kind, unsigned seed, std::size_t n) {
  std::mt19937_64 random(seed);
  auto spread = [&] {
    return std::ldexp(static_cast<double>(random() >> 11) * 0x1p-52 - 1,
                      static_cast<int>(random() % 24) - 12);
  };
  const std::size_t size = kind.ends_with("64") ? 8 : kind.ends_with("32") ? 4 : kind.ends_with("16") ? 2 : 1;
  std::vector<std::byte> bytes(n * size);
  for (std::size_t i = 0; i < n; ++i) {
    std::uint64_t bits = random() >> (random() % (8 * size));
    if (kind == "b1") bits &= 1;
    constexpr double special[] = {0.0,
                                  -0.0,
                                  1,
                                  -1,
                                  0.5,
                                  -0.5,
                                  2.5,
                                  -2.5,
                                  1e300,
                                  -1e300,
                                  5e-324,
                                  3e38,
                                  1e-45,
                                  65537,
                                  1e9,
                                  std::numeric_limits<double>::infinity(),
                                  -std::numeric_limits<double>::infinity(),
                                  std::numeric_limits<double>::quiet_NaN(),
                                  88.7,
                                  -103.9,
                                  709.7,
                                  -745};
    const double x = i % 3 == 0 ? special[random() % std::size(special)] : spread();
    if (kind[0] == 'f' && i % 7 != 0) {
      const float narrow = static_cast<float>(x);
      bits = 0;
      if (size == 8)
        std::memcpy(&bits, &x, 8);
      else
        std::memcpy(&bits, &narrow, 4);
    }
    std::memcpy(bytes.data() + i * size, &bits, size);
  }
  return bytes;
}

/// A NaN's bits are its hardware's.
template <class T>
void make_one_nan(std::vector<std::byte>& bytes) {
  for (std::size_t i = 0; i + sizeof(T) <= bytes.size(); i += sizeof(T)) {
    T x;
    std::memcpy(&x, bytes.data() + i, sizeof x);
    if (x != x) x = std::numeric_limits<T>::quiet_NaN();
    std::memcpy(bytes.data() + i, &x, sizeof x);
  }
}

class Shared {
 public:
  Shared(const std::string& compiler, const std::string& text) {
    const runtime::test::TemporaryDirectory directory;
    const std::string stem = (directory.path() / "portable").string();
    std::ofstream(stem + ".c") << text;
    // The driver that links does not see the flags: by -ffast-math it would flush subnormal numbers in the
    // whole process.
    const std::string command =
        fmt::format("{0} -fPIC -c -o {1}.o {1}.c && gcc -shared -o {1}.so {1}.o -lm", compiler, stem);
    if (std::system(command.c_str()) != 0) throw std::runtime_error("cannot run " + command);
    module_ = dlopen((stem + ".so").c_str(), RTLD_NOW);
    if (module_ == nullptr) throw std::runtime_error(dlerror());
  }
  ~Shared() { dlclose(module_); }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  void* find(const std::string& name) const { return dlsym(module_, name.c_str()); }

 private:
  void* module_ = nullptr;
};

using Function = void(const void*, const void*, const void*, void*, std::int64_t);

std::vector<std::byte> run(Function* f, const Called& called, std::size_t n) {
  const std::vector<std::byte> a = values(called.kind, 1, n), b = values(called.kind, 2, n),
                               c = values(called.stem == "select" ? "b1" : called.kind, 3, n);
  const std::string to = in_memory(result_of(called));
  std::vector<std::byte> r(values(to, 1, n).size());
  f(a.data(), b.data(), c.data(), r.data(), static_cast<std::int64_t>(n));
  if (to == "f32") make_one_nan<float>(r);
  if (to == "f64") make_one_nan<double>(r);
  return r;
}

bool is_installed(const char* compiler) {
  return std::system(fmt::format("command -v {} >/dev/null", compiler).c_str()) == 0;
}

/// GCC with flags that change what other texts compute. Clang's back end heeds no pragma against them.
std::vector<std::string> compilers() {
  std::vector<std::string> found;
  const std::string flags = fmt::format("-O1 -std=gnu17 -Wall -Wextra -Werror -march={}",
                                        levels().size() > 1 ? "x86-64-v3" : "x86-64-v2");
  if (is_installed("gcc")) found.push_back("gcc -ffast-math -ffp-contract=fast " + flags);
  if (is_installed("clang-19")) found.push_back("clang-19 " + flags);
  return found;
}

class PortableCAtLevel : public ::testing::TestWithParam<std::string> {};

TEST_P(PortableCAtLevel, HasTheBitsOfTheCpuEngine) {
  const std::vector<std::string> available = levels();
  const std::string level = GetParam();
  if (std::ranges::find(available, "x86-64-" + level) == available.end()) GTEST_SKIP();
  const std::vector<Called> all = functions();
  std::string text;
  for (const Called& f : all) text += function(f);
  const Compiled engine("#define FG_TARGET\n" + text, "x86-64-" + level);
  for (const std::string& compiler : compilers()) {
    const Level of_text = level == "v2" ? Level::v2 : level == "v3" ? Level::v3 : Level::v4;
    const Shared shared(compiler, portable_prelude(text, of_text) + text + std::string(portable_end));
    for (const Called& f : all) {
      constexpr std::size_t n = 6400;
      const auto expected = run(engine.find<Function>(f.name()), f, n);
      const auto got = run(reinterpret_cast<Function*>(shared.find(f.name())), f, n);
      const auto differs = std::ranges::mismatch(expected, got);
      EXPECT_TRUE(differs.in1 == expected.end())
          << f.name() << " by " << compiler << " at byte " << differs.in1 - expected.begin();
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Levels, PortableCAtLevel, ::testing::Values("v2", "v3", "v4"),
                         [](const auto& level) { return level.param; });

TEST(PortableC, HasSingleLanesOfEveryFunction) {
  std::vector<Called> all = functions();
  std::string text;
  for (Called& f : all) {
    f.lanes = 1;
    text += function(f);
  }
  for (const Level level : {Level::generic, Level::v2, Level::v3, Level::v4})
    for (const std::string& compiler : compilers())
      Shared(compiler, portable_prelude(text, level) + text + std::string(portable_end));
}

// A mask of several registers, made of one integer: each register has its own bits.
TEST(PortableC, HasTheBitsOfEachRegisterOfAMask) {
  const std::string v4 = portable_prelude("fg_bits_mask_b1_x64(0);", Level::v4);
  for (const char* part :
       {"r.p0 = fg_bits_mask_b1_x16(bits);", "r.p1 = fg_bits_mask_b1_x16(bits >> 16);",
        "r.p2 = fg_bits_mask_b1_x16(bits >> 32);", "r.p3 = fg_bits_mask_b1_x16(bits >> 48);"})
    EXPECT_NE(v4.find(part), std::string::npos) << part << "\n" << v4.substr(v4.find("bits_mask"), 2000);
}

TEST(PortableC, RefusesFastMathOfClang) {
  if (!is_installed("clang-19")) GTEST_SKIP();
  const runtime::test::TemporaryDirectory directory;
  const std::string file = (directory.path() / "portable.c").string();
  std::ofstream(file) << portable_prelude("", Level::v2) << portable_end;
  const std::string command = fmt::format("clang-19 -fsyntax-only -ffast-math {0} 2> {0}.txt", file);
  EXPECT_NE(std::system(command.c_str()), 0);
  std::stringstream said;
  said << std::ifstream(file + ".txt").rdbuf();
  EXPECT_NE(said.str().find("compile it with -fno-fast-math -ffp-contract=off"), std::string::npos)
      << said.str();
}

}  // namespace
}  // namespace fulgurite::emit::testing
