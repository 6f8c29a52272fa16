# Steps of a continuous integration run: declared with their tools, run in order, listed at the end with their times.
# Sourced by .ci/run and .ci/nightly, after they have changed to the root of the checkout.
#
#   step NAME "TOOL TOOL" COMMAND ARGUMENT… # TEXT   declares a step; --list prints the text
#   run_steps "$@"                                   runs the declared steps
#
# A step whose tools are missing fails the run before anything is built, unless .ci/allowed-skips names the step and a
# reason. With CI=true, missing tools are installed first (apt-get, as root).

# Build products: $UGAS_CI_TARGET if set, with CI=true a cache outside the checkout, otherwise cargo's default.
if [[ -n "${UGAS_CI_TARGET:-}" ]]; then
    export CARGO_TARGET_DIR="$UGAS_CI_TARGET"
elif [[ "${CI:-}" == true && -z "${CARGO_TARGET_DIR:-}" ]]; then
    cache="${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/ugas-ci-target"
    if mkdir -p "$cache" 2>/dev/null; then
        export CARGO_TARGET_DIR="$cache"
    fi
fi
export CARGO_TERM_COLOR="${CARGO_TERM_COLOR:-never}"
# Hosts of the C interface fail if a compiler or tool is missing, instead of skipping themselves.
export UGAS_HOSTS=all

# File of the steps that may be skipped, with reasons. The tests of this file use another one.
allowed_skips="${UGAS_ALLOWED_SKIPS:-.ci/allowed-skips}"

step_names=()
declare -A step_tools step_commands step_seconds step_skips

step() {
    local name="$1" tools="$2"
    shift 2
    step_names+=("$name")
    step_tools[$name]="$tools"
    step_commands[$name]="$(printf '%q ' "$@")"
}

# Debian packages of the tools that steps may name. A tool is a command on the path, or one of the libraries in `has_tool`.
declare -A tool_packages=(
    [cargo]="" [git]="git" [gcc]="gcc" [g++]="g++" [valgrind]="valgrind" [python3]="python3" [pkg-config]="pkg-config"
    [cmake]="cmake make" [node]="nodejs" [chromium]="chromium" [xvfb-run]="xvfb xauth" [software-vulkan]="mesa-vulkan-drivers"
    [x11-libraries]="libxkbcommon-x11-0 libxcursor1 libxi6 libxrandr2"
)

has_tool() {
    case "$1" in
        software-vulkan) compgen -G '/usr/share/vulkan/icd.d/lvp_icd*.json' >/dev/null ;;
        x11-libraries)
            local library
            for library in libxkbcommon-x11.so.0 libXcursor.so.1 libXi.so.6 libXrandr.so.2; do
                ldconfig -p 2>/dev/null | grep -q "$library" || return 1
            done
            ;;
        *) command -v "$1" >/dev/null ;;
    esac
}

# The reason that .ci/allowed-skips gives for a step; empty if it gives none.
allowed_skip() {
    sed -n "s/^$1:[[:space:]]*//p" "$allowed_skips" | head -n 1
}

