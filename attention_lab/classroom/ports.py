"""Ports of this machine: whether one can be served on."""

import socket

HERE = "127.0.0.1"


def check_port(port):
    """So that a port that is taken is said before anything starts.

    Raises
    ------
    OSError
        If nothing can be served there; the message says what to do.
    """
    with socket.socket() as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind((HERE, port))
        except (OSError, OverflowError) as error:
            raise OSError(f"port {port} cannot be used ({error}): choose another, such as {_another(port)}") from None


def _another(port):
    """A number beside it that is a port."""
    return port + 1 if 1024 <= port < 65_535 else 8001
