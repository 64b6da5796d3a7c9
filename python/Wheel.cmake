# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Contents of a wheel beside the Python sources:
#   mlir_qdq/bin         the tools, one program, which the console scripts of _tools.py run
#   mlir_qdq/_mlir_libs  the extensions and their stubs
#   mlir_qdq/conformance/vectors  what runtimes computed: 1,300 small files in two archives
# and with QDQ_BUNDLE_MLIR, so that it needs nothing but glibc, libstdc++ and Python,
#   mlir_qdq/lib         libMLIR.so, libLLVM.so, and the libraries that they need
#   mlir                 the upstream Python package, on the same libMLIR.so
install(TARGETS quant-opt RUNTIME DESTINATION mlir_qdq/bin COMPONENT python)
install(TARGETS _qdq _qdq_runtime LIBRARY DESTINATION mlir_qdq/_mlir_libs COMPONENT python)
install(DIRECTORY "${stubs}" DESTINATION mlir_qdq/_mlir_libs COMPONENT python)
install(FILES ${generated} "${ops}" DESTINATION mlir_qdq/dialects COMPONENT python)
install(FILES "${passes}" DESTINATION mlir_qdq COMPONENT python)
foreach(folder IN ITEMS vectors/qdq_vectors/data/corpus test/conformance/profiles)
  cmake_path(GET folder FILENAME name)
  cmake_path(GET folder PARENT_PATH parent)
  set(archive "${CMAKE_CURRENT_BINARY_DIR}/${name}.tar.xz")
  execute_process(COMMAND "${CMAKE_COMMAND}" -E tar cJf "${archive}" --mtime=1980-01-01 "${name}"
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}/${parent}" COMMAND_ERROR_IS_FATAL ANY)
  install(FILES "${archive}" DESTINATION mlir_qdq/conformance/vectors COMPONENT python)
endforeach()
if(NOT QDQ_BUNDLE_MLIR)
  return()
endif()

set_target_properties(quant-opt _qdq PROPERTIES
  INSTALL_RPATH "$ORIGIN/../lib" INSTALL_RPATH_USE_LINK_PATH OFF)

# The mlir package, from where tools/setup keeps it, too.
set(scripts "${PROJECT_SOURCE_DIR}/tools/mlir-python")
execute_process(COMMAND "${scripts}/cache-directory" "${Python_EXECUTABLE}" "${MLIR_DIR}"
  OUTPUT_VARIABLE cache OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
file(GLOB wheel "${cache}/*.whl")
if(NOT wheel)
  execute_process(COMMAND "${scripts}/build-wheel" "${Python_EXECUTABLE}" "${MLIR_DIR}" "${cache}"
    COMMAND_ERROR_IS_FATAL ANY)
  file(GLOB wheel "${cache}/*.whl")
endif()
set(unpacked "${CMAKE_CURRENT_BINARY_DIR}/mlir_package")
file(REMOVE_RECURSE "${unpacked}")
file(ARCHIVE_EXTRACT INPUT "${wheel}" DESTINATION "${unpacked}")
install(DIRECTORY "${unpacked}/mlir" DESTINATION . USE_SOURCE_PERMISSIONS COMPONENT python
  PATTERN _mlir_libs/include EXCLUDE) # for extensions in C++, which need all of MLIR to build

# Compiled code calls mlir_*_utils, and libomp with threads.
find_program(patchelf patchelf REQUIRED)
install(CODE "
  set(tool \"$<TARGET_FILE:quant-opt>\")
  set(folder \"${LLVM_LIBRARY_DIR}\")
  set(compiler \"${CMAKE_CXX_COMPILER}\")
  set(nm \"${CMAKE_NM}\")
  set(patchelf \"${patchelf}\")" COMPONENT python)
install(SCRIPT BundleLibraries.cmake COMPONENT python)
