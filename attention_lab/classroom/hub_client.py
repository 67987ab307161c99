"""What a browser does with JupyterHub and a Jupyter server, without the browser: sign in, start, open, run."""

import json
import re
import time
import uuid
from contextlib import contextmanager
from urllib.parse import quote

import requests
import websocket

FORM = re.compile(r'name="_xsrf"\s+value="([^"]+)"')
SECONDS = 120  # for one answer, on a machine where everybody starts at once
LOOK = 1.0  # seconds after which a wait looks whether it is to stop


class HubError(Exception):
    """The hub, or a server of it, did not do what it was asked to; the message says what it answered."""


class Stopped(Exception):
    """The wait was ended by whoever started it."""


class Client:
    """One person's way to a JupyterHub.

    Parameters
    ----------
    address : str
        Such as "http://127.0.0.1:8000".
    is_over : callable, optional
        Long waits end with `Stopped` once it returns True.
    """

    def __init__(self, address, is_over=lambda: False):
        self.address, self.http, self.is_over = address, requests.Session(), is_over
        self.http.trust_env = False  # no proxy between this machine and itself

    def is_up(self):
        """Whether the hub answers."""
        try:
            return self.http.get(f"{self.address}/hub/health", timeout=5).ok
        except requests.RequestException:
            return False

    def sign_in(self, name, password):
        """By the form, as a browser does."""
        page = self._ask("GET", "/hub/login")
        form = {"_xsrf": FORM.search(page.text)[1], "username": name, "password": password}
        answer = self._ask("POST", "/hub/login", data=form, allow_redirects=False, expected=(302, 403))
        if answer.status_code != 302:
            raise HubError(f"{name} could not sign in: wrong name or password")
        self._ask("GET", "/hub/home")  # the token of forms changes with the sign-in

    def add_user(self, name):
        """As the teacher."""
        self._hub("POST", f"users/{quote(name)}", expected=(201, 409))

    def ask_for_server(self, name, seconds=600):
        """Let somebody's server start. A hub that is busy is asked again."""
        path, end = f"users/{quote(name)}/server", time.monotonic() + seconds
        while (answer := self._hub("POST", path, expected=(201, 202, 400, 429))).status_code == 429:
            self._pause(min(float(answer.headers.get("Retry-After", 1)), 2), end, name)

    def wait_for_server(self, name, seconds=600):
        """Until it answers."""
        end = time.monotonic() + seconds
        while not (server := self._server_of(name)).get("ready"):
            if not server:
                raise HubError(f"the server of {name} ended before it answered: hub.log says why")
            self._pause(1, end, name)  # each question costs the hub 20 ms

    def open_server(self, name):
        """Let a server know who asks: the pages of JupyterLab take the person through the hub and back."""
        self.home = f"/user/{quote(name)}/"
        self._ask("GET", self.home + "lab")

    def contents(self, path):
        """A file of one's own, as JupyterLab reads it."""
        return self._own("GET", f"api/contents/{quote(path)}").json()

    def start_kernel(self, path):
        """A kernel for a notebook file; gives a `Kernel`."""
        what = {"path": path, "name": path, "type": "notebook", "kernel": {"name": "python3"}}
        kernel = self._own("POST", "api/sessions", json=what, expected=(201,)).json()["kernel"]["id"]
        return Kernel(self, kernel)

    def cookies_for(self, path):
        """The header that a request for this path would carry."""
        request = requests.Request("GET", self.address + path)
        return self.http.prepare_request(request).headers.get("Cookie", "")

    def _server_of(self, name):
        return self._hub("GET", f"users/{quote(name)}").json().get("servers", {}).get("", {})

    def _pause(self, seconds, end, name):
        if self.is_over():
            raise Stopped
        if time.monotonic() > end:
            raise HubError(f"the server of {name} did not start in time: hub.log says why")
        time.sleep(seconds)

    def _hub(self, method, path, **options):
        return self._ask(method, f"/hub/api/{path}", token_of="/hub/", **options)

    def _own(self, method, path, **options):
        return self._ask(method, self.home + path, token_of=self.home, **options)

    def _ask(self, method, path, *, token_of=None, expected=(200,), **options):
        token = self.http.cookies.get("_xsrf", path=token_of) if token_of else None
        headers = {"X-XSRFToken": token} if token else {}
        if self.is_over():
            raise Stopped
        try:
            answer = self.http.request(method, self.address + path, headers=headers, timeout=SECONDS, **options)
        except requests.RequestException as error:
            raise HubError(f"{method} {path}: {error}") from None
        if answer.status_code not in expected:
            raise HubError(f"{method} {path}: {answer.status_code} {answer.reason} {answer.text[:200]}")
        return answer


