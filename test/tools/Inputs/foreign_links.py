"""Another user's session with links to what only root can read. Usage: foreign_links.py MAKE-SESSION TEXT DIRECTORY

The victim is a session of root with SECRET in it, which nobody else may enter. Each entry of the other user's session is
replaced by a link to the same entry of the victim, or to a text of root. No answer may contain the victim's words.
"""
import os
import pathlib
import shutil
import subprocess
import sys

makeSession, text, directory = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
OTHER = 65534
ENTRIES = ["manifest.json", "modules.jsonl", "thread_0", "thread_0/index.atf", "thread_0/detail.atf", ".", "sched.ads"]
COMMANDS = ["info --all", "info --format=json", "verify", "tree --args", "report", "dump", "dump --format=jsonl", "recover",
            "doctor", "convert OUT", "pack -o OUT"]
problems = ran = 0


def own(path, user):
    for entry in [path, *path.rglob("*")]:
        os.chown(entry, user, user, follow_symlinks=False)


def remove(path):
    shutil.rmtree(path) if path.is_dir() and not path.is_symlink() else path.unlink(missing_ok=True)


def run(command, session, out):
    verb, *rest = [str(out) if word == "OUT" else word for word in command.split()]
    arguments = [verb, session, *rest] if verb == "convert" else [verb, *rest, session]
    return subprocess.run(["adatrace", *arguments], stdin=subprocess.DEVNULL, capture_output=True, timeout=120)


os.umask(0o077)
subprocess.run([makeSession, text, directory / "victim"], check=True)
(directory / "words").write_text("SECRET SECRET\n")
process = next((directory / "victim").glob("pid_*")).name
harmless = directory / "harmless.txt"
harmless.write_text(pathlib.Path(text).read_text().replace("SECRET", "harmless"))
os.chmod(directory, 0o711)
session, out = directory / "session", directory / "out"
for entry in ENTRIES:
    for target in (directory / "victim" / process / entry, directory / "words"):
        for command in COMMANDS:
            for place in (session, out):
                remove(place)
            subprocess.run([makeSession, harmless, session], check=True)
            link = session / process / entry if entry != "." else session / process
            remove(link)
            link.symlink_to(target)
            own(session, OTHER)
            done = run(command, session, out)
            ran += 1
            seen = done.stdout + done.stderr + b"".join(f.read_bytes() for f in [out, *out.rglob("*")] if f.is_file())
            if b"SECRET" in seen or done.returncode not in (0, 1, 2, 3):
                problems += 1
                print(f"WRONG: {command} with a link to {target} as {entry}: status {done.returncode}: {seen[:600]!r}")
print(f"{problems} problems in {ran} commands")


def follow(user, target):
    """The status of reading a session whose manifest is a link of this user."""
    for place in (session, directory / "theirs"):
        remove(place)
        subprocess.run([makeSession, harmless, place], check=True)
        own(place, OTHER)
    if target == OTHER:
        moved = directory / "theirs" / process / "manifest.json"
    else:
        moved = directory / "victim" / process / "manifest.json"
    link = session / process / "manifest.json"
    link.unlink()
    link.symlink_to(moved)
    os.chown(link, user, user, follow_symlinks=False)
    return run("info", session, out).returncode


print(f"own links: {follow(os.geteuid(), OTHER)}, root's: {follow(0, 0)}, to a file of the maker: {follow(OTHER, OTHER)}")
