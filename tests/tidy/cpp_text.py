"""C++ source as text: code without comments and literals, and where functions begin and end."""

import re

TOKEN = re.compile(
    r'//[^\n]*'
    r'|/\*.*?\*/'
    r'|(?:u8|u|U|L)?R"(?P<delimiter>[^()\\\s]{0,16})\(.*?\)(?P=delimiter)"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'",
    re.DOTALL)


def code_only(text):
    """The text with comments blank and literals empty; every line keeps its number."""
    def blank(match):
        found = match.group(0)
        newlines = "\n" * found.count("\n")
        if found.startswith(("//", "/*")):
            return newlines or " "
        return ('""' if '"' in found else "' '") + newlines
    # The path of an include is wanted by others; it is no literal.
    return TOKEN.sub(blank, text)


NOT_A_FUNCTION = re.compile(
    r"^\s*(?:template\s*<.*>\s*)?(?:inline\s+)?(?:export\s+)?(?:typedef\s+)?"
    r"(?:namespace|class|struct|union|enum|extern\s*\"\")\b(?![^{;]*\)\s*(?:const|noexcept|->|$))",
    re.DOTALL)
INITIALISERS = re.compile(r"\)[^;{}=]*[^:]:[^:]", re.DOTALL)


def opens_function(header):
    """header: what stands between the end of the statement before and the brace."""
    if "(" not in header or NOT_A_FUNCTION.match(header):
        return False
    if re.search(r"\bnamespace\b[\w:\s]*$", header):  # behind a macro call without semicolon
        return False
    # `auto x = make(…){` and tables of data are no functions; operator= and defaults are.
    head = header.split("(", 1)[0]
    return "=" not in head or "operator" in head


def functions(text):
    """Yields (first line, last line) of every function that is not inside another one."""
    code = re.sub(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", lambda m: "\n" * m.group(0).count("\n"),
                  code_only(text), flags=re.MULTILINE)
    line, depth, start, inner, header = 1, 0, None, 0, ""
    initialiser_depths = []
    for char in code:
        if char == "\n":
            line += 1
        if start is not None:
            inner += {"{": 1, "}": -1}.get(char, 0)
            if inner == 0:
                yield start, line
                start, header = None, ""
            continue
        if char == "{":
            if INITIALISERS.search(header) and re.search(r"[\w>]$", header):
                initialiser_depths.append(depth)
            elif not initialiser_depths and opens_function(header):
                start, inner = line, 1
                continue
            if not initialiser_depths:
                header = ""
            depth += 1
        elif char == "}":
            depth -= 1
            if initialiser_depths and initialiser_depths[-1] == depth:
                initialiser_depths.pop()
            elif not initialiser_depths:
                header = ""
        elif char == ";" and not initialiser_depths:
            header = ""
        elif not initialiser_depths:
            header = re.sub(r"\b(?:public|private|protected)\s*:$", "", header + char)
