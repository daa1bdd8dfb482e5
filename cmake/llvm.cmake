# Target fulgurite_llvm: Clang and LLVM, of one of the versions 18 to 20, for the plug-in only. As static libraries where they are
# installed, so that the plug-in has an LLVM of its own: it loads in 5 ms instead of 18, and another LLVM in the process (PoCL's) cannot
# meet it. Else, or with FULGURITE_LLVM_SHARED, as the shared libraries libclang-cpp and libLLVM. Asked of llvm-config rather than of LLVM's
# CMake packages, whose exported targets want development files of libraries that we do not use.
set(llvm_versions 19 18 20) # the one that is tested most comes first
list(TRANSFORM llvm_versions PREPEND llvm-config- OUTPUT_VARIABLE llvm_configs)
list(TRANSFORM llvm_versions REPLACE "(.+)" "/usr/lib/llvm-\\1/bin" OUTPUT_VARIABLE llvm_folders)
find_program(FULGURITE_LLVM_CONFIG NAMES ${llvm_configs} llvm-config HINTS ${llvm_folders} REQUIRED)
function(ask_llvm variable)
  execute_process(COMMAND "${FULGURITE_LLVM_CONFIG}" ${ARGN}
    OUTPUT_VARIABLE answer OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  set(${variable} "${answer}" PARENT_SCOPE)
endfunction()
ask_llvm(llvm_include --includedir)
ask_llvm(llvm_lib --libdir)
ask_llvm(llvm_bin --bindir)
ask_llvm(llvm_version --version)
string(REGEX MATCH "^[0-9]+" llvm_number "${llvm_version}")
if(NOT llvm_number IN_LIST llvm_versions)
  message(FATAL_ERROR "${FULGURITE_LLVM_CONFIG} is of LLVM ${llvm_version}; Fulgurite compiles with one of 18 to 20: install it with Clang's "
    "libraries, and set FULGURITE_LLVM_CONFIG to its llvm-config")
endif()
set(shared_by_default ON)
if(EXISTS "${llvm_lib}/libclangBasic.a" AND EXISTS "${llvm_lib}/libLLVMCore.a")
  set(shared_by_default OFF)
endif()
option(FULGURITE_LLVM_SHARED "Link the plug-in with libclang-cpp and libLLVM" ${shared_by_default})

add_library(fulgurite_llvm INTERFACE)
target_include_directories(fulgurite_llvm SYSTEM INTERFACE "${llvm_include}")
target_compile_definitions(fulgurite_llvm INTERFACE _GNU_SOURCE __STDC_CONSTANT_MACROS __STDC_FORMAT_MACROS
  __STDC_LIMIT_MACROS)
target_compile_options(fulgurite_llvm INTERFACE -fno-rtti)  # as LLVM itself
target_link_directories(fulgurite_llvm INTERFACE "${llvm_lib}")
if(FULGURITE_LLVM_SHARED)
  find_library(FULGURITE_CLANG_LIBRARY clang-cpp PATHS "${llvm_lib}" NO_DEFAULT_PATH REQUIRED)
  set(llvm_identified "${FULGURITE_CLANG_LIBRARY}")
  ask_llvm(llvm_library --link-shared --libs)
  target_compile_definitions(fulgurite_llvm INTERFACE FULGURITE_LLVM_SHARED)
  target_link_libraries(fulgurite_llvm INTERFACE "${FULGURITE_CLANG_LIBRARY}" ${llvm_library} ${CMAKE_DL_LIBS})
  return()
endif()

# Clang's version, the packager's revision included, stands in this library of it.
set(llvm_identified "${llvm_lib}/libclangBasic.a")
# Of what the drivers of Clang want, each version has some.
ask_llvm(llvm_components --components)
separate_arguments(llvm_components)
set(llvm_wanted native passes option)
foreach(part IN ITEMS frontenddriver frontendopenmp frontendhlsl frontendatomic windowsdriver profiledata coverage)
  if(part IN_LIST llvm_components)
    list(APPEND llvm_wanted ${part})
  endif()
endforeach()
ask_llvm(llvm_parts --link-static --libs ${llvm_wanted})
string(REGEX REPLACE "-lPolly(ISL)?" "" llvm_parts "${llvm_parts}")
separate_arguments(llvm_parts)
set(clang_parts "")
foreach(part IN ITEMS Frontend CodeGen Serialization Driver Parse Sema APINotes Edit Analysis ASTMatchers AST Lex Support Basic)
  if(EXISTS "${llvm_lib}/libclang${part}.a")
    list(APPEND clang_parts -lclang${part})
  endif()
endforeach()
find_package(ZLIB REQUIRED)
find_library(FULGURITE_ZSTD zstd REQUIRED)
target_link_libraries(fulgurite_llvm INTERFACE -Wl,--start-group ${clang_parts} ${llvm_parts} -Wl,--end-group
  ZLIB::ZLIB "${FULGURITE_ZSTD}" ${CMAKE_DL_LIBS} m)
# Its symbols stay inside, what is not needed is left out. LLVM's own linker takes a second for this, GNU's ten.
target_link_options(fulgurite_llvm INTERFACE -Wl,--exclude-libs,ALL -Wl,-Bsymbolic -Wl,--gc-sections)
if(EXISTS "${llvm_bin}/ld.lld")
  target_link_options(fulgurite_llvm INTERFACE "-B${llvm_bin}" -fuse-ld=lld)
endif()
