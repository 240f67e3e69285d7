#!/usr/bin/env python3
"""A complete Bully node (bully-oneshot) that takes part in elections of `usurp node`:

    python3 examples/node.py --identity key-1.json --peers peers.json

It follows docs/peer-protocol.md: it checks the claims of its peers, and the signatures, candidacies and numbers of
their messages, detects failures by heartbeats, elects and is elected. GET /status shows its state, GET /events its
records. With --data FILE it also writes them to a new log for `usurp cluster trace`. It uses only the standard library
of Python, from 3.8 on. It reads nothing from disk: a restarted node numbers its messages above its old ones by the
clock. It does not join: its key is in the peers file. It speaks no TLS: the module ssl accepts the certificate of a
client only if an authority has signed it, so that the node would not know who connects. The arithmetic of Ed25519 is
that of RFC 8032, section 5.1; it is not in constant time.
"""

import argparse
import hashlib
import heapq
import http.client
import ipaddress
import json
import os
import queue
import re
import sqlite3
import sys
import threading
import time
from datetime import datetime, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

PROTOCOL = 'bully-oneshot'
MESSAGE_BYTES_MAX = 128 * 1024
PRESENTATION_BYTES_MAX = 4 * 1024
PEERS_MAX = 256
RECORDS_MAX = 10_000  # Those that GET /events shows; the log has more.
LOG_RECORDS_MAX = 1_000_000
NEWCOMERS_AT_ONCE = 8
ANSWER_SECONDS_MAX = 1
STATUS_BYTES_MAX = 64 * 1024
OUTBOX_MAX = 1_000
NUMBERS_WINDOW = 1024
INTEGER_MAX = 2**53 - 1
SEND_SECONDS_MAX = 1
SILENT_PERIODS = 5  # After so many periods without a heartbeat, a peer is suspected.
REFUSALS = ('sender', 'malformed', 'replay', 'signature', 'candidacy')


# --- Ed25519 (RFC 8032). A point is (X, Y, Z, T). Tables of points make multiplication fast.

P = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
IDENTITY = (0, 1, 1, 0)


def add(one, other):
    x1, y1, z1, t1 = one
    x2, y2, z2, t2 = other
    a, b = (y1 - x1) * (y2 - x2) % P, (y1 + x1) * (y2 + x2) % P
    c, d = 2 * t1 * t2 * D % P, 2 * z1 * z2 % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def negative(point):
    x, y, z, t = point
    return -x % P, y, z, -t % P


def is_identity(point):
    x, y, z, _ = point
    return x % P == 0 and (y - z) % P == 0


def table_of(point):
    """In row i, the multiples of 16^i times the point by 0 to 15."""
    rows = []
    for _ in range(64):
        row = [IDENTITY]
        for _ in range(16):
            row.append(add(row[-1], point))
        point = row.pop()
        rows.append(row)
    return rows


def times(table, scalar):
    total = IDENTITY
    for row in table:
        if scalar & 15:
            total = add(total, row[scalar & 15])
        scalar >>= 4
    return total


