/** Claims whose node IDs lie in a gap of the ring. */

import { fromHex, newKey, sha256, signed, zeroBits } from '../client.js';

/** The claims of one student, whose node IDs `isWanted` accepts. */
export function claimsWith({ policy: { c1 }, challenge: hex }, number, isWanted) {
  const challenge = fromHex(hex);
  const claims = [];
  while (claims.length < number) {
    const { publicKey, privateKey } = newKey();
    const nodeId = sha256(publicKey);
    if (!isWanted(nodeId.toString('hex')) || zeroBits(sha256(nodeId)) < c1) continue;
    const signature = signed(privateKey, { challenge, nodeId });
    const members = Object.entries({ publicKey, nodeId, signature });
    const digits = members.map(([name, bytes]) => [name, bytes.toString('hex')]);
    claims.push({ scheme: 'ed25519', solution: null, ...Object.fromEntries(digits) });
  }
  return claims;
}

/** The node after the victim. */
export const nextOf = ({ nodeIds, victim }) => nodeIds.toSorted().find((id) => id > victim);
