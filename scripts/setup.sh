# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Sourced by the scripts beside it: finds or installs what the build needs.

# Ctrl-C reaches the running command as well; the script then ends instead of going on.
trap 'printf "\ninterrupted\n" >&2; exit 130' INT

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

say() {
  printf '%s\n' "$*"
}

fail() {
  printf '%s\n' "$*" >&2
  exit 1
}

is_debian_12() {
  # shellcheck source=/dev/null
  [ -r /etc/os-release ] && (. /etc/os-release && [ "${ID:-}" = debian ] && [ "${VERSION_ID:-}" = 12 ])
}

is_installed() {
  [ "$(dpkg-query --show --showformat='${db:Status-Abbrev}' "$1" 2>/dev/null)" = 'ii ' ]
}

# What a Debian package provides, however it came there: a command, a header or a module of Python.
evidence_of() {
  case $1 in
    g++) echo command g++ ;;
    cmake) echo command cmake ;;
    ninja-build) echo command ninja ;;
    python3) echo command python3 ;;
    catch2) echo header catch2/catch.hpp ;;
    libxsimd-dev) echo header xsimd/xsimd.hpp ;;
    xtl-dev) echo header xtl/xtl_config.hpp ;;
    libxtensor-dev) echo header xtensor/xtensor.hpp ;;
    libboost-dev) echo header boost/hana.hpp ;;
    zlib1g-dev) echo header zlib.h ;;
    libcli11-dev) echo header CLI/CLI.hpp ;;
    libbenchmark-dev) echo header benchmark/benchmark.h ;;
    libfmt-dev) echo header fmt/format.h ;;
    nlohmann-json3-dev) echo header nlohmann/json.hpp ;;
    libopenblas-dev) echo header openblas_config.h ;;
    libdnnl-dev) echo header dnnl.h ;;
    libxsmm-dev) echo header libxsmm.h ;;
    libtorch-dev) echo header c10/macros/Macros.h ;;
    libdlib-dev) echo header dlib/config.h ;;
    python3-numpy) echo module numpy ;;
    python3-h5py) echo module h5py ;;
    clang-19) echo command clang++-19 ;;
    clang-format-19) echo command clang-format-19 ;;
    *) echo none ;;
  esac
}

has_header() {
  printf '#include <%s>\n' "$1" | g++ -x c++ -E - >/dev/null 2>&1
}

is_found() {
  local kind name
  read -r kind name <<<"$(evidence_of "$1")"
  case $kind in
    command) command -v "$name" >/dev/null 2>&1 ;;
    header) has_header "$name" || { [ "$1" = catch2 ] && has_header catch2/catch_all.hpp; } ;;
    module) /usr/bin/python3 -c "import $name" >/dev/null 2>&1 ;;
    *) return 1 ;;
  esac
}

# install_missing PACKAGE...: only what is missing, and says what.
install_missing() {
  local package missing=() administrator=()
  for package; do
    is_installed "$package" || is_found "$package" || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  is_debian_12 || fail "This is not Debian 12, so nothing is installed. \
Please install what these packages of Debian 12 provide: ${missing[*]}"

  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null 2>&1 ||
      fail "These packages are missing: ${missing[*]}. Run this as root, or install sudo."
    administrator=(sudo)
  fi
  say "Installing: ${missing[*]}"
  administrator+=(env DEBIAN_FRONTEND=noninteractive)
  "${administrator[@]}" apt-get update --quiet=2 || say "The package lists could not be updated."
  "${administrator[@]}" apt-get install --yes --quiet=2 --no-remove --no-install-recommends \
    "${missing[@]}" || fail "These packages could not be installed: ${missing[*]}"
}

# build PRESET TARGET...: configures and builds below build/PRESET; what is up to date stays. With
# IPU_DSL_TEST_ALL=OFF in the environment it leaves out the tests that other builds are asked for.
build() {
  local preset=$1
  shift
  (cd "$repository" && cmake --preset "$preset" --log-level=NOTICE \
    "-DIPU_DSL_TEST_ALL=${IPU_DSL_TEST_ALL:-ON}" >/dev/null &&
    cmake --build "build/$preset" --parallel "$(nproc)" --target "$@") || fail "The build failed."
}

# What each script needs.
# shellcheck disable=SC2034
tools=(g++ cmake ninja-build libxsimd-dev xtl-dev zlib1g-dev)
example_packages=("${tools[@]}" libcli11-dev libboost-dev)
# shellcheck disable=SC2034
test_packages=("${example_packages[@]}" catch2 python3 libxtensor-dev)
# With which the exporting lines of docs/weights.md run; each may be missing.
# shellcheck disable=SC2034
test_modules=(python3-numpy python3-h5py)
# shellcheck disable=SC2034
bench_packages=("${example_packages[@]}" python3 libbenchmark-dev libfmt-dev nlohmann-json3-dev)
# Libraries that benchmarks compare with; each may be missing.
# shellcheck disable=SC2034
bench_peers=(libopenblas-dev libdnnl-dev libxsmm-dev libtorch-dev libdlib-dev)