def decode(data):
    """The point of a canonical encoding; None if it is none."""
    number = int.from_bytes(data, 'little')
    sign_bit, y = number >> 255, number & (1 << 255) - 1
    if len(data) != 32 or y >= P:
        return None
    squared = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(squared, (P + 3) // 8, P)
    if (x * x - squared) % P != 0:
        x = x * pow(2, (P - 1) // 4, P) % P
    if (x * x - squared) % P != 0 or (x == 0 and sign_bit):
        return None
    if x & 1 != sign_bit:
        x = P - x
    return x, y, 1, x * y % P


def encode(point):
    x, y, z, _ = point
    inverse = pow(z, P - 2, P)
    x, y = x * inverse % P, y * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, 'little')


BASE = table_of(decode((4 * pow(5, P - 2, P) % P).to_bytes(32, 'little')))


class PublicKey:
    def __init__(self, data):
        """Raises ValueError for a key that is not canonical or not of prime order."""
        point = decode(data)
        if point is None:
            raise ValueError('its key is not canonical')
        self.data, self.table = data, table_of(point)
        if is_identity(point) or not is_identity(times(self.table, ORDER)):
            raise ValueError('its key is not of prime order')

    def verifies(self, message, signature):
        point, proof = decode(signature[:32]), int.from_bytes(signature[32:], 'little')
        if point is None or len(signature) != 64 or proof >= ORDER:
            return False
        digest = hashlib.sha512(signature[:32] + self.data + message).digest()
        scalar = int.from_bytes(digest, 'little') % ORDER
        sum_ = add(times(BASE, proof), negative(add(point, times(self.table, scalar))))
        for _ in range(3):
            sum_ = add(sum_, sum_)
        return is_identity(sum_)


class SecretKey:
    def __init__(self, form, data):
        """Of a seed, or of a bare scalar, as usurp mine finds it."""
        digest = hashlib.sha512(data).digest()
        scalar = int.from_bytes(digest[:32], 'little') & ~7 & (1 << 254) - 1 | 1 << 254
        self.scalar = scalar if form == 'seed' else int.from_bytes(data, 'little')
        self.prefix = digest[32:]
        self.public = encode(times(BASE, self.scalar))

    def sign(self, message):
        nonce = int.from_bytes(hashlib.sha512(self.prefix + message).digest(), 'little') % ORDER
        point = encode(times(BASE, nonce))
        digest = hashlib.sha512(point + self.public + message).digest()
        proof = (nonce + int.from_bytes(digest, 'little') * self.scalar) % ORDER
        return point + proof.to_bytes(32, 'little')


# --- Claims (docs/bytes.md)

SUPPORTED = {'idRule': 'hash', 'hash': 'sha256', 'idBits': 256, 'salted': False}


def check_policy(policy):
    for name, value in SUPPORTED.items():
        if policy.get(name, value) != value:
            raise ValueError(f'the policy has {name} {policy[name]}; this example knows {value}')
    if policy.get('puzzle', {'function': 'hash'}) != {'function': 'hash'}:
        raise ValueError('the policy has a slow puzzle; this example knows the hash')
    if policy.get('dynamic', 'concat') not in ('concat', 'xor'):
        raise ValueError('this example knows the dynamic puzzles concat and xor')
    if not all(policy.get('checks', {}).values()):
        raise ValueError('the policy leaves out checks; this example makes all')


def zero_bits(data):
    return 8 * len(data) - int.from_bytes(data, 'big').bit_length()


def sha256(data):
    return hashlib.sha256(data).digest()


def admit(claim, policy):
    """The key of a claim. Raises ValueError if the policy does not admit it."""
    if claim['scheme'] != 'ed25519':
        raise ValueError('this example knows the scheme ed25519')
    data, node_id = bytes.fromhex(claim['publicKey']), bytes.fromhex(claim['nodeId'])
    solution = bytes.fromhex(claim['solution'] or '')
    if sha256(data) != node_id:
        raise ValueError('its node ID is not the hash of its key')
    if zero_bits(sha256(node_id)) < policy.get('c1', 0):
        raise ValueError('it does not solve the static puzzle')
    context = policy.get('context', 'usurp').encode()
    epoch = policy.get('epoch', 0).to_bytes(8, 'big')
    challenge = sha256(b'usurp/challenge/v1\0' + epoch + context)
    is_concat = policy.get('dynamic', 'concat') == 'concat'
    if policy.get('c2', 0) > 0 or claim['solution'] is not None:
        if len(solution) != (8 if is_concat else 32):
            raise ValueError('its solution has a wrong length')
        mixed = bytes(a ^ b for a, b in zip(node_id, solution))
        puzzle = sha256(challenge + node_id + solution if is_concat else mixed)
        if zero_bits(puzzle) < policy.get('c2', 0):
            raise ValueError('it does not solve the dynamic puzzle')
    key = PublicKey(data)
    message = b'usurp/claim/v1\0' + challenge + node_id + solution
    if not key.verifies(message, bytes.fromhex(claim['signature'])):
        raise ValueError('its signature is wrong')
    return key


# --- Messages


def compact(value):
    return json.dumps(value, separators=(',', ':'), sort_keys=True, ensure_ascii=False)


def signed_bytes(array):
    """The text of the array, signed as one string."""
    return b'usurp/message/v1\0' + json.dumps(compact(array)).encode()


class Refused(Exception):
    pass


class Numbers:
    """Which numbers of one sender have counted, in messages of detectors or in others."""

    def __init__(self):
        self.highest, self.missing = 0, []

    def is_fresh(self, number):
        return number in self.missing or self.highest < number <= INTEGER_MAX

    def note(self, number):
        if number <= self.highest:
            self.missing.remove(number)
            return
        first = max(self.highest + 1, number - NUMBERS_WINDOW)
        self.missing += range(first, number)
        self.missing = [each for each in self.missing if each >= number - NUMBERS_WINDOW]
        self.highest = number


class Seals:
    """Signs what the node sends, and checks what it receives."""

    def __init__(self, rank, secret, election, level):
        self.rank, self.secret, self.election, self.level = rank, secret, election, level
        self.keys = {}
        # Above the numbers of all earlier lives: microseconds since 1970.
        self.sent = time.time_ns() // 1000
        self.heard = {}
        self.candidacies = {}

    def text(self, sender, to, number, body):
        fresh = [self.election, number] if self.level == 'L3' else []
        return signed_bytes(['usurp/election/v1', PROTOCOL, sender, to, *fresh, body])

    def candidacy_text(self, candidate):
        fresh = [self.election] if self.level == 'L3' else []
        return signed_bytes(['usurp/candidacy/v1', PROTOCOL, candidate, *fresh])

    def seal(self, to, body):
        self.sent += 1
        seal = {'by': self.rank}
        if self.level == 'L3':
            seal['number'] = self.sent
        seal['signature'] = self.secret.sign(self.text(self.rank, to, self.sent, body)).hex()
        if body['type'] == 'COORDINATOR':
            if self.rank not in self.candidacies:
                signature = self.secret.sign(self.candidacy_text(self.rank))
                self.candidacies[self.rank] = signature.hex()
            seal['candidacies'] = {self.rank: self.candidacies[self.rank]}
        return {**body, 'seal': seal}

    def open(self, sender, message):
        """The sender and the message without its seal. Raises Refused."""
        body = {name: value for name, value in message.items() if name != 'seal'}
        seal = message.get('seal')
        seal = seal if isinstance(seal, dict) else {}
        by = seal.get('by', sender)
        if not isinstance(by, str) or by not in self.keys:
            raise Refused('sender')
        if self.level == 'L3' and by != sender:
            raise Refused('sender')
        if not self.is_well_formed(body):
            raise Refused('malformed')
        signature, number = seal.get('signature'), seal.get('number', 0)
        candidacies = seal.get('candidacies', {})
        if not isinstance(signature, str) or not isinstance(candidacies, dict):
            raise Refused('malformed')
        kind = body['type'].startswith('FD_')
        numbers = self.heard.setdefault((by, kind), Numbers())
        if self.level == 'L3' and not (is_count(number) and numbers.is_fresh(number)):
            raise Refused('replay')
        if not self.verifies(by, self.text(by, self.rank, number, body), signature):
            raise Refused('signature')
        if self.level == 'L3':
            numbers.note(number)
        if body['type'] == 'COORDINATOR':
            self.check_candidacy(by, body['leader'], candidacies)
        return by, body

    def is_well_formed(self, body):
        if body['type'] == 'COORDINATOR':
            leader = body.get('leader')
            return isinstance(leader, str) and re.fullmatch('[0-9a-f]{64}', leader) is not None
        return body['type'] != 'FD_HEARTBEAT' or is_count(body.get('seq'))

    def check_candidacy(self, by, leader, candidacies):
        if leader != by:
            raise Refused('candidacy')
        if leader in self.candidacies:
            return
        signature = candidacies.get(leader)
        if not isinstance(signature, str):
            raise Refused('candidacy')
        if not self.verifies(leader, self.candidacy_text(leader), signature):
            raise Refused('candidacy')
        self.candidacies[leader] = signature

    def verifies(self, signer, text, signature):
        if re.fullmatch('[0-9a-f]{128}', signature) is None:
            return False
        return self.keys[signer].verifies(text, bytes.fromhex(signature))


def is_count(value):
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= INTEGER_MAX


# --- The election. A machine receives events and calls `effects`; it has no clock and no network.


class Bully:
    def __init__(self, rank, members, latency, effects):
        self.rank, self.members, self.effects = rank, members, effects
        self.answer_ms = 2 * latency + 1
        self.announcement_ms = self.answer_ms + 3 * latency + 2
        self.phase = 'idle'  # or await-ok, await-coordinator
        self.leader = None
        self.up = set()  # Higher nodes that have returned and were not suspected since.

    def is_highest(self):
        return self.rank == max(self.members)

    def begin(self):
        if self.phase != 'idle':
            return
        if self.is_highest():
            self.announce()
            return
        for member in sorted(self.members):
            if member > self.rank:
                self.effects.send(member, {'type': 'ELECTION'})
        self.phase = 'await-ok'
        self.effects.set_timer('answer', self.answer_ms)

    def announce(self):
        self.settle(self.rank)
        for member in sorted(self.members):
            if member < self.rank:
                self.effects.send(member, {'type': 'COORDINATOR', 'leader': self.rank})

    def settle(self, leader):
        self.phase = 'idle'
        self.leader = leader
        self.effects.elect(leader)

    def close_election(self):
        if self.phase == 'await-ok':
            self.effects.cancel_timer('answer')

    def await_coordinator(self):
        self.close_election()
        if self.leader == self.rank:
            self.leader = None
            self.effects.step_down()
        self.phase = 'await-coordinator'
        self.effects.set_timer('coordinator', self.announcement_ms)

    def deliver(self, sender, message):
        if message['type'] == 'ELECTION' and sender < self.rank:
            self.effects.send(sender, {'type': 'OK'})
            if self.is_highest():
                self.effects.set_timer('announce', 0)
            else:
                self.begin()
        elif message['type'] == 'OK' and sender > self.rank:
            if self.phase == 'await-ok':
                self.await_coordinator()
        elif message['type'] == 'COORDINATOR':
            self.on_coordinator(message['leader'])

    def on_coordinator(self, leader):
        if leader < self.rank:
            self.begin()
        elif not any(node > leader for node in self.up):
            self.close_election()
            if self.phase == 'await-coordinator':
                self.effects.cancel_timer('coordinator')
            self.settle(leader)

    def timeout(self, timer):
        if timer == 'answer' and self.phase == 'await-ok':
            self.announce()
        elif timer == 'announce' and self.phase == 'idle':
            self.announce()
        elif timer == 'coordinator' and self.phase == 'await-coordinator':
            self.phase = 'idle'
            self.begin()

    def suspect(self, node):
        self.up.discard(node)
        if node == self.leader:
            self.begin()

    def trust(self, node):
        if node <= self.rank:
            return
        self.up.add(node)
        leads = self.phase == 'idle' and self.leader == self.rank
        if leads or self.phase == 'await-ok':
            self.await_coordinator()


# --- The node: clock, network, detector and records around the machine


class Timers:
    """Calls `fire` with the name of each timer that is due. Setting a timer replaces it."""

    def __init__(self, fire):
        self.fire, self.due, self.heap = fire, {}, []
        self.changed = threading.Condition()
        threading.Thread(target=self.run, daemon=True).start()

    def set(self, name, ms):
        with self.changed:
            self.due[name] = time.monotonic() + ms / 1000
            heapq.heappush(self.heap, (self.due[name], name))
            self.changed.notify()

    def cancel(self, name):
        with self.changed:
            self.due.pop(name, None)

    def is_due(self, name, at):
        """Whether a timer that was due at this time was neither replaced nor cancelled since. It counts once."""
        with self.changed:
            if self.due.get(name) != at:
                return False
            del self.due[name]
            return True

    def run(self):
        while True:
            with self.changed:
                while not self.heap or self.heap[0][0] > time.monotonic():
                    self.changed.wait(self.heap[0][0] - time.monotonic() if self.heap else None)
                at, name = heapq.heappop(self.heap)
            self.fire(name, at)


class Outbox:
    """Sends to one peer over one connection, in order. What does not arrive is lost."""

    def __init__(self, url):
        parts = urlsplit(url)
        self.host, self.port = parts.hostname, parts.port
        self.waiting = queue.Queue(OUTBOX_MAX)
        self.connection = None
        threading.Thread(target=self.run, daemon=True).start()

    def send(self, envelope):
        """Queues an envelope. None only opens the connection, so that the first message is not late."""
        try:
            self.waiting.put_nowait(envelope)
        except queue.Full:
            pass

    def run(self):
        while True:
            envelope = self.waiting.get()
            body = json.dumps(envelope).encode()
            try:
                if self.connection is None:
                    self.connection = http.client.HTTPConnection(
                        self.host, self.port, timeout=SEND_SECONDS_MAX
                    )
                headers = {'Content-Type': 'application/json'}
                if envelope is None:
                    self.connection.request('GET', '/status')
                else:
                    self.connection.request('POST', '/messages', body, headers)
                self.connection.getresponse().read()
            except (OSError, http.client.HTTPException):
                if self.connection is not None:
                    self.connection.close()
                self.connection = None


class Log:
    """The records of a node in a file as usurp node writes it, for usurp cluster trace."""

    TABLES = (
        'owner (owner TEXT) STRICT',
        'joined (rank TEXT PRIMARY KEY, member TEXT) STRICT',
        'state (lives INTEGER, sent INTEGER, clock TEXT, persisted TEXT, digest TEXT) STRICT',
        'heard (rank TEXT PRIMARY KEY, number INTEGER) STRICT',
        'port (port INTEGER) STRICT',
        'records (seq INTEGER PRIMARY KEY, record TEXT) STRICT',
    )

    def __init__(self, path, owner):
        """Raises ValueError if the file exists, or if SQLite is too old for its tables."""
        if sqlite3.sqlite_version_info < (3, 37):
            raise ValueError(f'--data needs SQLite 3.37; this Python has {sqlite3.sqlite_version}')
        if os.path.exists(path):
            raise ValueError(f'{path} exists; this node reads no log, so name a new file with --data')
        self.count = 0
        # Threads use the database only while they hold the lock of the node.
        self.database = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        self.database.execute('PRAGMA journal_mode=WAL')
        self.database.execute('PRAGMA synchronous=NORMAL')
        for table in self.TABLES:
            self.database.execute(f'CREATE TABLE {table}')
        self.database.execute('INSERT INTO owner VALUES (?)', (json.dumps(owner),))

    def append(self, record):
        if self.count < LOG_RECORDS_MAX:
            row = (self.count, json.dumps(record))
            self.database.execute('INSERT INTO records VALUES (?, ?)', row)
            self.count += 1

    def note_joined(self, rank, entry):
        row = (rank, json.dumps(entry))
        self.database.execute('INSERT INTO joined VALUES (?, ?)', row)


class Node:
    def __init__(self, options, secret, peers_file):
        self.lock = threading.RLock()
        self.policy, self.election = peers_file['policy'], peers_file['election']
        self.level, self.latency = options.level, options.latency
        self.period_ms = 2 * options.latency + 1
        self.secret, self.rank = secret, sha256(secret.public).hex()
        self.seals = Seals(self.rank, secret, self.election, options.level)
        self.urls, self.outboxes, self.presented = {}, {}, []
        self.members = set()
        for peer in peers_file['peers']:
            self.add_member(peer['url'], peer['claim'])
        if self.rank not in self.members:
            raise ValueError('the key is of no peer of the peers file')
        self.founder_hosts = {endpoint(url)[0] for url in self.urls.values()}
        self.log = None if options.data is None else Log(options.data, self.owner())
        self.epoch, self.following, self.since = 0, None, time.time()
        self.suspects, self.seqs, self.seq = set(), {}, 0
        self.refused = dict.fromkeys(('flood', *REFUSALS), 0)
        self.records, self.effects, self.clock, self.stamped = [], [], {}, 0
        self.ready = False
        self.newcomers = threading.Semaphore(NEWCOMERS_AT_ONCE)
        self.machine = Bully(self.rank, self.members, options.latency, self)
        self.timers = Timers(self.on_timer)

    def add_member(self, url, claim):
        key = admit(claim, self.policy)
        rank = claim['nodeId']
        if rank in self.members:
            raise ValueError(f'{rank} is listed twice')
        self.members.add(rank)
        self.seals.keys[rank], self.urls[rank] = key, url
        if rank != self.rank:
            self.outboxes[rank] = Outbox(url)

    def owner(self):
        return {
            **{'rank': self.rank, 'protocol': PROTOCOL, 'election': self.election},
            **{'latency': self.latency, 'level': self.level, 'workload': None},
            **{'defences': [], 'behaviours': []},
        }

    def begin(self):
        with self.lock:
            self.step({'type': 'start'}, self.machine.begin)
            for member in self.members - {self.rank}:
                self.expect(member)
            self.beat()
            self.ready = True

    # Effects of the machine

    def send(self, to, body):
        record = {'type': 'send', 'id': self.stamped, 'to': to, 'message': body}
        self.effects.append(record)
        self.post(to, body, {'id': self.stamped, 'clock': dict(self.clock)})
        self.stamped += 1

    def set_timer(self, name, ms):
        self.effects.append({'type': 'set-timer', 'timer': name, 'ticks': ms, 'periodic': False})
        self.timers.set(name, ms)

    def cancel_timer(self, name):
        self.effects.append({'type': 'cancel-timer', 'timer': name})
        self.timers.cancel(name)

    def elect(self, leader):
        self.effects.append({'type': 'elect', 'leader': leader, 'epoch': 0})
        self.follow(leader)

    def step_down(self):
        self.effects.append({'type': 'step-down'})
        self.follow(None)

    # Events

    def step(self, event, act):
        """One step of the machine, with its record."""
        self.clock[self.rank] = self.clock.get(self.rank, 0) + 1
        self.effects = []
        act()
        record = {'t': int(time.time() * 1000), 'event': event, 'effects': self.effects}
        record['clock'] = dict(self.clock)
        if len(self.records) < RECORDS_MAX:
            self.records.append(record)
        if self.log is not None:
            self.log.append(record)

    def follow(self, leader):
        if leader == self.following:
            return
        self.following, self.since = leader, time.time()
        named = 'no leader' if leader is None else f'leader {self.position(leader)}'
        print(named, file=sys.stderr, flush=True)

    def receive(self, envelope):
        """Raises Refused."""
        stamp = envelope['stamp']
        sender, body = self.seals.open(envelope['from'], envelope['message'])
        if body['type'] == 'FD_HEARTBEAT':
            self.on_beat(sender, body['seq'])
            return
        if stamp is not None:
            self.merge(stamp['clock'])
        number = -1 if stamp is None else stamp['id']
        event = {'type': 'deliver', 'from': sender, 'message': body, 'id': number}
        self.step(event, lambda: self.machine.deliver(sender, body))

    def merge(self, clock):
        """No signature protects clocks. One that counts steps of this node that it did not make is false."""
        if clock.get(self.rank, 0) > self.clock.get(self.rank, 0):
            return
        for rank, count in clock.items():
            if rank in self.members:
                self.clock[rank] = max(count, self.clock.get(rank, 0))

    def on_timer(self, name, at):
        with self.lock:
            if not self.timers.is_due(name, at):
                return
            if name == 'beat':
                self.beat()
            elif name.startswith('deadline:'):
                self.expire(name[len('deadline:') :])
            else:
                self.step({'type': 'timeout', 'timer': name}, lambda: self.machine.timeout(name))

    # The failure detector

    def beat(self):
        self.timers.set('beat', self.period_ms)
        self.seq = max(self.seq + 1, int(time.time() * 1000))
        for member in self.members - {self.rank}:
            self.post(member, {'type': 'FD_HEARTBEAT', 'seq': self.seq}, None)

    def expect(self, member):
        self.timers.set('deadline:' + member, SILENT_PERIODS * self.period_ms)

    def on_beat(self, member, seq):
        if member == self.rank or seq <= self.seqs.get(member, 0):
            return
        self.seqs[member] = seq
        self.expect(member)
        if member in self.suspects:
            self.suspects.remove(member)
            self.step({'type': 'trust', 'node': member}, lambda: self.machine.trust(member))

    def expire(self, member):
        self.suspects.add(member)
        self.step({'type': 'suspect', 'node': member}, lambda: self.machine.suspect(member))

    # The network

    def post(self, to, body, stamp):
        message = self.seals.seal(to, body)
        self.outboxes[to].send({'from': self.rank, 'message': message, 'stamp': stamp})

    def gather(self, seconds):
        """Waits until all peers answer, or for so long."""
        deadline = time.monotonic() + seconds
        missing = set(self.outboxes)
        while missing and time.monotonic() < deadline:
            for rank in list(missing):
                parts = urlsplit(self.urls[rank])
                connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=1)
                try:
                    connection.request('GET', '/status')
                    if connection.getresponse().status == 200:
                        missing.discard(rank)
                except (OSError, http.client.HTTPException):
                    pass
                finally:
                    connection.close()
            time.sleep(0.025 if missing else 0)

    def examine(self, entry):
        """The rank of a node that joins; None of one that is known. Raises ValueError with the refusal."""
        claim, url = entry['claim'], entry['url']
        rank = sha256(bytes.fromhex(claim['publicKey'])).hex()
        if self.urls.get(rank) == url:
            return None
        if rank in self.urls:
            raise ValueError('address', 'known')
        if not is_direct(url) and endpoint(url)[0] not in self.founder_hosts:
            raise ValueError('address', 'host')
        if endpoint(url) in map(endpoint, self.urls.values()):
            raise ValueError('address', 'taken')
        if len(self.members) >= PEERS_MAX:
            raise ValueError('full')
        text = signed_bytes(['usurp/join/v1', self.election, url])
        try:
            signed = PublicKey(bytes.fromhex(claim['publicKey']))
        except ValueError:
            raise ValueError('signature') from None
        if not signed.verifies(text, bytes.fromhex(entry['signature'])):
            raise ValueError('signature')
        try:
            admit(claim, self.policy)
        except ValueError:
            raise ValueError('claim') from None
        return rank

    def present(self, entry):
        """Admits a node that joins, if it answers at its address. Raises ValueError with the refusal."""
        with self.lock:
            rank = self.examine(entry)
        if rank is None:
            return
        if rank_at(entry['url']) != rank:
            raise ValueError('address', 'silent')
        with self.lock:
            # Another node can have joined in the meantime.
            if self.examine(entry) is None:
                return
            self.add_member(entry['url'], entry['claim'])
            self.presented.append(entry)
            if self.log is not None:
                self.log.note_joined(rank, entry)
            self.step({'type': 'join', 'node': rank}, lambda: None)
            self.expect(rank)
            self.outboxes[rank].send(None)

    def position(self, rank):
        return sorted(self.members).index(rank) + 1

    def status(self):
        leader = self.following
        since = datetime.fromtimestamp(self.since, timezone.utc)
        return {
            'rank': self.rank,
            'position': self.position(self.rank),
            'protocol': PROTOCOL,
            'election': self.election,
            'members': len(self.members),
            'level': self.level,
            'detector': f'silence of {SILENT_PERIODS} periods',
            'life': 1,
            'ready': self.ready,
            'leader': leader,
            'leaderPosition': None if leader is None else self.position(leader),
            'epoch': self.epoch,
            'since': since.strftime('%Y-%m-%dT%H:%M:%S.') + f'{since.microsecond // 1000:03}Z',
            'suspects': sorted(self.position(rank) for rank in self.suspects),
            'refused': self.refused,
            'traceComplete': len(self.records) < RECORDS_MAX,
        }


