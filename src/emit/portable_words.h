// The words of a prelude's sections in portable C, where vectors have fewer operators than in Clang's.
#pragma once

#include "emit/level.h"
#include "emit/prelude_words.h"

namespace fulgurite::emit {

/// The bytes of an element; of a lane of a mask those that its comparison is made in.
int bytes_of(std::string_view kind);

class PortableWords : public Words {
 public:
  PortableWords(const Function& function, int lanes, Level level)
      : Words(function, lanes, true), level_(level) {}

 protected:
  std::string name(std::string_view word) const override;
  std::optional<std::string> call(std::string_view word, const std::vector<std::string>& a) const override;

 private:
  std::string call_of(std::string_view stem, std::string_view kind, const std::string& arguments) const {
    return fmt::format("fg_{}_{}_x{}({})", stem, kind, lanes_, arguments);
  }
  std::string intrinsic(const std::string& stem, bool is_signed) const;
  int vector_bytes() const { return lanes_ * bytes_of(function_.kind); }

  Level level_;
};

}  // namespace fulgurite::emit
