# A wing is a folder with a CMakeLists.txt: modules that are built, shipped and explained together. It depends on the
# wings below it only; what its modules name in DEPS is held against that here, and the #include lines by "layers".
#
#   munja_wing(NAME [DEPS core ocr])
macro(munja_wing NAME)
  cmake_parse_arguments(WING "" "" "DEPS" ${ARGN})
  set(munja_wing ${NAME})
  set_property(GLOBAL APPEND PROPERTY MUNJA_WINGS ${NAME})
  set_property(GLOBAL PROPERTY MUNJA_WING_DEPS_${NAME} ${WING_DEPS})
endmacro()

# One call per module, in the CMakeLists.txt of its wing. The file name's suffix is its role:
#   x.cc x.h x-inl.h -> library;  x_test.cc -> test;  x_bench.cc -> benchmark;
#   x_fuzz.cc -> fuzzer (and a replay test);  testing.{h,cc} -> test support.
#
#   munja_module(NAME [DIR folder] [REGISTRY file.def] [SUBFOLDERS a b] [EXCLUDE a.cc b/c.cc] [DEPS munja_x ...]
#                [LINK libraries ...] [TEST_LINK libraries ...] [FUZZ_SUPPORT testing.cc] [ALONE a.cc]
#                [OPTIMIZE 1|2|3] [OPTIMIZE_SANITIZED [ADDRESS]] [SECTIONS] [RACES] [SUITES [ALWAYS]] [PART_OF module])
#
# DIR is the module's folder where it is not NAME. DEPS is the module's *direct* list of other modules; the test "layers"
# compares it with the #include lines. LINK names external libraries (PRIVATE to the module), TEST_LINK those that
# only its tests need, FUZZ_SUPPORT sources that its fuzzers are compiled with. ALONE: files that unity builds compile
# alone, since their names or macros collide with those of others.
#
# PART_OF: a module for "layers" and for its tests, whose sources are compiled with those of another one that follows, so
# that a unity build reads the headers of all once.
#
# How a module is built and tested is a property of its row, and nowhere else:
#   OPTIMIZE 3  its loops run over pixels or tensor elements;  1  it only arranges and translates, and takes a third
#               longer to compile with more;  2 (default)
#   OPTIMIZE_SANITIZED  its tests are slow without the optimizer, which is otherwise off in sanitized builds: optimizing
#               what sanitizers add is two thirds of compiling. ADDRESS: not with ThreadSanitizer.
#   SECTIONS    a section for each function, so that programs link only what they need
#   RACES       its tests run under ThreadSanitizer, too; those of all modules run under AddressSanitizer
#   SUITES      in sanitized builds (ALWAYS: in all) a test of ctest is a whole suite: starting the program takes longer
#               than most tests
function(munja_module MODULE)
  cmake_parse_arguments(PARSE_ARGV 1 A "SECTIONS;RACES" "REGISTRY;OPTIMIZE;DIR;PART_OF"
                        "SUBFOLDERS;EXCLUDE;DEPS;LINK;TEST_LINK;FUZZ_SUPPORT;ALONE;OPTIMIZE_SANITIZED;SUITES")
  set(wing_dir ${CMAKE_CURRENT_SOURCE_DIR})
  set(dir ${wing_dir}/${MODULE})
  if(A_DIR STREQUAL ".")
    set(dir ${wing_dir})
    get_filename_component(wing_dir ${wing_dir} DIRECTORY)
  elseif(A_DIR)
    set(dir ${wing_dir}/${A_DIR})
  endif()
  munja_check_wing(${MODULE} "${A_DEPS}")
  string(REPLACE "/" "_" id ${MODULE})
  set(t munja_${id})
  set(globs ${dir}/*.cc)
  foreach(s IN LISTS A_SUBFOLDERS)
    list(APPEND globs ${dir}/${s}/*.cc)
  endforeach()
  file(GLOB all CONFIGURE_DEPENDS ${globs})
  list(TRANSFORM A_EXCLUDE PREPEND ${dir}/)
  list(TRANSFORM A_ALONE PREPEND ${dir}/)
  list(REMOVE_ITEM all ${A_EXCLUDE})
  set(lib ${all})
  list(FILTER lib EXCLUDE REGEX "(_(test|bench|fuzz|main)|/testing)\\.cc$")
  set(tests ${all})
  list(FILTER tests INCLUDE REGEX "(_test|/testing)\\.cc$")
  set(benches ${all})
  list(FILTER benches INCLUDE REGEX "_bench\\.cc$")
  set(fuzzers ${all})
  list(FILTER fuzzers INCLUDE REGEX "_fuzz\\.cc$")
  list(TRANSFORM A_FUZZ_SUPPORT PREPEND ${dir}/)

  if(NOT A_PART_OF)
    get_property(parts GLOBAL PROPERTY MUNJA_PARTS_OF_${MODULE})
    get_property(part_links GLOBAL PROPERTY MUNJA_PART_LINKS_OF_${MODULE})
    list(APPEND lib ${parts})
    list(APPEND A_LINK ${part_links})
  endif()
  if(A_PART_OF)
    set_property(GLOBAL APPEND PROPERTY MUNJA_PARTS_OF_${A_PART_OF} ${lib})
    set_property(GLOBAL APPEND PROPERTY MUNJA_PART_LINKS_OF_${A_PART_OF} ${A_LINK})
    set_property(GLOBAL APPEND PROPERTY MUNJA_PART_TARGETS_OF_${A_PART_OF} ${t})
    add_library(${t} INTERFACE)
    set(visibility INTERFACE)
    string(REPLACE "/" "_" whole ${A_PART_OF})
    target_link_libraries(${t} INTERFACE munja_${whole})
  elseif(lib)
    add_library(${t} STATIC ${lib})
    set(visibility PUBLIC)
    munja_warnings(${t})
    target_link_libraries(${t} PRIVATE ${A_LINK})
    munja_unity(${t} 40 "${A_ALONE}")
    set(optimizes_sanitized FALSE)
    if("OPTIMIZE_SANITIZED" IN_LIST ARGN AND NOT (A_OPTIMIZE_SANITIZED STREQUAL "ADDRESS" AND MUNJA_SANITIZE MATCHES "thread"))
      set(optimizes_sanitized TRUE)
    endif()
    if(MUNJA_SANITIZE AND NOT MUNJA_FUZZ AND NOT optimizes_sanitized)
      munja_quick_to_build(${t})
    endif()
    if(A_OPTIMIZE)
      target_compile_options(${t} PRIVATE $<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:-O${A_OPTIMIZE}>)
    endif()
    if(A_SECTIONS)
      target_compile_options(${t} PRIVATE -ffunction-sections -fdata-sections)
    endif()
  else()
    add_library(${t} INTERFACE)
    set(visibility INTERFACE)
    target_link_libraries(${t} INTERFACE ${A_LINK})
  endif()
  target_include_directories(${t} ${visibility} ${wing_dir} ${PROJECT_SOURCE_DIR}/include)
  # A part is linked with the whole, and the whole does not link its parts.
  get_property(part_targets GLOBAL PROPERTY MUNJA_PART_TARGETS_OF_${MODULE})
  if(A_PART_OF)
    get_property(part_targets GLOBAL PROPERTY MUNJA_PART_TARGETS_OF_${A_PART_OF})
  endif()
  set(linked ${A_DEPS})
  list(REMOVE_ITEM linked ${part_targets})
  target_link_libraries(${t} ${visibility} ${linked})
  set_property(GLOBAL APPEND PROPERTY MUNJA_MODULES ${MODULE})
  set_property(GLOBAL PROPERTY MUNJA_MODULE_DEPS_${MODULE} ${A_DEPS})
  set_property(GLOBAL PROPERTY MUNJA_MODULE_DIR_${MODULE} ${dir})

  if(A_REGISTRY)
    munja_check_registry(${dir} ${A_REGISTRY})
  endif()
  if(MUNJA_DEVELOPER_MODE AND tests)
    add_executable(${t}_test ${tests})
    munja_warnings(${t}_test)
    munja_quick_to_build(${t}_test)
    munja_unity(${t}_test 40 "${A_ALONE}")
    target_link_libraries(${t}_test PRIVATE ${t} ${A_LINK} ${A_TEST_LINK})
    set(suites)
    if("SUITES" IN_LIST ARGN AND (MUNJA_SANITIZE OR A_SUITES STREQUAL "ALWAYS"))
      set(suites SUITES)
    endif()
    munja_test_program(${t}_test ${MODULE} ${suites})
    set(sanitizers address)
    if(A_RACES)
      string(APPEND sanitizers " thread")
    endif()
    set_property(GLOBAL APPEND_STRING PROPERTY MUNJA_TESTED_MODULES "${MODULE} ${t}_test ${sanitizers}\n")
  endif()
  if(MUNJA_DEVELOPER_MODE AND benches AND benchmark_FOUND)
    add_executable(${t}_bench EXCLUDE_FROM_ALL ${benches})
    target_link_libraries(${t}_bench PRIVATE ${t} ${A_LINK} benchmark::benchmark_main)
  endif()
  foreach(f IN LISTS fuzzers)
    munja_fuzzer(${t} ${f} "${A_LINK}" ${A_FUZZ_SUPPORT})
  endforeach()
endfunction()

function(munja_check_wing module deps)
  if(NOT munja_wing)
    message(FATAL_ERROR "${module}: its CMakeLists.txt must begin with munja_wing()")
  endif()
  set_property(GLOBAL PROPERTY MUNJA_WING_OF_munja_${module} ${munja_wing})
  string(REPLACE "/" "_" id ${module})
  set_property(GLOBAL PROPERTY MUNJA_WING_OF_munja_${id} ${munja_wing})
  get_property(below GLOBAL PROPERTY MUNJA_WING_DEPS_${munja_wing})
  foreach(dep IN LISTS deps)
    get_property(wing GLOBAL PROPERTY MUNJA_WING_OF_${dep})
    if(NOT wing STREQUAL munja_wing AND NOT wing IN_LIST below)
      message(SEND_ERROR "${module} of the wing ${munja_wing} must not depend on ${dep} of the wing '${wing}'")
    endif()
  endforeach()
endfunction()

# Each TEST of the program becomes a test of ctest, "PREFIX/Suite.Name", or, with SUITES, each suite. They run in any
# order and beside each other: the main() that is linked here gives each a folder of its own.
function(munja_test_program target prefix)
  cmake_parse_arguments(PARSE_ARGV 2 T "SUITES" "" "")
  target_link_libraries(${target} PRIVATE GTest::gmock munja_test_main)
  target_compile_definitions(${target} PRIVATE MUNJA_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  # "munja_tests" builds what the tests need and nothing else.
  add_dependencies(munja_tests ${target})
  # Where nothing is known of earlier runs, the program with the longest tests begins: at the end one processor
  # would wait for the other.
  set(cost 1)
  if(prefix STREQUAL "train")
    set(cost 100)
  endif()
  set(environment TEST_TMPDIR=${PROJECT_BINARY_DIR}/tmp)
  if(T_SUITES)
    set(file ${CMAKE_CURRENT_BINARY_DIR}/${target}_suites)
    file(GENERATE OUTPUT ${file}.cmake CONTENT "include([=[${PROJECT_SOURCE_DIR}/cmake/MunjaSuites.cmake]=])
munja_add_suites([=[$<TARGET_FILE:${target}>]=] ${target} ${prefix} [=[${file}_list.cmake]=] ${cost} [=[${environment}]=])
")
    set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${file}.cmake)
    return()
  endif()
  gtest_discover_tests(${target} TEST_PREFIX "${prefix}/" DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 120
                       PROPERTIES LABELS "${prefix}" TIMEOUT 900 COST ${cost} ENVIRONMENT "${environment}")
endfunction()

function(munja_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wshadow -Wimplicit-fallthrough
                         $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # GCC 12 sees overlapping copies in std::string concatenation at -O3 (its bug 105651).
    target_compile_options(${target} PRIVATE -Wno-restrict)
  endif()
  if(MUNJA_DEVELOPER_MODE OR MUNJA_WARNINGS_ARE_ERRORS)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()

# For tests in the folder of a release, and sanitized ones: they need the libraries' speed, not their
# own, and compile in half the time without the optimizer.
function(munja_quick_to_build target)
  if(MUNJA_SANITIZE)
    target_compile_options(${target} PRIVATE -O0)
  else()
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O0>)
  endif()
endfunction()

# Every row NAME(symbol, stem, ...) of a .def must have one stem.cc, beside it or in a folder right below, and
# stem_test.cc beside that.
function(munja_check_registry dir registry)
  file(RELATIVE_PATH name ${PROJECT_SOURCE_DIR} ${dir})
  get_filename_component(folder ${dir}/${registry} DIRECTORY)
  file(STRINGS ${dir}/${registry} rows REGEX "^[A-Z_]+\\(")
  list(TRANSFORM rows REPLACE "^[A-Z_]+\\([ ]*[A-Za-z0-9_]+,[ ]*([a-z0-9_]+).*" "\\1")
  list(REMOVE_DUPLICATES rows)
  foreach(stem IN LISTS rows)
    file(GLOB source ${folder}/${stem}.cc ${folder}/*/${stem}.cc)
    list(LENGTH source n)
    string(REGEX REPLACE "\\.cc$" "_test.cc" test "${source}")
    if(NOT n EQUAL 1)
      message(SEND_ERROR "${name}/${registry} lists '${stem}': there are ${n} files ${stem}.cc, not one")
    elseif(NOT EXISTS ${test})
      message(SEND_ERROR "${name}/${registry} lists '${stem}', but ${stem}_test.cc is missing beside ${source}")
    endif()
  endforeach()
  set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${dir}/${registry})
