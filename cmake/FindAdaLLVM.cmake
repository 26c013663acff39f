# FindAdaLLVM.cmake - finds the installed LLVMs among ADA_LLVM_VERSIONS and ADA_MORE_LLVM_VERSIONS, each by its own
# llvm-config.
#
# find_package(LLVM) finds one LLVM per configure run. The plugin is built for several side by side and needs only the
# headers of each, so this asks llvm-config-N (or llvm-config, if that is version N).
#
# ADA_LLVM_FOUND           the versions found, e.g. "14;19;22"
# ADA_LLVM_DEFAULT         the version of the default `clang`; the highest found one if there is no such clang
# ADA_LLVM_<N>_INCLUDE_DIR its headers
# ADA_LLVM_<N>_BINDIR      its tools (opt, llc, clang, FileCheck, …)
# ADA_LLVM_<N>_ROOT        the folder that BINDIR is in; lit is in ROOT/build/utils/lit on Debian

set(ADA_LLVM_FOUND "")
foreach(version IN LISTS ADA_LLVM_VERSIONS ADA_MORE_LLVM_VERSIONS)
  if(version LESS 13)
    message(WARNING "LLVM ${version} is left out: 13 is the oldest that the plugin can be built for")
    continue()
  endif()
  find_program(ADA_LLVM_CONFIG_${version}
               NAMES llvm-config-${version} llvm-config${version} llvm-config
               HINTS /usr/lib/llvm-${version}/bin /usr/local/opt/llvm@${version}/bin
               DOC "llvm-config of LLVM ${version}")
  mark_as_advanced(ADA_LLVM_CONFIG_${version})
  if(NOT ADA_LLVM_CONFIG_${version})
    message(STATUS "LLVM ${version}: not found")
    continue()
  endif()
  execute_process(COMMAND ${ADA_LLVM_CONFIG_${version}} --version --includedir --bindir --prefix
                  OUTPUT_VARIABLE answer OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed)
  string(REPLACE "\n" ";" answer "${answer}")
  list(LENGTH answer lines)
  if(failed OR lines LESS 4)
    message(WARNING "${ADA_LLVM_CONFIG_${version}} does not answer; LLVM ${version} is left out")
    continue()
  endif()
  list(GET answer 0 full)
  list(GET answer 1 include)
  list(GET answer 2 bindir)
  list(GET answer 3 root)
  string(REGEX MATCH "^[0-9]+" major "${full}")
  if(NOT major EQUAL version)
    message(STATUS "LLVM ${version}: not found (${ADA_LLVM_CONFIG_${version}} is ${full})")
    continue()
  endif()
  if(NOT EXISTS "${include}/llvm/IR/PassManager.h")
    message(STATUS "LLVM ${version}: no headers in ${include} (Debian: apt-get install llvm-${version}-dev)")
    continue()
  endif()
  message(STATUS "LLVM ${version}: ${full}, ${root}")
  list(APPEND ADA_LLVM_FOUND ${version})
  set(ADA_LLVM_${version}_INCLUDE_DIR "${include}")
  set(ADA_LLVM_${version}_BINDIR "${bindir}")
  set(ADA_LLVM_${version}_ROOT "${root}")
endforeach()

set(ADA_LLVM_DEFAULT "")
find_program(ADA_CLANG NAMES clang DOC "The default clang, for which libAdaTrace.so is made")
mark_as_advanced(ADA_CLANG)
if(ADA_CLANG)
  execute_process(COMMAND ${ADA_CLANG} --version OUTPUT_VARIABLE answer ERROR_QUIET)
  if(answer MATCHES "clang version ([0-9]+)")
    set(ADA_LLVM_DEFAULT ${CMAKE_MATCH_1})
  endif()
endif()
if(ADA_LLVM_FOUND AND NOT ADA_LLVM_DEFAULT IN_LIST ADA_LLVM_FOUND)
  set(highest ${ADA_LLVM_FOUND})
  list(SORT highest COMPARE NATURAL ORDER DESCENDING)
  list(GET highest 0 ADA_LLVM_DEFAULT)
endif()

include(FindPackageHandleStandardArgs)
string(REPLACE ";" ", " wanted "${ADA_LLVM_VERSIONS};${ADA_MORE_LLVM_VERSIONS}")
find_package_handle_standard_args(AdaLLVM REQUIRED_VARS ADA_LLVM_FOUND
  REASON_FAILURE_MESSAGE "no LLVM among ${wanted} is installed (Debian: apt-get install clang-19 llvm-19-dev)")
