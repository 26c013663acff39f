# ada_precompiled(<target> <name>): compiles the target with precompiled/<name>.h: the standard library, precompiled.
# Call it when the target has all its options.
#
# Nine lines of ten that a compiler reads here are those of the standard library (and of GoogleTest). In builds that
# are not optimised, or have sanitizers, reading them is what takes time; so these have precompiled headers, one for
# each header and set of options. The other builds have none, and show that each file includes what it needs. GCC would
# gain little.
#
# CMake's own precompiled headers would hide from ccache what another clone has compiled, because they are named by
# absolute paths. This names them relative to the build tree, and tells ccache by a sum what is in them
# (CCACHE_PCH_EXTSUM in AdaCcache.cmake).
option(ADA_PRECOMPILED "Builds by clang that are not optimised, or have sanitizers: with precompiled headers" ON)

set(ADA_USES_PRECOMPILED OFF)
if(ADA_PRECOMPILED AND (ADA_QUICK OR ADA_SANITIZE) AND CMAKE_CXX_COMPILER_ID STREQUAL Clang AND CMAKE_GENERATOR STREQUAL Ninja)
  set(ADA_USES_PRECOMPILED ON)
  set(CMAKE_CXX_COMPILE_OPTIONS_PIE -fPIC) # programs can then use what was compiled for libraries
endif()

set(ADA_PRECOMPILED_HEADERS ${CMAKE_CURRENT_LIST_DIR}/precompiled)

function(ada_precompiled target name)
  if(NOT ADA_USES_PRECOMPILED)
    return()
  endif()
  string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
  separate_arguments(options UNIX_COMMAND "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${type}}")
  get_target_property(own ${target} COMPILE_OPTIONS)
  list(FILTER own EXCLUDE REGEX "^(\\$<|SHELL:)") # warnings, and folders of ours
  list(APPEND options ${own} -std=c++20 -fPIC)
  string(MD5 hash "${options}")
  string(SUBSTRING ${hash} 0 8 hash)
  set(header ${ADA_PRECOMPILED_HEADERS}/${name}.h)
  set(file precompiled/${name}-${hash}.pch)
  if(NOT TARGET ada_${name}_${hash})
    cmake_path(RELATIVE_PATH header BASE_DIRECTORY ${PROJECT_BINARY_DIR} OUTPUT_VARIABLE source)
    set(compile ${CMAKE_CXX_COMPILER} ${options} -x c++-header ${source})
    file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/precompiled)
    add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/${file}
      COMMAND ${compile} -fpch-instantiate-templates -Xclang -fno-pch-timestamp -MD -MT ${file} -MF ${file}.d -o ${file}
      COMMAND ${compile} -E -P -o ${file}.text
      COMMAND ${CMAKE_COMMAND} -E sha256sum ${file}.text > ${file}.sum
      COMMAND ${CMAKE_COMMAND} -E rm ${file}.text
      DEPFILE ${PROJECT_BINARY_DIR}/${file}.d DEPENDS ${header} WORKING_DIRECTORY ${PROJECT_BINARY_DIR}
      COMMENT "Precompiling ${name}.h" VERBATIM)
    add_custom_target(ada_${name}_${hash} DEPENDS ${PROJECT_BINARY_DIR}/${file})
  endif()
  add_dependencies(${target} ada_${name}_${hash})
  # In a precompiled header clang forgets that libstdc++ may use what it deprecates.
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-include-pch ${file} -Wno-deprecated-declarations>")
endfunction()
