# Installs the runtime, the headers, the reading library and the CMake package, and puts the package into the build tree
# as well, which is laid out like an installation.
include(CMakePackageConfigHelpers)

# The libraries that read traces, as AdaTrace::trace and one for each format of other tools. They are static, so their
# users also need the packages that they are linked with.
set(libraries "")
set(ADA_TRACE_PACKAGES "")
foreach(library adatrace_lib adatrace_dial9 adatrace_wtf)
  if(NOT TARGET ${library})
    continue()
  endif()
  list(APPEND libraries ${library})
  string(REPLACE adatrace_ "" name ${library})
  string(REPLACE lib trace name ${name})
  set_target_properties(${library} PROPERTIES EXPORT_NAME ${name} INTERFACE_INCLUDE_DIRECTORIES
    "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>;$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
  get_target_property(links ${library} LINK_LIBRARIES)
  foreach(link IN LISTS links)
    if(link MATCHES "^([A-Za-z_]+)::")
      list(APPEND ADA_TRACE_PACKAGES ${CMAKE_MATCH_1})
    endif()
  endforeach()
endforeach()
list(REMOVE_DUPLICATES ADA_TRACE_PACKAGES)

function(ada_configure_package output libdir bindir includedir plugindir)
  file(RELATIVE_PATH ADA_PLUGINDIR_FROM_LIBDIR ${libdir} ${plugindir})
  file(RELATIVE_PATH ADA_BINDIR_FROM_LIBDIR ${libdir} ${bindir})
  file(RELATIVE_PATH ADA_INCLUDEDIR_FROM_LIBDIR ${libdir} ${includedir})
  configure_file(${PROJECT_SOURCE_DIR}/cmake/AdaTraceConfig.cmake.in ${output}/AdaTraceConfig.cmake @ONLY)
endfunction()

set(buildPackage ${PROJECT_BINARY_DIR}/lib/cmake/AdaTrace)
set(installPackage ${CMAKE_INSTALL_LIBDIR}/cmake/AdaTrace)
ada_configure_package(${buildPackage} ${PROJECT_BINARY_DIR}/lib ${PROJECT_BINARY_DIR}/bin ${PROJECT_BINARY_DIR}/include
                      ${PROJECT_BINARY_DIR}/lib)
ada_configure_package(${PROJECT_BINARY_DIR}/installed ${CMAKE_INSTALL_FULL_LIBDIR} ${CMAKE_INSTALL_FULL_BINDIR}
                      ${CMAKE_INSTALL_FULL_INCLUDEDIR} ${CMAKE_INSTALL_PREFIX}/${ADA_INSTALL_PLUGIN_DIR})
write_basic_package_version_file(${buildPackage}/AdaTraceConfigVersion.cmake COMPATIBILITY SameMinorVersion)
configure_file(${PROJECT_SOURCE_DIR}/cmake/AdaTraceToolchain.cmake ${buildPackage}/AdaTraceToolchain.cmake COPYONLY)

install(FILES ${PROJECT_BINARY_DIR}/installed/AdaTraceConfig.cmake ${buildPackage}/AdaTraceConfigVersion.cmake
              ${buildPackage}/AdaTraceToolchain.cmake DESTINATION ${installPackage} COMPONENT dev)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ada DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev)

install(TARGETS AdaRuntime AdaRuntimeStatic
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT dev
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)
install(FILES ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/AdaPreinit.o ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/AdaRecordAlways.o
        DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)
if(libraries)
  install(TARGETS ${libraries} EXPORT AdaTraceTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT dev)
  install(EXPORT AdaTraceTargets NAMESPACE AdaTrace:: DESTINATION ${installPackage} COMPONENT dev)
  export(EXPORT AdaTraceTargets NAMESPACE AdaTrace:: FILE ${buildPackage}/AdaTraceTargets.cmake)
endif()
