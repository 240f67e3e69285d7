/** Claims under the XOR puzzle, and the search for a Y. */

import { fromHex, newKey, sha256, signed, zeroBits } from '../client.js';

const NODE_ID_BYTES = 32;

/** A Y with the bytes of the instance whose hash begins with `c2` zero bits, the first one from a start on. */
export function goodY({ policy: { c2 }, given: { prefix } }, start = 0n) {
  const y = Buffer.alloc(NODE_ID_BYTES);
  const { length } = fromHex(prefix);
  fromHex(prefix).copy(y);
  for (let count = start; ; count += 1n) {
    y.writeBigUInt64BE(count, length);
    if (zeroBits(sha256(y)) >= c2) return y;
  }
}

export const xor = (one, other) => Buffer.from(one.map((byte, index) => byte ^ other[index]));

/** A claim whose solution is `solutionOf(node ID)`. */
export function claimWith({ policy: { c1 }, challenge: hex }, solutionOf) {
  const challenge = fromHex(hex);
  for (;;) {
    const { publicKey, privateKey } = newKey();
    const nodeId = sha256(publicKey);
    if (zeroBits(sha256(nodeId)) < c1) continue;
    const solution = solutionOf(nodeId);
    const signature = signed(privateKey, { challenge, nodeId, solution });
    const claim = { publicKey, nodeId, solution, signature };
    const members = Object.entries(claim).map(([name, bytes]) => [name, bytes.toString('hex')]);
    return { scheme: 'ed25519', ...Object.fromEntries(members) };
  }
}
