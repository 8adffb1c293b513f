"""A PostgreSQL server of one's own, with a folder of its own and a socket instead
of a port. It ends with the process that started it.

Debian and Ubuntu have it in the packages postgresql and postgresql-contrib."""

import contextlib
import shutil
import signal
import subprocess
import tempfile

import psycopg2

from common import *

USER = "postgres"  # initdb refuses to run as root; Debian's package makes this user


def command(name):
    found = shutil.which(name)
    if found:
        return found
    base = "/usr/lib/postgresql"
    versions = sorted(os.listdir(base), key=float) if os.path.isdir(base) else []
    for version in reversed(versions):
        if os.path.exists(f"{base}/{version}/bin/{name}"):
            return f"{base}/{version}/bin/{name}"
    sys.exit(f"no {name}: install postgresql and postgresql-contrib")


def peak(pid):
    """Returns the most bytes that the server held: those of its largest process,
    whose shared memory counts once, and what the others hold alone."""
    largest, alone = 0, []
    for entry in os.listdir("/proc"):
        try:
            with open(f"/proc/{entry}/status", encoding="ascii") as file:
                status = dict(line.split(":", 1) for line in file if ":" in line)
        except (OSError, UnicodeDecodeError):
            continue
        if entry == str(pid) or status.get("PPid", "").strip() == str(pid):
            most, own = (int(status.get(name, "0 kB").split()[0]) * 1024 for name in ("VmHWM", "RssAnon"))
            largest = max(largest, most)
            alone.append((most, own))
    return largest + sum(own for most, own in alone if most < largest)


def ended(*_):
    sys.exit("ended early")


@contextlib.contextmanager
def server():
    """Yields a cursor. What the server held and took is said after its last use."""
    signal.signal(signal.SIGTERM, ended)
    postgres, initdb = command("postgres"), command("initdb")
    as_user = {"user": USER, "group": USER, "extra_groups": []} if os.getuid() == 0 else {}
    home = tempfile.mkdtemp(prefix="simdb-pg-")
    process = None
    try:
        if as_user:
            shutil.chown(home, USER, USER)
        data = os.path.join(home, "data")
        subprocess.run([initdb, "-D", data, "-U", USER, "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8"],
                       check=True, stdout=subprocess.DEVNULL, cwd=home, **as_user)
        process = subprocess.Popen(
            [postgres, "-D", data, "-k", home, "-c", "listen_addresses=", "-c", "shared_buffers=1GB",
             "-c", "maintenance_work_mem=1GB", "-c", "work_mem=256MB"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=home, **as_user)
        connection = connect(home)
        connection.autocommit = True
        cursor = connection.cursor()
        cursor.execute("SHOW server_version")
        say("version", note=cursor.fetchone()[0])
        yield cursor
        cursor.execute("CHECKPOINT")
        say("peak memory", peak(process.pid) / 1e6, "MB")
        say_disk(os.path.join(data, "base"))
        connection.close()
    finally:
        if process:
            process.send_signal(signal.SIGINT)
            process.wait()
        shutil.rmtree(home, ignore_errors=True)


def connect(home):
    for _ in range(100):
        try:
            return psycopg2.connect(host=home, user=USER, dbname="postgres")
        except psycopg2.OperationalError:
            time.sleep(0.1)
    sys.exit("the server does not answer")
