# ada_precompile(<target> <header>…): the headers, given as for #include <…>, are read once for all files of the target.
#
# A file includes what it needs all the same: -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON builds without.
#
# ccache may take gcc's precompiled header from the build of another clone, and so all that is compiled with it. clang's
# names the clone's files, which may be gone by then: it has a header by its whole path, so that each clone has its own.

# What nearly all files of library and tool include.
set(ADA_COMMON_HEADERS algorithm array charconv cstdint cstring functional map memory mutex optional set span string
  string_view unordered_map unordered_set utility variant vector base/format.h base/quantities.h ada/trace/calls.h
  ada/trace/convert.h ada/trace/names.h ada/trace/session.h)

function(ada_precompile target)
  list(TRANSFORM ARGN REPLACE ".+" "<\\0>" OUTPUT_VARIABLE headers)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>) # for ccache
  else()
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")
    list(PREPEND headers ${PROJECT_SOURCE_DIR}/include/ada/abi.h)
  endif()
  target_precompile_headers(${target} PRIVATE ${headers})
endfunction()
