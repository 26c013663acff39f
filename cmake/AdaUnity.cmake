# ada_unity(<target>): compiles the files of a folder together, up to eight at a time.
#
# Headers and the templates that files share are then compiled once for all of them: building everything is half the work.
# A file includes what it needs all the same, and compiles alone with -DADA_UNITY=OFF, which suits work on a few files.
# Within a folder, names of things that only one file uses must differ, too.
#
# Call it when the target has all its sources.
option(ADA_UNITY "Compile the files of a folder together: half the work for all of them, more for one that has changed" ON)

function(ada_unity target)
  if(NOT ADA_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  set(folders "")
  foreach(source IN LISTS sources)
    if(NOT source MATCHES "\\.cpp$")
      continue()
    endif()
    cmake_path(GET source PARENT_PATH folder)
    string(MAKE_C_IDENTIFIER "in_${folder}" folder)
    if(NOT folder IN_LIST folders)
      list(APPEND folders ${folder})
      set(count_${folder} 0)
    endif()
    math(EXPR group "${count_${folder}} / 8")
    math(EXPR count_${folder} "${count_${folder}} + 1")
    set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP "${folder}_${group}")
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
