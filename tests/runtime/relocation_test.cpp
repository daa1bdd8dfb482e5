// Relocations of both machines, on either: instructions before and after.
#include "runtime/cpu/relocation.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>

namespace fulgurite::runtime::cpu {
namespace {

// Two pages of which a relocation in the first speaks.
class Pages {
 public:
  char* at(std::size_t offset) { return bytes_.data() + offset; }
  std::uint32_t word(std::size_t offset) {
    std::uint32_t value = 0;
    std::memcpy(&value, at(offset), sizeof value);
    return value;
  }
  void set(std::size_t offset, std::uint32_t value) { std::memcpy(at(offset), &value, sizeof value); }
  std::uintptr_t address(std::size_t offset) { return reinterpret_cast<std::uintptr_t>(at(offset)); }

  template <class Machine>
  Relocated apply(std::uint32_t type, std::size_t where, std::size_t target, std::int64_t addend = 0) {
    return Machine::apply(
        {.type = type, .where = at(where), .target = at(target), .addend = addend, .slot = at(slot)});
  }
  static constexpr std::size_t slot = 0x1ff0;

 private:
  alignas(4096) std::array<char, 0x2000> bytes_{};
};

TEST(Relocation, OfAarch64SetsBranches) {
  Pages pages;
  pages.set(0x100, 0x94000000);  // bl
  EXPECT_EQ(pages.apply<Aarch64>(R_AARCH64_CALL26, 0x100, 0x1108), Relocated::done);
  EXPECT_EQ(pages.word(0x100), 0x94000000U | 0x1008 / 4);
  pages.set(0x1100, 0x14000000);  // b, to code before it
  EXPECT_EQ(pages.apply<Aarch64>(R_AARCH64_JUMP26, 0x1100, 0x100), Relocated::done);
  EXPECT_EQ(pages.word(0x1100), 0x14000000U | (0x3ffffff & static_cast<std::uint32_t>(-0x1000 / 4)));
  pages.set(0x200, 0x54000001);  // b.ne
  EXPECT_EQ(pages.apply<Aarch64>(R_AARCH64_CONDBR19, 0x200, 0x240), Relocated::done);
  EXPECT_EQ(pages.word(0x200), 0x54000001U | 0x40 / 4 << 5);
}

TEST(Relocation, OfAarch64SetsAPageAndThePlaceInIt) {
  Pages pages;
  pages.set(0x100, 0x90000001);  // adrp x1
  EXPECT_EQ(pages.apply<Aarch64>(R_AARCH64_ADR_PREL_PG_HI21, 0x100, 0x1230), Relocated::done);
  EXPECT_EQ(pages.word(0x100), 0xb0000001U) << "one page on: the low bit is bit 29";
  pages.set(0x1100, 0x90000001);
  EXPECT_EQ(pages.apply<Aarch64>(R_AARCH64_ADR_PREL_PG_HI21, 0x1100, 0x230), Relocated::done);
  EXPECT_EQ(pages.word(0x1100), 0xf0ffffe1U) << "one page back";
  pages.set(0x104, 0x91000021);  // add x1, x1, 0
  EXPECT_EQ(pages.apply<Aarch64>(R_AARCH64_ADD_ABS_LO12_NC, 0x104, 0x1230), Relocated::done);
  EXPECT_EQ(pages.word(0x104), 0x91000021U | 0x230 << 10);
  pages.set(0x108, 0x3dc00020);  // ldr q0, [x1]
  EXPECT_EQ(pages.apply<Aarch64>(R_AARCH64_LDST128_ABS_LO12_NC, 0x108, 0x1230), Relocated::done);
  EXPECT_EQ(pages.word(0x108), 0x3dc00020U | 0x230 / 16 << 10);
  EXPECT_EQ(pages.apply<Aarch64>(R_AARCH64_LDST128_ABS_LO12_NC, 0x108, 0x1238), Relocated::too_far)
      << "not at a multiple of 16";
}

TEST(Relocation, OfAarch64TakesAddressesFromSlots) {
  Pages pages;
  pages.set(0x100, 0x90000001);  // adrp x1
  EXPECT_EQ(pages.apply<Aarch64>(R_AARCH64_ADR_GOT_PAGE, 0x100, 0x40), Relocated::done);
  EXPECT_EQ(pages.word(0x100), 0xb0000001U);
  pages.set(0x104, 0xf9400021);  // ldr x1, [x1]
  EXPECT_EQ(pages.apply<Aarch64>(R_AARCH64_LD64_GOT_LO12_NC, 0x104, 0x40), Relocated::done);
  EXPECT_EQ(pages.word(0x104), 0xf9400021U | (Pages::slot & 0xfff) / 8 << 10);
  std::uintptr_t stored = 0;
  std::memcpy(&stored, pages.at(Pages::slot), sizeof stored);
  EXPECT_EQ(stored, pages.address(0x40));
}

TEST(Relocation, OfX86SetsDistances) {
  Pages pages;
  EXPECT_EQ(pages.apply<X86_64>(R_X86_64_PLT32, 0x100, 0x1100, -4), Relocated::done);
  EXPECT_EQ(pages.word(0x100), 0xffcU);
  EXPECT_EQ(pages.apply<X86_64>(R_X86_64_REX_GOTPCRELX, 0x200, 0x40, -4), Relocated::done);
  EXPECT_EQ(pages.word(0x200), Pages::slot - 0x200 - 4);
}

template <class Machine>
class RelocationOf : public ::testing::Test {};
using Machines = ::testing::Types<X86_64, Aarch64>;
TYPED_TEST_SUITE(RelocationOf, Machines);

TYPED_TEST(RelocationOf, StoresAddresses) {
  Pages pages;
  const std::uint32_t type = TypeParam::machine == EM_X86_64 ? R_X86_64_64 : R_AARCH64_ABS64;
  EXPECT_EQ(TypeParam::width(type), 8U);
  EXPECT_EQ(pages.apply<TypeParam>(type, 0x100, 0x1000, 24), Relocated::done);
  std::uintptr_t stored = 0;
  std::memcpy(&stored, pages.at(0x100), sizeof stored);
  EXPECT_EQ(stored, pages.address(0x1000) + 24);
}

TYPED_TEST(RelocationOf, RefusesWhatItDoesNotKnow) {
  Pages pages;
  EXPECT_EQ(pages.apply<TypeParam>(0xffff, 0x100, 0x200), Relocated::unknown);
}

TYPED_TEST(RelocationOf, RefusesWhatIsTooFar) {
  char near = 0;
  const std::uint32_t type = TypeParam::machine == EM_X86_64 ? R_X86_64_PC32 : R_AARCH64_CALL26;
  EXPECT_EQ(
      TypeParam::apply(
          {.type = type, .where = &near, .target = &near, .addend = std::int64_t{1} << 33, .slot = &near}),
      Relocated::too_far);
}

TYPED_TEST(RelocationOf, HasAJumpThatLeavesRoomForItsAddress) {
  EXPECT_LE(sizeof TypeParam::jump + sizeof(void*), stub_size);
}

}  // namespace
}  // namespace fulgurite::runtime::cpu
