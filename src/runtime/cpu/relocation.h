// What loading a relocatable ELF object knows of a machine: its relocations, and the stub by which code calls
// a function that may be too far away for a direct call. After the System V Application Binary Interface,
// AMD64 Architecture Processor Supplement, section 4.4, and the ELF for the Arm 64-bit Architecture,
// section 5.7. Needs nothing of a library's, since the static run time loads objects too.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace fulgurite::runtime::cpu {

enum class Relocated { done, too_far, unknown };

// Where a relocation writes, and what it speaks of.
struct Relocation {
  std::uint32_t type;
  char* where;
  char* target;
  std::int64_t addend;
  char* slot;  // for the address of `target`, where code takes it from memory

  std::uintptr_t address() const {
    return reinterpret_cast<std::uintptr_t>(target) + static_cast<std::uintptr_t>(addend);
  }
  std::uintptr_t place() const { return reinterpret_cast<std::uintptr_t>(where); }
  // Fills the slot, and gives its address.
  std::uintptr_t address_of_slot() const {
    std::memcpy(slot, &target, sizeof target);
    return reinterpret_cast<std::uintptr_t>(slot);
  }
};

template <class T>
Relocated write_exactly(char* where, std::uintptr_t value) {
  const T narrow = static_cast<T>(value);
  if (static_cast<std::intptr_t>(narrow) != static_cast<std::intptr_t>(value)) return Relocated::too_far;
  std::memcpy(where, &narrow, sizeof narrow);
  return Relocated::done;
}

struct X86_64 {
  static constexpr std::uint16_t machine = EM_X86_64;
  static constexpr const char* name = "x86-64";
  // jmp *0(%rip); the address follows.
  static constexpr unsigned char jump[] = {0xff, 0x25, 0, 0, 0, 0};

  static std::size_t width(std::uint32_t type) { return type == R_X86_64_64 ? 8 : 4; }

  static Relocated apply(const Relocation& r) {
    switch (r.type) {
      case R_X86_64_64: return write_exactly<std::int64_t>(r.where, r.address());
      case R_X86_64_PC32:
      case R_X86_64_PLT32: return write_exactly<std::int32_t>(r.where, r.address() - r.place());
      case R_X86_64_GOTPCREL:
      case R_X86_64_GOTPCRELX:
      case R_X86_64_REX_GOTPCRELX:
        return write_exactly<std::int32_t>(
            r.where, r.address_of_slot() + static_cast<std::uintptr_t>(r.addend) - r.place());
      default: return Relocated::unknown;
    }
  }
};

struct Aarch64 {
  static constexpr std::uint16_t machine = EM_AARCH64;
  static constexpr const char* name = "AArch64";
  // ldr x16, 8; br x16; the address follows.
  static constexpr unsigned char jump[] = {0x50, 0, 0, 0x58, 0, 0x02, 0x1f, 0xd6};

  static std::size_t width(std::uint32_t type) {
    return type == R_AARCH64_ABS64 || type == R_AARCH64_PREL64 ? 8 : 4;
  }

