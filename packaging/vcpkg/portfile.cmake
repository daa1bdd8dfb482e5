# A port for vcpkg (--overlay-ports=FOLDER, where FOLDER/fulgurite holds these two files and fulgurite-VERSION.tar.gz, an archive of
# the sources as `git archive --prefix=fulgurite-VERSION/` makes it). Clang and LLVM are the system's: as a port they take hours.
# Where releases are published, vcpkg_from_github takes the place of the archive.
vcpkg_extract_source_archive(SOURCE_PATH ARCHIVE "${CMAKE_CURRENT_LIST_DIR}/fulgurite-${VERSION}.tar.gz")

vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}" OPTIONS -DFULGURITE_DEVELOPER=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/fulgurite)
vcpkg_fixup_pkgconfig()
vcpkg_copy_tools(TOOL_NAMES fulgurite AUTO_CLEAN)

file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
file(GLOB licences "${SOURCE_PATH}/packaging/licences/*.txt")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE" ${licences})
