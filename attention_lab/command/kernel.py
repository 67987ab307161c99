"""Start the kernel that JupyterLab would start for a lesson, and move a slider in it, as the page does."""

import os
import time
from contextlib import contextmanager
from pathlib import Path
from queue import Empty
from subprocess import DEVNULL

NAME = "python3"  # the kernel that every lesson asks for
SECONDS = 60
MOVED = "attention_lab saw 7"
CODE = """
import sys, attention_lab, ipywidgets
slider = ipywidgets.IntSlider()
slider.observe(lambda change: print("attention_lab saw", change["new"]), "value")
print(sys.prefix)
"""
REMOVE = "run  {python} -m jupyter kernelspec remove python3  where it is of another environment"
AGAIN = "run  {python} -m pip install --force-reinstall --no-deps ipykernel ipywidgets jupyterlab_widgets"


class KernelFault(Exception):
    """What is wrong, in a few words, and what mends it; ``{python}`` in it stands for this Python."""

    def __init__(self, what, mend):
        super().__init__(what)
        self.what, self.mend = what, mend


def no_place():
    """Why JupyterLab cannot keep what it needs while it runs, and what mends it; None where it can, or is missing."""
    try:
        from jupyter_core.paths import jupyter_runtime_dir
    except ImportError:
        return None
    folder = Path(jupyter_runtime_dir())
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        reason = None if os.access(folder, os.W_OK) else "Permission denied"
    except OSError as error:
        reason = error.strerror
    variable = "JUPYTER_RUNTIME_DIR" if os.environ.get("JUPYTER_RUNTIME_DIR") else "JUPYTER_DATA_DIR"
    wanted = f"JupyterLab cannot keep files in {folder} ({reason}): set the environment variable {variable}"
    return reason and f"{wanted} to a folder that you may write to"


def try_a_slider():
    """The environment of the kernel, after a slider that is moved from outside was heard in it.

    Returns
    -------
    pathlib.Path

    Raises
    ------
    KernelFault
        If there is no such kernel, it does not start, it cannot import the course, or it hears nothing.
    """
    with _kernel() as client:
        prefix, model = _make_slider(client)
        if model is None:
            raise KernelFault("it makes no slider", AGAIN)
        content = {"comm_id": model, "data": {"method": "update", "state": {"value": 7}, "buffer_paths": []}}
        client.shell_channel.send(client.session.msg("comm_msg", content))
        said = (message["content"].get("text", "") for message in _published(client))
        if not any(MOVED in text for text in said):
            raise KernelFault("it does not hear of a slider that moves", AGAIN)
        return Path(prefix)


@contextmanager
def _kernel():
    try:
        from jupyter_client import KernelManager
        from jupyter_client.kernelspec import NoSuchKernel
    except ImportError:
        raise KernelFault("JupyterLab's parts are missing", "run  {python} -m pip install jupyterlab") from None
    manager = KernelManager(kernel_name=NAME)
    try:
        manager.start_kernel(stdout=DEVNULL, stderr=DEVNULL)
    except NoSuchKernel:
        raise KernelFault("there is none", "run  {python} -m pip install --force-reinstall ipykernel") from None
    except OSError as error:
        raise KernelFault(f"it cannot be started ({error})", REMOVE) from None
    client = manager.blocking_client()
    try:
        client.start_channels()
        client.wait_for_ready(timeout=SECONDS)
        yield client
    except RuntimeError:  # of wait_for_ready: it died, or said nothing
        raise KernelFault("it does not answer", AGAIN) from None
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def _make_slider(client):
    """What the kernel's environment is, and the id of the slider in it."""
    client.execute(CODE, store_history=False)
    prefix = model = None
    for message in _published(client):
        content = message["content"]
        match message["msg_type"]:
            case "error":
                raise KernelFault(f"it cannot import the course ({content['ename']}: {content['evalue']})", REMOVE)
            case "stream":
                prefix = content["text"].strip()
            case "comm_open" if "max" in content["data"].get("state", {}):
                model = content["comm_id"]
    return prefix, model


def _published(client):
    """What the kernel publishes until it has nothing more to say."""
    end = time.monotonic() + SECONDS
    while (left := end - time.monotonic()) > 0:
        try:
            message = client.get_iopub_msg(timeout=left)
        except Empty:
            return
        yield message
        if message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
            return
