# The files that "cmake --install" copies, by component:
#
#   programs      the commands (whatever names no other component)
#   libraries     the shared libraries
#   development   headers, static libraries, the CMake package, pkg-config files
#
# Included after all modules: static libraries are made of their objects. The target munja_installed builds everything.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# Sets MODULES to the modules that `roots` are linked with, themselves included, and LIBRARIES to the names of the
# libraries from outside ("jpeg", "z"), as linkers take them after -l.
function(munja_linked_libraries roots modules libraries)
  set(todo ${roots})
  set(seen)
  set(found)
  set(names)
  while(todo)
    list(POP_FRONT todo item)
    string(REGEX REPLACE "^\\$<(LINK_ONLY|TARGET_NAME_IF_EXISTS):(.*)>$" "\\2" item "${item}")
    if(item IN_LIST seen)
      continue()
    endif()
    list(APPEND seen "${item}")
    if(TARGET ${item})
      get_target_property(type ${item} TYPE)
      get_target_property(imported ${item} IMPORTED)
      set(properties INTERFACE_LINK_LIBRARIES)
      if(imported)
        list(APPEND properties IMPORTED_LOCATION IMPORTED_LOCATION_RELEASE IMPORTED_LOCATION_NONE)
      elseif(type MATCHES "STATIC|OBJECT")
        list(APPEND found ${item})
        list(APPEND properties LINK_LIBRARIES)
      endif()
      foreach(property IN LISTS properties)
        get_target_property(values ${item} ${property})
        if(values)
          list(APPEND todo ${values})
        endif()
      endforeach()
    elseif(item MATCHES "/lib([^/]+)\\.(so|a)$|^-l(.+)$|^([a-z][a-z0-9]*)$")
      list(APPEND names ${CMAKE_MATCH_1}${CMAKE_MATCH_3}${CMAKE_MATCH_4})
    endif()
  endwhile()
  list(REMOVE_DUPLICATES names)
  set(${modules} ${found} PARENT_SCOPE)
  set(${libraries} ${names} PARENT_SCOPE)
endfunction()

# lib<name>.a with everything that the shared library of these roots has; its LIBRARIES are left to the program's linker.
function(munja_static_library target name)
  munja_linked_libraries("${ARGN}" modules libraries)
  set(objects)
  foreach(module IN LISTS modules)
    list(APPEND objects $<TARGET_OBJECTS:${module}>)
  endforeach()
  list(APPEND libraries m)
  add_library(${target} STATIC ${objects})
  target_link_libraries(${target} INTERFACE Threads::Threads ${libraries})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} LINKER_LANGUAGE CXX
                        ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
  list(TRANSFORM libraries PREPEND "-l")
  list(JOIN libraries " " libraries)
  set_target_properties(${target} PROPERTIES MUNJA_PRIVATE_LIBRARIES "-pthread ${libraries} -lstdc++")
endfunction()

# munja_install_library(TARGET NAME DESCRIPTION [STATIC target])
function(munja_install_library target name description)
  cmake_parse_arguments(PARSE_ARGV 3 L "" "STATIC" "")
  if(name STREQUAL "munja")
    set(export munja)
  else()
    string(REPLACE "munja-" "" export ${name})
  endif()
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${export})
  install(TARGETS ${target} EXPORT MunjaTargets
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT libraries NAMELINK_COMPONENT development
          INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  add_dependencies(munja_installed ${target})
  set(private)
  if(L_STATIC)
    set_target_properties(${L_STATIC} PROPERTIES EXPORT_NAME ${export}_static)
    install(TARGETS ${L_STATIC} EXPORT MunjaTargets
            ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
            INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
    add_dependencies(munja_installed ${L_STATIC})
    get_target_property(private ${L_STATIC} MUNJA_PRIVATE_LIBRARIES)
  endif()
  set(extra)
  get_target_property(includes ${target} INTERFACE_INCLUDE_DIRECTORIES)
  if(includes MATCHES "munja/tflite")
    set(extra " -I\${includedir}/munja/tflite")
  endif()
  # Relative to the file, so that the tree may be moved.
  set(prefix ${CMAKE_INSTALL_PREFIX})
  set(libdir ${CMAKE_INSTALL_LIBDIR})
  set(includedir ${CMAKE_INSTALL_INCLUDEDIR})
  if(NOT IS_ABSOLUTE ${libdir})
    file(RELATIVE_PATH up /${libdir}/pkgconfig /)
    string(REGEX REPLACE "/$" "" up ${up})
    set(prefix "\${pcfiledir}/${up}")
  endif()
  foreach(variable libdir includedir)
    if(NOT IS_ABSOLUTE ${${variable}})
      string(PREPEND ${variable} "\${prefix}/")
    endif()
  endforeach()
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/install/${name}.pc @ONLY CONTENT "prefix=@prefix@
libdir=@libdir@
includedir=@includedir@

Name: @name@
Description: @description@
Version: @PROJECT_VERSION@
Libs: -L\${libdir} -l@name@
Libs.private: @private@
Cflags: -I\${includedir}@extra@
")
  install(FILES ${PROJECT_BINARY_DIR}/install/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
          COMPONENT development)
endfunction()

add_custom_target(munja_installed)
munja_static_library(munja_static_runtime munja-runtime munja_capi_runtime munja_linked_runtime)
munja_install_library(munja_shared_runtime munja-runtime "Runs .tflite networks" STATIC munja_static_runtime)
munja_install_library(munja_shared_tflite munja-tflite "Runs .tflite networks; with the TensorFlow Lite C API")
if(NOT MUNJA_RUNTIME_ONLY)
  munja_static_library(munja_static munja munja_capi_runtime munja_capi_reading munja_linked_runtime)
  munja_install_library(munja_shared munja "Reads the text of images; runs .tflite networks" STATIC munja_static)
  munja_install_library(munja_shared_tools munja-tools
                        "Everything of Munja: also conversion, quantization, pruning, accelerators")
  add_dependencies(munja_installed munja munja-tools munja-tesseract munja-driver-host)
  if(TARGET munja_manuals)
    add_dependencies(munja_installed munja_manuals)
  endif()
endif()

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/munja DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/tflite_api/include/ ${PROJECT_BINARY_DIR}/generated/public_schema/
        ${PROJECT_BINARY_DIR}/generated/tflite_short_prefix/
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/munja/tflite COMPONENT development)
add_dependencies(munja_installed munja_public_schema)

# find_package(Munja): munja::munja, munja::runtime, munja::tflite, munja::tools, munja::munja_static,
# munja::runtime_static. Before 1.0 a minor version may change the C interface (docs/reference/install.md).
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/Munja)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/install/MunjaConfig.cmake @ONLY CONTENT "include(CMakeFindDependencyMacro)
find_dependency(Threads)
include(\${CMAKE_CURRENT_LIST_DIR}/MunjaTargets.cmake)
")
write_basic_package_version_file(${PROJECT_BINARY_DIR}/install/MunjaConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(EXPORT MunjaTargets NAMESPACE munja:: DESTINATION ${package} COMPONENT development)
install(FILES ${PROJECT_BINARY_DIR}/install/MunjaConfig.cmake ${PROJECT_BINARY_DIR}/install/MunjaConfigVersion.cmake
        DESTINATION ${package} COMPONENT development)
