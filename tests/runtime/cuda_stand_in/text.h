// A kernel's CUDA text as C++ of the host: what the words of kernel_words.h cannot say is rewritten, which is
// the memory that a block shares, and a table of the entry points is appended.
#pragma once

#include <string>

namespace fulgurite::runtime::test {

// Throws std::runtime_error where the text declares shared memory in a way that is not known here.
std::string as_host_text(const std::string& cuda_text);

// Leaves out the n-th of the statements; gives how often there is one.
int drop_statement(std::string& text, const std::string& statement, int number);

}  // namespace fulgurite::runtime::test
