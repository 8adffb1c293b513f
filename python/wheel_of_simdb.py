"""Builds the package: a wheel for a platform, with the command inside.

``python -m build python`` calls it by PEP 517. By itself it makes wheels of other platforms:
``python3 wheel_of_simdb.py FOLDER PLATFORM…`` or all of them. The command is cross-compiled, so it
needs Go and no other compiler. The same source gives the same bytes.
"""

import base64
import hashlib
import io
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
MODULE = HERE / "go" if (HERE / "go").exists() else HERE.parent  # the source distribution has the Go source in it
VERSION = re.findall(r'Version = "v?([^"]+)"', (MODULE / "internal/version/version.go").read_text())[0]

# Tags by platform. The command is linked statically, so one Linux wheel serves every libc. Go 1.26 needs macOS 12.
TAGS = {
    "linux/amd64": "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
    "linux/arm64": "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
    "darwin/amd64": "macosx_12_0_x86_64",
    "darwin/arm64": "macosx_12_0_arm64",
    "windows/amd64": "win_amd64",
    "windows/arm64": "win_arm64",
}

METADATA = f"""Metadata-Version: 2.4
Name: simdb
Version: {VERSION}
Summary: An embedded database of texts that answers exactly which are similar
License-Expression: Apache-2.0
Requires-Python: >=3.11
Description-Content-Type: text/markdown

{(HERE / "README.md").read_text()}"""


def go(*args: str, **env: str) -> str:
    return subprocess.run(["go", *args], cwd=MODULE, env={**os.environ, "CGO_ENABLED": "0", **env}, check=True, stdout=subprocess.PIPE, text=True).stdout


def make_wheel(folder: str, platform: str) -> str:
    """Makes the wheel of a platform in a folder, and returns its name."""
    system, machine = platform.split("/")
    name = f"simdb-{VERSION}-py3-none-{TAGS[platform]}.whl"
    info = f"simdb-{VERSION}.dist-info/"
    tags = "".join(f"Tag: py3-none-{t}\n" for t in TAGS[platform].split("."))
    files = {
        info + "METADATA": METADATA.encode(),
        info + "WHEEL": f"Wheel-Version: 1.0\nGenerator: wheel_of_simdb\nRoot-Is-Purelib: false\n{tags}".encode(),
        info + "entry_points.txt": b"[console_scripts]\nsimdb = simdb._command:main\n",
    }
    for text in ("LICENSE", "THIRD_PARTY_NOTICES.md"):
        files[info + "licenses/" + text] = (MODULE / text).read_bytes()
    for file in sorted((HERE / "simdb").glob("*.py*")):
        files["simdb/" + file.name] = file.read_bytes()
    with tempfile.TemporaryDirectory() as built:
        command = os.path.join(built, "simdb.exe" if system == "windows" else "simdb")
        go("build", "-trimpath", "-ldflags=-s -w", "-o", command, "./cmd/simdb", GOOS=system, GOARCH=machine)
        files["simdb/bin/" + os.path.basename(command)] = Path(command).read_bytes()
    digests = {path: base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode() for path, data in files.items()}
    rows = [f"{path},sha256={digests[path]},{len(data)}\n" for path, data in files.items()]
    files[info + "RECORD"] = ("".join(rows) + info + "RECORD,,\n").encode()
    with zipfile.ZipFile(os.path.join(folder, name), "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if path.startswith("simdb/bin/") else 0o100644) << 16
            wheel.writestr(entry, data)
    return name


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: Any = None) -> str:
    """The wheel of the platform that Go compiles for, as PEP 517 has it."""
    platform = "/".join(go("env", "GOOS", "GOARCH").split())
    if platform not in TAGS:
        raise SystemExit(f"there is no wheel for {platform}; there are {', '.join(TAGS)}")
    return make_wheel(wheel_directory, platform)


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    """The source: this folder, and under go/ what the command is compiled from."""
    name = f"simdb-{VERSION}"
    files = {p.name: p for p in (HERE / "pyproject.toml", HERE / "README.md", Path(__file__))}
    files.update({f"simdb/{p.name}": p for p in (HERE / "simdb").glob("*.py*")})
    files.update({f"go/{p.relative_to(MODULE).as_posix()}": p for p in _go_files()})
    with tarfile.open(os.path.join(sdist_directory, name + ".tar.gz"), "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for path, data in [("PKG-INFO", METADATA.encode()), *((path, file.read_bytes()) for path, file in sorted(files.items()))]:
            entry = tarfile.TarInfo(f"{name}/{path}")
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return name + ".tar.gz"


def _go_files() -> set[Path]:
    """The files of the module that the command is made of, on any platform."""
    found = {MODULE / f for f in ("go.mod", "go.sum", "LICENSE", "THIRD_PARTY_NOTICES.md")}
    lines = go("list", "-deps", "-f", '{{if .Module}}{{if .Module.Main}}{{.Dir}}{{range .EmbedFiles}}\t{{.}}{{end}}{{end}}{{end}}', "./cmd/simdb")
    for folder, *embedded in (line.split("\t") for line in lines.splitlines() if line):
        found.update(Path(folder, f) for f in embedded)
        found.update(f for f in Path(folder).glob("*.[gsh]*") if f.suffix in (".go", ".s", ".h") and not f.name.endswith("_test.go"))
    return found


if __name__ == "__main__":
    os.makedirs(sys.argv[1], exist_ok=True)
    for one in sys.argv[2:] or TAGS:
        print(make_wheel(sys.argv[1], one), flush=True)
