# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# libLLVM.so needs libxml2 (Windows manifests), libz3 (a solver of clang's analyzer), libedit (lines
# of a terminal) and libzstd (compressed debug sections), which nothing in a wheel calls: 25 of
# 104 MB.

# Writes `stub`, a library with each function that `user` takes from `library`. The functions end
# the process with their name. They have names of their own, so that a process may load the real
# library, too. Appends to two variables what patchelf needs to make `user` need the stub: it runs
# once, as each run moves the tables of symbols and leaves a hole of their size.
#   compiler, nm  programs
function(make_stub user library stub options_variable map_variable)
  cmake_path(GET library FILENAME name)
  cmake_path(GET stub FILENAME stub_name)
  execute_process(COMMAND "${nm}" -D --undefined-only "${user}" OUTPUT_VARIABLE wanted
    COMMAND_ERROR_IS_FATAL ANY)
  execute_process(COMMAND "${nm}" -D --defined-only "${library}" OUTPUT_VARIABLE offered
    COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[A-Za-z] [A-Za-z0-9_]+[@\n]" offered "${offered}")
  set(renamed "${${map_variable}}")
  string(CONCAT source "#include <stdio.h>\n#include <stdlib.h>\n"
    "static void end(const char *function) {\n"
    "  fprintf(stderr, \"mlir_qdq: %s of ${name} is not in the wheel\\n\", function);\n"
    "  abort();\n}\n")
  set(versions "")
  foreach(entry IN LISTS offered)
    string(REGEX MATCH "^([A-Za-z]) ([A-Za-z0-9_]+)" entry "${entry}")
    set(kind "${CMAKE_MATCH_1}")
    set(symbol "${CMAKE_MATCH_2}")
    if(NOT wanted MATCHES " U ${symbol}(@([A-Za-z0-9_.]+))?\n" OR symbol IN_LIST symbols)
      continue()
    endif()
    list(APPEND symbols ${symbol})
    set(version "${CMAKE_MATCH_2}")
    if(kind MATCHES "[TWi]")
      string(APPEND source "void stub_${symbol}(void) { end(\"${symbol}\"); }\n")
    else()
      string(APPEND source "void *stub_${symbol};\n")
    endif()
    string(APPEND renamed "${symbol} stub_${symbol}\n")
    if(version)
      list(APPEND versions ${version})
      string(APPEND "symbols_of_${version}" " stub_${symbol};")
    endif()
  endforeach()
  list(REMOVE_DUPLICATES versions)
  set(script "")
  foreach(version IN LISTS versions)
    string(APPEND script "${version} { global:${symbols_of_${version}} };\n")
  endforeach()

  file(WRITE "${stub}.c" "${source}")
  file(WRITE "${stub}.version" "${script}")
  set(flags "")
  if(script)
    set(flags "-Wl,--version-script=${stub}.version")
  endif()
  execute_process(COMMAND "${compiler}" -x c -O2 -s -shared -fPIC "-Wl,-soname,${stub_name}" ${flags}
    -o "${stub}" "${stub}.c" COMMAND_ERROR_IS_FATAL ANY)
  file(REMOVE "${stub}.c" "${stub}.version")
  set(${options_variable} ${${options_variable}} --replace-needed "${name}" "${stub_name}" PARENT_SCOPE)
  set(${map_variable} "${renamed}" PARENT_SCOPE)
endfunction()
