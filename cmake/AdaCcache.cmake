# Compiles through ccache where it is installed: a second clone, in another folder, is built in about a minute.
#
# CCACHE_BASEDIR makes paths below the clone relative before they are hashed, and CCACHE_NOHASHDIR leaves the folder
# that the debug information names out of the hash, so that clones share what they have compiled. The price: in a clone
# that took an object from the cache, a debugger may look for sources in the clone that compiled it.
#
# CCACHE_PCH_EXTSUM and CCACHE_SLOPPINESS are for precompiled headers (AdaPrecompiled.cmake).
#
# Not for our own wrappers as compilers (adatrace traced by itself): ccache does not notice when a plugin has changed.
option(ADA_CCACHE "Compile through ccache, if it is installed" ON)

find_program(ADA_CCACHE_PROGRAM ccache)
mark_as_advanced(ADA_CCACHE_PROGRAM)
if(ADA_CCACHE AND ADA_CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER AND NOT CMAKE_CXX_COMPILER MATCHES "ada-clang")
  set(ada_launcher ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
    CCACHE_PCH_EXTSUM=1 CCACHE_SLOPPINESS=pch_defines,time_macros ${ADA_CCACHE_PROGRAM})
  set(CMAKE_C_COMPILER_LAUNCHER ${ada_launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${ada_launcher})
endif()
