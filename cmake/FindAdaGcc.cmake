# FindAdaGcc.cmake - finds the installed GCCs among ADA_GCC_VERSIONS that have the headers of plugins.
#
# ADA_GCC_FOUND            the versions found, lowest first
# AdaGcc_FOUND           whether there is one
# ADA_GCC_<N>_COMPILER     gcc-N
# ADA_GCC_<N>_INCLUDE_DIR  the headers
# With ADA_CROSS_AARCH64, of the cross compilers, which need not be there:
# ADA_GCC_AARCH64_FOUND            the versions
# ADA_GCC_AARCH64_<N>_INCLUDE_DIR  the headers

set(ADA_GCC_FOUND "")
set(ADA_GCC_AARCH64_FOUND "")
foreach(version IN LISTS ADA_GCC_VERSIONS)
  find_program(ADA_GCC_${version} NAMES gcc-${version} DOC "GCC ${version}")
  mark_as_advanced(ADA_GCC_${version})
  if(NOT ADA_GCC_${version})
    message(STATUS "GCC ${version}: not found")
    continue()
  endif()
  execute_process(COMMAND ${ADA_GCC_${version}} -print-file-name=plugin OUTPUT_VARIABLE folder
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT EXISTS "${folder}/include/gcc-plugin.h")
    message(STATUS "GCC ${version}: no headers of plugins (Debian: apt-get install gcc-${version}-plugin-dev)")
    continue()
  endif()
  message(STATUS "GCC ${version}: ${folder}")
  list(APPEND ADA_GCC_FOUND ${version})
  set(ADA_GCC_${version}_COMPILER "${ADA_GCC_${version}}")
  set(ADA_GCC_${version}_INCLUDE_DIR "${folder}/include")

  find_program(ADA_GCC_AARCH64_${version} NAMES aarch64-linux-gnu-gcc-${version} DOC "GCC ${version} for AArch64")
  mark_as_advanced(ADA_GCC_AARCH64_${version})
  if(NOT ADA_CROSS_AARCH64 OR NOT ADA_GCC_AARCH64_${version})
    continue()
  endif()
  execute_process(COMMAND ${ADA_GCC_AARCH64_${version}} -print-file-name=plugin OUTPUT_VARIABLE folder
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(EXISTS "${folder}/include/gcc-plugin.h")
    message(STATUS "GCC ${version} for AArch64: ${folder}")
    list(APPEND ADA_GCC_AARCH64_FOUND ${version})
    set(ADA_GCC_AARCH64_${version}_INCLUDE_DIR "${folder}/include")
  endif()
endforeach()

list(SORT ADA_GCC_FOUND COMPARE NATURAL)
list(LENGTH ADA_GCC_FOUND AdaGcc_FOUND) # 0 is false
