"""Solves mine-claim and swallow-ring with the starter client, and prints the status of each."""

import sys

import client

CLAIM = ("publicKey", "nodeId", "solution", "signature")


def mined(instance):
    """A claim with the zero bits of the policy. The node ID is SHA-256(public key)."""
    c1, c2 = instance["policy"]["c1"], instance["policy"]["c2"]
    challenge = bytes.fromhex(instance["challenge"])
    while True:
        secret, public_key = client.new_key()
        node_id = client.sha256(public_key)
        if client.zero_bits(client.sha256(node_id)) >= c1:
            break
    count, solution = 0, b"" if c2 == 0 else bytes(8)
    while c2 > 0 and client.zero_bits(client.sha256(challenge, node_id, solution)) < c2:
        count += 1
        solution = count.to_bytes(8, "big")
    signature = client.signed(secret, challenge, node_id, solution)
    assert client.is_signed(public_key, signature, challenge, node_id, solution)
    assert not client.is_signed(public_key, signature, node_id, challenge, solution)
    parts = (public_key, node_id, solution, signature)
    members = {name: part.hex() or None for name, part in zip(CLAIM, parts)}
    return {"scheme": "ed25519", **members}


student = client.connect(sys.argv[1])
claim = mined(student.instance("mine-claim"))
print("mine-claim", student.submit("mine-claim", {"type": "claim", "claim": claim})["status"])

instance = student.instance("swallow-ring")
ring = instance["elections"]["ring"]
joined = student.post(f"{ring}/nodes", {"claim": mined(instance), "waitMs": 0})
node, links = student.node(joined["token"]), joined["links"]
student.post(f"{ring}/actions", {"type": "start"})
student.post(f"{ring}/actions", {"type": "advance", "until": "idle"})
events = node.get(links["inbox"])["events"]
node.post(links["outbox"], {"through": events[-1]["number"], "effects": []})
print("swallow-ring", student.submit("swallow-ring", {"type": "elections"})["status"])
