# A release is optimised for what it really does (docs/decisions, 0038): deploy/profile makes a
# build that counts, lets it work, and keeps what was counted. Functions whose branches changed
# since, or that were never reached, are compiled as without it.
set(ANNOLOG_PROFILE "" CACHE STRING "'' (none), 'record' or 'use' (clang only)")
# A function that is known in one file only goes by that file's name, here without its folders:
# another build's, in another checkout, is the same.
set(annolog_profile_names "SHELL:-mllvm -static-func-full-module-prefix=false")
set(annolog_profile ${CMAKE_CURRENT_LIST_DIR}/release.profdata.tar.xz)

if(ANNOLOG_PROFILE AND NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  message(WARNING "ANNOLOG_PROFILE is for clang: this build does without")
elseif(ANNOLOG_PROFILE STREQUAL "record")
  add_compile_options(-fprofile-generate ${annolog_profile_names})
  add_link_options(-fprofile-generate)
elseif(ANNOLOG_PROFILE STREQUAL "use")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${annolog_profile})
  # Named after what is in it, and without a folder: another profile is another command, and another
  # checkout's command is the same.
  file(SHA256 ${annolog_profile} digest)
  string(SUBSTRING ${digest} 0 12 digest)
  set(profile release-${digest}.profdata)
  file(GLOB earlier ${CMAKE_BINARY_DIR}/release-*.profdata)
  list(REMOVE_ITEM earlier ${CMAKE_BINARY_DIR}/${profile})
  if(earlier)
    file(REMOVE ${earlier})  # 5 MB each
  endif()
  file(ARCHIVE_EXTRACT INPUT ${annolog_profile} DESTINATION ${CMAKE_BINARY_DIR})
  file(COPY_FILE ${CMAKE_BINARY_DIR}/release.profdata ${CMAKE_BINARY_DIR}/${profile})
  # What changed since is no warning.
  add_compile_options(-fprofile-use=${profile} ${annolog_profile_names} -Wno-backend-plugin)
elseif(ANNOLOG_PROFILE)
  message(FATAL_ERROR "ANNOLOG_PROFILE is '${ANNOLOG_PROFILE}'; it may be empty, record or use")
endif()
