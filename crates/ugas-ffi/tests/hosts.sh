#!/usr/bin/env bash
# Builds and runs the hosts in C, C++ and Python against the library. Hosts whose tools are not installed are skipped with a
# message; with UGAS_HOSTS=all that is a failure, and with UGAS_HOSTS=without-sdk the folder of `--example sdk` is not tested.
# The library is built unless its folder is given as the argument.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

if [[ $# -gt 0 ]]; then
    library="$(cd "$1" && pwd)"
else
    cargo build --quiet --locked --package ugas-ffi --lib
    library="$(cargo metadata --format-version 1 --no-deps --locked | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')/debug"
fi
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
pack="$PWD/examples/duel.yaml"
hooks_pack="$PWD/examples/hooks.yaml"
# Programs look for the library by its soname, under which Cargo does not install it.
mkdir "$work/lib"
ln -s "$library/libugas_ffi.so" "$work/lib/libugas_ffi.so.1"
export LD_LIBRARY_PATH="$work/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
native=(-lpthread -ldl -lm)
passed=()
checked=(valgrind --quiet --leak-check=full --show-leak-kinds=definite,possible --errors-for-leak-kinds=definite,possible
    --suppressions="$PWD/tests/memory.supp" --error-exitcode=1)

have() {
    if command -v "$1" >/dev/null; then
        return 0
    fi
    echo "$2 is skipped: $1 is not installed"
    [[ "${UGAS_HOSTS:-}" != all ]] || exit 1
    return 1
}

if have gcc "the host in C"; then
    warnings=(-Wall -Wextra -Wpedantic -Werror)
    gcc -std=c11 -g "${warnings[@]}" -I include examples/c/fight.c -L "$library" -lugas_ffi -o "$work/fight"
    "$work/fight" "$pack" >"$work/fight.txt"
    gcc -std=c11 -g "${warnings[@]}" -I include examples/c/fight.c "$library/libugas_ffi.a" "${native[@]}" -o "$work/fight-static"
    "$work/fight-static" "$pack" | diff "$work/fight.txt" -
    gcc -std=c11 -g "${warnings[@]}" -I include examples/c/network.c -L "$library" -lugas_ffi -o "$work/network"
    "$work/network" "$pack" >/dev/null
    gcc -std=c11 -g "${warnings[@]}" -I include examples/c/hooks.c -L "$library" -lugas_ffi -o "$work/hooks"
    "$work/hooks" "$hooks_pack" >/dev/null
    passed+=(c c-static c-network c-hooks)
    if have valgrind "the memory check"; then
        "${checked[@]}" "$work/fight" "$pack" >/dev/null
        "${checked[@]}" "$work/network" "$pack" >/dev/null
        "${checked[@]}" "$work/hooks" "$hooks_pack" >/dev/null
        passed+=(memory network-memory hooks-memory)
    fi
fi

# The first program of the manual prints the initial health of a barbarian: 1000.
if command -v gcc >/dev/null; then
    awk '/^```c$/ { inside = 1; next } /^```$/ && inside { exit } inside' ../../docs/book/tools/c.md >"$work/first.c"
    gcc -std=c11 -Wall -Wextra -Werror -I include "$work/first.c" -L "$library" -lugas_ffi -o "$work/first"
    [[ "$(cd ../.. && "$work/first")" == 1000 ]]
    passed+=(manual)
fi

if have g++ "the host in C++"; then
    warnings=(-Wall -Wextra -Wpedantic -Wshadow -Werror)
    g++ -std=c++17 -g "${warnings[@]}" -I include examples/cpp/fight.cpp -L "$library" -lugas_ffi -o "$work/fight-cpp"
    "$work/fight-cpp" "$pack" >/dev/null
    g++ -std=c++17 -g "${warnings[@]}" -I include examples/cpp/network.cpp -L "$library" -lugas_ffi -o "$work/network-cpp"
    "$work/network-cpp" "$pack" >/dev/null
    # With exceptions, and without exceptions and RTTI.
    g++ -std=c++17 -g "${warnings[@]}" -I include examples/cpp/results.cpp -L "$library" -lugas_ffi -o "$work/results-cpp"
    "$work/results-cpp" "$pack" "$hooks_pack"
    g++ -std=c++17 -g -fno-exceptions -fno-rtti "${warnings[@]}" -I include examples/cpp/results.cpp -L "$library" -lugas_ffi \
        -o "$work/quiet-cpp"
    "$work/quiet-cpp" "$pack" "$hooks_pack"
    g++ -std=c++17 -g -fno-exceptions -fno-rtti "${warnings[@]}" -I include examples/cpp/network.cpp -L "$library" -lugas_ffi \
        -o "$work/quiet-network-cpp"
    "$work/quiet-network-cpp" "$pack" >/dev/null
    passed+=(c++ c++-network c++-results c++-no-exceptions)
    if command -v valgrind >/dev/null; then
        "${checked[@]}" "$work/fight-cpp" "$pack" >/dev/null
        "${checked[@]}" "$work/network-cpp" "$pack" >/dev/null
        "${checked[@]}" "$work/quiet-cpp" "$pack" "$hooks_pack"
        passed+=(c++-memory)
    fi
fi

if have python3 "the host in Python"; then
    python3 -B examples/python/fight.py "$library/libugas_ffi.so" "$pack" >/dev/null
    python3 -B examples/python/network.py "$library/libugas_ffi.so" "$pack" >/dev/null
    python3 -B tests/every_function.py include/ugas.h "$library/libugas_ffi.so" ../../packs/hero >/dev/null
    passed+=(python python-network every-function)
fi

# The SDK folder contains everything that a host needs to build, with pkg-config and CMake.
sdk() {
    if [[ -x "$library/examples/sdk" ]]; then
        "$library/examples/sdk" "$work/sdk" "$library"
    else
        cargo run --quiet --locked --package ugas-ffi --example sdk -- "$work/sdk" "$library"
    fi
    if command -v gcc >/dev/null && have pkg-config "the host built with pkg-config"; then
        local flags
        flags="$(PKG_CONFIG_PATH="$work/sdk/lib/pkgconfig" pkg-config --cflags --libs ugas)"
        # shellcheck disable=SC2086 # the flags are words
        gcc -std=c11 "$work/sdk/examples/c/fight.c" $flags -o "$work/fight-sdk"
        LD_LIBRARY_PATH="$work/sdk/lib" "$work/fight-sdk" "$work/sdk/examples/duel.yaml" >/dev/null
        passed+=(pkg-config)
    fi
    if command -v gcc >/dev/null && have cmake "the host built with CMake"; then
        cat >"$work/sdk/examples/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.21)
project(fight C)
find_package(ugas 0.1 CONFIG REQUIRED)
add_executable(fight c/fight.c)
target_link_libraries(fight ugas::ugas)
add_executable(fight-static c/fight.c)
target_link_libraries(fight-static ugas::static)
CMAKE
        cmake -S "$work/sdk/examples" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$work/sdk" >/dev/null
        cmake --build "$work/cmake" >/dev/null
        "$work/cmake/fight" "$work/sdk/examples/duel.yaml" >/dev/null
        "$work/cmake/fight-static" "$work/sdk/examples/duel.yaml" >/dev/null
        passed+=(cmake)
    fi
}
if [[ "${UGAS_HOSTS:-}" != without-sdk ]]; then
    sdk
fi

echo "hosts: ${passed[*]:-none}"
