# ada_unity(<target> [<most>]): compiles the files of a folder together, up to sixteen at a time, or as many as are given.
#
# Headers and the templates that files share are then compiled once for all of them: building everything is half the work.
# A file includes what it needs all the same, and compiles alone with -DADA_UNITY=OFF, which suits work on a few files.
# A folder of one or two files goes with the folder above it. What is compiled together shares its names: names of
# things that only one file uses must differ within a folder, too.
#
# Call it when the target has all its sources.
option(ADA_UNITY "Compile the files of a folder together: half the work for all of them, more for one that has changed" ON)
option(ADA_QUICK "For a first look, and for tests: plugin, library and tool are not optimised, and built in a third of the time" OFF)

function(ada_unity target)
  if(ADA_QUICK)
    target_compile_options(${target} PRIVATE -O0 -g0)
  endif()
  if(NOT ADA_UNITY)
    return()
  endif()
  set(most 16)
  if(ARGC GREATER 1)
    set(most ${ARGV1})
  elseif(ADA_QUICK)
    set(most 64)
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  # A name with the project's place in it would hide from ccache what another clone has compiled.
  macro(ada_folder_of source)
    string(REPLACE ${PROJECT_SOURCE_DIR}/ "" folder ${${source}})
    cmake_path(GET folder PARENT_PATH folder)
    string(MAKE_C_IDENTIFIER "all_${folder}" all)
  endmacro()
  foreach(source IN LISTS sources)
    ada_folder_of(source)
    list(APPEND ${all} ${source})
  endforeach()
  foreach(source IN LISTS sources)
    ada_folder_of(source)
    list(LENGTH ${all} count)
    if(count LESS 3)
      cmake_path(GET folder PARENT_PATH folder)
    endif()
    string(MAKE_C_IDENTIFIER "in_${folder}" folder)
    if(NOT DEFINED count_${folder})
      set(count_${folder} 0)
    endif()
    math(EXPR group "${count_${folder}} / ${most}")
    math(EXPR count_${folder} "${count_${folder}} + 1")
    set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP "${folder}_${group}")
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
