/** Claims whose node IDs lie where they are wanted, and the distance of Kademlia. */

import { fromHex, newKey, sha256, signed, zeroBits } from '../client.js';

/** As many claims as there are replicas, whose node IDs `isWanted` accepts. */
export function claimsWith({ policy: { c1 }, challenge: hex, given: { replicas } }, isWanted) {
  const challenge = fromHex(hex);
  const claims = [];
  while (claims.length < replicas) {
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

const number = (hex) => BigInt(`0x${hex}`);

/** Whether an ID is closer to the key than every honest one. */
export function isClosest({ key, nodeIds }, id) {
  const own = number(id) ^ number(key);
  return nodeIds.every((nodeId) => own < (number(nodeId) ^ number(key)));
}
