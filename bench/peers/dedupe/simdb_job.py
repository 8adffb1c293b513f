"""simdb: import once, then exact pairs by the command."""

import os
import subprocess
import sys

file, folder, threshold = sys.argv[1:]
simdb, store = os.environ["SIMDB"], folder + "/store.simdb"
if threshold == "import":
    subprocess.run([simdb, "import", "--quiet", store, file], check=True)
else:
    subprocess.run([simdb, "query", "--format", "csv", store, f"SIMILAR PAIRS WHERE sim >= {threshold}"], check=True)
