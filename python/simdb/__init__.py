"""simdb for Python: an embedded database for exact similarity search in texts.

A wheel has the command inside; it serves the database to this process and ends with it. Similarities
are from 0 to 1, places in texts are in characters, sizes in bytes. The guide has a page on all this.
"""

from ._db import DB, Comparison, Imported, Like, Passage, Score, Text, open
from ._errors import Closed, Error, Exists, Invalid, NotFound, ReadOnly
from ._errors import RecordsRejected, ServerDied, StatementError, TooLarge, Unavailable
from ._frames import dedupe, groups, pairs
from ._records import Document
from ._rows import Group, Match, Member, Pair, Rows, Source

__all__ = [
    "DB", "Closed", "Comparison", "Document", "Error", "Exists", "Group", "Imported", "Invalid", "Like", "Match",
    "Member", "NotFound", "Pair", "Passage", "ReadOnly", "RecordsRejected", "Rows", "Score", "ServerDied", "Source",
    "StatementError", "Text", "TooLarge", "Unavailable", "dedupe", "groups", "open", "pairs"]  # fmt: skip
