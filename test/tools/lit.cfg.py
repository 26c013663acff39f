# The command line. %make_session FILE [DIRECTORY] makes a session from the lines of FILE that begin with "T:"
# (Inputs/make_session.cpp describes them); %t is a fresh name in each test. %browse PAGE STEP... opens a page in
# Chromium (Inputs/flame_page.mjs), %view SESSION STEP... the viewer (Inputs/view_page.mjs). These two, %tsc and
# speedscope need the packages that `tools/dev test` installs into build/node (test/node/package.json).
import atexit
import os
import shutil
import tempfile

nodeModules = os.path.join(config.ada_source_dir, "build", "node", "node_modules")
config.environment["ADA_NODE_MODULES"] = nodeModules
config.environment["ADA_CHROMIUM"] = shutil.which("chromium") or "chromium"
# One browser for all tests, started by the first test that needs a page and ended with this process
# (Inputs/browser.mjs).
config.environment["ADA_LIT_PID"] = str(os.getpid())
config.environment["ADA_BROWSER"] = tempfile.mkdtemp()
atexit.register(shutil.rmtree, config.environment["ADA_BROWSER"], ignore_errors=True)

config.environment["PYTHONPATH"] += os.pathsep + os.path.join(config.ada_source_dir, "test", "tools", "Inputs")
config.substitutions += [
    ("%make_session", os.path.join(config.ada_build_dir, "test", "tools", "bin", "ada-make-session")),
    ("%{options_inc}", os.path.join(config.ada_source_dir, "shared", "options", "options.inc")),
    ("%{docs}", os.path.join(config.ada_source_dir, "docs")),
    ("%{vectors}", os.path.join(config.ada_source_dir, "test", "formats", "vectors")),
    ("%browse", "node " + os.path.join(config.ada_source_dir, "test", "tools", "Inputs", "flame_page.mjs")),
    ("%view", "node " + os.path.join(config.ada_source_dir, "test", "tools", "Inputs", "view_page.mjs")),
    ("%tsc", "node " + os.path.join(nodeModules, "typescript", "bin", "tsc")),
    ("%{pages}", os.path.join(config.ada_source_dir, "tools", "adatrace")),
]

# In a tree whose node packages are older than that.
if os.path.exists(os.path.join(nodeModules, "axe-core")):
    config.available_features.add("axe")

# The tests start servers themselves.
if shutil.which("clickhouse-server", path=config.environment["PATH"] + ":/usr/sbin"):
    config.available_features.add("clickhouse")

# Tools of other tracers, whose answers about the same files are compared with ours, the reader of the example unit, and
# a tool that makes certificates.
for tool, feature in (("uftrace", "uftrace"), ("llvm-xray", "llvm-xray"), ("systemd-analyze", "systemd"), ("openssl", "openssl"), ("git", "git"), ("valgrind", "valgrind")):
    if shutil.which(tool, path=config.environment["PATH"]):
        config.available_features.add(feature)
