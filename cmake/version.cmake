# include/fulgurite/version.h says the version that CMakeLists.txt gives the project, and the number of its binary interface.
set(version_header "${PROJECT_SOURCE_DIR}/include/fulgurite/version.h")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${version_header}")
file(STRINGS "${version_header}" defined REGEX "^#define FULGURITE_[A-Z_]+ [0-9\"]")
foreach(expected IN ITEMS "VERSION_MAJOR ${PROJECT_VERSION_MAJOR}" "VERSION_MINOR ${PROJECT_VERSION_MINOR}"
    "VERSION_PATCH ${PROJECT_VERSION_PATCH}" "VERSION_STRING \"${PROJECT_VERSION}\"" "ABI ${FULGURITE_ABI}")
  if(NOT "#define FULGURITE_${expected}" IN_LIST defined)
    message(FATAL_ERROR "include/fulgurite/version.h lacks the line `#define FULGURITE_${expected}`, which is what CMakeLists.txt says")
  endif()
endforeach()
file(STRINGS "${PROJECT_SOURCE_DIR}/src/exports.map" node LIMIT_COUNT 1)
if(NOT node STREQUAL "FULGURITE_${FULGURITE_ABI} {")
  message(FATAL_ERROR "src/exports.map begins with `${node}`, not with `FULGURITE_${FULGURITE_ABI} {`, which is what CMakeLists.txt says")
endif()
