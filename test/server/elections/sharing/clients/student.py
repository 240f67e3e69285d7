"""A student's node in Python, with its standard library: arguments and output as student.js has them.

The arithmetic of Ed25519 is that of examples/attack.py.
"""

import hashlib
import json
import os
import secrets
import sys
import urllib.error
import urllib.request

server, name, part, other = sys.argv[1:]
code = sys.stdin.read().strip()

here = os.path.dirname(os.path.abspath(__file__))
example = open(os.path.join(here, '../../../../../examples/attack.py'), encoding='utf-8').read()
exec(example[example.index('P = 2**255') : example.index('# --- HTTP')])


def ask(method, path, body=None, headers=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(server + path, data=data, method=method, headers=headers or {})
    if data is not None:
        request.add_header('Content-Type', 'application/json')
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def must(*request):
    status, text = ask(*request)
    if status >= 300:
        raise SystemExit(f'{request[:2]}: {status} {text}')
    return json.loads(text)


def claim():
    secret = secrets.token_bytes(32)
    key = public_key(secret)
    node_id = hashlib.sha256(key).digest()
    challenge = hashlib.sha256(b'usurp/challenge/v1\0' + bytes(8) + b'usurp').digest()
    signature = sign(secret, b'usurp/claim/v1\0' + challenge + node_id)
    return {
        'scheme': 'ed25519',
        'publicKey': key.hex(),
        'nodeId': node_id.hex(),
        'solution': None,
        'signature': signature.hex(),
    }


def play():
    after = 0
    while True:
        inbox = must('GET', f'{node["links"]["inbox"]}?after={after}&waitMs=1000', None, own)
        events = inbox['events']
        if not events and inbox['status'] == 'idle':
            return
        if not events:
            continue
        after = events[-1]['number']
        leaders = [each['event'].get('message', {}).get('leader') for each in events]
        effects = [{'type': 'elect', 'leader': leader, 'epoch': 0} for leader in leaders if leader]
        must('POST', node['links']['outbox'], {'through': after, 'effects': effects[-1:]}, own)


def attack():
    while must('GET', node['links']['inbox'] + '?waitMs=500', None, own)['status'] == 'created':
        pass
    nodes = must('GET', election + '/nodes?pageSize=100', None, own)['items']
    others = [each for each in nodes if each['nodeId'] != node['nodeId']]
    victim = [each for each in others if each['player'] == 'outside'][0]
    rank = [each['rank'] for each in nodes if each['nodeId'] == node['nodeId']][0]
    theirs, absent = f'{election}/nodes/{victim["nodeId"]}', f'{election}/nodes/{"ab" * 32}'
    message = {'type': 'COORDINATOR', 'leader': rank}
    forged = {'type': 'inject', 'from': victim['rank'], 'to': 'all', 'message': message}
    lie = {'effects': [{'type': 'elect', 'leader': rank, 'epoch': 0}]}

    def report(what, *request):
        status, text = ask(*request)
        print(what, status, text.replace('\n', '\\n'))

    report('inbox', 'GET', theirs + '/inbox', None, own)
    report('absent-inbox', 'GET', absent + '/inbox', None, own)
    report('outbox', 'POST', theirs + '/outbox', lie, own)
    report('absent-outbox', 'POST', absent + '/outbox', lie, own)
    report('forge', 'POST', election + '/actions', forged, own)
    for what in ['trace', 'messages', 'participants', 'access']:
        report(what, 'GET', f'{election}/{what}', None, own)
    report('fork', 'POST', election + '/fork', {}, own)
    report('events', 'GET', election + '/events', None, own)
    report('replay', 'POST', election + '/nodes', joining, own)
    report('replay-code', 'POST', '/v1/sessions', sign_in, own)
    report('private', 'GET', other, None, own)
    report('missing', 'GET', '/v1/elections/e_aaaaaaaaaaaaaaaa', None, own)
    report('lie', 'POST', node['links']['outbox'], lie, own)
    for _ in range(100):
        ask('GET', election, None, own)


sign_in = {'type': 'joinCode', 'code': code, 'name': name}
session = must('POST', '/v1/sessions', sign_in)
election = session['election']
bearer = {'Authorization': 'Bearer ' + session['token']}
joining = {'claim': claim(), 'waitMs': 2000 if part == 'honest' else 0}
node = must('POST', election + '/nodes', joining, bearer)
own = {**bearer, 'Node-Token': node['token']}
print('secrets', session['token'], node['token'], node['nodeId'], flush=True)
(play if part == 'honest' else attack)()
