"""Source text of programs that are not ours, kept in a folder: npm packages, and Debian's source packages."""
import glob
import os
import shutil
import subprocess
import sys

clean = {k: v for k, v in os.environ.items() if not k.startswith("ADA_")}


def call(command, cwd=None):
    """The output of COMMAND, which must succeed."""
    done = subprocess.run([str(word) for word in command], cwd=cwd, env=clean, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def fromNpm(sources, package, path):
    """A file or folder of an npm package."""
    folder = sources / package
    if not (folder / "package" / path).exists():
        folder.mkdir(parents=True, exist_ok=True)
        archive = call(["npm", "pack", "--silent", package], folder).split()[-1]
        call(["tar", "xzf", archive, f"package/{path}"], folder)
    return folder / "package" / path


def fromDebian(sources, package):
    """The unpacked source of a Debian package, without Debian's changes. The system's own lists and settings stay as they are."""
    folder = sources / package
    if not (folder / "done").exists():
        shutil.rmtree(folder, ignore_errors=True)
        lists = folder / "apt"
        for name in ("lists/partial", "cache/archives/partial", "parts"):
            (lists / name).mkdir(parents=True)
        for path in glob.glob("/etc/apt/sources.list.d/debian.sources"):
            text = open(path).read().replace("Types: deb\n", "Types: deb-src\n")
            (lists / "parts" / "source.sources").write_text(text)
        options = ["-o", "Dir::Etc::sourcelist=/dev/null", "-o", f"Dir::Etc::sourceparts={lists}/parts",
                   "-o", f"Dir::State::lists={lists}/lists", "-o", f"Dir::Cache={lists}/cache"]
        call(["apt-get", *options, "update"])
        call(["apt-get", *options, "source", "--download-only", "--tar-only", package], folder)
        archive, = folder.glob("*.orig.tar.*[!c]")
        call(["tar", "xf", archive, "--one-top-level=source", "--strip-components=1"], folder)
        (folder / "done").touch()
    return folder / "source"
