"""Block the system calls that reach beyond the subprocess's own files.

Landlock restricts the opening of files and TCP connections. It does not restrict UDP, sockets with
a path, rights and times of files, limits of other processes, or shared memory. seccomp blocks the
system calls for all of these. See the kernel's documentation, userspace-api/seccomp_filter.
"""

import ctypes
import errno
import platform
import struct
import sys

NO_NEW_PRIVILEGES, SET_FILTER, ALL_THREADS = 38, 1, 1
# For each processor: its number in the kernel, and the numbers of the system calls seccomp, clone
# and prlimit64. clone is allowed only to start a thread, prlimit64 only for this process.
PROCESSORS = {"x86_64": (0xC000003E, 317, 56, 302), "aarch64": (0xC00000B7, 277, 220, 261)}
X86_64, AARCH64 = 0, 1
CLONE3 = 435  # blocked, because a filter cannot read its flags in memory; libc then uses clone
# Numbers on x86_64 and on aarch64; 0 if the processor has no such call.
REFUSED = {
    "socket": (41, 198),
    "socketpair": (53, 199),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    # Programs and processes
    "execve": (59, 221),
    "execveat": (322, 281),
    "fork": (57, 0),
    "vfork": (58, 0),
    "kill": (62, 129),
    "tkill": (200, 130),
    "tgkill": (234, 131),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "pidfd_open": (434, 434),
    "pidfd_send_signal": (424, 424),
    "pidfd_getfd": (438, 438),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "process_mrelease": (448, 448),
    "kcmp": (312, 272),
    "move_pages": (279, 239),
    "migrate_pages": (256, 238),
    "setpgid": (109, 154),
    "setpriority": (141, 140),
    "ioprio_set": (251, 30),
    "sched_setaffinity": (203, 122),
    "sched_setattr": (314, 274),
    "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119),
    # Rights, owners and times of files; pipes and devices; watching files
    "chmod": (90, 0),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "chown": (92, 0),
    "fchown": (93, 55),
    "lchown": (94, 0),
    "fchownat": (260, 54),
    "mknod": (133, 0),
    "mknodat": (259, 33),
    "utime": (132, 0),
    "utimes": (235, 0),
    "futimesat": (261, 0),
    "utimensat": (280, 88),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "setxattrat": (463, 463),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
    "removexattrat": (466, 466),
    "file_setattr": (469, 469),
    "inotify_init": (253, 0),
    "inotify_init1": (294, 26),
    "fanotify_init": (300, 262),
    "open_by_handle_at": (304, 265),
    # Memory, semaphores, messages and keys shared by processes
    "shmget": (29, 194),
    "shmat": (30, 196),
    "shmctl": (31, 195),
    "semget": (64, 190),
    "semop": (65, 193),
    "semctl": (66, 191),
    "semtimedop": (220, 192),
    "msgget": (68, 186),
    "msgsnd": (69, 189),
    "msgrcv": (70, 188),
    "msgctl": (71, 187),
    "mq_open": (240, 180),
    "mq_unlink": (241, 181),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    # The system itself: relevant if the server runs as an administrator, as in a container
    "unshare": (272, 97),
    "setns": (308, 268),
    "chroot": (161, 51),
    "pivot_root": (155, 41),
    "mount": (165, 40),
    "umount2": (166, 39),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "mount_setattr": (442, 442),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "reboot": (169, 142),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "syslog": (103, 116),
    "acct": (163, 89),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "clock_adjtime": (305, 266),
    "adjtimex": (159, 171),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "iopl": (172, 0),
    "ioperm": (173, 0),
}
# Instructions and results of the filter (classic BPF).
LOAD, IF_EQUAL, IF_AT_LEAST, IF_BITS, ANSWER = 0x20, 0x15, 0x35, 0x45, 0x06
ALLOW, END, ERROR = 0x7FFF0000, 0x80000000, 0x00050000
NUMBER, PROCESSOR, FIRST_ARGUMENT = 0, 4, 16  # offsets in the data of a system call (little-endian)
OTHER_NUMBERS = 0x40000000  # on x86_64, a second set of calls starts at this number
THREAD = 0x00010000  # the flag of clone


def refuse_calls() -> bool:
    """Block the system calls in `REFUSED`, in all threads and permanently.

    Returns False, and changes nothing, on other systems and processors.
    """
    known = PROCESSORS.get(platform.machine()) if struct.calcsize("P") == 8 else None
    if not sys.platform.startswith("linux") or known is None:
        return False
    code = _program(platform.machine())
    length = len(code) // 8
    held = ctypes.create_string_buffer(code, len(code))
    filter = struct.pack("HxxxxxxQ", length, ctypes.addressof(held))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0) != 0:
        return False
    return bool(libc.syscall(known[1], SET_FILTER, ALL_THREADS, filter) == 0)


def _program(machine: str) -> bytes:
    """Return the filter program for a processor."""
    processor, _, clone, limits = PROCESSORS[machine]
    column = X86_64 if machine == "x86_64" else AARCH64
    refuse = (ANSWER, 0, 0, ERROR | errno.EPERM)
    allow = (ANSWER, 0, 0, ALLOW)
    steps = [
        (LOAD, 0, 0, PROCESSOR),
        (IF_EQUAL, 1, 0, processor),
        (ANSWER, 0, 0, END),
        (LOAD, 0, 0, NUMBER),
        (IF_AT_LEAST, 0, 1, OTHER_NUMBERS),
        refuse,
        (IF_EQUAL, 0, 1, CLONE3),
        (ANSWER, 0, 0, ERROR | errno.ENOSYS),
        (IF_EQUAL, 0, 4, clone),
        (LOAD, 0, 0, FIRST_ARGUMENT),
        (IF_BITS, 1, 0, THREAD),
        refuse,
        allow,
        (IF_EQUAL, 0, 4, limits),
        (LOAD, 0, 0, FIRST_ARGUMENT),
        (IF_EQUAL, 1, 0, 0),
        refuse,
        allow,
    ]
    for numbers in REFUSED.values():
        if numbers[column]:
            steps += [(IF_EQUAL, 0, 1, numbers[column]), refuse]
    return b"".join(struct.pack("HBBI", *step) for step in [*steps, allow])
