# Defines fulgurite::fulgurite. The library needs nothing of its user: its own dependencies are shared libraries that it names.
include("${CMAKE_CURRENT_LIST_DIR}/fulguriteTargets.cmake")
