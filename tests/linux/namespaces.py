"""Network namespaces, TUN devices and sysctls, with the rights of an ordinary user (user_namespaces(7))."""

import ctypes
import errno
import fcntl
import os
import platform
import socket
import struct
from pathlib import Path

CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 0x0001, 0x1000
SIOCSIFFLAGS, SIOCSIFADDR, SIOCSIFNETMASK, SIOCSIFMTU = 0x8914, 0x8916, 0x891C, 0x8922
IFF_UP = 0x1
RTM_NEWLINK, NLM_F_REQUEST, NLM_F_ACK, IFLA_TXQLEN = 16, 0x1, 0x4, 13

DEVICE = "farlink0"
TUN = Path("/dev/net/tun")
MTU = 1500
QUEUE_PACKETS = 100_000
"""Of the device: more than any window here, so that only the link's own queue drops."""

libc = ctypes.CDLL(None, use_errno=True)


class MissingError(Exception):
    """What this machine lacks for a recording."""


def enter_user_namespace() -> None:
    """Become root of a user and network namespace of our own."""
    user, group = os.geteuid(), os.getegid()
    _unshare(CLONE_NEWUSER | CLONE_NEWNET, "user namespaces")
    try:
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"0 {user} 1")
        Path("/proc/self/gid_map").write_text(f"0 {group} 1")
    except OSError as error:
        raise MissingError(f"user namespaces: the user cannot be mapped ({error.strerror})") from error


def enter_network_namespace() -> None:
    """Enter another one; devices stay where they were made."""
    _unshare(CLONE_NEWNET, "network namespaces")


def open_tun(address: str) -> int:
    """A TUN device of the present network namespace, up, with this address in a network of 24 bits."""
    try:
        tun = os.open(TUN, os.O_RDWR | os.O_NONBLOCK)
    except OSError as error:
        raise MissingError(f"{TUN}: {error.strerror}") from error
    try:
        fcntl.ioctl(tun, TUNSETIFF, _request("H", IFF_TUN | IFF_NO_PI))
        _set_queue_length(QUEUE_PACKETS)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
            fcntl.ioctl(control, SIOCSIFADDR, _address(address))
            fcntl.ioctl(control, SIOCSIFNETMASK, _address("255.255.255.0"))
            fcntl.ioctl(control, SIOCSIFMTU, _request("i", MTU))
            fcntl.ioctl(control, SIOCSIFFLAGS, _request("H", IFF_UP))
    except OSError as error:
        raise MissingError(f"a TUN device cannot be made: {error.strerror}") from error
    return tun


def drops_of_device() -> int:
    """Packets that the TUN device of the present namespace refused or lost."""
    for line in Path("/proc/self/net/dev").read_text().splitlines():
        name, _, counters = line.partition(":")
        if name.strip() == DEVICE:
            numbers = [int(each) for each in counters.split()]
            return numbers[3] + numbers[11]
    raise LookupError(DEVICE)


def set_sysctls(values: dict[str, str]) -> None:
    """Set sysctls of the present network namespace."""
    for name, value in values.items():
        path = _sysctl(name)
        try:
            path.write_text(value)
        except OSError as error:
            raise MissingError(f"sysctl {name} cannot be set in a namespace: {error.strerror}") from error


def get_sysctl(name: str) -> str:
    return " ".join(_sysctl(name).read_text().split())


def kernel() -> str:
    return f"{platform.system()} {platform.release()} {platform.machine()}"


def congestion_controls() -> list[str]:
    return get_sysctl("net.ipv4.tcp_available_congestion_control").split()


def _sysctl(name: str) -> Path:
    return Path("/proc/sys", *name.split("."))


def _unshare(flags: int, what: str) -> None:
    if libc.unshare(flags) != 0:
        error = ctypes.get_errno()
        remedy = "; raise the sysctls user.max_user_namespaces and user.max_net_namespaces"
        raise MissingError(f"{what}: {os.strerror(error)}{remedy if error == errno.ENOSPC else ''}")


def _set_queue_length(packets: int) -> None:
    """By rtnetlink(7): the ioctl for it is refused in a user namespace."""
    attribute = struct.pack("HHI", 8, IFLA_TXQLEN, packets)
    link = struct.pack("BxHiII", socket.AF_UNSPEC, 0, socket.if_nametoindex(DEVICE), 0, 0)
    header = struct.pack("IHHII", 16 + len(link) + len(attribute), RTM_NEWLINK, NLM_F_REQUEST | NLM_F_ACK, 1, 0)
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as route:
        route.send(header + link + attribute)
        (error,) = struct.unpack_from("i", route.recv(4096), 16)
    if error:
        raise OSError(-error, os.strerror(-error))


def _request(form: str, value: int) -> bytes:
    """A `struct ifreq`."""
    return struct.pack(f"16s{form}", DEVICE.encode(), value).ljust(40, b"\0")


def _address(address: str) -> bytes:
    family = struct.pack("HH4s", socket.AF_INET, 0, socket.inet_aton(address))
    return (DEVICE.encode().ljust(16, b"\0") + family).ljust(40, b"\0")
