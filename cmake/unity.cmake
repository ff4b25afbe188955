# Builds that nobody edits in (release, the sanitizers') compile the files of a folder together:
# what they all include is read, instantiated and instrumented once. So a name in an unnamed
# namespace is one of a kind in its folder (docs/decisions, 0035). The dev preset compiles file by
# file.
option(ANNOLOG_UNITY "Compile the files of a folder together" OFF)
set(ANNOLOG_UNITY_FILES 24 CACHE STRING "So many files together at most")

# annolog_unity(target): for a target that has all its sources.
function(annolog_unity target)
  if(NOT ANNOLOG_UNITY)
    return()
  endif()
  # clang-tidy asks of every file that includes a source whether it is meant.
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP
    UNITY_BUILD_CODE_BEFORE_INCLUDE "// NOLINTNEXTLINE(bugprone-suspicious-include)")
  get_target_property(sources ${target} SOURCES)
  if(NOT sources)
    return()  # all of them have flags of their own (annolog_layer)
  endif()
  list(SORT sources)
  foreach(source ${sources})
    get_filename_component(folder ${source} DIRECTORY)
    file(RELATIVE_PATH folder ${CMAKE_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/${folder})
    string(MAKE_C_IDENTIFIER "${folder}" folder)
    list(APPEND files_of_${folder} ${source})
    list(LENGTH files_of_${folder} count)
    math(EXPR part "(${count} - 1) / ${ANNOLOG_UNITY_FILES}")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}_${part})
  endforeach()
endfunction()
