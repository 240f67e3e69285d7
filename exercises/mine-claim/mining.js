/** The search for a claim. */

import { fromHex, newKey, sha256, signed, zeroBits } from '../client.js';

/** A claim with c1 and c2 bits for a challenge. The node ID is SHA-256(public key). Without c2 there is no solution. */
export function mine({ policy: { c1, c2 }, challenge: hex }, nodeIdOf = sha256) {
  const challenge = fromHex(hex);
  for (;;) {
    const { publicKey, privateKey } = newKey();
    const nodeId = nodeIdOf(publicKey);
    if (zeroBits(sha256(nodeId)) < c1) continue;
    const solution = Buffer.alloc(c2 === 0 ? 0 : 8);
    while (c2 > 0 && zeroBits(sha256(challenge, nodeId, solution)) < c2) {
      solution.writeBigUInt64BE(solution.readBigUInt64BE() + 1n);
    }
    const signature = signed(privateKey, { challenge, nodeId, solution });
    const claim = { publicKey, nodeId, solution, signature };
    const members = Object.entries(claim).map(([name, bytes]) => [name, bytes.toString('hex')]);
    const digits = Object.fromEntries(members);
    return { scheme: 'ed25519', ...digits, solution: digits.solution || null };
  }
}