endfunction()

# A fuzz target is a libFuzzer binary under the preset "fuzz"; everywhere else its corpus
# (fuzz/corpora/<stem>) is replayed by the ordinary tests.
function(munja_fuzzer library file links)
  get_filename_component(stem ${file} NAME_WE)
  if(MUNJA_FUZZ)
    add_executable(${stem} ${file} ${ARGN})
    target_compile_options(${stem} PRIVATE -fsanitize=fuzzer)
    target_link_options(${stem} PRIVATE -fsanitize=fuzzer)
    target_link_libraries(${stem} PRIVATE ${library} ${links})
  elseif(MUNJA_DEVELOPER_MODE)
    if(NOT TARGET munja_replay_main)
      add_library(munja_replay_main OBJECT ${PROJECT_SOURCE_DIR}/fuzz/replay_main.cc)
      munja_quick_to_build(munja_replay_main)
    endif()
    add_executable(${stem}_replay ${file} ${ARGN} $<TARGET_OBJECTS:munja_replay_main>)
    munja_quick_to_build(${stem}_replay)
    target_link_libraries(${stem}_replay PRIVATE ${library} ${links})
    add_dependencies(munja_tests ${stem}_replay)
    add_test(NAME fuzz/${stem} COMMAND ${stem}_replay ${PROJECT_SOURCE_DIR}/fuzz/corpora/${stem})
    set_tests_properties(fuzz/${stem} PROPERTIES LABELS fuzz TIMEOUT 600)
  endif()