# --- HTTP


def is_envelope(value):
    if not isinstance(value, dict) or set(value) != {'from', 'message', 'stamp'}:
        return False
    sender, message, stamp = value['from'], value['message'], value['stamp']
    if not isinstance(sender, str) or not isinstance(message, dict):
        return False
    if not isinstance(message.get('type'), str):
        return False
    if stamp is None:
        return True
    if not isinstance(stamp, dict) or set(stamp) != {'id', 'clock'} or not is_count(stamp['id']):
        return False
    clock = stamp['clock']
    return isinstance(clock, dict) and len(clock) <= PEERS_MAX and all(map(is_count, clock.values()))


CLAIM_FORMS = {
    'scheme': 'ed25519|secp256k1',
    'publicKey': '[0-9a-f]{64}|[0-9a-f]{66}|[0-9a-f]{130}',
    'nodeId': '([0-9a-f]{2}){2,33}',
    'solution': '([0-9a-f]{2}){2,33}',
    'signature': '[0-9a-f]{128}',
}


def has_forms(value, forms):
    if not isinstance(value, dict) or set(value) != set(forms):
        return False
    return all(re.fullmatch(form, str(value[name])) for name, form in forms.items())


def endpoint(url):
    """The host in one spelling, and the port. Raises ValueError if there is no such port."""
    parts = urlsplit(url)
    host = (parts.hostname or '').rstrip('.')
    try:
        ip = ipaddress.ip_address(host)
        host = str(getattr(ip, 'ipv4_mapped', None) or ip)
    except ValueError:
        pass  # It is a name.
    return host, parts.port


