"""What is measured, and where: the compilers of a build tree, and folders for sessions."""
import os
import tempfile


def newestWrapper(build, name="ada-clang"):
    """The wrapper of the newest LLVM that the build tree has a plugin for. NAME: ada-clang or ada-clang++."""
    return max(build.resolve().glob(f"bin/{name}-[0-9]*"), key=lambda path: int(path.name.rpartition("-")[2]))


def folderInMemory(name):
    """For `with`: the path of a folder that is gone afterwards. In memory where there is such a place, so that no disk is measured."""
    place = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    return tempfile.TemporaryDirectory(prefix=f"adatrace-{name}-", dir=place)
