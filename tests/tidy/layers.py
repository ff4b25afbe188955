"""Who may include whom. The table is that of the architecture; CMakeLists.txt links by the same."""

import re

# Folder -> folders below which its includes may lie, beside its own. The longest matching row
# counts.
LAYERS = {
    "domain/support": [],
    "domain/codec": ["domain"],
    "domain": ["domain/support"],
    "platform": ["domain/support"],
    "eventstore": ["platform"],
    "commands": ["domain", "domain/codec", "eventstore", "platform"],
    "projections": ["domain", "domain/codec", "eventstore", "platform", "migrations"],
    "migrations": [],
    "api/http": ["domain", "domain/codec", "platform"],
    "api/oidc": ["api/http", "domain/support", "platform"],
    "api": ["api/http", "commands", "projections", "domain", "domain/codec", "platform"],
    "workers": ["commands", "projections", "domain", "domain/codec", "platform"],
    "app/client": ["platform", "domain/support", "workers/import"],
    "app": ["app/client", "api", "api/http", "workers", "commands", "projections", "eventstore",
            "platform", "domain", "domain/codec"],
}

# Folders whose rows in LAYERS do not open the way into these: each must be named by itself.
CLOSED_WITHIN = {"domain": ["domain/codec"], "eventstore": ["eventstore/faults"]}

# Outside libraries that belong to some layers only (tests may use all).
LIBRARIES = {
    r"nlohmann/": ["domain/codec", "platform", "commands", "projections", "api", "workers", "app"],
    r"simdjson": ["domain/codec"],
    r"pqxx": ["projections"],
    r"libpq": ["projections"],
    r"rocksdb/": ["eventstore"],
    r"librdkafka/": ["eventstore"],
    r"boost/beast": ["api/http"],
    r"boost/asio": ["api", "commands", "platform", "app"],
    r"curl/": ["app/client", "workers", "api/oidc"],
    r"cjose/": ["api/oidc"],
    r"(cairo|ft2build|unicode/)": ["platform"],
    r"spdlog/": ["platform"],
    r"prometheus/": ["platform"],
    r"sodium": ["platform", "eventstore"],
    r"openssl/": ["platform", "eventstore", "api/http", "workers", "app/client"],
    r"archive": ["workers", "platform"],
}

# domain/ is pure: of outside libraries only these, and no standard header that reaches outside.
DOMAIN_LIBRARIES = r"boost/(outcome|describe|mp11)"
CODEC_LIBRARIES = r"(nlohmann/|simdjson|boost/container/)"
# Comparing without regard to case needs Unicode's tables, which are data and no I/O.
DOMAIN_UNICODE = ("domain/support", "unicode/")
DOMAIN_FORBIDDEN = {"atomic", "condition_variable", "csignal", "ctime", "filesystem", "fstream",
                    "future", "iostream", "mutex", "random", "semaphore", "shared_mutex",
                    "stop_token", "thread"}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def lies_in(path, folder):
    return path == folder or path.startswith(folder + "/")


def row_of(path):
    rows = [folder for folder in LAYERS if lies_in(path, folder)]
    return max(rows, key=len, default=None)


def allowed(row, target):
    for folder in [row, *LAYERS[row]]:
        if not lies_in(target, folder):
            continue
        closed = [inner for inner in CLOSED_WITHIN.get(folder, []) if lies_in(target, inner)]
        if not closed or any(inner in LAYERS[row] for inner in closed) or folder in closed:
            return True
    return False


def check_own(row, path, target):
    if not row_of(target):
        return f'"{target}" is no file of a layer; include from the root of the checkout'
    if allowed(row, target) or (row == "eventstore" and lies_in(path, "eventstore/faults")):
        return None
    return f"{row}/ may not use {target}; it may use: {', '.join(LAYERS[row]) or 'nothing'}"


def check_library(row, header):
    if lies_in(row, "domain"):
        if row == "domain/codec" and re.match(CODEC_LIBRARIES, header):
            return None
        if row == DOMAIN_UNICODE[0] and header.startswith(DOMAIN_UNICODE[1]):
            return None
        is_standard = "/" not in header and not header.endswith((".h", ".hpp"))
        if header in DOMAIN_FORBIDDEN:
            return f"domain/ is pure: no <{header}>"
        if not is_standard and not re.match(DOMAIN_LIBRARIES, header):
            return f"domain/ uses the standard library and {DOMAIN_LIBRARIES} only, not <{header}>"
        return None
    for pattern, folders in LIBRARIES.items():
        if re.match(pattern, header) and not any(lies_in(row, folder) for folder in folders):
            return f"<{header}> belongs to {', '.join(folders)}"
    return None


def check(path, lines):
    """Yields (line number, rule, message) for the C++ file at `path` (relative to the root)."""
    row = row_of(path)
    if not row:
        return
    for number, line in enumerate(lines, 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        quote, target = match.groups()
        message = check_own(row, path, target) if quote == '"' else check_library(row, target)
        if message:
            yield number, "layer", message
