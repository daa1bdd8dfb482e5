# Target fulgurite_llvm: Clang 19 and LLVM 19 as static libraries, for the plug-in only. Static, so that the plug-in has an
# LLVM of its own: it loads in 5 ms instead of 18, and another LLVM in the process (PoCL's) cannot meet it. Asked of llvm-config
# rather than of LLVM's CMake packages, whose exported targets want development files of libraries that we do not use.
find_program(FULGURITE_LLVM_CONFIG NAMES llvm-config-19 HINTS /usr/lib/llvm-19/bin REQUIRED)
function(ask_llvm variable)
  execute_process(COMMAND "${FULGURITE_LLVM_CONFIG}" ${ARGN}
    OUTPUT_VARIABLE answer OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  set(${variable} "${answer}" PARENT_SCOPE)
endfunction()
ask_llvm(llvm_include --includedir)
ask_llvm(llvm_lib --libdir)
ask_llvm(llvm_bin --bindir)
ask_llvm(llvm_version --version)
ask_llvm(llvm_parts --link-static --libs native passes option frontenddriver frontendopenmp frontendhlsl windowsdriver
  profiledata coverage)
string(REGEX REPLACE "-lPolly(ISL)?" "" llvm_parts "${llvm_parts}")
separate_arguments(llvm_parts)
set(clang_parts Frontend CodeGen Serialization Driver Parse Sema APINotes Edit Analysis ASTMatchers AST Lex Support Basic)
list(TRANSFORM clang_parts PREPEND "-lclang")
find_package(ZLIB REQUIRED)
find_library(FULGURITE_ZSTD zstd REQUIRED)

add_library(fulgurite_llvm INTERFACE)
target_include_directories(fulgurite_llvm SYSTEM INTERFACE "${llvm_include}")
target_compile_definitions(fulgurite_llvm INTERFACE _GNU_SOURCE __STDC_CONSTANT_MACROS __STDC_FORMAT_MACROS
  __STDC_LIMIT_MACROS)
target_compile_options(fulgurite_llvm INTERFACE -fno-rtti)  # as LLVM itself
target_link_directories(fulgurite_llvm INTERFACE "${llvm_lib}")
target_link_libraries(fulgurite_llvm INTERFACE -Wl,--start-group ${clang_parts} ${llvm_parts} -Wl,--end-group
  ZLIB::ZLIB "${FULGURITE_ZSTD}" ${CMAKE_DL_LIBS} m)
# Its symbols stay inside, what is not needed is left out. LLVM's own linker takes a second for this, GNU's ten.
target_link_options(fulgurite_llvm INTERFACE -Wl,--exclude-libs,ALL -Wl,-Bsymbolic -Wl,--gc-sections)
if(EXISTS "${llvm_bin}/ld.lld")
  target_link_options(fulgurite_llvm INTERFACE "-B${llvm_bin}" -fuse-ld=lld)
endif()
