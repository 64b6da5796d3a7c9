# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sourced at the top of the tree, with `preset` set to asan (tools/ecosystem/sanitizers) or coverage
# (tools/ecosystem/coverage): builds build-$preset, and says how its programs run.
packages=()
for package in libclang-rt-22-dev libfuzzer-22-dev; do
  [ "$(dpkg-query -W -f '${db:Status-Status}' $package 2>/dev/null)" = installed ] || packages+=($package)
done
if [ ${#packages[@]} != 0 ]; then
  as_root=()
  [ "$(id -u)" = 0 ] || as_root=(sudo)
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${packages[@]}"
fi
export PATH="$PWD/.venv/bin:$PATH"
tree=build-$preset
cmake --preset "$preset" >/dev/null
ninja -C "$tree" quant-opt qdq-drivers qdq-consumers qdq-raw-bytes fuzz-ir QDQPython

preload=
case $preset in
asan)
  # libMLIR poisons no memory of its allocators and our inlined parts of them do: user
  # poisoning is off. What libMLIR leaks at exit is not ours.
  export ASAN_OPTIONS=allow_user_poisoning=0:detect_leaks=0:detect_container_overflow=0:allocator_may_return_null=1
  export UBSAN_OPTIONS=print_stacktrace=1
  preload=$(clang++-22 -print-file-name=libclang_rt.asan-x86_64.so)
  ;;
coverage) export LLVM_PROFILE_FILE=$PWD/$tree/profiles/%4m.profraw ;;
esac

# Python on the built extension. Programs that a test starts bring their own runtime.
built_pytest() {
  LD_PRELOAD=$preload PYTHONPATH=$tree/python_packages:tools \
    python "${coverage_py[@]}" -m pytest -p covering.preload "$@"
}
coverage_py=()
