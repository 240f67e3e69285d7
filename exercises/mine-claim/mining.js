/** The search for a claim. */

import { fromHex, newKey, sha256, signed } from '../client.js';

function zeroBits(digest) {
  const first = digest.findIndex((byte) => byte !== 0);
  return first < 0 ? 8 * digest.length : 8 * first + Math.clz32(digest[first]) - 24;
}

/** A claim with c1 and c2 bits for a challenge. The node ID is SHA-256(public key). */
export function mine({ policy: { c1, c2 }, challenge: hex }, nodeIdOf = sha256) {
  const challenge = fromHex(hex);
  for (;;) {
    const { publicKey, privateKey } = newKey();
    const nodeId = nodeIdOf(publicKey);
    if (zeroBits(sha256(nodeId)) < c1) continue;
    const solution = Buffer.alloc(8);
    while (zeroBits(sha256(challenge, nodeId, solution)) < c2) {
      solution.writeBigUInt64BE(solution.readBigUInt64BE() + 1n);
    }
    const signature = signed(privateKey, { challenge, nodeId, solution });
    const claim = { publicKey, nodeId, solution, signature };
    const members = Object.entries(claim).map(([name, bytes]) => [name, bytes.toString('hex')]);
    return { scheme: 'ed25519', ...Object.fromEntries(members) };
  }
}
