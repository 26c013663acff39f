# Tests of traced programs: what is recorded, and that the program behaves as without AdaTrace.
#
# In addition to the project's substitutions (lit.cfg.py at the top):
#   %calls    reads a trace and checks it: `%calls tree DIR`, see Inputs/calls.py
#   %details  reads detail files and checks them: `%details count DIR`, see Inputs/details.py
#   %session  ADA_OPTIONS for a session in %t/session; more options can be appended: %session:format=1
#   %arch     the architecture that programs are built for: x86_64 or aarch64
#   %less     the divisor of large repetition counts: 4, and 1 with --param only=long
#   %asan     -fsanitize=address if its library is there: not for emulated programs
#   %clock_source  the source of times if the program chooses none: tsc, cntvct, or clock_gettime
#   %switch_events  1 with the feature of that name, else 0
#   %like_plain DIR COMMAND  builds and runs with and without hooks: same output, same status; see Inputs/like_plain.sh
# A test begins with `rm -rf %t && mkdir -p %t` and writes only below %t.
# Features: counter (the kernel trusts the CPU's counter), switch-events (the system reports when threads are on-CPU),
# root (needed for mounting and set-uid), direct-io (bindfs can mount a file system whose files can't be mapped),
# time-namespaces, valgrind, python-headers (to build an extension module), java (javac and jni.h; %java_home is their
# directory), boost-context, greenlet (%greenlet_python is a Python that has it); the last five are the host's and not
# available for emulated programs.
import os
import platform
import shutil
import subprocess
import sys
import sysconfig
import tempfile

inputs = os.path.join(config.ada_source_dir, "test", "runtime", "Inputs")
sys.path.append(inputs)
import switch_events
config.environment["PYTHONPATH"] += os.pathsep + inputs
config.substitutions += [
    ("%calls", "%s %s" % (config.ada_python, os.path.join(inputs, "calls.py"))),
    ("%details", "%s %s" % (config.ada_python, os.path.join(inputs, "details.py"))),
    ("%session", "env ADA_OPTIONS=session=%t/session"),
    ("%like_plain", os.path.join(inputs, "like_plain.sh")),
    ("%inputs", inputs),
]
# %session expands to text with %t in it, which lit replaces in a second round.
config.recursiveExpansionLimit = 3

def isTrusted(counter):
    """Whether Linux lists a counter among its clock sources; it removes one that it can't trust
    (runtime/os/linux/clock_source.h)."""
    try:
        with open("/sys/devices/system/clocksource/clocksource0/available_clocksource") as sources:
            return counter in sources.read().split()
    except OSError:
        return True


def allowsTimeNamespaces():
    """Whether this user may make one, which needs root and Linux 5.6. Without it, tests say that the feature is missing."""
    tried = ["unshare", "--time", "--boottime=1", "--fork", "true"]
    return shutil.which("unshare") is not None and subprocess.run(tried, capture_output=True).returncode == 0


# These have suites of their own (CMakeLists.txt).
config.excludes = [*config.excludes, "exact", "registers"]

# Programs that clang alone compiles as the tests want it, and what the plugin for GCC does not have.
if config.ada_gcc:
    config.excludes += ["arguments.cpp", "before_main.c", "cpp.cpp", "crash_cause.test", "flight.test", "inlined_exports.c",
                        "plain_c.c", "runtime_missing.c", "strings.test", "untraced_jump.test"]

emulated = "emulated" in config.available_features
config.substitutions.append(("%arch", config.ada_target or platform.machine()))
config.substitutions.append(("%less", "1" if "long" in config.available_features else "4"))
config.substitutions.append(("%asan", "" if emulated else "-fsanitize=address"))
isX86 = (config.ada_target or platform.machine()) == "x86_64"
source = "cntvct" if not isX86 else "tsc" if isTrusted("tsc") else "clock_gettime"
if source != "clock_gettime":
    config.available_features.add("counter")
config.substitutions.append(("%clock_source", source))
if shutil.which("valgrind") and not emulated:
    config.available_features.add("valgrind")
if not emulated and switch_events.are_allowed():
    config.available_features.add("switch-events")
if not emulated and allowsTimeNamespaces():
    config.available_features.add("time-namespaces")
config.substitutions.append(("%switch_events", str(int("switch-events" in config.available_features))))
if os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")) and not emulated:
    config.available_features.add("python-headers")
    config.substitutions.append(("%extension_include", sysconfig.get_path("include")))
with tempfile.TemporaryDirectory() as place: # to mount, in a container too
    direct_io = [os.path.join(inputs, "direct_io.sh"), os.path.join(place, "fuse"), "true"]
    if shutil.which("bindfs") and not emulated and subprocess.run(direct_io, capture_output=True).returncode == 0:
        config.available_features.add("direct-io")
javac = shutil.which("javac")
java_home = os.path.dirname(os.path.dirname(os.path.realpath(javac))) if javac else ""
if os.path.exists(os.path.join(java_home, "include", "jni.h")) and not emulated:
    config.available_features.add("java")
    config.substitutions.append(("%java_home", java_home))
if os.path.exists("/usr/include/boost/context/fiber.hpp") and not emulated:
    config.available_features.add("boost-context")
for python in () if emulated else (config.ada_python, "/usr/bin/python3"): # Debian's modules are those of its own Python
    if os.path.exists(python) and subprocess.run([python, "-c", "import greenlet"], capture_output=True).returncode == 0:
        config.available_features.add("greenlet")
        config.substitutions.append(("%greenlet_python", python))
        break