  static Relocated apply(const Relocation& r) {
    const std::uintptr_t address = r.address(), distance = address - r.place();
    switch (r.type) {
      case R_AARCH64_ABS64: return write_exactly<std::int64_t>(r.where, address);
      case R_AARCH64_PREL64: return write_exactly<std::int64_t>(r.where, distance);
      case R_AARCH64_PREL32: return write_exactly<std::int32_t>(r.where, distance);
      case R_AARCH64_CALL26:
      case R_AARCH64_JUMP26: return branch<26, 0>(r.where, distance);
      case R_AARCH64_CONDBR19: return branch<19, 5>(r.where, distance);
      case R_AARCH64_TSTBR14: return branch<14, 5>(r.where, distance);
      case R_AARCH64_ADR_PREL_LO21: return set_adr(r.where, distance);
      case R_AARCH64_ADR_PREL_PG_HI21: return set_pages(r.where, address);
      case R_AARCH64_ADR_GOT_PAGE: return set_pages(r.where, r.address_of_slot());
      case R_AARCH64_LD64_GOT_LO12_NC: return set_low_bits<3>(r.where, r.address_of_slot());
      case R_AARCH64_ADD_ABS_LO12_NC:
      case R_AARCH64_LDST8_ABS_LO12_NC: return set_low_bits<0>(r.where, address);
      case R_AARCH64_LDST16_ABS_LO12_NC: return set_low_bits<1>(r.where, address);
      case R_AARCH64_LDST32_ABS_LO12_NC: return set_low_bits<2>(r.where, address);
      case R_AARCH64_LDST64_ABS_LO12_NC: return set_low_bits<3>(r.where, address);
      case R_AARCH64_LDST128_ABS_LO12_NC: return set_low_bits<4>(r.where, address);
      default: return Relocated::unknown;
    }
  }

 private:
  // Puts `value` in the bits of the instruction that `mask` has.
  static void set_bits(char* where, std::uint32_t mask, std::uint32_t value) {
    std::uint32_t instruction = 0;
    std::memcpy(&instruction, where, sizeof instruction);
    instruction = (instruction & ~mask) | (value & mask);
    std::memcpy(where, &instruction, sizeof instruction);
  }
  // A distance in instructions, of `n_bits` bits from bit `first` on.
  template <unsigned n_bits, unsigned first>
  static Relocated branch(char* where, std::uintptr_t distance) {
    const auto signed_distance = static_cast<std::intptr_t>(distance);
    constexpr std::intptr_t reach = std::intptr_t{1} << (n_bits + 1);
    if (signed_distance < -reach || signed_distance >= reach) return Relocated::too_far;
    constexpr std::uint32_t mask = ((std::uint32_t{1} << n_bits) - 1) << first;
    set_bits(where, mask, static_cast<std::uint32_t>(distance >> 2) << first);
    return Relocated::done;
  }
  // ADR and ADRP: two low bits at bit 29, the other 19 at bit 5.
  static Relocated set_adr(char* where, std::uintptr_t value) {
    const auto signed_value = static_cast<std::intptr_t>(value);
    constexpr std::intptr_t reach = std::intptr_t{1} << 20;
    if (signed_value < -reach || signed_value >= reach) return Relocated::too_far;
    const auto bits = static_cast<std::uint32_t>(value);
    set_bits(where, 0x60ffffe0, (bits & 3) << 29 | (bits >> 2 & 0x7ffff) << 5);
    return Relocated::done;
  }
  // From the page of 4096 bytes of the instruction to that of `address`.
  static Relocated set_pages(char* where, std::uintptr_t address) {
    const auto pages =
        static_cast<std::intptr_t>((address & ~std::uintptr_t{0xfff}) -
                                   (reinterpret_cast<std::uintptr_t>(where) & ~std::uintptr_t{0xfff})) >>
        12;
    return set_adr(where, static_cast<std::uintptr_t>(pages));
  }
  // The place of `address` in its page, in units of 2^shift bytes, which divide it.
  template <unsigned shift>
  static Relocated set_low_bits(char* where, std::uintptr_t address) {
    const auto in_page = static_cast<std::uint32_t>(address & 0xfff);
    if ((in_page & ((1U << shift) - 1)) != 0) return Relocated::too_far;
    set_bits(where, 0x003ffc00, in_page >> shift << 10);
    return Relocated::done;
  }
};

#if defined(__aarch64__)
using ThisMachine = Aarch64;
#else
using ThisMachine = X86_64;
#endif

inline constexpr std::size_t stub_size = 16;  // a jump, and the address

inline void write_stub(char* stub, const void* target) {
  std::memcpy(stub, ThisMachine::jump, sizeof ThisMachine::jump);
  std::memcpy(stub + sizeof ThisMachine::jump, &target, sizeof target);
}

}  // namespace fulgurite::runtime::cpu
