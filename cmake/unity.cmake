# Builds that nobody edits in (release, the sanitizers') compile a target's files together: what
# they all include is read, instantiated and instrumented once. So a name in an unnamed namespace is
# one of a kind in its layer (docs/decisions, 0035). The dev preset compiles file by file.
option(ANNOLOG_UNITY "Compile the files of a target together" OFF)
set(ANNOLOG_UNITY_FILES 24 CACHE STRING "So many files together at most")

# annolog_unity(target [BY_FOLDER]): for a target that has all its sources. BY_FOLDER: its folders
# have names of their own.
function(annolog_unity target)
  cmake_parse_arguments(ARG "BY_FOLDER" "" "" ${ARGN})
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
  set(group ${target})
  foreach(source ${sources})
    if(ARG_BY_FOLDER)
      get_filename_component(folder ${source} DIRECTORY)
      string(MAKE_C_IDENTIFIER "${folder}" group)
    endif()
    list(APPEND files_of_${group} ${source})
    list(LENGTH files_of_${group} count)
    math(EXPR part "(${count} - 1) / ${ANNOLOG_UNITY_FILES}")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group}_${part})
  endforeach()
endfunction()
