# ada_lit_suite(): makes a folder of lit tests one ctest (see lit.cfg.py for what the tests can use).
#
#   ada_lit_suite(<name> DIR <folder with the tests> [LLVM <major>] [GCC <major>] [TARGET <architecture>]
#                 [TIMEOUT <seconds>] [PART <part>] [COST <number>] [ONLY <kind>] [WITHOUT <kind>])
#
# LLVM chooses the clang, opt and FileCheck that the suite runs with; the default is the newest one that is found.
# GCC: programs are built by that GCC instead of clang. TARGET aarch64: programs are cross-built and run in qemu. PART is
# the part of `tools/dev test --all` that the suite belongs to; a suite without one is run each time. ONLY long, ONLY slow:
# runs only the tests that require that feature, as the part of that name; WITHOUT slow: the others. COST: the greater,
# the sooner a suite begins.
#
# A suite has two jobs but counts as one for ctest: many tests wait, for a child or for a clock, and with two suites at a
# time both processors are still busy when one suite is down to its last test.
find_package(Python3 REQUIRED COMPONENTS Interpreter)

# ADA_TEST_LLVMS: the LLVMs that have what the tests need, lowest first.
if(NOT DEFINED ADA_LLVM_FOUND)
  find_package(AdaLLVM)
endif()
set(ADA_TEST_LLVMS "")
foreach(version IN LISTS ADA_LLVM_FOUND)
  set(bindir ${ADA_LLVM_${version}_BINDIR})
  if(EXISTS ${bindir}/clang AND EXISTS ${bindir}/FileCheck AND EXISTS ${bindir}/not AND EXISTS ${bindir}/split-file)
    list(APPEND ADA_TEST_LLVMS ${version})
  else()
    message(STATUS "LLVM ${version}: not tested, ${bindir} lacks clang or FileCheck "
                   "(Debian: apt-get install clang-${version} llvm-${version}-tools)")
  endif()
endforeach()
list(SORT ADA_TEST_LLVMS COMPARE NATURAL)

set(litCandidates "")
foreach(version IN LISTS ADA_LLVM_FOUND)
  list(APPEND litCandidates /usr/lib/llvm-${version}/build/utils/lit/lit.py /usr/lib/llvm-${version}/bin/lit)
endforeach()
find_program(ADA_LIT NAMES lit llvm-lit DOC "LLVM's test runner (package llvm-N-tools)")
if(NOT ADA_LIT)
  foreach(candidate IN LISTS litCandidates)
    if(EXISTS ${candidate})
      set(ADA_LIT ${candidate} CACHE FILEPATH "LLVM's test runner (package llvm-N-tools)" FORCE)
      break()
    endif()
  endforeach()
endif()