# Every line of .ci/allowed-skips names a step of .ci/run or .ci/nightly and gives a reason.
check_allowed_skips() {
    local line name reason wrong=0
    while IFS= read -r line; do
        [[ -z "$line" || "$line" == \#* ]] && continue
        name="${line%%:*}"
        reason="${line#*:}"
        if [[ "$line" != *:* || -z "${reason// /}" ]]; then
            echo ".ci/allowed-skips: '$line' is not of the form 'STEP: reason'"
            wrong=1
        elif [[ -z "${step_commands[$name]:-}" ]] && ! grep -qE "^step $name " .ci/run .ci/nightly; then
            echo ".ci/allowed-skips: no step is called '$name'; correct or remove the line (bash .ci/run --list shows the steps)"
            wrong=1
        fi
    done <"$allowed_skips"
    return "$wrong"
}

install_tools() {
    local packages=("$@") command
    if [[ "$(id -u)" != 0 ]] || ! command -v apt-get >/dev/null; then
        echo "    cannot install ${packages[*]}: this needs apt-get and root"
        return 0
    fi
    echo "=== install: apt-get install ${packages[*]}"
    for command in "apt-get update --quiet" "apt-get install --yes --quiet --no-install-recommends ${packages[*]}"; do
        # shellcheck disable=SC2086 # the command is words
        if ! DEBIAN_FRONTEND=noninteractive timeout 600 $command >"${TMPDIR:-/tmp}/ugas-ci-apt.log" 2>&1; then
            echo "    '$command' failed; full log: ${TMPDIR:-/tmp}/ugas-ci-apt.log; last lines:"
            tail -n 5 "${TMPDIR:-/tmp}/ugas-ci-apt.log"
        fi
    done
}

# Finds tools that the chosen steps lack, installs them with CI=true, and decides between skipping and failing.
check_tools() {
    local name tool packages=() lacking lacking_packages hint failed=0
    for name in "$@"; do
        for tool in ${step_tools[$name]}; do
            if [[ -z "${tool_packages[$tool]+known}" ]]; then
                echo "step $name: no Debian package is known for the tool '$tool'; add it to .ci/lib.sh"
                return 1
            fi
            # shellcheck disable=SC2206 # several packages are several words
            has_tool "$tool" || packages+=(${tool_packages[$tool]})
        done
    done
    if [[ "${CI:-}" == true && ${#packages[@]} -gt 0 ]]; then
        mapfile -t packages < <(printf '%s\n' "${packages[@]}" | sort -u)
        install_tools "${packages[@]}"
    fi
    for name in "$@"; do
        lacking=() lacking_packages=()
        for tool in ${step_tools[$name]}; do
            if ! has_tool "$tool"; then
                lacking+=("$tool")
                # shellcheck disable=SC2206 # several packages are several words
                lacking_packages+=(${tool_packages[$tool]})
            fi
        done
        [[ ${#lacking[@]} -eq 0 ]] && continue
        if [[ -n "$(allowed_skip "$name")" ]]; then
            step_skips[$name]="${lacking[*]} missing; allowed: $(allowed_skip "$name")"
        else
            hint=""
            [[ ${#lacking_packages[@]} -eq 0 ]] || hint="; Debian packages: ${lacking_packages[*]}"
            echo "=== FAILED: step $name cannot run: not installed: ${lacking[*]}$hint"
            failed=1
        fi
    done
    if [[ "$failed" == 1 ]]; then
        echo "Install the packages (apt-get install …; CI=true does so, as root), run only some steps"
        echo "(bash $0 STEP…), or list a step with its reason in .ci/allowed-skips."
    fi
    return "$failed"
}

# Fails with a hint if a program of `cargo test --workspace` is missing.
require_built() {
    local file="${CARGO_TARGET_DIR:-target}/debug/$1" program="the program $1"
    [[ ! -x "$file" ]] || return 0
    [[ "$1" != ugas ]] || program="the command line"
    echo "$program is not built: run 'bash .ci/run test $current_step' (there is no file $file)"
    return 1
}

# Runs a program that `cargo test --workspace` has built. Building one package alone would select other features of shared
# dependencies and build them a second time.
built() {
    local program="$1"
    shift
    require_built "$program" || return 1
    "${CARGO_TARGET_DIR:-target}/debug/$program" "$@"
}

# The comment at the top of the script that declares the steps.
print_usage() {
    sed -n '2,${/^#/!q;s/^# \{0,1\}//p;}' "$0"
}

# The steps with the texts behind their declarations, their tools and their commands.
list_steps() {
    local name text
    for name in "${step_names[@]}"; do
        text="$(sed -n "s/^step $name .* # //p" "$0")"
        printf '%-24s %s\n' "$name" "${text:-No description.}"
        printf '%-24s tools: %s; command: %s\n' "" "${step_tools[$name]:-none}" "${step_commands[$name]% }"
    done
}

# Table of all steps with their times, then one line that counts them.
summarise() {
    local name passed=0 failed=0 skipped=0 left=0 line
    echo "=== steps"
    for name in "$@"; do
        if [[ -n "${step_skips[$name]:-}" ]]; then
            line="SKIPPED  ${step_skips[$name]}"
            skipped=$((skipped + 1))
        elif [[ "$name" == "${failed_step:-}" ]]; then
            line="FAILED   ${step_seconds[$name]} s"
            failed=1
        elif [[ -n "${step_seconds[$name]:-}" ]]; then
            line="ok       ${step_seconds[$name]} s"
            passed=$((passed + 1))
        else
            line="not run"
            left=$((left + 1))
        fi
        printf '    %-24s %s\n' "$name" "$line"
    done
    echo "    total                    $SECONDS s"
    [[ "$left" == 0 ]] || echo "$left steps were not run"
    echo "steps: $passed passed, $failed failed, $skipped skipped"
}

run_steps() {
    local name start chosen=() failed_step="" current_step=""
    case "${1:-}" in
        --help | -h) print_usage; return 0 ;;
        --list) list_steps; return 0 ;;
    esac
    for name in "$@"; do
        if [[ -z "${step_commands[$name]:-}" ]]; then
            echo "there is no step '$name'; the steps are: ${step_names[*]}"
            return 2
        fi
        chosen+=("$name")
    done
    [[ ${#chosen[@]} -gt 0 ]] || chosen=("${step_names[@]}")
    check_allowed_skips || return 1
    check_tools "${chosen[@]}" || return 1
    for name in "${chosen[@]}"; do
        if [[ -n "${step_skips[$name]:-}" ]]; then
            echo "=== $name: SKIPPED: ${step_skips[$name]}"
            continue
        fi
        start=$SECONDS
        current_step="$name"
        echo "=== $name: ${step_commands[$name]}"
        # A subshell with errexit, so that a step ends at its first failing command.
        set +e
        (set -e; eval "${step_commands[$name]}")
        local status=$?
        set -e
        step_seconds[$name]=$((SECONDS - start))
        if [[ "$status" != 0 ]]; then
            echo "=== FAILED: $name (exit status $status)"
            failed_step="$name"
            summarise "${chosen[@]}"
            return 1
        fi
        echo "--- $name: ok, ${step_seconds[$name]} s"
    done
    summarise "${chosen[@]}"
}
