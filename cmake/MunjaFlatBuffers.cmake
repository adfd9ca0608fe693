# munja_flatbuffers(<module> a.fbs b.fbs): flatc writes <module>/a_generated.h into the build tree;
# the module and its tests can include it, no one else.
function(munja_flatbuffers MODULE)
  set(out ${PROJECT_BINARY_DIR}/generated)
  set(headers)
  foreach(schema IN LISTS ARGN)
    get_filename_component(stem ${schema} NAME_WE)
    set(header ${out}/${MODULE}/${stem}_generated.h)
    add_custom_command(OUTPUT ${header}
      COMMAND ${MUNJA_FLATC} --cpp --cpp-std c++17 --scoped-enums -o ${out}/${MODULE}
              ${CMAKE_CURRENT_SOURCE_DIR}/${MODULE}/${schema}
      DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${MODULE}/${schema} VERBATIM)
    list(APPEND headers ${header})
  endforeach()
  add_custom_target(munja_${MODULE}_schema DEPENDS ${headers})
  add_dependencies(munja_generated munja_${MODULE}_schema)
  foreach(t munja_${MODULE} munja_${MODULE}_test)
    if(TARGET ${t})
      add_dependencies(${t} munja_${MODULE}_schema)
      target_include_directories(${t} SYSTEM PRIVATE ${out})
    endif()
  endforeach()
endfunction()
