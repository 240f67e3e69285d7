#!/usr/bin/env python3
"""A complete attack on a leader election. It needs a running `usurp serve`:

    python3 examples/attack.py http://127.0.0.1:8787

The attack mines an identity above all honest ones: it makes Ed25519 keys until the hash of one is high enough
and satisfies the puzzle of the election. It joins with this identity and announces itself in signed messages,
and the honest nodes follow it. Then it attacks an election whose identities cost more, and fails. It uses only
the standard library of Python. The arithmetic of Ed25519 is that of RFC 8032, section 5.1.
"""

import hashlib
import json
import secrets
import sys
import time
import urllib.error
import urllib.request

# --- Ed25519 (RFC 8032): slow and not in constant time. Use it only for keys that are thrown away.

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
BASE_Y = 4 * pow(5, P - 2, P) % P


def recover_x(y):
    squared = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(squared, (P + 3) // 8, P)
    if (x * x - squared) % P != 0:
        x = x * pow(2, (P - 1) // 4, P) % P
    return P - x if x % 2 else x


def add(one, other):
    x1, y1, z1, t1 = one
    x2, y2, z2, t2 = other
    a, b = (y1 - x1) * (y2 - x2) % P, (y1 + x1) * (y2 + x2) % P
    c, d = 2 * t1 * t2 * D % P, 2 * z1 * z2 % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


BASE_X = recover_x(BASE_Y)
BASE_POWERS = [(BASE_X, BASE_Y, 1, BASE_X * BASE_Y % P)]
for _ in range(255):
    BASE_POWERS.append(add(BASE_POWERS[-1], BASE_POWERS[-1]))


def times_base(scalar):
    total = (0, 1, 1, 0)
    for power in BASE_POWERS:
        if scalar & 1:
            total = add(total, power)
        scalar >>= 1
    return total


def encode(point):
    x, y, z, _ = point
    inverse = pow(z, P - 2, P)
    x, y = x * inverse % P, y * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, 'little')


def expand(secret):
    digest = hashlib.sha512(secret).digest()
    scalar = int.from_bytes(digest[:32], 'little')
    return scalar & ~7 & (1 << 254) - 1 | 1 << 254, digest[32:]


def public_key(secret):
    return encode(times_base(expand(secret)[0]))


def sign(secret, message):
    scalar, prefix = expand(secret)
    nonce = int.from_bytes(hashlib.sha512(prefix + message).digest(), 'little') % ORDER
    point = encode(times_base(nonce))
    digest = hashlib.sha512(point + public_key(secret) + message).digest()
    proof = (nonce + int.from_bytes(digest, 'little') * scalar) % ORDER
    return point + proof.to_bytes(32, 'little')


# --- HTTP


class Refused(Exception):
    """A problem document (RFC 9457)."""

    def __init__(self, problem):
        super().__init__(problem['detail'])
        self.code = problem['code']


def call(method, path, body=None, headers=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(server + path, data=data, method=method, headers=headers or {})
    if data is not None:
        request.add_header('Content-Type', 'application/json')
    for tries_left in range(4, -1, -1):
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            if error.code != 429 or tries_left == 0:
                raise Refused(json.load(error)) from None
            # The server says when the caller may send again.
            time.sleep(int(error.headers.get('Retry-After', 1)))


# --- Identities


def zero_bits(digest):
    return 8 * len(digest) - int.from_bytes(digest, 'big').bit_length()


def mine(above, bits):
    """An identity with a node ID above `above` that satisfies the static puzzle, and the number of keys tried."""
    for keys in range(1, 1_000_000):
        secret = secrets.token_bytes(32)
        key = public_key(secret)
        node_id = hashlib.sha256(key).digest()
        if node_id > above and zero_bits(hashlib.sha256(node_id).digest()) >= bits:
            return secret, key, node_id, keys
    raise SystemExit('no identity among a million keys')


def claim_of(secret, key, node_id):
    """A claim. It signs the challenge of the network and the node ID; without a dynamic puzzle there is no X."""
    challenge = hashlib.sha256(b'usurp/challenge/v1\0' + (0).to_bytes(8, 'big') + b'usurp').digest()
    signature = sign(secret, b'usurp/claim/v1\0' + challenge + node_id)
    return {
        'scheme': 'ed25519',
        'publicKey': key.hex(),
        'nodeId': node_id.hex(),
        'solution': None,
        'signature': signature.hex(),
    }


# --- Signed messages. At level L3 a signature is for one recipient, one election and one message number.


def compact(value):
    return json.dumps(value, separators=(',', ':'))


def signature_of(secret, text):
    return sign(secret, b'usurp/message/v1\0' + compact(text).encode()).hex()


def announcement(secret, election, me, to, number):
    """The COORDINATOR message of Bully, with the signatures that level L3 requires."""
    name, protocol = election['name'], election['protocol']
    body = {'leader': me, 'type': 'COORDINATOR'}
    text = compact(['usurp/election/v1', protocol, me, to, name, number, body])
    candidacy = compact(['usurp/candidacy/v1', protocol, me, name])
    seal = {
        'by': me,
        'number': number,
        'signature': signature_of(secret, text),
        'candidacies': {str(me): signature_of(secret, candidacy)},
    }
    return {**body, 'seal': seal}


# --- The attack


def create(bits):
    policy = {'c1': bits}
    body = {'protocol': 'bully-oneshot', 'nodes': 5, 'level': 'L3', 'policy': policy, 'seed': '7'}
    return call('POST', '/v1/elections', body)


def act(election, **action):
    return call('POST', election['links']['actions'], action)


def nodes_of(election):
    return call('GET', election['links']['self'] + '/nodes')['items']


def announce(secret, election, me):
    for node in nodes_of(election):
        if node['rank'] != me:
            message = announcement(secret, election, me, node['rank'], 1)
            act(election, **{'type': 'inject', 'from': me, 'to': node['rank'], 'message': message})


def attack():
    election = create(CHEAP_BITS)
    top = max(bytes.fromhex(node['nodeId']) for node in nodes_of(election))
    secret, key, node_id, keys = mine(top, CHEAP_BITS)
    print(f'mined {node_id.hex()[:16]}… above {top.hex()[:16]}…: {keys} keys')
    claim = claim_of(secret, key, node_id)
    member = call('POST', election['links']['self'] + '/nodes', {'claim': claim, 'waitMs': 0})
    print(f"joined with rank {member['rank']} of {len(nodes_of(election))}")
    act(election, type='start')
    token = {'Node-Token': member['token']}
    # Until the start, the rank changes when another node joins.
    me = call('GET', member['links']['inbox'], headers=token)['rank']
    announce(secret, election, me)
    following = {'effects': [{'type': 'elect', 'leader': me, 'epoch': 0}]}
    call('POST', member['links']['outbox'], following, token)
    leader = act(election, type='advance', until='idle')['leader']
    if leader is None or leader['nodeId'] != node_id.hex():
        raise SystemExit(f'the attack failed but should win: leader {leader}')
    print('won: the honest nodes follow the mined identity')
    return secret, claim


def attack_defended(secret, claim):
    election = create(EXPENSIVE_BITS)
    try:
        call('POST', election['links']['self'] + '/nodes', {'claim': claim})
        raise SystemExit('the cheap identity was admitted')
    except Refused as refusal:
        print(f'refused ({refusal.code}): {refusal}')
    # It is no member, but it can still send false messages in the name of a node whose key it does not have.
    top = max(node['rank'] for node in nodes_of(election))
    act(election, type='start')
    announce(secret, election, top - 1)
    leader = act(election, type='advance', until='idle')['leader']
    if leader is None or leader['rank'] != top:
        raise SystemExit(f'the attack won but should fail: leader {leader}')
    print('failed: the honest nodes elected the highest of their own')


CHEAP_BITS = 4
EXPENSIVE_BITS = 16

if len(sys.argv) != 2:
    raise SystemExit('usage: attack.py URL')
server = sys.argv[1].rstrip('/')
attack_defended(*attack())
