# The command line. %make_session FILE [DIRECTORY] makes a session from the lines of FILE that begin with "T:"
# (Inputs/make_session.cpp describes them); %t is a fresh name in each test.
import os

config.substitutions += [
    ("%make_session", os.path.join(config.ada_build_dir, "test", "tools", "bin", "ada-make-session")),
    ("%{options_inc}", os.path.join(config.ada_source_dir, "include", "ada", "options.inc")),
    ("%{docs}", os.path.join(config.ada_source_dir, "docs")),
    ("%{vectors}", os.path.join(config.ada_source_dir, "test", "formats", "vectors")),
]
