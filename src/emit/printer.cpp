#include "emit/printer.h"

#include "base/check.h"
#include "base/match.h"
#include "emit/phase_printer.h"

namespace fulgurite::emit {

std::string print_phases(const kernel::Kernel& kernel, const Dialect& dialect) {
  std::string phases;
  std::size_t number = 0;
  const Numbers numbers = dialect.has_threads ? Numbers() : Numbers(kernel);
  for (const kernel::Stm& s : kernel.body) {
    const auto* phase = base::as<kernel::Par>(s.op);
    FULGURITE_CHECK(phase && phase->level == kernel::Level::grid,
                    "kernel '{}' has more than phases at its top", kernel.name);
    if (!phases.empty()) phases += '\n';
    phases += PhasePrinter(kernel, dialect, numbers)(*phase, number++);
  }
  return phases;
}

std::string print(const kernel::Kernel& kernel, const Dialect& dialect) {
  std::string phases = print_phases(kernel, dialect);
  return dialect.prelude(phases) + "\n" + phases;
}

}  // namespace fulgurite::emit
