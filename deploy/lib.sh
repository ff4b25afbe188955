# Shared by the scripts of deploy/; sourced, never run. Sets `root` (the checkout) and helpers.
# shellcheck shell=bash

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)

# deploy/kafka's exit code when Kafka, Java or Maven can't be had.
# shellcheck disable=SC2034  # for the scripts that source this
kafka_unavailable=69

say() { printf '==> %s\n' "$*"; }
warn() { printf 'warning: %s\n' "$*" >&2; }
fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# usage: prints the comment block at the top of the calling script.
usage() {
  sed -n '2,/^[^#]/{s/^# \{0,1\}//p}' "$0"
}

# need_value FLAG COUNT: COUNT arguments are left, FLAG itself among them.
need_value() {
  (($2 >= 2)) || fail "$1 needs a value"
}

as_root() {
  if ((EUID == 0)); then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    fail "this needs root: run it as root, or install sudo"
  fi
}

# make_data_dir DIR: prints the absolute path. Others may pass through (PostgreSQL's user has its
# cluster below it), but not list.
make_data_dir() {
  if [[ ! -d $1 ]]; then
    mkdir -p -- "$1"
    chmod 0711 -- "$1"
  fi
  mkdir -p -- "$1/run"
  chmod go+x -- "$1/run"  # the socket of PostgreSQL lies in it
  (cd -- "$1" && pwd -P)
}

# wait_until SECONDS COMMAND...: 0 as soon as the command succeeds, 1 when the time is over.
wait_until() {
  local deadline=$((SECONDS + $1))
  shift
  until "$@"; do
    ((SECONDS < deadline)) || return 1
    sleep 0.1
  done
}

# Random, and by the service's rule for passwords: both cases and a digit.
new_password() { printf 'A1a%s\n' "$(head -c 18 /dev/urandom | base64 | tr '+/' '-_')"; }

# A compiler takes up to 3.2 GB for the largest folder under the sanitizers: as many jobs as cores
# and memory allow.
build_jobs() {
  local cores memory_kb by_memory
  cores=$(nproc)
  memory_kb=$(awk '/^MemAvailable/ {print $2}' /proc/meminfo)
  by_memory=$((memory_kb / 3200000))
  ((by_memory >= 1)) || by_memory=1
  echo $((cores < by_memory ? cores : by_memory))
}

# build PRESET [TARGET...] (EXTRA_CMAKE: more arguments of the configure step, an array).
build() {
  local preset=$1
  shift
  (
    cd -- "$root" || exit
    log=$(mktemp)
    trap 'rm -f "$log"' EXIT
    if ! cmake --preset "$preset" "${EXTRA_CMAKE[@]}" >"$log" 2>&1; then
      cat "$log" >&2
      fail "configuring the $preset build failed"
    fi
    local targets=()
    (($# == 0)) || targets=(--target "$@")
    NINJA_STATUS='[%f/%t %es] ' cmake --build --preset "$preset" -j "$(build_jobs)" "${targets[@]}"
  )
}
EXTRA_CMAKE=()

# service_pid DATA: prints the process id of the running service; 1 when none runs.
service_pid() {
  local pid
  pid=$(cat -- "$1/run/annolog.pid" 2>/dev/null) || return 1
  # The id may have been given to another process since: the program must be annolog.
  [[ $pid && $(cat "/proc/$pid/comm" 2>/dev/null) == annolog ]] || return 1
  echo "$pid"
}

# service_url DATA: where the service says that it listens; 1 when it does not listen.
service_url() {
  local address
  address=$(cat -- "$1/run/http.address" 2>/dev/null) || return 1
  [[ $address ]] || return 1
  echo "http://$address"
}

is_healthy() {
  local url
  url=$(service_url "$1") || return 1
  curl -fsS --max-time 5 -o /dev/null "$url/health" 2>/dev/null
}

# start_service DATA BINARY CONNINFO [FLAG...]: starts in the background; ends when it is healthy.
start_service() {
  local data=$1 binary=$2 conninfo=$3 log=$1/run/annolog.log pid
  shift 3
  [[ ! -f $log ]] || mv -f -- "$log" "$log.1"
  rm -f -- "$data/run/http.address"
  ANNOLOG_DATABASE_URL=$conninfo setsid "$binary" serve --data-dir "$data" "$@" \
    </dev/null >"$log" 2>&1 9>&- &
  pid=$!
  echo "$pid" >"$data/run/annolog.pid"
  if ! wait_until 120 is_healthy_or_gone "$data" "$pid" || ! kill -0 "$pid" 2>/dev/null; then
    tail -n 30 -- "$log" >&2
    kill -0 "$pid" 2>/dev/null || rm -f -- "$data/run/annolog.pid"
    fail "the service did not become healthy; the end of $log is above"
  fi
}

is_healthy_or_gone() {
  is_healthy "$1" || ! kill -0 "$2" 2>/dev/null
}

# stop_service DATA: SIGTERM, then waits. 1 when it is still there after 30 s.
stop_service() {
  local pid
  pid=$(service_pid "$1") || return 0
  kill -TERM "$pid"
  wait_until 30 is_gone "$pid" || return 1
  rm -f -- "$1/run/annolog.pid"
}

# A zombie counts as gone: its parent, not we, has to collect it. While threads of it still end, its
# files and ports are not free yet.
is_gone() {
  local state threads
  read -r state threads < <(
    awk '/^State:/ {state = $2} /^Threads:/ {print state, $2}' "/proc/$1/status" 2>/dev/null
  ) || return 0
  [[ $state == Z ]] && ((threads <= 1))
}