endfunction()

# After the last module: the tables for the test "layers" and for tools/test-sanitized.
function(munja_finish_modules)
  get_property(modules GLOBAL PROPERTY MUNJA_MODULES)
  set(text "set(modules ${modules})\n")
  foreach(m IN LISTS modules)
    get_property(deps GLOBAL PROPERTY MUNJA_MODULE_DEPS_${m})
    get_property(dir GLOBAL PROPERTY MUNJA_MODULE_DIR_${m})
    list(TRANSFORM deps REPLACE "^munja_" "")
    string(APPEND text "set(allowed_${m} ${deps})\nset(dir_${m} ${dir})\n")
  endforeach()
  file(WRITE ${PROJECT_BINARY_DIR}/layers.cmake "${text}")
  get_property(tested GLOBAL PROPERTY MUNJA_TESTED_MODULES)
  file(WRITE ${PROJECT_BINARY_DIR}/tested_modules.txt "${tested}")
  if(MUNJA_DEVELOPER_MODE)
    add_test(NAME layers COMMAND ${CMAKE_COMMAND} -DLAYERS=${PROJECT_BINARY_DIR}/layers.cmake
             -DROOT=${PROJECT_SOURCE_DIR} -P ${PROJECT_SOURCE_DIR}/cmake/CheckLayers.cmake)
    add_test(NAME source_rules COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR}
             -P ${PROJECT_SOURCE_DIR}/cmake/CheckSourceRules.cmake)
  endif()
endfunction()
