// Machine code in memory, as runtime/cpu/module.h loads it, without exceptions and containers: relocatable
// ELF objects of one kernel each.
#pragma once

#include <fulgurite_runtime.h>

#include <cstddef>
#include <string_view>

namespace fulgurite::standalone {

struct Module {
  void* memory = nullptr;
  std::size_t size = 0;
};

// `names` are looked for among its functions; where there is none of a name, its address is null.
fg_runtime_status load_object(std::string_view object, const std::string_view* names, void** addresses,
                              std::size_t n_names, Module& module, fg_runtime_error* error);
void unload(Module&);

}  // namespace fulgurite::standalone
