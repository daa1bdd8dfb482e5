// A shared object on disk, looked at before it is loaded: the dynamic linker maps a file that was cut short
// and the process then dies on the first page that is not there.
#pragma once

#include <cstddef>
#include <string>

namespace fulgurite::runtime::cpu {

// How many bytes of address space loading the file takes. Throws CompileError, which names the file and says
// what is wrong with it, unless it is a whole shared object for this machine.
std::size_t loaded_size(const std::string& path);

}  // namespace fulgurite::runtime::cpu
