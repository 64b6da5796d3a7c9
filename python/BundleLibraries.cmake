# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Part of the installation of a wheel: copies shared libraries, and what they need, to
# mlir_qdq/lib, and lets each, and the mlir package, look for the others there.
#   tool      a program that is linked with libMLIR.so
#   folder    of LLVM's libraries
#   compiler, nm, patchelf  programs
include("${CMAKE_CURRENT_LIST_DIR}/StubLibrary.cmake")
set(libraries)
foreach(name mlir_c_runner_utils mlir_runner_utils mlir_float16_utils omp)
  if(EXISTS "${folder}/lib${name}.so") # libomp is a package of its own
    list(APPEND libraries "${folder}/lib${name}.so")
  endif()
endforeach()
# With MLIR 23 the mlir package needs libMLIRExecutionEngineShared.so, and no tool does.
file(GLOB package_libraries "${CMAKE_INSTALL_PREFIX}/mlir/_mlir_libs/libMLIRPythonCAPI.so")
# Every Linux of manylinux has these; stubs replace the others.
set(promised "^(ld-linux.*|lib(c|dl|gcc_s|m|pthread|rt|stdc\\+\\+))\\.so\\.[0-9]+$")
set(replaced "^lib(edit|xml2|z3|zstd)\\.so\\.[0-9]+$")
file(GET_RUNTIME_DEPENDENCIES EXECUTABLES "${tool}" LIBRARIES ${libraries} ${package_libraries}
  RESOLVED_DEPENDENCIES_VAR all DIRECTORIES "${folder}" PRE_EXCLUDE_REGEXES "${promised}")
file(GET_RUNTIME_DEPENDENCIES EXECUTABLES "${tool}" LIBRARIES ${libraries} ${package_libraries}
  RESOLVED_DEPENDENCIES_VAR needed DIRECTORIES "${folder}"
  PRE_EXCLUDE_REGEXES "${promised}" "${replaced}")

set(package "${CMAKE_INSTALL_PREFIX}/mlir_qdq/lib")
file(MAKE_DIRECTORY "${package}/licenses")
find_program(dpkg_query dpkg-query)
foreach(library IN LISTS libraries needed)
  cmake_path(GET library FILENAME name) # that by which others need it
  file(REAL_PATH "${library}" library)
  message(STATUS "Bundling: ${library}")
  file(COPY_FILE "${library}" "${package}/${name}")
  set(options --set-rpath "$ORIGIN")
  if(name MATCHES "^libLLVM\\.so")
    set(map "")
    foreach(other IN LISTS all)
      cmake_path(GET other FILENAME short)
      if(short MATCHES "${replaced}")
        make_stub("${package}/${name}" "${other}" "${package}/stub-${short}" options map)
      endif()
    endforeach()
    file(WRITE "${package}/map" "${map}")
    list(APPEND options --rename-dynamic-symbols "${package}/map")
  endif()
  execute_process(COMMAND "${patchelf}" ${options} "${package}/${name}"
    COMMAND_ERROR_IS_FATAL ANY)
  file(REMOVE "${package}/map")

  if(dpkg_query) # Debian's packages say whose the libraries are
    cmake_path(GET library FILENAME name)
    execute_process(COMMAND "${dpkg_query}" -S "*/${name}" OUTPUT_VARIABLE owner ERROR_QUIET)
    if(owner MATCHES "^([^:,]+)")
      file(COPY_FILE "/usr/share/doc/${CMAKE_MATCH_1}/copyright"
        "${package}/licenses/${CMAKE_MATCH_1}.txt")
    endif()
  endif()
endforeach()

file(GLOB extensions "${CMAKE_INSTALL_PREFIX}/mlir/_mlir_libs/*.so")
foreach(extension IN LISTS extensions)
  execute_process(
    COMMAND "${patchelf}" --set-rpath "$ORIGIN:$ORIGIN/../../mlir_qdq/lib" "${extension}"
    COMMAND_ERROR_IS_FATAL ANY)
endforeach()
