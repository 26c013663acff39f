# ada_demangle(TARGET): compiles shared/demangle into it, which library and plugins use.
#
# Without libiberty, names of Rust and D stay as they are in the object file, or are what LLVM knows of them.
find_path(ADA_LIBIBERTY_INCLUDE libiberty/demangle.h)
find_library(ADA_LIBIBERTY_LIBRARY libiberty.a)

function(ada_demangle target)
  set(source ${PROJECT_SOURCE_DIR}/shared/demangle/demangle.cpp)
  target_sources(${target} PRIVATE ${source})
  set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON) # other names than a compiler's headers
  if(ADA_LIBIBERTY_INCLUDE AND ADA_LIBIBERTY_LIBRARY)
    set_source_files_properties(${source} PROPERTIES COMPILE_DEFINITIONS ADA_LIBIBERTY)
    target_include_directories(${target} SYSTEM PRIVATE ${ADA_LIBIBERTY_INCLUDE})
    target_link_libraries(${target} PRIVATE ${ADA_LIBIBERTY_LIBRARY})
    target_link_options(${target} PRIVATE -Wl,--exclude-libs,libiberty.a) # the compiler that loads a plugin may have its own
  endif()
endfunction()
