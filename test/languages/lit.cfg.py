# Programs in languages other than C and C++, whose compilers load the LLVM plugin: each is left out if its compiler is not there.
#
#     %rustcs    every rustc whose LLVM has a plugin: the first of PATH, and the system's
#     %flang %ldc  as named in the suite's LLVM, or any
# Features: rust, cargo, flang, objc, ldc.
import glob
import os
import re
import shutil
import subprocess

config.suffixes = [".rs", ".f90", ".m", ".d", ".test"]


def hasPlugin(major):
    return os.path.exists(os.path.join(config.ada_build_dir, "lib", "libAdaTrace-%s.so" % major))


def llvmOf(*command):
    """The major version of LLVM that a compiler prints."""
    try:
        text = subprocess.run(command, capture_output=True, text=True, timeout=60).stdout
    except OSError:
        return None
    found = re.search(r"LLVM (?:version:? )?(\d+)", text)
    return found and found.group(1)


rustcs = []
for candidate in (shutil.which("rustc"), "/usr/bin/rustc"):
    if candidate and candidate not in rustcs and hasPlugin(llvmOf(candidate, "-vV")):
        rustcs.append(candidate)
if rustcs:
    config.available_features.add("rust")
    config.substitutions.append(("%rustcs", " ".join(rustcs)))
    if shutil.which("cargo"):
        config.available_features.add("cargo")
# rustup and cargo keep their files there.
for name in ("HOME", "RUSTUP_HOME", "CARGO_HOME", "RUSTUP_TOOLCHAIN"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