def is_direct(url):
    """Whether the host is the IP address of another machine. A name can be made that resolves to any member."""
    try:
        ip = ipaddress.ip_address(endpoint(url)[0])
    except ValueError:
        return False
    return not (ip.is_loopback or ip.is_unspecified or str(ip).startswith('0.'))


def rank_at(url):
    """The rank that a node at this address states; None if none answers in time."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(
        parts.hostname, parts.port, timeout=ANSWER_SECONDS_MAX
    )
    try:
        connection.request('GET', '/status')
        status = json.loads(connection.getresponse().read(STATUS_BYTES_MAX))
        return status.get('rank') if isinstance(status, dict) else None
    except (OSError, http.client.HTTPException, ValueError, RecursionError):
        return None
    finally:
        connection.close()


def is_presentation(value):
    if not isinstance(value, dict) or set(value) != {'url', 'claim', 'signature'}:
        return False
    claim = value['claim']
    if isinstance(claim, dict) and claim.get('solution', '') is None:
        claim = {**claim, 'solution': '0000'}
    url_form = r'http://[A-Za-z0-9.\[\]:-]{1,255}:\d{1,5}'
    forms = {'url': url_form, 'signature': '[0-9a-f]{128}'}
    stated = {name: value[name] for name in forms}
    if not has_forms(stated, forms) or not has_forms(claim, CLAIM_FORMS):
        return False
    try:
        return endpoint(value['url']) is not None
    except ValueError:
        return False


class Handler(BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    # Answers have a head and a body; waiting to join them would cost 40 ms.
    disable_nagle_algorithm = True
    timeout = 60

    def log_message(self, *_):
        pass

    def answer(self, status, value):
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header('Content-Type', 'application/json')
        self.send_header('Content-Length', str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def read_json(self, bytes_max):
        """The body; None if it is no JSON. Raises Refused if it is too large."""
        length = self.headers.get('Content-Length', '')
        if not length.isdigit() or int(length) > bytes_max:
            self.close_connection = True
            if length.isdigit():
                self.rfile.read(min(int(length), 2 * bytes_max))  # So that the peer sees the answer.
            raise Refused('malformed')
        try:
            return json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError):
            return None

    def do_GET(self):
        node = self.server.node
        if self.path == '/status':
            with node.lock:
                status = node.status()
            self.answer(200, status)
        elif self.path == '/events':
            self.follow_records(node)
        else:
            self.answer(404, {})

    def do_POST(self):
        node = self.server.node
        handlers = {
            '/messages': (self.take_message, MESSAGE_BYTES_MAX),
            '/peers': (self.take_presentation, PRESENTATION_BYTES_MAX),
        }
        if self.path not in handlers:
            self.close_connection = True
            self.answer(404, {})
            return
        take, bytes_max = handlers[self.path]
        try:
            value = self.read_json(bytes_max)
        except Refused:
            self.answer(413, self.refuse(node, 'malformed'))
            return
        status, answer = take(node, value)
        self.answer(status, answer)

    def refuse(self, node, reason):
        with node.lock:
            node.refused[reason] += 1
        return {'refusal': reason}

    def take_message(self, node, envelope):
        if not is_envelope(envelope):
            return 400, self.refuse(node, 'malformed')
        with node.lock:
            if envelope['from'] not in node.members:
                return 403, self.refuse(node, 'sender')
            try:
                node.receive(envelope)
            except Refused as refusal:
                return 403, self.refuse(node, str(refusal))
        return 202, {}

    def take_presentation(self, node, entry):
        if not is_presentation(entry):
            return 400, self.refuse(node, 'malformed')
        if not node.newcomers.acquire(blocking=False):
            return 429, self.refuse(node, 'flood')
        try:
            node.present(entry)
        except ValueError as refused:
            return 403, dict(zip(('refusal', 'fault'), refused.args))
        finally:
            node.newcomers.release()
        with node.lock:
            return 200, {'peers': list(node.presented)}

    def follow_records(self, node):
        last = self.headers.get('Last-Event-ID', '')
        following = int(last) + 1 if re.fullmatch(r'\d{1,15}', last) else 0
        self.send_response(200)
        self.send_header('Content-Type', 'text/event-stream')
        self.send_header('Connection', 'close')
        self.end_headers()
        self.close_connection = True
        while True:
            while following < len(node.records):
                data = json.dumps(node.records[following])
                self.wfile.write(f'event: record\ndata: {data}\nid: {following}\n\n'.encode())
                following += 1
            time.sleep(0.1)


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        """A peer that closes its connection is no error."""


def read_options():
    parser = argparse.ArgumentParser(description='A Bully node for elections of usurp node.')
    parser.add_argument('--identity', required=True, help='key file of usurp mine --out')
    parser.add_argument('--peers', required=True, help='the file that all nodes share')
    parser.add_argument('--level', choices=['L2', 'L3'], default='L3')
    parser.add_argument('--latency', type=int, default=50, help='in ms, as that of all nodes')
    parser.add_argument('--data', help='new file for the log, for usurp cluster trace')
    parser.add_argument('--gather', type=float, default=2, help='seconds to wait for peers')
    return parser.parse_args()


def main():
    options = read_options()
    with open(options.identity, encoding='utf-8') as file:
        key = json.load(file)
    with open(options.peers, encoding='utf-8') as file:
        peers_file = json.load(file)
    if key.get('format') != 'usurp/key/v1' or key['secret']['form'] not in ('seed', 'scalar'):
        raise SystemExit('the key file must have one key of ed25519, a seed or a scalar')
    if any(urlsplit(peer['url']).scheme != 'http' for peer in peers_file['peers']):
        raise SystemExit('refused: this node speaks no TLS; give a peers file with http addresses')
    try:
        check_policy(peers_file['policy'])
        form, secret = key['secret']['form'], bytes.fromhex(key['secret']['hex'])
        node = Node(options, SecretKey(form, secret), peers_file)
    except ValueError as error:
        raise SystemExit(f'refused: {error}') from None
    parts = urlsplit(node.urls[node.rank])
    server = Server((parts.hostname, parts.port), Handler)
    server.node = node
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(node.urls[node.rank], flush=True)
    node.gather(options.gather)
    node.begin()
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        # With the lock held, no other thread is within a step or can begin one.
        node.lock.acquire()
        if node.log is not None:
            node.log.database.close()
        os._exit(0)


if __name__ == '__main__':
    main()
