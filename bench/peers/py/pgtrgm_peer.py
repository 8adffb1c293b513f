"""PostgreSQL with pg_trgm: the texts in a table with an index of their trigrams.

Its similarity is the resemblance of character trigrams of words, another measure
than simdb's; recall and precision say how far its answers at 0.8 agree. The
server is one of its own, with a folder of its own and a socket instead of a port,
and ends with this process."""

import shutil
import signal
import subprocess
import tempfile

import psycopg2
from psycopg2.extras import execute_values

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
    """Returns the most bytes of a process and its children that they ever held."""
    total = 0
    for entry in os.listdir("/proc"):
        try:
            with open(f"/proc/{entry}/status", encoding="ascii") as file:
                status = dict(line.split(":", 1) for line in file if ":" in line)
        except (OSError, UnicodeDecodeError):
            continue
        if entry == str(pid) or status.get("PPid", "").strip() == str(pid):
            total += int(status.get("VmHWM", "0 kB").split()[0]) * 1024
    return total


def folder_bytes(folder):
    return sum(os.path.getsize(os.path.join(at, name)) for at, _, names in os.walk(folder) for name in names)


def stop(*_):
    sys.exit("ended early")


signal.signal(signal.SIGTERM, stop)
documents = texts()
as_user = {"user": USER, "group": USER, "extra_groups": []} if os.getuid() == 0 else {}
home = tempfile.mkdtemp(prefix="simdb-pg-")
server = None
try:
    if as_user:
        shutil.chown(home, USER, USER)
    data = os.path.join(home, "data")
    subprocess.run([command("initdb"), "-D", data, "-U", USER, "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8"],
                   check=True, stdout=subprocess.DEVNULL, cwd=home, **as_user)
    server = subprocess.Popen(
        [command("postgres"), "-D", data, "-k", home, "-c", "listen_addresses=", "-c", "shared_buffers=1GB",
         "-c", "maintenance_work_mem=1GB", "-c", "work_mem=256MB"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=home, **as_user)
    for _ in range(100):
        try:
            connection = psycopg2.connect(host=home, user=USER, dbname="postgres")
            break
        except psycopg2.OperationalError:
            time.sleep(0.1)
    else:
        sys.exit("the server does not answer")
    connection.autocommit = True
    cursor = connection.cursor()
    cursor.execute("SHOW server_version")
    say("version", note=cursor.fetchone()[0])
    cursor.execute("CREATE EXTENSION pg_trgm")
    cursor.execute("CREATE TABLE docs (n int PRIMARY KEY, body text)")
    loading = Clock()
    with loading:
        for chunk in chunks(len(documents)):
            execute_values(cursor, "INSERT INTO docs VALUES %s", [(i, documents[i]) for i in chunk], page_size=CHUNK)
        cursor.execute("CREATE INDEX ON docs USING gin (body gin_trgm_ops)")
        cursor.execute("ANALYZE docs")
    say("load and index", len(documents) / loading.seconds, "docs/s")
    cursor.execute("SET pg_trgm.similarity_threshold = 0.8")

    def search(q):
        cursor.execute("SELECT n FROM docs WHERE body %% %s", (documents[q],))
        return [n for (n,) in cursor.fetchall()]

    answer_queries(search)
    cursor.execute("CHECKPOINT")
    say("peak memory", peak(server.pid) / 1e6, "MB")
    say("disk", folder_bytes(os.path.join(data, "base")) / 1e6, "MB")
    connection.close()
finally:
    if server:
        server.send_signal(signal.SIGINT)
        server.wait()
    shutil.rmtree(home, ignore_errors=True)