class Kernel:
    """A kernel that runs behind the hub, and the widgets that it made.

    Attributes
    ----------
    widgets : dict of str to dict
        The state of each widget, by its id.
    """

    def __init__(self, client, kernel):
        self.client, self.session, self.widgets = client, uuid.uuid4().hex, {}
        self.path = f"{client.home}api/kernels/{kernel}"
        self._socket = None

    @contextmanager
    def connected(self):
        """Messages can be sent and received within."""
        path = f"{self.path}/channels?session_id={self.session}"
        cookie = self.client.cookies_for(path)
        address = self.client.address.replace("http", "ws", 1) + path
        self._socket = websocket.create_connection(address, cookie=cookie, timeout=SECONDS)
        self._socket.settimeout(LOOK)
        try:
            yield self
        finally:
            self._socket.close()

    def run(self, source, seconds=300):
        """Run a cell; give what it printed on stderr or failed with, or nothing."""
        code = {"code": source, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False}
        said = []
        for kind, content in self._ask("execute_request", code, seconds):
            if kind == "error":
                said.append(f"{content['ename']}: {content['evalue']}")
            elif kind == "stream" and content["name"] == "stderr":
                said.append(content["text"].strip())
        return "; ".join(said)

    def move(self, widget, values, watched, seconds=60):
        """Change a widget as a hand does; give the seconds until `watched` has another value, None if it has none."""
        start, changed = time.perf_counter(), None
        data = {"method": "update", "state": values, "buffer_paths": []}
        self.widgets[widget].update(values)
        for kind, content in self._ask("comm_msg", {"comm_id": widget, "data": data}, seconds):
            if changed is None and kind == "comm_msg" and content["comm_id"] == watched:
                changed = time.perf_counter() - start if "value" in content["data"].get("state", {}) else None
        return changed

    def _ask(self, kind, content, seconds):
        """Send a message; give kind and content of all that comes of it, until the kernel is idle again."""
        name, end = uuid.uuid4().hex, time.monotonic() + seconds
        header = {"msg_id": name, "msg_type": kind, "session": self.session, "username": "", "version": "5.3"}
        whole = {"header": header, "parent_header": {}, "metadata": {}, "content": content, "channel": "shell"}
        self._socket.send(json.dumps(whole))
        while True:
            message = self._receive(end, kind)
            if message["parent_header"].get("msg_id") != name or message["channel"] != "iopub":
                continue
            name_of_answer, answer = message["header"]["msg_type"], message["content"]
            if name_of_answer == "status" and answer["execution_state"] == "idle":
                return
            yield name_of_answer, answer

    def _receive(self, end, what):
        while True:
            try:
                message = read_message(self._socket.recv())
            except websocket.WebSocketTimeoutException:
                message = None
            except (websocket.WebSocketException, OSError) as error:
                raise HubError(f"the kernel's connection broke: {error}") from None
            if self.client.is_over():
                raise Stopped
            if message is not None:
                self._note(message)
                return message
            if time.monotonic() > end:
                raise HubError(f"the kernel did not finish in time with: {what}")

    def _note(self, message):
        """Keep the widgets' states as a page does."""
        kind, content = message["header"]["msg_type"], message["content"]
        if kind in ("comm_open", "comm_msg"):
            state = content["data"].get("state", {})
            self.widgets.setdefault(content["comm_id"], {}).update(state)


def read_message(data):
    """A Jupyter message as it comes over a websocket: JSON, or with binary parts, which are left aside.

    Examples
    --------
    >>> read_message('{"channel": "iopub"}')
    {'channel': 'iopub'}
    """
    if isinstance(data, bytes):
        first, second = (int.from_bytes(data[at : at + 4], "big") for at in (4, 8))
        count = int.from_bytes(data[:4], "big")
        data = data[first : second if count > 1 else len(data)].decode()
    return json.loads(data)
