"""Restrict the subprocess to the files of the interpreter, packages and its own folder.

Linux provides Landlock for this (since 5.13): a process gives up rights permanently, and needs no
administrator rights to do so. See the kernel's documentation, userspace-api/landlock. Other systems
have no equivalent, so only the checks of the readers protect against hostile files.
"""

import ctypes
import os
import struct
import sys
from collections.abc import Iterable
from pathlib import Path

# These system calls have the same numbers on all processors.
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
PATH_BENEATH, ASK_VERSION, NO_NEW_PRIVILEGES = 1, 1, 38
# Rights: 13 kinds of access to files in version 1, and one more in each of versions 2, 3 and 5.
EXECUTE, READ_FILE, READ_FOLDER, REMOVE_FOLDER = 1 << 0, 1 << 2, 1 << 3, 1 << 4
ALL_RIGHTS = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 5: (1 << 16) - 1}
NETWORK, SCOPES = 0b11, 0b11  # version 4: TCP; version 6: other processes' sockets and signals
SYSTEM = (
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
    "/usr/local/lib",
    "/nix/store",
    "/gnu/store",
    "/usr/share/zoneinfo",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/dev/null",
    "/dev/urandom",
)


def fence_in(readable: Iterable[Path], writable: Path) -> bool:
    """Let this process read only below `readable` and `SYSTEM`, write only below `writable`.

    The process cannot start programs from these files or make TCP connections; `refuse_calls`
    blocks other ways out. It can remove empty folders beside `writable`. Call this function before
    other threads start, because it does not restrict threads that already run. Returns False, and
    changes nothing, on systems without Landlock.
    """
    if not sys.platform.startswith("linux"):
        return False
    call = ctypes.CDLL(None, use_errno=True).syscall
    version = call(CREATE_RULESET, None, ctypes.c_size_t(0), ASK_VERSION)
    if version < 1:
        return False
    rights = ALL_RIGHTS[max(known for known in ALL_RIGHTS if known <= version)]
    handled = struct.pack(
        "QQQ", rights, NETWORK if version >= 4 else 0, SCOPES if version >= 6 else 0
    )[: 8 if version < 4 else 16 if version < 6 else 24]
    rules = call(CREATE_RULESET, handled, ctypes.c_size_t(len(handled)), 0)
    if rules < 0:
        return False
    try:
        for path in {*map(Path, SYSTEM), *readable}:
            _allow(call, rules, path, READ_FILE | READ_FOLDER)
        _allow(call, rules, writable, rights & ~EXECUTE)
        _allow(call, rules, writable.parent, REMOVE_FOLDER)  # to delete its own folder at the end
        prctl = ctypes.CDLL(None).prctl
        return prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0) == 0 and call(RESTRICT_SELF, rules, 0) == 0
    finally:
        os.close(rules)


def _allow(call: "ctypes._NamedFuncPointer", rules: int, path: Path, rights: int) -> None:
    """Add a rule for a path, if the path exists."""
    try:
        handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        # The right to list entries is valid only for folders.
        beneath = rights if path.is_dir() else rights & ~READ_FOLDER
        call(ADD_RULE, rules, PATH_BENEATH, struct.pack("=Qi", beneath, handle), 0)
    finally:
        os.close(handle)


def packages() -> list[Path]:
    """Return the folders of the interpreter and of installed packages.

    Other folders on the import path, such as the current folder, are not included, since they may
    contain private files.
    """
    own = {sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix}
    installed = {entry for entry in sys.path if any(Path(entry).glob("*.dist-info"))}
    return sorted(Path(path).resolve() for path in own | installed)
