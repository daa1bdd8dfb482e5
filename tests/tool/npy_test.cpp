// .npy files: round trips, NumPy's own forms, and every kind of bad file.
#include <fulgurite/npy.h>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <thread>

#include "../runtime/temporary_directory.h"

namespace fg = fulgurite;

namespace {

class Npy : public testing::Test {
 protected:
  std::string path(const std::string& name = "a.npy") const { return (folder_ / name).string(); }
  void put(const std::string& bytes) const { std::ofstream(path(), std::ios::binary) << bytes; }
  std::string get() const {
    std::ifstream file(path(), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  // A file as NumPy writes it.
  static std::string file(const std::string& dictionary, const std::string& payload, char version = 1) {
    const std::string text = dictionary + "\n";
    std::string bytes = "\x93NUMPY";
    bytes += version;
    bytes += '\0';
    for (int k = 0; k < (version == 1 ? 2 : 4); ++k) bytes += static_cast<char>(text.size() >> (8 * k));
    return bytes + text + payload;
  }
  static std::string dictionary(const std::string& descr, const std::string& shape,
                                bool fortran_order = false) {
    return "{'descr': '" + descr + "', 'fortran_order': " + (fortran_order ? "True" : "False") +
           ", 'shape': " + shape + ", }";
  }
  template <class T>
  static std::string bytes_of(const std::vector<T>& elements) {
    return {reinterpret_cast<const char*>(elements.data()), elements.size() * sizeof(T)};
  }

  // The message for these bytes; it names the file.
  std::string refusal(const std::string& bytes) const {
    put(bytes);
    return refusal();
  }
  std::string refusal() const {
    try {
      fg::read_npy(path());
    } catch (const fg::FormatError& e) {
      EXPECT_EQ(e.message().find(path()), 0u) << e.message();
      return e.message().substr(path().size() + 1);
    }
    return "accepted";
  }

  const fulgurite::runtime::test::TemporaryDirectory directory_;
  const std::filesystem::path& folder_ = directory_.path();
};

#define EXPECT_SAYS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

template <class T>
void round_trip(const std::string& path, std::vector<T> elements) {
  const fg::Array<T, 1> out(elements);
  fg::write_npy(path, out);
  EXPECT_EQ((fg::read_npy<T, 1>(path).to_vector()), elements);
}

TEST_F(Npy, RoundTripOfEveryKind) {
  round_trip<bool>(path(), {true, false, true});
  round_trip<fg::i8>(path(), {-128, 127});
  round_trip<fg::i16>(path(), {-32768, 32767});
  round_trip<fg::i32>(path(), {INT32_MIN, INT32_MAX});
  round_trip<fg::i64>(path(), {INT64_MIN, INT64_MAX});
  round_trip<fg::u8>(path(), {0, 255});
  round_trip<fg::u16>(path(), {0, 65535});
  round_trip<fg::u32>(path(), {0, UINT32_MAX});
  round_trip<fg::u64>(path(), {0, UINT64_MAX});
  round_trip<float>(path(), {0.5f, -1e30f});
  round_trip<double>(path(), {0.1, -1e300});
  round_trip<float>(path(), {});
}

TEST_F(Npy, MatrixKeepsItsShape) {
  std::vector<double> elements(6);
  std::iota(elements.begin(), elements.end(), 0.0);
  fg::write_npy(path(), fg::Array<double, 2>(elements, {2, 3}));
  const auto back = fg::read_npy<double, 2>(path());
  EXPECT_EQ(back.shape(), (std::array<std::int64_t, 2>{2, 3}));
  EXPECT_EQ(back(1, 0), 3.0);
  const fg::Array<double, 2> empty(std::vector<double>(), {0, 3});
  fg::write_npy(path(), empty);
  EXPECT_EQ((fg::read_npy<double, 2>(path()).shape()), empty.shape());
}

TEST_F(Npy, HeaderIsNumPys) {
  fg::write_npy(path(), fg::Array<float, 1>({1, 2, 3}));
  const std::string bytes = get();
  EXPECT_EQ(bytes.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
  EXPECT_EQ((bytes.size() - 12) % 64, 0u);
  EXPECT_SAYS(bytes, "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }");
}

TEST_F(Npy, Scalar) {
  put(file(dictionary("<i4", "()"), bytes_of<int>({42})));
  const fg::AnyArray any = fg::read_npy(path());
  EXPECT_TRUE(any.shape.empty());
  EXPECT_EQ(*static_cast<const int*>(any.data.get()), 42);
  EXPECT_EQ(to_string(any), "i32");
  fg::write_npy(path("b.npy"), any);
  EXPECT_EQ(*static_cast<const int*>(fg::read_npy(path("b.npy")).data.get()), 42);
}

TEST_F(Npy, VersionsAndSpellings) {
  for (char version : {1, 2, 3}) {
    put(file(dictionary("<f4", "(2,)"), bytes_of<float>({1, 2}), version));
    EXPECT_EQ((fg::read_npy<float>(path()).to_vector()), (std::vector<float>{1, 2}));
  }
  put(file("{\"shape\":(2L,),\"descr\":\"=f4\",\"fortran_order\":False}", bytes_of<float>({1, 2})));
  EXPECT_EQ((fg::read_npy<float>(path()).to_vector()), (std::vector<float>{1, 2}));
  put(file(dictionary(">i1", "(2)"), "ab"));
  EXPECT_EQ((fg::read_npy<fg::i8>(path()).to_vector()), (std::vector<fg::i8>{'a', 'b'}));
}

TEST_F(Npy, FortranOrder) {
  put(file(dictionary("<f4", "(2, 3)", true), bytes_of<float>({0, 10, 1, 11, 2, 12})));
  EXPECT_EQ((fg::read_npy<float, 2>(path()).to_vector()), (std::vector<float>{0, 1, 2, 10, 11, 12}));
  put(file(dictionary("<f4", "(3,)", true), bytes_of<float>({0, 1, 2})));
  EXPECT_EQ((fg::read_npy<float>(path()).to_vector()), (std::vector<float>{0, 1, 2}));
  put(file(dictionary("<f4", "(0, 3)", true), ""));
  EXPECT_EQ((fg::read_npy<float, 2>(path()).size()), 0);
}

template <class T>
std::vector<T> column_major(const std::vector<std::int64_t>& shape) {
  std::int64_t n = 1;
  for (std::int64_t extent : shape) n *= extent;
  std::vector<T> elements(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) {  // row-major number i is what stands at column-major place `at`
    std::int64_t rest = i, at = 0, stride = n;
    for (std::size_t k = shape.size(); k-- > 0; rest /= shape[k]) {
      stride /= shape[k];
      at += rest % shape[k] * stride;
    }
    elements[static_cast<std::size_t>(at)] = static_cast<T>(i);
  }
  return elements;
}

TEST_F(Npy, FortranOrderOfManyAxes) {
  auto check = [&]<class T>(T, const std::string& descr, const std::vector<std::int64_t>& shape) {
    std::string text = "(";
    for (std::int64_t extent : shape) text += std::to_string(extent) + ", ";
    const std::vector<T> elements = column_major<T>(shape);
    put(file(dictionary(descr, text + ")", true), bytes_of<T>(elements)));
    const fg::AnyArray any = fg::read_npy(path());
    for (std::size_t i = 0; i < elements.size(); ++i)
      ASSERT_EQ(static_cast<const T*>(any.data.get())[i], static_cast<T>(i)) << i << " of " << to_string(any);
  };
  check(fg::i32(), "<i4", {65, 70});
  check(fg::u16(), "<u2", {5, 1, 40, 3});
  check(double(), "<f8", {2, 3, 4, 5, 6, 7});
  check(fg::u8(), "|u1", {1, 1, 9});
}

TEST_F(Npy, RefusesOtherElements) {
  EXPECT_SAYS(refusal(file(dictionary(">f4", "(1,)"), "abcd")), "big-endian elements ('>f4')");
  EXPECT_SAYS(refusal(file(dictionary("|O", "(1,)"), "abcd")), "Python objects");
  EXPECT_SAYS(refusal(file(dictionary("<c8", "(1,)"), "abcdefgh")), "complex numbers");
  EXPECT_SAYS(refusal(file(dictionary("<U3", "(1,)"), "abcd")), "strings");
  EXPECT_SAYS(refusal(file(dictionary("|S3", "(1,)"), "abc")), "strings");
  EXPECT_SAYS(refusal(file(dictionary("<f2", "(1,)"), "ab")), "16-bit floats");
  EXPECT_SAYS(refusal(file(dictionary("<M8[ns]", "(1,)"), "abcdefgh")), "times");
  EXPECT_SAYS(refusal(file(dictionary("", "(1,)"), "ab")), "unknown type");
  EXPECT_SAYS(refusal(file("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (1,), }", "abcd")),
              "structured dtype");
}

TEST_F(Npy, RefusesDamage) {
  EXPECT_SAYS(refusal(""), "is not a .npy file");
  EXPECT_SAYS(refusal("PK\x03\x04 this is a zip file, of course"), "is not a .npy file");
  const std::string good = file(dictionary("<f4", "(4,)"), bytes_of<float>({1, 2, 3, 4}));
  EXPECT_EQ(refusal(good), "accepted");
  for (std::size_t length = 0; length < good.size(); ++length)
    EXPECT_NE(refusal(good.substr(0, length)), "accepted") << length;
  EXPECT_SAYS(refusal(good.substr(0, good.size() - 1)),
              "is truncated: f32[4] needs 16 bytes of elements, 15");
  EXPECT_SAYS(refusal(good.substr(0, 20)), "ends within its header");
  EXPECT_SAYS(refusal(good + "x"), "has 1 bytes after its f32[4]");
  EXPECT_SAYS(refusal(file(dictionary("<f4", "(1,)"), "abcd", 7)), "format version 7.0");
  EXPECT_SAYS(refusal(file(dictionary("|b1", "(2,)"), "\x01\x07")), "the byte 7 as boolean 1");
}

TEST_F(Npy, RefusesAbsurdHeaders) {
  auto header = [&](const std::string& text) { return refusal(file(text, "abcd")); };
  EXPECT_SAYS(header("garbage"), "damaged header");
  EXPECT_SAYS(header("{"), "damaged header");
  EXPECT_SAYS(header("{}"), "it needs 'descr', 'fortran_order' and 'shape'");
  EXPECT_SAYS(header("{'descr': '<f4', 'shape': (1,)}"), "it needs");
  EXPECT_SAYS(header(dictionary("<f4", "(1,)") + "x"), "something follows");
  EXPECT_SAYS(header("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}"), "twice");
  EXPECT_SAYS(header("{'descr: '<f4'}"), "damaged header");
  EXPECT_SAYS(header("{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}"), "True or False is missing");
  EXPECT_SAYS(header(dictionary("<f4", "(-1,)")), "the extent -1 is negative");
  EXPECT_SAYS(header(dictionary("<f4", "(1.5,)")), "damaged header");
  EXPECT_SAYS(header(dictionary("<f4", "(1 2)")), "damaged header");
  EXPECT_SAYS(header(dictionary("<f4", "1")), "'(' is missing");
  EXPECT_SAYS(header(dictionary("<f4", "(99999999999999999999,)")), "does not fit 64 bits");
  EXPECT_SAYS(header(dictionary("<f4", "(4611686018427387904, 4)")), "absurd shape");
  EXPECT_SAYS(header(dictionary("<f4", "(9223372036854775807, 9223372036854775807)")), "absurd shape");
  EXPECT_SAYS(header(dictionary("<f4", "(100000000000,)")), "is truncated");
  EXPECT_SAYS(header(dictionary("<f4", "(1,1,1,1,1,1,1,1,1)")), "more than 8 axes");
  EXPECT_SAYS(refusal(std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff{}", 14)),
              "a header of 4294967295 bytes");
}

TEST_F(Npy, TheLongestHeader) {
  const std::string text = dictionary("<f4", "(1,)");
  auto of_length = [&](std::size_t length) {  // with the end of the line, that is
    return refusal(file(text + std::string(length - 1 - text.size(), ' '), "abcd", 2));
  };
  EXPECT_EQ(of_length(65536), "accepted");
  EXPECT_SAYS(of_length(65537), "a header of 65537 bytes");
}

TEST_F(Npy, RefusesWhatIsNoFile) {
  EXPECT_SAYS(refusal(), "No such file");
  std::filesystem::create_directory(path());
  EXPECT_SAYS(refusal(), "is a directory");
  std::filesystem::remove(path());
  ASSERT_EQ(mkfifo(path().c_str(), 0600), 0);
  EXPECT_SAYS(refusal(), "is not a regular file");
  std::filesystem::remove(path());
  put("x");
  chmod(path().c_str(), 0);
  if (geteuid() != 0) {
    EXPECT_SAYS(refusal(), "Permission denied");
  }
}

TEST_F(Npy, RefusesAnotherTypeOrRank) {
  fg::write_npy(path(), fg::Array<float, 1>({1, 2}));
  try {
    fg::read_npy<double, 2>(path());
    FAIL();
  } catch (const fg::FormatError& e) {
    EXPECT_SAYS(e.message(), "holds f32[2], but f64[,] is wanted");
  }
}

TEST_F(Npy, FailedWriteKeepsTheOldFile) {
  EXPECT_THROW(fg::write_npy(path("no/such/a.npy"), fg::Array<float, 1>({1})), fg::FormatError);
  std::filesystem::create_directory(path("d"));
  EXPECT_THROW(fg::write_npy(path("d"), fg::Array<float, 1>({1})), fg::FormatError);
  EXPECT_TRUE(std::filesystem::is_directory(path("d")));
  EXPECT_THROW(fg::write_npy("/dev/full", fg::Array<float, 1>({1})), fg::FormatError);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);  // nothing half-written
}

TEST_F(Npy, WritesThroughNoLinkThatWasLaidForItsTemporaryFile) {
  put("precious");
  for (int number = 0; number < 20; ++number)
    for (const std::string& name :
         {path("x.npy") + "." + std::to_string(getpid()) + ".part",
          path("x.npy") + "." + std::to_string(number) + ".part",
          path("x.npy") + "." + std::to_string(getpid()) + "." + std::to_string(number) + ".part"})
      if (!std::filesystem::is_symlink(name)) std::filesystem::create_symlink(path(), name);
  std::filesystem::create_symlink(path(), path("x.npy.part"));
  fg::write_npy(path("x.npy"), fg::Array<float, 1>({1}));
  EXPECT_EQ(get(), "precious");
  EXPECT_FALSE(std::filesystem::is_symlink(path("x.npy")));
  EXPECT_EQ((fg::read_npy<float>(path("x.npy")).to_vector()), (std::vector<float>{1}));
}

TEST_F(Npy, ThreadsMayWriteOneFile) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i)
        fg::write_npy(path(), fg::Array<float, 1>(std::vector<float>(1000, float(t))));
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(fg::read_npy<float>(path()).size(), 1000);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 1);
}

TEST_F(Npy, WritesThroughALink) {
  put("old");
  std::filesystem::create_symlink(path(), path("link.npy"));
  fg::write_npy(path("link.npy"), fg::Array<float, 1>({1}));
  EXPECT_TRUE(std::filesystem::is_symlink(path("link.npy")));
  EXPECT_EQ((fg::read_npy<float>(path()).to_vector()), (std::vector<float>{1}));
}

}  // namespace
