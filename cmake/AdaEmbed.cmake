# Text files as constants of a program.
#
#   ada_embed(adatrace flame_assets flame/page.html flame/flame.css)
#
# adds a source to target adatrace that defines `std::string_view page_html, flame_css` in namespace ada::flame_assets.
# Code that uses them needs a header that declares them. `files` lists all of them, each with its name. As a script
# (cmake -P) this file writes that source.
if(CMAKE_SCRIPT_MODE_FILE)
  set(defined "")
  set(list "")
  foreach(file IN LISTS FILES)
    get_filename_component(file_name ${file} NAME)
    string(MAKE_C_IDENTIFIER ${file_name} name)
    file(READ ${file} text)
    string(APPEND defined "extern constexpr std::string_view ${name} = R\"ADA_EMBED(${text})ADA_EMBED\";\n")
    string(APPEND list "  {\"${file_name}\", ${name}},\n")
  endforeach()
  file(WRITE ${OUTPUT} "// Made by cmake/AdaEmbed.cmake.\n#include <array>\n#include <span>\n#include <string_view>\n"
    "namespace ada::${NAME} {\n${defined}static constexpr std::array<std::string_view, 2> list[] = {\n${list}};\n"
    "extern const std::span<const std::array<std::string_view, 2>> files = list;\n}\n")
  return()
endif()

function(ada_embed target name)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/embedded/${name}.cpp)
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} "-DFILES=${ARGN}" -DOUTPUT=${output} -DNAME=${name} -P ${CMAKE_CURRENT_FUNCTION_LIST_FILE}
    DEPENDS ${ARGN} ${CMAKE_CURRENT_FUNCTION_LIST_FILE}
    COMMENT "Embedding ${name}"
    VERBATIM)
  target_sources(${target} PRIVATE ${output})
endfunction()
