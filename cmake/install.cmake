# find_package(fulgurite) for an installed tree and, without installing, for this build tree (fulgurite_DIR=<build>/cmake).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/fulgurite")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/cmake/fulguriteConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
configure_file("${PROJECT_SOURCE_DIR}/cmake/fulguriteConfig.cmake" "${PROJECT_BINARY_DIR}/cmake/fulguriteConfig.cmake" COPYONLY)
configure_file("${PROJECT_SOURCE_DIR}/cmake/fulguriteGenerate.cmake" "${PROJECT_BINARY_DIR}/cmake/fulguriteGenerate.cmake" COPYONLY)

install(TARGETS fulgurite EXPORT fulguriteTargets LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
if(TARGET fulgurite_clang)
  install(TARGETS fulgurite_clang LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
endif()
install(TARGETS fulgurite_standalone EXPORT fulguriteRuntimeTargets ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(FILES "${PROJECT_SOURCE_DIR}/include/fulgurite_runtime.h" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(EXPORT fulguriteRuntimeTargets NAMESPACE fulgurite:: DESTINATION "${package_dir}")
export(EXPORT fulguriteRuntimeTargets NAMESPACE fulgurite:: FILE "${PROJECT_BINARY_DIR}/cmake/fulguriteRuntimeTargets.cmake")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/fulgurite" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(EXPORT fulguriteTargets NAMESPACE fulgurite:: DESTINATION "${package_dir}")
install(FILES "${PROJECT_BINARY_DIR}/cmake/fulguriteConfig.cmake" "${PROJECT_BINARY_DIR}/cmake/fulguriteConfigVersion.cmake"
  "${PROJECT_SOURCE_DIR}/cmake/fulguriteGenerate.cmake"
  DESTINATION "${package_dir}")
export(EXPORT fulguriteTargets NAMESPACE fulgurite:: FILE "${PROJECT_BINARY_DIR}/cmake/fulguriteTargets.cmake")

# What `cmake --install` copies: the tests of an installed tree want it built, also where nothing else does.
add_custom_target(installable DEPENDS fulgurite fulgurite_standalone $<$<TARGET_EXISTS:fulgurite_clang>:fulgurite_clang>)
