# Files built into a library, so that a program needs nothing beside it.
#
#   munja_embed_files(TARGET FUNCTION file...)
#
# adds  std::vector<munja::bundle::NamedBytes> munja::bundle::FUNCTION()  to TARGET: the last parts
# of the files' names and their bytes, which begin at multiples of 64. They lie in read-only data
# that is mapped like code: nothing is copied, and programs running side by side share it.
enable_language(ASM)

function(munja_embed_files target function)
  set(base ${CMAKE_CURRENT_BINARY_DIR}/${target}_${function})
  set(assembly "/* Made by cmake/MunjaEmbed.cmake. */\n")
  set(declarations "")
  set(rows "")
  set(number 0)
  foreach(file IN LISTS ARGN)
    set(symbol munja_${function}_${number})
    math(EXPR number "${number} + 1")
    get_filename_component(name ${file} NAME)
    # ".type x, %object" and "%progbits" are the spellings that all targets' assemblers take.
    string(APPEND assembly
      "    .section .rodata\n"
      "    .balign 64\n"
      "    .global ${symbol}\n    .hidden ${symbol}\n    .type ${symbol}, %object\n"
      "${symbol}:\n"
      "    .incbin \"${file}\"\n"
      "    .global ${symbol}_end\n    .hidden ${symbol}_end\n    .type ${symbol}_end, %object\n"
      "${symbol}_end:\n"
      "    .byte 0\n")  # So that two symbols never share an address, even after an empty file.
    string(APPEND declarations
      "[[gnu::visibility(\"hidden\")]] extern const uint8_t ${symbol}[], ${symbol}_end[];\n")
    string(APPEND rows "      {\"${name}\", {${symbol}, ${symbol}_end}},\n")
  endforeach()
  if(NOT EMSCRIPTEN)
    string(APPEND assembly "    .section .note.GNU-stack,\"\",%progbits\n")
  endif()
  file(CONFIGURE OUTPUT ${base}.S CONTENT "${assembly}" @ONLY)
  file(CONFIGURE OUTPUT ${base}.cc @ONLY CONTENT "// Made by cmake/MunjaEmbed.cmake.
#include \"bundle/files.h\"

extern \"C\" {
${declarations}}

namespace munja::bundle {

std::vector<NamedBytes> ${function}();
std::vector<NamedBytes> ${function}() {
  return {
${rows}  };
}

}  // namespace munja::bundle
")
  # Clang says of options for C++ alone that they are unused.
  set_source_files_properties(${base}.S PROPERTIES OBJECT_DEPENDS "${ARGN}"
                              COMPILE_OPTIONS -Wno-unused-command-line-argument)
  target_sources(${target} PRIVATE ${base}.S ${base}.cc)
endfunction()

# Appends the file of an entry of bundle.json (`json`), found by its members' names, to `files`; nothing
# where there is no such entry.
macro(munja_add_bundle_file)
  string(JSON name ERROR_VARIABLE absent GET "${json}" ${ARGN} file)
  if(NOT absent)
    string(JSON expected GET "${json}" ${ARGN} sha256)
    file(SHA256 ${folder}/${name} actual)
    if(NOT actual STREQUAL expected)
      message(FATAL_ERROR "${folder}/${name} is not the file that bundle.json describes")
    endif()
    list(APPEND files ${folder}/${name})
  endif()
endmacro()

# Sets `result` to the files of the bundle in `folder`, bundle.json first. What does not agree with
# bundle.json stops the configuration: a program must not be built that refuses its own model.
function(munja_bundle_files folder result)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${folder}/bundle.json)
  file(READ ${folder}/bundle.json json)
  set(files ${folder}/bundle.json)
  foreach(role detector recognizer classifier)
    munja_add_bundle_file(${role})
    munja_add_bundle_file(integer ${role})
  endforeach()
  munja_add_bundle_file(dictionary)
  string(JSON languages ERROR_VARIABLE absent LENGTH "${json}" languages)
  if(absent)
    set(languages 0)
  endif()
  set(i 0)
  while(i LESS languages)
    munja_add_bundle_file(languages ${i})
    math(EXPR i "${i} + 1")
  endwhile()
  if(EXISTS ${folder}/MODEL_CARD.md)
    list(APPEND files ${folder}/MODEL_CARD.md)
  endif()
  set(${result} ${files} PARENT_SCOPE)
endfunction()
