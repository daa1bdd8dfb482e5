# `cmake --install`: find_package(fulgurite) and pkg-config for an installed tree and, without installing, find_package for this
# build tree (fulgurite_DIR=<build>/cmake). Components, each a package (cmake/packages.cmake): runtime, the shared library;
# development, what programs are compiled and linked with; compiler, the plug-in; tools, the command fulgurite; and licences.
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/fulgurite")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/cmake/fulguriteConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
configure_file("${PROJECT_SOURCE_DIR}/cmake/fulguriteConfig.cmake" "${PROJECT_BINARY_DIR}/cmake/fulguriteConfig.cmake" COPYONLY)
configure_file("${PROJECT_SOURCE_DIR}/cmake/fulguriteGenerate.cmake" "${PROJECT_BINARY_DIR}/cmake/fulguriteGenerate.cmake" COPYONLY)

install(TARGETS fulgurite EXPORT fulguriteTargets
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT runtime NAMELINK_COMPONENT development
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT development)
install(TARGETS fulgurite_standalone EXPORT fulguriteRuntimeTargets
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT development)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/fulgurite" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT development
  FILES_MATCHING PATTERN "*.h")
install(FILES "${PROJECT_SOURCE_DIR}/include/fulgurite_runtime.h" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT development)
foreach(targets IN ITEMS fulguriteTargets fulguriteRuntimeTargets)
  install(EXPORT ${targets} NAMESPACE fulgurite:: DESTINATION "${package_dir}" COMPONENT development)
  export(EXPORT ${targets} NAMESPACE fulgurite:: FILE "${PROJECT_BINARY_DIR}/cmake/${targets}.cmake")
endforeach()
install(FILES "${PROJECT_BINARY_DIR}/cmake/fulguriteConfig.cmake" "${PROJECT_BINARY_DIR}/cmake/fulguriteConfigVersion.cmake"
  "${PROJECT_SOURCE_DIR}/cmake/fulguriteGenerate.cmake"
  DESTINATION "${package_dir}" COMPONENT development)

# Who links a static library links what it is made with, too.
set(pc_requires "")
set(pc_libs "")
if(FULGURITE_STATIC)
  set(pc_requires "\nRequires: fmt")
  set(pc_libs " -ldl -lm -pthread -Wl,--build-id=sha1")
endif()
string(REGEX REPLACE "[^/]+" ".." prefix_from_pc "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
configure_file("${PROJECT_SOURCE_DIR}/cmake/fulgurite.pc.in" "${PROJECT_BINARY_DIR}/fulgurite.pc" @ONLY)
configure_file("${PROJECT_SOURCE_DIR}/cmake/fulgurite_runtime.pc.in" "${PROJECT_BINARY_DIR}/fulgurite_runtime.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/fulgurite.pc" "${PROJECT_BINARY_DIR}/fulgurite_runtime.pc"
  DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT development)

# The library finds plug-ins in this folder beside it.
if(TARGET fulgurite_clang)
  install(TARGETS fulgurite_clang LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/fulgurite" COMPONENT compiler)
endif()
set(mpi_plugins "")
foreach(mpi IN LISTS fulgurite_mpis)
  list(APPEND mpi_plugins fulgurite_${mpi})
  install(TARGETS fulgurite_${mpi} LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/fulgurite" COMPONENT ${mpi})
endforeach()

# The command of every program (FULGURITE_MAIN), without a program.
add_executable(fulgurite_command "${PROJECT_SOURCE_DIR}/tools/fulgurite.cpp")
set_target_properties(fulgurite_command PROPERTIES OUTPUT_NAME fulgurite)
target_link_libraries(fulgurite_command PRIVATE fulgurite::fulgurite fulgurite_flags)
set(tool_finds_library "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  set(tool_finds_library "")
endif()
set_target_properties(fulgurite_command PROPERTIES INSTALL_RPATH "${tool_finds_library}")
install(TARGETS fulgurite_command RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT tools)
install(FILES "${PROJECT_SOURCE_DIR}/tools/fulgurite.1" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" COMPONENT tools)

# Our licence, and those of what becomes a part of our binaries: Clang and LLVM of the plug-in, headers of the others.
set(licence_dir "${CMAKE_INSTALL_DATADIR}/doc/fulgurite")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${licence_dir}" COMPONENT licences)
install(DIRECTORY "${PROJECT_SOURCE_DIR}/packaging/licences" DESTINATION "${licence_dir}" COMPONENT licences)

# What `cmake --install` copies: the tests of an installed tree want it built, also where nothing else does.
add_custom_target(installable DEPENDS fulgurite fulgurite_standalone fulgurite_command
  $<$<TARGET_EXISTS:fulgurite_clang>:fulgurite_clang> ${mpi_plugins})

if(PROJECT_IS_TOP_LEVEL)
  include(cmake/packages.cmake)
endif()
