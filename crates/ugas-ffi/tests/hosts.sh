#!/usr/bin/env bash
# Builds and runs the hosts in C, C++ and Python against the library. What is not installed is left out, with a word; with
# UGAS_HOSTS=all its absence is a failure. The library is built unless its folder is given as the argument.
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
export LD_LIBRARY_PATH="$library${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
native=(-lpthread -ldl -lm)
passed=()

have() {
    if command -v "$1" >/dev/null; then
        return 0
    fi
    echo "$2 is left out: $1 is not installed"
    [[ "${UGAS_HOSTS:-}" != all ]] || exit 1
    return 1
}

if have gcc "the host in C"; then
    warnings=(-Wall -Wextra -Wpedantic -Werror)
    gcc -std=c11 -g "${warnings[@]}" -I include examples/c/fight.c -L "$library" -lugas_ffi -o "$work/fight"
    "$work/fight" "$pack" >"$work/fight.txt"
    gcc -std=c11 -g "${warnings[@]}" -I include examples/c/fight.c "$library/libugas_ffi.a" "${native[@]}" -o "$work/fight-static"
    "$work/fight-static" "$pack" | diff "$work/fight.txt" -
    passed+=(c c-static)
    if have valgrind "the memory check"; then
        valgrind --quiet --leak-check=full --show-leak-kinds=definite,possible --errors-for-leak-kinds=definite,possible \
            --error-exitcode=1 "$work/fight" "$pack" >/dev/null
        passed+=(memory)
    fi
fi

if have g++ "the host in C++"; then
    warnings=(-Wall -Wextra -Wpedantic -Wshadow -Werror)
    g++ -std=c++17 -g "${warnings[@]}" -I include examples/cpp/fight.cpp -L "$library" -lugas_ffi -o "$work/fight-cpp"
    "$work/fight-cpp" "$pack" >/dev/null
    passed+=(c++)
    if command -v valgrind >/dev/null; then
        valgrind --quiet --leak-check=full --errors-for-leak-kinds=definite,possible --error-exitcode=1 \
            "$work/fight-cpp" "$pack" >/dev/null
        passed+=(c++-memory)
    fi
fi

if have python3 "the host in Python"; then
    python3 examples/python/fight.py "$library/libugas_ffi.so" "$pack" >/dev/null
    passed+=(python)
fi

echo "hosts: ${passed[*]:-none}"
