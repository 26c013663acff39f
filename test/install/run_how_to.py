#!/usr/bin/env python3
"""Runs the commands of a how-to page: every ```sh block, in one shell, in which each command must succeed.

Usage: run_how_to.py PAGE.md SETUP.sh     run in an empty directory

SETUP runs first, in the same shell: it makes the programs that the page talks about. If it defines a function `atTheEnd`,
that runs last. HERE is its folder. A command followed by `  # status N` must end with that status. `adatrace view` and `open` are interrupted
once they have printed their address. SETUP's lines `#with WORD TEXT` put TEXT
where the page has WORD (PREFIX, 4711). Blocks of other languages are files that SETUP may use: blocks/N.LANGUAGE, numbered
from 1 for each language. A comment `<!-- not run: WHY -->` in front of a block leaves it out.
"""
import pathlib
import re
import shlex
import subprocess
import sys

page, setup = map(pathlib.Path, sys.argv[1:3])
beginning = setup.read_text()
words = dict(re.findall(r"^#with (\S+) (.*)$", beginning, flags=re.M))
# An indented fence belongs to an item of a list.
FENCE = re.compile(r"(?P<skip><!-- not run: .*-->\s*\n)?^(?P<indent> *)```(?P<language>\w+)\n(?P<text>.*?)^ *```$", re.M | re.S)

pathlib.Path("blocks").mkdir()
script, counts = [], {}
for block in FENCE.finditer(page.read_text()):
    text = re.sub(f"^{block['indent']}", "", block["text"], flags=re.M)
    if block["language"] != "sh":
        counts[block["language"]] = counts.get(block["language"], 0) + 1
        pathlib.Path(f"blocks/{counts[block['language']]}.{block['language']}").write_text(text)
    elif not block["skip"]:
        for word, instead in words.items():
            text = text.replace(word, instead)
        script.append(re.sub(r"^(.*?) +# status (\d+).*$", r"endsWith \2 \1", text, flags=re.M))
if not script:
    sys.exit(f"{page.name}: no commands")
HEAD = r"""
set -eEuo pipefail
trap 'echo "failed, status $?: $BASH_COMMAND"' ERR
has() { grep "$@" >/dev/null; } # reads everything: a closed pipe would be a fault of the command before it
endsWith() { # STATUS COMMAND…
  local seen=0
  "${@:2}" || seen=$?
  [ "$seen" = "$1" ] || { echo "status $seen instead of $1: ${*:2}"; return 1; }
}
adatrace() {
  case $1 in
  view | open)
    local address pid
    coproc server { exec adatrace "$@" --no-browser --port=0; }
    pid=$server_PID
    read -r address <&"${server[0]}"
    [[ $address = *http* ]]
    kill -INT "$pid"
    wait "$pid" || true
    ;;
  recover) command adatrace "$@" --ring rings ;; # not those of tests that run beside this one
  *) command adatrace "$@" ;;
  esac
}
mkdir rings
"""
pathlib.Path("page.sh").write_text(HEAD + f"HERE={shlex.quote(str(setup.parent.resolve()))}\n" + beginning + "set -x\n" + "".join(script) +
                                      "set +x\n! declare -F atTheEnd >/dev/null || atTheEnd\n")
done = subprocess.run(["bash", "page.sh"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                      errors="replace")
if done.returncode:
    sys.exit(f"{page.name}:\n{done.stdout[-6000:]}")
print(f"{page.name}: {len(script)} blocks ran")
