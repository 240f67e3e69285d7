/** Keys A + T of one scalar, and signatures with it. */

import { randomBytes } from 'node:crypto';
import { ED25519_TORSION_SUBGROUP, ed25519 } from '@noble/curves/ed25519.js';
import { bytesToNumberLE, numberToBytesLE } from '@noble/curves/utils.js';
import { sha512 } from '@noble/hashes/sha2.js';
import { fromHex, sha256 } from '../client.js';

const { Point } = ed25519;

/** The eight points of small order. */
export const TORSION = ED25519_TORSION_SUBGROUP.map((hex) => Point.fromHex(hex, true));

/** The secret of the instance. */
export const givenScalar = ({ given }) => bytesToNumberLE(fromHex(given.scalar));

export const newScalar = () => Point.Fn.create(bytesToNumberLE(randomBytes(64)));

/** A claim for the key scalar·B + T. `challengeKey` is the key in the hash of the signature. */
export function siblingClaim({ challenge }, scalar, { torsion, challengeKey = null }) {
  const key = Point.BASE.multiply(scalar).add(torsion).toBytes();
  const nodeId = sha256(key);
  const message = Buffer.concat([Buffer.from('usurp/claim/v1\0'), fromHex(challenge), nodeId]);
  const nonce = newScalar();
  const R = Point.BASE.multiply(nonce).toBytes();
  const hashed = sha512(Buffer.concat([R, challengeKey ?? key, message]));
  const S = Point.Fn.create(nonce + Point.Fn.create(bytesToNumberLE(hashed)) * scalar);
  const members = { publicKey: key, nodeId, signature: [...R, ...numberToBytesLE(S, 32)] };
  const hex = Object.entries(members).map(([name, bytes]) => {
    return [name, Buffer.from(bytes).toString('hex')];
  });
  return { scheme: 'ed25519', solution: null, ...Object.fromEntries(hex) };
}
