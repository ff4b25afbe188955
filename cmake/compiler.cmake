# Flags every target shares. Warnings are errors.
include(CTest)
find_package(Threads REQUIRED)

add_library(annolog_options INTERFACE)
target_compile_options(annolog_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual
  -Wimplicit-fallthrough -Werror -fno-omit-frame-pointer)
target_link_options(annolog_options INTERFACE -fuse-ld=lld)
target_compile_definitions(annolog_options INTERFACE ANNOLOG_VERSION="${PROJECT_VERSION}")

set(ANNOLOG_SANITIZE "" CACHE STRING "Sanitizers: '', 'address,undefined' or 'thread'")
# For what an instrumented build need not spend its time on.
set(annolog_not_optimised)
if(ANNOLOG_SANITIZE)
  add_compile_options(-fsanitize=${ANNOLOG_SANITIZE} -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${ANNOLOG_SANITIZE})
  # What AddressSanitizer watches need not be watched twice.
  if(ANNOLOG_SANITIZE MATCHES "address.*undefined")
    add_compile_options(-fno-sanitize=object-size)
  endif()
  # Inlining multiplies what is instrumented: a third of the compiler's time.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    add_compile_options("SHELL:-mllvm -inline-threshold=20")
  endif()
  set(annolog_not_optimised -O0)
endif()

find_program(CCACHE ccache)
if(CCACHE)
  # Paths below the checkout are hashed relative to it: another clone finds the same objects.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR}
    CCACHE_NOHASHDIR=1 ${CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
endif()
