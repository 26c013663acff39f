# Packages: `cpack` in the build tree makes Debian packages and an archive that runs wherever it is unpacked.
#
# One install component for each package; docs/developers/releasing.md says what is in which:
#   tool      adatrace                  the tool, its manual pages and documents
#   runtime   libadaruntime<ABI>        what traced programs load
#   dev       libadatrace-dev           wrappers, headers, the CMake package, pkg-config files, libraries to link with
#   python    python3-adatrace          the Python package, if it is built; not in the archive, whose Python is unknown
#   plugin-N  adatrace-plugin-N         the compiler plugin for LLVM N
#   plugin-gcc-N  adatrace-plugin-gcc-N  the compiler plugin for GCC N
#   bundle    only in the archive       the shared libraries of adatrace, except those of glibc and GCC: these two fit each
#                                       other only, and the system has both. glibc 2.34 and GCC 12 are old enough.
# What is cross-built for other processors is in none of them.

#===--- Documents, and files for pkg-config --------------------------------===#

install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT tool)
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs COMPONENT tool
        FILES_MATCHING PATTERN *.md PATTERN *.svg PATTERN *.png PATTERN developers EXCLUDE)
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT dev)

set(ada_pc_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH ADA_PREFIX_FROM_PC ${CMAKE_INSTALL_PREFIX}/${ada_pc_dir} ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" ADA_PREFIX_FROM_PC ${ADA_PREFIX_FROM_PC})
set(ada_pc_requires simdjson libelf libisal zlib)
if(ADA_ZSTD_LIBRARY)
  list(APPEND ada_pc_requires libzstd)
endif()
set(ada_pc_libraries)
if(ADA_LIBIBERTY_LIBRARY)
  set(ada_pc_libraries -liberty) # has no such file
endif()
if(ADA_WITH_EXPORT)
  list(APPEND ada_pc_requires sqlite3)
endif()
list(JOIN ada_pc_requires ", " ada_pc_requires)
foreach(name IN ITEMS adaruntime adatrace)
  configure_file(cmake/${name}.pc.in ${PROJECT_BINARY_DIR}/installed/${name}.pc @ONLY)
  if(name STREQUAL adaruntime OR TARGET adatrace_lib)
    install(FILES ${PROJECT_BINARY_DIR}/installed/${name}.pc DESTINATION ${ada_pc_dir} COMPONENT dev)
  endif()
endforeach()

# `cmake --install --strip` and CPack strip programs and shared libraries, and leave archives and objects as they are:
# with debug information these are ten times as large.
install(CODE "
  if(CMAKE_INSTALL_DO_STRIP)
    file(GLOB ada_archives \$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/*Ada*.[ao]
         \$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/libadatrace_*.a)
    if(ada_archives)
      execute_process(COMMAND \"${CMAKE_STRIP}\" --strip-debug --enable-deterministic-archives \${ada_archives} COMMAND_ERROR_IS_FATAL ANY)
    endif()
  endif()" COMPONENT dev)

#===--- The archive --------------------------------------------------------===#

if(TARGET adatrace)
  get_property(ada_loaded TARGET adatrace PROPERTY ADA_LOADED_LIBRARY)
  install(CODE "
    file(GET_RUNTIME_DEPENDENCIES EXECUTABLES \"$<TARGET_FILE:adatrace>\" LIBRARIES ${ada_loaded}
         RESOLVED_DEPENDENCIES_VAR ada_libraries
         PRE_EXCLUDE_REGEXES \"^(libc|libm|libresolv|libdl|librt|libpthread|ld-linux.*|libgcc_s|libstdc..)\\\\.so\")
    foreach(ada_library IN LISTS ada_libraries ITEMS ${ada_loaded})
      file(INSTALL \${ada_library} DESTINATION \${CMAKE_INSTALL_PREFIX}/${ADA_INSTALL_PLUGIN_DIR} FOLLOW_SYMLINK_CHAIN)
    endforeach()" COMPONENT bundle EXCLUDE_FROM_ALL)
endif()

#===--- The packages -------------------------------------------------------===#

set(CPACK_PACKAGE_NAME adatrace)
set(CPACK_PACKAGE_VENDOR "the developers of AdaTrace")
set(ADA_PACKAGE_CONTACT "The developers of AdaTrace <adatrace@users.noreply.github.com>"
    CACHE STRING "Who makes these packages, as in a Maintainer field")
set(CPACK_PACKAGE_CONTACT ${ADA_PACKAGE_CONTACT})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "function tracer for native programs")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_THREADS 0)
set(CPACK_VERBATIM_VARIABLES ON)
# A version that is not released comes before the release: 0.2.0~dev+1a2b3c4d.
string(REPLACE "-dev" "~dev" ada_package_version "${ADA_VERSION_TEXT}")
set(CPACK_PACKAGE_VERSION ${ada_package_version})

set(CPACK_COMPONENTS_ALL runtime dev)
foreach(version IN LISTS ADA_LLVM_FOUND)
  list(APPEND CPACK_COMPONENTS_ALL plugin-${version})
endforeach()
foreach(version IN LISTS ADA_GCC_FOUND)
  list(APPEND CPACK_COMPONENTS_ALL plugin-gcc-${version})
endforeach()
if(TARGET adatrace)
  list(APPEND CPACK_COMPONENTS_ALL tool)
endif()
if(TARGET adatrace_python)
  list(APPEND CPACK_COMPONENTS_ALL python)
endif()

find_program(ADA_DPKG dpkg)
set(CPACK_GENERATOR TGZ)
if(ADA_DPKG)
  set(CPACK_GENERATOR DEB TGZ)
endif()
# What differs between the two.
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/CPackGenerator.cmake @ONLY CONTENT [[
# Made by cmake/AdaPackages.cmake.
if(CPACK_GENERATOR STREQUAL TGZ)
  list(APPEND CPACK_COMPONENTS_ALL bundle)
  list(REMOVE_ITEM CPACK_COMPONENTS_ALL python)
  set(CPACK_PACKAGING_INSTALL_PREFIX "")
  set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
  set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)
  set(CPACK_PACKAGE_FILE_NAME "adatrace-@ada_package_version@-linux-@CMAKE_SYSTEM_PROCESSOR@")
else()
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
  set(CPACK_COMPONENTS_GROUPING IGNORE)
endif()
]])
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_BINARY_DIR}/CPackGenerator.cmake)
# Debian wants its manual pages compressed, and completions for zsh where its zsh looks for those of packages.
file(WRITE ${PROJECT_BINARY_DIR}/CPackDebian.cmake [[
# Made by cmake/AdaPackages.cmake.
if(CPACK_GENERATOR STREQUAL DEB)
  file(GLOB_RECURSE pages ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*/usr/share/man/man[1-8]/*.[1-8])
  if(pages)
    execute_process(COMMAND gzip -9n ${pages} COMMAND_ERROR_IS_FATAL ANY)
  endif()
  file(GLOB zsh ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*/usr/share/zsh)
  foreach(folder IN LISTS zsh)
    file(RENAME ${folder}/site-functions ${folder}/vendor-completions)
  endforeach()
endif()
]])
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_BINARY_DIR}/CPackDebian.cmake)
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS OFF)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

