"""What the samples use of the package `requests`, which is not part of Python: over urllib."""
import json as _json
from urllib.error import HTTPError
from urllib.request import Request, urlopen


class Response:
    def __init__(self, status, text):
        self.status, self.text = status, text

    def json(self):
        return _json.loads(self.text)

    def raise_for_status(self):
        if self.status >= 400:
            raise RuntimeError(f"{self.status} {self.text}")


def _multipart(fields, files):
    boundary = "boundary-of-the-form"
    part = f'--{boundary}\r\nContent-Disposition: form-data; name="%s"%s\r\n\r\n'
    body = "".join(part % (name, "") + f"{value}\r\n" for name, value in fields.items()).encode()
    for name, file in files.items():
        body += (part % (name, '; filename="file"')).encode() + file.read() + b"\r\n"
    return body + f"--{boundary}--\r\n".encode(), {"Content-Type": f"multipart/form-data; boundary={boundary}"}


def _send(method, url, headers={}, json=None, timeout=None, data=None, files=None):
    body = (b"" if method == "POST" else None) if json is None else _json.dumps(json).encode()
    if json is not None:
        headers = {"Content-Type": "application/json", **headers}
    if files:
        body, headers = _multipart(data, files)
    try:
        with urlopen(Request(url, body, headers, method=method), timeout=timeout) as answer:
            return Response(answer.status, answer.read().decode(errors="replace"))
    except HTTPError as error:
        return Response(error.code, error.read().decode())


def get(url, **options):
    return _send("GET", url, **options)


def post(url, **options):
    return _send("POST", url, **options)


def put(url, **options):
    return _send("PUT", url, **options)


def patch(url, **options):
    return _send("PATCH", url, **options)


def delete(url, **options):
    return _send("DELETE", url, **options)
