# Installs the CMake package and puts the same files into the build tree, which has an installation's shape.
include(CMakePackageConfigHelpers)

# What AdaTrace::trace, a static library, needs to be linked; taken over from the library's own find_package calls.
set(ADA_TRACE_DEPENDENCIES "")
if(TARGET adatrace_lib)
  string(APPEND ADA_TRACE_DEPENDENCIES "  include(CMakeFindDependencyMacro)\n")
  get_property(packages GLOBAL PROPERTY ADA_TRACE_PACKAGES)
  foreach(package IN LISTS packages)
    string(APPEND ADA_TRACE_DEPENDENCIES "  find_dependency(${package})\n")
  endforeach()
endif()

function(ada_configure_package output libdir bindir includedir)
  file(RELATIVE_PATH ADA_BINDIR_FROM_LIBDIR ${libdir} ${bindir})
  file(RELATIVE_PATH ADA_INCLUDEDIR_FROM_LIBDIR ${libdir} ${includedir})
  configure_file(${PROJECT_SOURCE_DIR}/cmake/AdaTraceConfig.cmake.in ${output}/AdaTraceConfig.cmake @ONLY)
endfunction()

set(buildPackage ${PROJECT_BINARY_DIR}/lib/cmake/AdaTrace)
set(installPackage ${CMAKE_INSTALL_LIBDIR}/cmake/AdaTrace)
ada_configure_package(${buildPackage} ${PROJECT_BINARY_DIR}/lib ${PROJECT_BINARY_DIR}/bin ${PROJECT_BINARY_DIR}/include)
ada_configure_package(${PROJECT_BINARY_DIR}/installed ${CMAKE_INSTALL_FULL_LIBDIR} ${CMAKE_INSTALL_FULL_BINDIR}
                      ${CMAKE_INSTALL_FULL_INCLUDEDIR})
write_basic_package_version_file(${buildPackage}/AdaTraceConfigVersion.cmake COMPATIBILITY SameMinorVersion)
configure_file(${PROJECT_SOURCE_DIR}/cmake/AdaTraceToolchain.cmake ${buildPackage}/AdaTraceToolchain.cmake COPYONLY)

install(FILES ${PROJECT_BINARY_DIR}/installed/AdaTraceConfig.cmake ${buildPackage}/AdaTraceConfigVersion.cmake
              ${buildPackage}/AdaTraceToolchain.cmake DESTINATION ${installPackage})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ada DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

if(TARGET adatrace_lib)
  set_target_properties(adatrace_lib PROPERTIES EXPORT_NAME trace)
  install(TARGETS adatrace_lib EXPORT AdaTraceTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT AdaTraceTargets NAMESPACE AdaTrace:: DESTINATION ${installPackage})
  export(EXPORT AdaTraceTargets NAMESPACE AdaTrace:: FILE ${buildPackage}/AdaTraceTargets.cmake)
endif()