# Sets RESULT to a folder with the tools of LLVM VERSION. Those that load the plugin are scripts there that load the
# sanitizers' runtime first: it must be loaded before anything is allocated, and these programs are not linked with it.
function(ada_sanitized_llvm result version)
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libasan.so OUTPUT_VARIABLE runtime
                  OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL GNU OR NOT EXISTS ${runtime})
    message(FATAL_ERROR "ADA_SANITIZE_PASS needs g++ and its libasan.so.")
  endif()
  set(folder ${PROJECT_BINARY_DIR}/test/llvm-${version})
  file(MAKE_DIRECTORY ${folder})
  file(GLOB tools ${ADA_LLVM_${version}_BINDIR}/*)
  foreach(tool IN LISTS tools)
    get_filename_component(name ${tool} NAME)
    if(name MATCHES "^(clang|clang\\+\\+|opt|ld.lld)$")
      file(REMOVE ${folder}/${name})
      file(CONFIGURE OUTPUT ${folder}/${name} @ONLY CONTENT [=[
#!/bin/sh
ASAN_OPTIONS=detect_leaks=0:$ASAN_OPTIONS LD_PRELOAD='@runtime@' exec '@tool@' "$@"
]=])
      file(CHMOD ${folder}/${name} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
    else()
      file(CREATE_LINK ${tool} ${folder}/${name} SYMBOLIC)
    endif()
  endforeach()
  set(${result} ${folder} PARENT_SCOPE)
endfunction()

function(ada_lit_suite name)
  cmake_parse_arguments(PARSE_ARGV 1 suite "" "DIR;LLVM;GCC;TARGET;TIMEOUT;PART;COST;ONLY;WITHOUT" "")
  if(NOT ADA_LIT OR NOT ADA_TEST_LLVMS)
    message(FATAL_ERROR "The tests need lit, FileCheck and clang of one LLVM: install llvm-N-tools and clang-N "
                        "(tools/dev setup), or configure with -DADA_BUILD_TESTS=OFF.")
  endif()
  if(NOT suite_LLVM)
    list(GET ADA_TEST_LLVMS -1 suite_LLVM)
  endif()
  if(NOT suite_TIMEOUT)
    set(suite_TIMEOUT 4500) # the large ones take 5 to 40 minutes, by machine; test/limited_bash.sh ends a test that hangs
  endif()
  get_filename_component(suiteSource ${suite_DIR} ABSOLUTE)
  set(suiteBuild ${PROJECT_BINARY_DIR}/test/${name})
  set(suiteLLVMBin ${ADA_LLVM_${suite_LLVM}_BINDIR})
  if(ADA_SANITIZE_PASS)
    ada_sanitized_llvm(suiteLLVMBin ${suite_LLVM})
  endif()
  if(suite_TARGET)
    set(tools clang clang++ ada-clang ada-clang++)
    set(major ${suite_LLVM})
    if(suite_GCC)
      set(tools gcc g++ ada-gcc ada-g++)
      set(major ${suite_GCC})
    endif()
    foreach(tool IN LISTS tools)
      set(compiler ${suiteLLVMBin}/${tool})
      set(option --target=${suite_TARGET}-linux-gnu)
      if(tool MATCHES "^ada-")
        set(compiler ${PROJECT_BINARY_DIR}/bin/${tool}-${major})
      elseif(suite_GCC)
        set(compiler ${suite_TARGET}-linux-gnu-${tool}-${major})
        set(option "")
      endif()
      set(script ${PROJECT_BINARY_DIR}/test/${suite_TARGET}/bin/${tool}-${major})
      file(CONFIGURE OUTPUT ${script} @ONLY CONTENT [=[
#!/bin/sh
exec '@PROJECT_SOURCE_DIR@/test/@suite_TARGET@/compile.sh' '@compiler@' @option@ "$@"
]=])
      file(CHMOD ${script} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
    endforeach()
  endif()
  file(CONFIGURE OUTPUT ${suiteBuild}/lit.site.cfg.py @ONLY CONTENT [=[
# Written by CMake (cmake/AdaLit.cmake).
import os
config.name = "adatrace-@name@"
config.test_source_root = r"@suiteSource@"
config.test_exec_root = r"@suiteBuild@"
config.ada_source_dir = r"@PROJECT_SOURCE_DIR@"
config.ada_build_dir = r"@PROJECT_BINARY_DIR@"
config.ada_llvm = "@suite_LLVM@"
config.ada_llvms = "@ADA_TEST_LLVMS@".split(";")
config.ada_gcc = "@suite_GCC@"
config.ada_gccs = "@ADA_GCC_FOUND@".split(";")
config.ada_target = "@suite_TARGET@"
config.ada_llvm_bin = r"@suiteLLVMBin@"
config.ada_python = r"@Python3_EXECUTABLE@"
config.ada_quick = "@ADA_QUICK@"
config.ada_sanitize = "@ADA_SANITIZE@"
config.ada_sanitize_pass = "@ADA_SANITIZE_PASS@"
config.ada_plugin_build = r"@ADA_PLUGIN_BUILD@"
config.ada_traced_build = r"@ADA_TRACED_BUILD@"
lit_config.load_config(config, os.path.join(config.ada_source_dir, "lit.cfg.py"))
own = os.path.join(config.test_source_root, "lit.cfg.py")
if os.path.exists(own):
    lit_config.load_config(config, own)
]=])
  set(chosen "")
  if(suite_ONLY)
    set(chosen --param only=${suite_ONLY})
    set(suite_PART ${suite_ONLY})
  elseif(suite_WITHOUT)
    set(chosen --param without=${suite_WITHOUT})
  endif()
  add_test(NAME ${name} COMMAND ${Python3_EXECUTABLE} ${ADA_LIT} -sv --no-progress-bar -j2 ${chosen} ${suiteBuild})
  set_tests_properties(${name} PROPERTIES TIMEOUT ${suite_TIMEOUT})
  if(suite_COST)
    set_tests_properties(${name} PROPERTIES COST ${suite_COST})
  endif()
  if(suite_PART)
    set_tests_properties(${name} PROPERTIES LABELS part-${suite_PART})
  endif()
endfunction()

# Sets RESULT to the part of the suites for LLVM VERSION that repeat what the suite for the newest LLVM does each time;
# "" for that one.
function(ada_llvm_part result version)
  list(GET ADA_TEST_LLVMS -1 newest)
  if(version IN_LIST ADA_MORE_LLVM_VERSIONS)
    set(${result} more-llvms PARENT_SCOPE)
  elseif(version EQUAL newest)
    set(${result} "" PARENT_SCOPE)
  else()
    set(${result} llvm-${version} PARENT_SCOPE)
  endif()
endfunction()

# ada_lit_suites(<name> DIR <folder> [TARGET <architecture>]): <name>-N for each LLVM N, with the part of that LLVM.
function(ada_lit_suites name)
  foreach(version IN LISTS ADA_TEST_LLVMS)
    ada_llvm_part(part ${version})
    ada_lit_suite(${name}-${version} ${ARGN} LLVM ${version} PART "${part}")
  endforeach()
endfunction()

# ada_lit_suite_each_time(<name> DIR <folder> COST <number>): the suite that runs each time, and <name>-long. In the tests'
# own tree the slow tests are <name>-slow.
function(ada_lit_suite_each_time name)
  if(ADA_QUICK)
    ada_lit_suite(${name} ${ARGN} WITHOUT slow)
    ada_lit_suite(${name}-slow ${ARGN} ONLY slow)
  else()
    ada_lit_suite(${name} ${ARGN})
  endif()
  ada_lit_suite(${name}-long ${ARGN} ONLY long)
endfunction()
