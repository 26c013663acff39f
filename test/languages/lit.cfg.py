# Programs in languages other than C and C++, whose compilers load the LLVM plugin: each is left out if its compiler is not there.
#
#     %rustcs    every rustc whose LLVM has a plugin: the first of PATH, and the system's
#     %flang     the newest that there is a plugin for, %flang_plugin
#     %ldc_plugin %ldc_bin  the plugin and the tools of the LLVM that ldc2 is built on
#     %objc_include  GCC's headers for Objective-C
#     %ada_examples  examples/languages
# Features: rust, flang, objc, ldc; aho-corasick: the system's cargo, and the source of that crate.
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
    if "/usr/bin/rustc" in rustcs and os.path.exists("/usr/bin/cargo") and glob.glob("/usr/share/cargo/registry/aho-corasick-0.7*"):
        config.available_features.add("aho-corasick")
config.substitutions.append(("%build_bin", os.path.join(config.ada_build_dir, "bin")))
config.substitutions.append(("%ada_examples", os.path.join(config.ada_source_dir, "examples", "languages")))


def addTool(feature, *command):
    """A compiler with an LLVM that there is a plugin for: %<feature>_plugin, and %<feature>_bin for the tools of that LLVM."""
    major = llvmOf(*command)
    if not hasPlugin(major):
        return
    config.available_features.add(feature)
    config.substitutions.append(("%" + feature + "_plugin", os.path.join(config.ada_build_dir, "lib", "libAdaTrace-%s.so" % major)))
    config.substitutions.append(("%" + feature + "_bin", "/usr/lib/llvm-%s/bin" % major))


addTool("ldc", "ldc2", "--version")
for major in reversed(config.ada_llvms):
    flang = shutil.which("flang-" + major)
    if flang and hasPlugin(major):
        config.available_features.add("flang")
        config.substitutions += [("%flang_plugin", os.path.join(config.ada_build_dir, "lib", "libAdaTrace-%s.so" % major)),
                                 ("%flang", flang)]
        break
headers = glob.glob("/usr/lib/gcc/*/*/include/objc/Object.h")
if headers:
    config.available_features.add("objc")
    config.substitutions.append(("%objc_include", os.path.dirname(os.path.dirname(headers[-1]))))
# rustup and cargo keep their files there.
for name in ("HOME", "RUSTUP_HOME", "CARGO_HOME", "RUSTUP_TOOLCHAIN"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
