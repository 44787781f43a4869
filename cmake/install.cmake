# The command, the library, its headers, and the CMake package `obverse` with the target obverse::obverse.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/obverse)

install(TARGETS obverse EXPORT obverse_targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS obverse_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/obverse ${PROJECT_BINARY_DIR}/include/obverse
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(EXPORT obverse_targets NAMESPACE obverse:: DESTINATION ${package_dir})

configure_package_config_file(cmake/obverseConfig.cmake.in ${PROJECT_BINARY_DIR}/obverseConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/obverseConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/obverseConfig.cmake ${PROJECT_BINARY_DIR}/obverseConfigVersion.cmake
  DESTINATION ${package_dir})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