string(TIMESTAMP ada_date "%a, %d %b %Y %H:%M:%S +0000" UTC) # of SOURCE_DATE_EPOCH, if it is set
find_program(ADA_GZIP gzip)

# The exception as the format of copyright files wants it: indented, a dot in each empty line.
file(READ LICENSE ada_license_exception)
string(REGEX REPLACE "^.*\n---- (LLVM Exceptions[^-]*) ----" "\\1" ada_license_exception "${ada_license_exception}")
string(STRIP "${ada_license_exception}" ada_license_exception)
string(REPLACE "\n\n" "\n.\n" ada_license_exception "${ada_license_exception}")
string(REPLACE "\n" "\n " ada_license_exception " ${ada_license_exception}")

# ada_deb(COMPONENT NAME "summary" "what the package is for"): the names that CPack has for these, and the documents
# that each Debian package must have.
function(ada_deb component name summary text)
  string(TOUPPER ${component} upper)
  set(folder ${PROJECT_BINARY_DIR}/packages/${name})
  configure_file(cmake/debian-copyright.in ${folder}/copyright @ONLY)
  configure_file(cmake/debian-changelog.in ${folder}/changelog @ONLY)
  if(ADA_GZIP)
    execute_process(COMMAND ${ADA_GZIP} -9nf ${folder}/changelog)
    install(FILES ${folder}/copyright ${folder}/changelog.gz DESTINATION share/doc/${name} COMPONENT ${component}
            EXCLUDE_FROM_ALL)
  endif()
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${name} PARENT_SCOPE)
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "${summary}\n${text}" PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "${summary}\n${text}" PARENT_SCOPE)
endfunction()

