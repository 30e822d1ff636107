"""Test that a server's threads share memory pools, if the C library supports it."""

import subprocess
import sys

import pytest

# The script prints the number of malloc's pools after twenty threads have allocated memory at once.
POOLS = """
import ctypes, sys, tempfile, threading
from pages.ui.serving.start import few_arenas
if sys.argv[1] == "few":
    few_arenas()
libc = ctypes.CDLL(None)
libc.malloc.restype, libc.fopen.restype = ctypes.c_void_p, ctypes.c_void_p
libc.free.argtypes, libc.fclose.argtypes = [ctypes.c_void_p], [ctypes.c_void_p]
libc.malloc_info.argtypes = [ctypes.c_int, ctypes.c_void_p]
together = threading.Barrier(20)
def ask():
    together.wait()
    block = libc.malloc(100_000)
    together.wait()
    libc.free(block)
threads = [threading.Thread(target=ask) for _ in range(20)]
for thread in threads: thread.start()
for thread in threads: thread.join()
with tempfile.NamedTemporaryFile() as told:
    file = libc.fopen(told.name.encode(), b"w")
    libc.malloc_info(0, file)
    libc.fclose(file)
    print(told.read().count(b"<heap nr="))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the setting exists only on Linux")
def test_many_threads_share_few_pools_of_memory() -> None:
    def pools(how: str) -> int:
        done = subprocess.run(
            [sys.executable, "-c", POOLS, how], capture_output=True, text=True, check=False
        )
        return int(done.stdout) if done.returncode == 0 else 0

    if pools("many") < 3:
        pytest.skip("this C library has no such pools, or does not report them")
    assert 1 <= pools("few") <= 2
