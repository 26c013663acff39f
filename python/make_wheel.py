#!/usr/bin/env python3
"""Writes the wheel of the package adatrace, with nothing but Python's standard library, and without a network.

    pip wheel --no-index ./python                 builds the extension with CMake (in build/wheel), then the wheel
    make_wheel.py PACKAGE VERSION FOLDER               the wheel of a package that CMake has built: its target python-wheel

The first way is a build backend as PEP 517 has it, which needs no other. The wheel has the shared libraries of the
extension in it, except those of glibc and GCC: it runs where these are not older than where it was built.
"""
import base64
import csv
import hashlib
import io
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# As in cmake/AdaPackages.cmake.
OF_THE_SYSTEM = re.compile(r"^(linux-vdso|libc|libm|libresolv|libdl|librt|libpthread|ld-linux.*|libgcc_s|libstdc\+\+)\.so")
METADATA = """Metadata-Version: 2.1
Name: adatrace
Version: {version}
Summary: Reads and records function traces of native programs
License: Apache-2.0 WITH LLVM-exception
Requires-Python: >=3.9
Requires-Dist: numpy
"""


def pythonVersion(version):
    """The version as PEP 440 has it: 0.2.0-dev+1a2b3c4d is 0.2.0.dev0+1a2b3c4d."""
    return version.replace("-dev", ".dev0")


def tag():
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{python}-{python}-{re.sub('[-.]', '_', sysconfig.get_platform())}"


def librariesOf(extension):
    """Shared libraries that the system may lack, by name."""
    listed = subprocess.run(["ldd", extension], check=True, capture_output=True, text=True).stdout
    found = dict(re.findall(r"^\s*(\S+) => (/\S+)", listed, re.M))
    return {name: pathlib.Path(path) for name, path in found.items() if not OF_THE_SYSTEM.match(name)}


def stripped(path, folder):
    copy = pathlib.Path(folder) / path.name
    shutil.copy(path, copy)
    if shutil.which("strip"):
        subprocess.run(["strip", "--strip-unneeded", copy], check=True)
    return copy.read_bytes()


def filesOf(package):
    """Names in the wheel, and bytes."""
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted(package.iterdir()):
            if path.suffix in (".py", ".pyi", ".typed"):
                yield f"adatrace/{path.name}", path.read_bytes()
            elif path.suffix == ".so":
                yield f"adatrace/{path.name}", stripped(path, folder)
                for name, library in sorted(librariesOf(path).items()):
                    yield f"adatrace/lib/{name}", library.read_bytes()


def write(package, version, folder):
    """Returns the wheel's name."""
    version = pythonVersion(version)
    info = f"adatrace-{version}.dist-info"
    files = dict(filesOf(pathlib.Path(package)))
    files[f"{info}/METADATA"] = METADATA.format(version=version).encode()
    files[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: adatrace\nRoot-Is-Purelib: false\nTag: {tag()}\n".encode()
    files[f"{info}/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    record = io.StringIO()
    lines = csv.writer(record, lineterminator="\n")
    for name, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        lines.writerow([name, f"sha256={digest}", len(content)])
    lines.writerow([f"{info}/RECORD", "", ""])
    files[f"{info}/RECORD"] = record.getvalue().encode()
    name = f"adatrace-{version}-{tag()}.whl"
    with zipfile.ZipFile(pathlib.Path(folder) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, content in files.items():
            entry = zipfile.ZipInfo(path)  # of 1980: the same bytes each time
            entry.external_attr, entry.compress_type = 0o644 << 16, zipfile.ZIP_DEFLATED
            wheel.writestr(entry, content)
    return name


#===--- for pip ------------------------------------------------------------===#


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    build = ROOT / "build/wheel"
    off = [f"-DADA_{part}=OFF" for part in ("BUILD_PASS", "BUILD_RUNTIME", "BUILD_TESTS", "WITH_FLEET", "WITH_VIEW")]
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    subprocess.run(["cmake", *generator, "-S", ROOT, "-B", build, "-DADA_WITH_PYTHON=ON", f"-DADA_PYTHON={sys.executable}",
                    "-DCMAKE_BUILD_TYPE=RelWithDebInfo", "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O2 -g1 -DNDEBUG",  # those of the preset
                    "-DCMAKE_C_FLAGS_RELWITHDEBINFO=-O2 -g1 -DNDEBUG", *off], check=True)
    subprocess.run(["cmake", "--build", build, "--target", "adatrace-python", "--parallel"], check=True)
    return write(build / "lib/python3/dist-packages/adatrace", (build / "python-package/version").read_text().strip(), wheel_directory)


def get_requires_for_build_wheel(config_settings=None):
    return []


def build_sdist(sdist_directory, config_settings=None):
    raise NotImplementedError("the package is built from the whole repository")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    print(write(*sys.argv[1:]))
