# Toolchain file: builds any CMake project, unchanged, with every function traced.
#
#   cmake -DCMAKE_TOOLCHAIN_FILE=<prefix>/lib/cmake/AdaTrace/AdaTraceToolchain.cmake -S . -B build-traced
#
# -DADA_LLVM=19 selects that LLVM (default: that of `clang`), -DADA_GCC=12 that GCC instead, -DADA_FLAGS="--ada-exclude=std::* --ada-min-size=5" gives
# options to the wrappers (`ada-clang --ada-help` lists them). ADA_FLAGS is split into words as a shell would, so a glob
# with a blank is quoted: -DADA_FLAGS="--ada-include='f(int, char)|g*'". Only $ can't be given (make and ninja expand
# it); use ? to match it.
#
# Works from an installation and from AdaTrace's own build tree.

set(ADA_LLVM "" CACHE STRING "LLVM major version to build with; empty for the default clang")
set(ADA_GCC "" CACHE STRING "GCC major version to build with instead of clang")
set(ADA_FLAGS "" CACHE STRING "Options for the wrappers, as --ada-exclude=GLOB")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES ADA_LLVM ADA_GCC ADA_FLAGS)

set(ada_suffix "")
if(ADA_LLVM)
  set(ada_suffix "-${ADA_LLVM}")
endif()
set(ada_c "ada-clang${ada_suffix}")
set(ada_cxx "ada-clang++${ada_suffix}")
if(ADA_GCC)
  set(ada_c "ada-gcc-${ADA_GCC}")
  set(ada_cxx "ada-g++-${ADA_GCC}")
endif()
# bin is three folders up, or four if the library folder has the architecture in its name (lib/x86_64-linux-gnu).
foreach(ada_up IN ITEMS ../../.. ../../../..)
  get_filename_component(ada_bindir "${CMAKE_CURRENT_LIST_DIR}/${ada_up}/bin" ABSOLUTE)
  if(EXISTS "${ada_bindir}/${ada_c}")
    break()
  endif()
endforeach()
if(NOT EXISTS "${ada_bindir}/${ada_c}")
  message(FATAL_ERROR "AdaTraceToolchain.cmake: no ${ada_c} in ${ada_bindir}. Use the toolchain file of an "
                      "installation or of a build tree: <build>/lib/cmake/AdaTrace/AdaTraceToolchain.cmake.")
endif()

set(CMAKE_C_COMPILER "${ada_bindir}/${ada_c}")
set(CMAKE_CXX_COMPILER "${ada_bindir}/${ada_cxx}")
if(ADA_GCC)
  set(CMAKE_Fortran_COMPILER "${ada_bindir}/ada-gfortran-${ADA_GCC}")
endif()
# CMake hands CMAKE_<LANG>_FLAGS to the build's shell as it is, and the shell takes globs for pipes, patterns and jobs.
separate_arguments(ada_words UNIX_COMMAND "${ADA_FLAGS}")
set(ada_flags "")
foreach(ada_word IN LISTS ada_words)
  string(REPLACE "'" "'\\''" ada_word "${ada_word}")
  string(APPEND ada_flags " '${ada_word}'")
endforeach()
string(STRIP "${ada_flags}" ada_flags)
set(CMAKE_C_FLAGS_INIT "${ada_flags}")
set(CMAKE_CXX_FLAGS_INIT "${ada_flags}")
set(CMAKE_Fortran_FLAGS_INIT "${ada_flags}")

# The programs that CMake compiles and runs to learn about the system are not the user's. They get plain clang, so that
# configuring leaves no traces and the runtime is not taken for one of the compiler's own libraries.
set(ENV{ADA_WRAPPER_OFF} 1)
