# Target fulgurite_llvm: Clang 19, LLVM 19 and lld 19 as libraries, for the plug-in only. Asked of llvm-config rather than of
# LLVM's CMake packages, whose exported targets want development files of libraries that we do not use.
find_program(FULGURITE_LLVM_CONFIG NAMES llvm-config-19 HINTS /usr/lib/llvm-19/bin REQUIRED)
execute_process(COMMAND "${FULGURITE_LLVM_CONFIG}" --includedir
  OUTPUT_VARIABLE llvm_include OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND "${FULGURITE_LLVM_CONFIG}" --libdir
  OUTPUT_VARIABLE llvm_lib OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
find_library(FULGURITE_CLANG_CPP clang-cpp HINTS "${llvm_lib}" NO_DEFAULT_PATH REQUIRED)
find_library(FULGURITE_LLVM LLVM HINTS "${llvm_lib}" NO_DEFAULT_PATH REQUIRED)
find_library(FULGURITE_LLD_ELF lldELF HINTS "${llvm_lib}" NO_DEFAULT_PATH REQUIRED)
find_library(FULGURITE_LLD_COMMON lldCommon HINTS "${llvm_lib}" NO_DEFAULT_PATH REQUIRED)
find_package(ZLIB REQUIRED)
find_library(FULGURITE_ZSTD zstd REQUIRED)

add_library(fulgurite_llvm INTERFACE)
target_include_directories(fulgurite_llvm SYSTEM INTERFACE "${llvm_include}")
target_compile_definitions(fulgurite_llvm INTERFACE _GNU_SOURCE __STDC_CONSTANT_MACROS __STDC_FORMAT_MACROS
  __STDC_LIMIT_MACROS)
target_link_libraries(fulgurite_llvm INTERFACE "${FULGURITE_LLD_ELF}" "${FULGURITE_LLD_COMMON}"
  "${FULGURITE_CLANG_CPP}" "${FULGURITE_LLVM}" ZLIB::ZLIB "${FULGURITE_ZSTD}")
