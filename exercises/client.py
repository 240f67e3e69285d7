#!/usr/bin/env python3
"""A starter client for exercises: transport, signing and verifying, and nothing else. It needs Python 3.8 and its standard library.

    import client
    student = client.connect("http://127.0.0.1:8787")
    instance = student.instance("predict-cost")
    print(student.submit("predict-cost", {"type": "number", "number": 1234}))

Start your script with `PYTHONPATH=exercises python3 my-solution.py`. The token is read from the variable USURP_TOKEN; a
server without tokens needs none.
"""

import hashlib
import json
import os
import secrets
import time
import urllib.error
import urllib.request


class Refused(Exception):
    """A refusal of the server: `problem` has its code and its detail."""

    def __init__(self, problem):
        super().__init__(f"{problem['code']}: {problem['detail']}")
        self.problem = problem


class Client:
    """Calls a server as one student."""

    def __init__(self, server, headers):
        self.server = server
        self.headers = headers

    def call(self, method, path, body=None, repeats=5):
        """Sends a request. It waits if the server asks it to, at most for a minute and five times."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json", **self.headers}
        request = urllib.request.Request(self.server + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request) as response:
                text = response.read()
        except urllib.error.HTTPError as error:
            seconds = int(error.headers.get("Retry-After", 0))
            if error.code != 429 or seconds > 60 or repeats == 0:
                raise Refused(json.load(error)) from None
            time.sleep(seconds)
            return self.call(method, path, body, repeats - 1)
        return json.loads(text) if text else None

    def get(self, path):
        return self.call("GET", path)

    def post(self, path, body=None):
        return self.call("POST", path, body)

    def remove(self, path):
        return self.call("DELETE", path)

    def instance(self, name):
        """Your instance of an exercise. It is the same at each call."""
        return self.post(f"/v1/exercises/{name}/instances")

    def submit(self, name, submission):
        return self.post(f"/v1/exercises/{name}/submissions", submission)

    def node(self, token):
        """Calls in the name of a node that you play. The answer to your join has its token."""
        return Client(self.server, {**self.headers, "Node-Token": token})


def connect(server, token=os.environ.get("USURP_TOKEN")):
    return Client(server, {"Authorization": f"Bearer {token}"} if token else {})


def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def zero_bits(digest):
    """Number of zero bits at the beginning."""
    return 8 * len(digest) - int.from_bytes(digest, "big").bit_length()


def signed(secret, challenge, node_id, solution=b""):
    """The signature that proves that the claimant owns the key: of challenge, node ID and solution."""
    return sign(secret, b"usurp/claim/v1\0" + challenge + node_id + solution)


def is_signed(public_key, signature, challenge, node_id, solution=b""):
    """Whether a signature over these parts is one of the public key of 32 bytes."""
    return verify(public_key, signature, b"usurp/claim/v1\0" + challenge + node_id + solution)


# --- Ed25519 by RFC 8032, section 5.1: slow and not in constant time. Use it only for keys that are thrown away.

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P


def added(one, other):
    x1, y1, z1, t1 = one
    x2, y2, z2, t2 = other
    a, b = (y1 - x1) * (y2 - x2) % P, (y1 + x1) * (y2 + x2) % P
    c, d = 2 * t1 * t2 * D % P, 2 * z1 * z2 % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def point_from(encoding):
    """The point of 32 bytes; None if they are not the canonical encoding of one."""
    bits = int.from_bytes(encoding, "little")
    y, sign_bit = bits & ((1 << 255) - 1), bits >> 255
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P != 0:
        x = x * pow(2, (P - 1) // 4, P) % P
    if len(encoding) != 32 or y >= P or (x * x - square) % P != 0 or (x == 0 and sign_bit):
        return None
    x = x if x % 2 == sign_bit else P - x
    return x, y, 1, x * y % P


def doubled(point):
    points = [point]
    while len(points) < 256:
        points.append(added(points[-1], points[-1]))
    return points


BASE_POINTS = doubled(point_from((4 * pow(5, P - 2, P) % P).to_bytes(32, "little")))


def times(scalar, points):
    total = (0, 1, 1, 0)
    for bit, point in enumerate(points):
        if scalar >> bit & 1:
            total = added(total, point)
    return total


def encoded(point):
    x, y, z, _ = point
    inverse = pow(z, P - 2, P)
    return (y * inverse % P | (x * inverse % P & 1) << 255).to_bytes(32, "little")


def point_of(scalar):
    """The encoding of scalar times the base point."""
    return encoded(times(scalar, BASE_POINTS))


def expanded(secret):
    digest = hashlib.sha512(secret).digest()
    scalar = int.from_bytes(digest[:32], "little") & ((1 << 254) - 8) | 1 << 254
    return scalar, digest[32:]


def hashed(*parts):
    return int.from_bytes(hashlib.sha512(b"".join(parts)).digest(), "little") % ORDER


def new_key():
    """A new secret of 32 bytes, and its public key."""
    secret = secrets.token_bytes(32)
    return secret, point_of(expanded(secret)[0])


def sign(secret, message):
    scalar, prefix = expanded(secret)
    nonce = hashed(prefix, message)
    point = point_of(nonce)
    challenge = hashed(point, point_of(scalar), message)
    return point + ((nonce + challenge * scalar) % ORDER).to_bytes(32, "little")


def verify(public_key, signature, message):
    """Whether S B = R + k A, without a factor of 8."""
    key, point = point_from(public_key), point_from(signature[:32])
    scalar = int.from_bytes(signature[32:], "little")
    if key is None or point is None or len(signature) != 64 or scalar >= ORDER:
        return False
    challenge = hashed(signature[:32], public_key, message)
    return point_of(scalar) == encoded(added(point, times(challenge, doubled(key))))
