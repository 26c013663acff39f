# The version that `adatrace --version` prints: ADA_VERSION_TEXT.
#
# `project(VERSION)` in the CMakeLists.txt above is the only place with a number: of the release that this tree is, or
# will become. If the tree is not the commit with that release's tag (v0.2.0), the text says from which commit it was
# made: 0.2.0-dev+36d91b12, with .dirty after it if files were changed. The commit comes from git, in an archive that
# git or a forge made from the line below, and is left out where neither knows it.
set(archived "$Format:%h %D$") # "36d91b12 HEAD -> main, tag: v0.2.0", by .gitattributes

function(ada_version_text result)
  set(release v${PROJECT_VERSION})
  set(commit "")
  set(isRelease OFF)
  if(archived MATCHES "^([0-9a-f]+) ?(.*)$")
    set(commit ${CMAKE_MATCH_1})
    if("${CMAKE_MATCH_2}," MATCHES "tag: ${release},")
      set(isRelease ON)
    endif()
  elseif(EXISTS ${PROJECT_SOURCE_DIR}/.git) # not of another repository, with a copy of the files in it
    find_package(Git QUIET)
    if(GIT_FOUND)
      # A commit or a tag configures again (not in a `git worktree`, where .git is a file).
      if(EXISTS ${PROJECT_SOURCE_DIR}/.git/logs/HEAD)
        set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/.git/logs/HEAD)
      endif()
      execute_process(COMMAND ${GIT_EXECUTABLE} describe --tags --exact-match --match ${release} --dirty=.dirty
        WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE tag OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
      execute_process(COMMAND ${GIT_EXECUTABLE} describe --always --exclude=* --dirty=.dirty
        WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
      if(tag STREQUAL release)
        set(isRelease ON)
      endif()
    endif()
  endif()
  if(isRelease)
    set(${result} ${PROJECT_VERSION} PARENT_SCOPE)
  elseif(commit STREQUAL "")
    set(${result} ${PROJECT_VERSION}-dev PARENT_SCOPE)
  else()
    set(${result} ${PROJECT_VERSION}-dev+${commit} PARENT_SCOPE)
  endif()
endfunction()
ada_version_text(ADA_VERSION_TEXT)
