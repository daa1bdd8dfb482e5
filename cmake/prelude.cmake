# Embeds the files under src/emit/prelude/ in the library. Included from CMakeLists.txt it defines
# fulgurite_embed_prelude(OUT), which sets OUT to the generated source; run as a script (cmake -P, with ROOT, OUTPUT)
# it writes that source: a table from file name (relative to src/emit/prelude/) to text, see src/emit/prelude.h.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  function(fulgurite_embed_prelude out)
    set(root "${PROJECT_SOURCE_DIR}/src/emit/prelude")
    set(generated "${PROJECT_BINARY_DIR}/generated/prelude_table.cpp")
    file(GLOB_RECURSE files CONFIGURE_DEPENDS "${root}/*")
    add_custom_command(OUTPUT "${generated}"
      COMMAND "${CMAKE_COMMAND}" -DROOT=${root} -DOUTPUT=${generated} -P "${PROJECT_SOURCE_DIR}/cmake/prelude.cmake"
      DEPENDS ${files} "${PROJECT_SOURCE_DIR}/cmake/prelude.cmake"
      COMMENT "Embedding the prelude" VERBATIM)
    set(${out} "${generated}" PARENT_SCOPE)
  endfunction()
  return()
endif()

file(GLOB_RECURSE files RELATIVE "${ROOT}" "${ROOT}/*")
list(SORT files)
set(arrays "")
set(rows "")
set(count 0)
foreach(file IN LISTS files)
  if(file MATCHES "(^|/)\\.|~$|\\.pyc?$")  # editors' leavings, and the script that fits polynomials
    continue()
  endif()
  file(READ "${ROOT}/${file}" bytes HEX)
  string(REGEX REPLACE "(................................................................)" "\\1\n" bytes "${bytes}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
  string(APPEND arrays "// ${file}\nconst char text_${count}[] = {\n${bytes}'\\0'};\n")
  string(APPEND rows "    {\"${file}\", {text_${count}, sizeof text_${count} - 1}},\n")
  math(EXPR count "${count} + 1")
endforeach()
file(WRITE "${OUTPUT}" "// Generated from src/emit/prelude/ by cmake/prelude.cmake.\n#include \"emit/prelude.h\"\n\n"
  "namespace fulgurite::emit {\nnamespace {\n${arrays}const PreludeFile table[] = {\n${rows}    {{}, {}}};\n}  // namespace\n\n"
  "std::span<const PreludeFile> prelude_files() { return {table, ${count}}; }\n}  // namespace fulgurite::emit\n")