set(ada_runtime_package libadaruntime${ADA_ABI_VERSION})
ada_deb(tool adatrace "function tracer: records, shows and explains calls"
"AdaTrace records every function call of programs that were compiled with its
plugin, and shows what they did: when, in which thread, with which arguments,
and what they waited for. This package has the tool; programs are compiled
with one of the packages adatrace-plugin-N.")
ada_deb(runtime ${ada_runtime_package} "function tracer: the runtime of traced programs"
"Programs that were compiled with AdaTrace's plugin load this library. It writes
their calls to trace files.")
ada_deb(dev libadatrace-dev "function tracer: compiler wrappers, headers and libraries"
"The wrappers ada-clang and ada-gcc, the headers for annotations in traced
programs, the C++ library that reads traces, and files for CMake and
pkg-config. The wrappers need a package adatrace-plugin-N for their compiler.")
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "${ada_runtime_package} (= ${ada_package_version})")
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
# Programs that were linked with the library depend on its package, and dpkg runs ldconfig.
file(WRITE ${PROJECT_BINARY_DIR}/packages/shlibs
     "libAdaRuntime ${ADA_ABI_VERSION} ${ada_runtime_package} (>= ${PROJECT_VERSION}~)\n")
file(WRITE ${PROJECT_BINARY_DIR}/packages/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/packages/shlibs
                                               ${PROJECT_BINARY_DIR}/packages/triggers)
foreach(version IN LISTS ADA_LLVM_FOUND)
  ada_deb(plugin-${version} adatrace-plugin-${version} "function tracer: the compiler plugin for clang ${version}"
"This plugin for clang, opt and lld of LLVM ${version} makes a program record its
calls. ada-clang-${version} is the compiler to use.")
  set(CPACK_DEBIAN_PLUGIN-${version}_PACKAGE_DEPENDS
      "clang-${version}, libadatrace-dev (= ${ada_package_version})")
endforeach()
foreach(version IN LISTS ADA_GCC_FOUND)
  ada_deb(plugin-gcc-${version} adatrace-plugin-gcc-${version} "function tracer: the compiler plugin for GCC ${version}"
"This plugin for GCC ${version} makes a program record its calls. ada-gcc-${version} is
the compiler to use.")
  set(CPACK_DEBIAN_PLUGIN-GCC-${version}_PACKAGE_DEPENDS
      "gcc-${version}, libadatrace-dev (= ${ada_package_version})")
endforeach()
if(TARGET adatrace_python)
  ada_deb(python python3-adatrace "function tracer: reads and records traces from Python"
"The Python package adatrace opens the traces of AdaTrace and of other tracers:
calls as numpy arrays, reports, call trees, waits and comparisons as data. It
records programs with the tool in the package adatrace.")
  # As dh_python3 would: for the Python that the extension was built for, whose compiled files come and go with it.
  execute_process(COMMAND ${ADA_PYTHON} -c "import sys; a, b = sys.version_info[:2]
print(f'python3 (>= {a}.{b}), python3 (<< {a}.{b + 1})')" OUTPUT_VARIABLE ada_python_needed OUTPUT_STRIP_TRAILING_WHITESPACE)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "${ada_python_needed}, python3-numpy")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS "adatrace (= ${ada_package_version})")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS python3-pandas)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
  set(scripts ${PROJECT_BINARY_DIR}/packages/python)
  file(WRITE ${scripts}/postinst "#!/bin/sh\nset -e\nif [ \"$1\" = configure ] && command -v py3compile >/dev/null; then
  py3compile -p python3-adatrace\nfi\n")
  file(WRITE ${scripts}/prerm "#!/bin/sh\nset -e\nif command -v py3clean >/dev/null; then\n  py3clean -p python3-adatrace\nfi\n")
  file(CHMOD ${scripts}/postinst ${scripts}/prerm PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
       WORLD_READ WORLD_EXECUTE)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA ${scripts}/postinst ${scripts}/prerm)
endif()
set(CPACK_DEBIAN_TOOL_PACKAGE_RECOMMENDS "libadatrace-dev (= ${ada_package_version}), libcurl4")
include(CPack)
