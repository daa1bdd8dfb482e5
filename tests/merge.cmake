# cmake -D INTO=file -D SOURCES=file,.. -P merge.cmake: one file of several tests, whose common headers and templates are then compiled
# once. The anonymous namespace of each gets its file's name, so that they may use a name twice.
string(REPLACE "," ";" sources "${SOURCES}")
set(merged "")
foreach(source IN LISTS sources)
  get_filename_component(name "${source}" NAME_WE)
  file(READ "${source}" text)
  string(REGEX REPLACE "(^|\n)namespace {\n" "\\1namespace of_${name} {\n" text "${text}")
  string(APPEND merged "#line 1 \"${source}\"\n${text}")
endforeach()
file(WRITE "${INTO}" "${merged}")
