/**
 * @module
 * What a network without key checks admits: eight torsion siblings of either sign of one secret, each of which
 * also signs for OpenSSL, and keys of small order, for which no secret is needed.
 */

import { createPublicKey, verify } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import { bytesToNumberLE } from '@noble/curves/utils.js';
import { sha512 } from '@noble/hashes/sha2.js';
import { describe, expect, it } from 'vitest';

import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from '../../../src/bytes.ts';
import { admit } from '../../../src/identity/admit.ts';
import type { Claim } from '../../../src/identity/claim.ts';
import { createClaim } from '../../../src/identity/claim.ts';
import { nodeIdOf } from '../../../src/identity/ids/node-id.ts';
import {
  SMALL_ORDER_KEYS,
  signForSmallOrder,
  smallOrderKeys,
  TORSION_POINTS,
  torsionPoint,
} from '../../../src/identity/keys/expanded-key.ts';
import { scalarSecret, schemeOf } from '../../../src/identity/keys/scheme.ts';
import { NAMED_POLICIES } from '../../../src/identity/named-policies.ts';
import { STRICT_POLICY } from '../../../src/identity/policy.ts';
import { policyCost } from '../../../src/mining/policy-cost.ts';
import nonCanonical from '../../vectors/derived/ed25519_noncanonical_public_keys.json' with {
  type: 'json',
};
import eightIds from '../../vectors/derived/ed25519_one_secret_eight_ids.json' with {
  type: 'json',
};
import smallOrder from '../../vectors/derived/ed25519_small_order_public_keys.json' with {
  type: 'json',
};
import { policyWith, policyWithout, SEED, UNIVERSAL_SIGNATURE } from '../forged-claims.ts';

/** Key and order of its torsion point; each exists a second time with the sign bit flipped. */
const SIBLINGS_OF_TEST_1 = [
  ['d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a', 1],
  ['9158312a9a8d6e3b34c891d6d61444f8b8211c5117ebad15bdb0bd68b07e0245', 8],
  ['ad38a8f0b22ab7ca46ecee7bbef12b5f336c182652fac34392f859dbd9666a7d', 4],
  ['3b5b475c4b82dd1572799fc546f4c6c03e478c6654aa4c7f945b347ea32af60d', 8],
  ['16a567fe7d4ef5482ab4012c369bf8c5f11e8d0c2559dcda50fde59708f8aee5', 2],
  ['5ca7ced5657291c4cb376e2929ebbb0747dee3aee81452ea424f42974f81fdba', 8],
  ['40c7570f4dd54835b9131184410ed4a0cc93e7d9ad053cbc6d07a62426999582', 4],
  ['b2a4b8a3b47d22ea8d86603ab90b393fc1b87399ab55b3806ba4cb815cd509f2', 8],
] as const;

const scheme = schemeOf('ed25519');
const { Fn } = ed25519.Point;
const scalar = Fn.create(ed25519.utils.getExtendedPublicKey(SEED).scalar);
const INDICES = Array.from({ length: TORSION_POINTS }, (_, index) => index);
const SECRETS = [scalar, Fn.neg(scalar)].flatMap((each) =>
  INDICES.map((torsion) => scalarSecret('ed25519', each, torsion)),
);

describe('the sixteen secrets of RFC 8032 TEST 1', () => {
  it('have the sixteen keys that were computed elsewhere', () => {
    const keys = SECRETS.map((secret) => bytesToHex(scheme.publicKeyOf(secret)));

    const listed = SIBLINGS_OF_TEST_1.flatMap(([hex]) => [hex, signFlipped(hex)]);
    expect(keys.toSorted()).toEqual(listed.toSorted());
    expect(new Set(keys).size).toBe(16);
  });

  it.each(SECRETS.map((secret, index) => [index, secret] as const))(
    'number %d signs for us and for OpenSSL, any message',
    (index, secret) => {
      const publicKey = scheme.publicKeyOf(secret);
      const messages = Array.from({ length: 4 }, (_, each) => utf8ToBytes(`${index}/${each}`));

      const answers = messages.map((message) => {
        const signature = scheme.sign(secret, message);
        const ours = scheme.verify(publicKey, message, signature, { strict: true, lowS: true });
        return [ours, verifiesByOpenssl(publicKey, message, signature)];
      });

      expect(answers).toEqual(messages.map(() => [true, true]));
    },
  );

  it('never share a nonce, or two signatures would give the scalar away', () => {
    const message = utf8ToBytes('one message for all');

    const heads = SECRETS.map((secret) => bytesToHex(scheme.sign(secret, message).slice(0, 32)));

    expect(new Set(heads).size).toBe(16);
  });

  it('sign the same way again', () => {
    const message = utf8ToBytes('again');

    for (const secret of SECRETS) {
      expect(scheme.sign(secret, message)).toEqual(scheme.sign(secret, message));
    }
  });

  it('get two IDs under the strict policy and sixteen without the torsion check', () => {
    const claims = SECRETS.map((secret) =>
      createClaim({ scheme: 'ed25519', secret, policy: STRICT_POLICY, solution: null }),
    );

    const strict = claims.filter((claim) => admit(claim, STRICT_POLICY).admitted);
    const weak = claims.filter((claim) => admit(claim, policyWithout('torsion')).admitted);

    const base = SIBLINGS_OF_TEST_1[0][0];
    expect(strict.map(({ publicKey }) => bytesToHex(publicKey))).toEqual([base, signFlipped(base)]);
    expect(new Set(weak.map(({ nodeId }) => bytesToHex(nodeId))).size).toBe(16);
    expect(policyCost(policyWithout('torsion')).idsPerSecret).toBe(8);
  });
});

describe('a torsion secret', () => {
  it('of index 0 is the bare scalar', () => {
    expect(scalarSecret('ed25519', scalar, 0)).toEqual(scalarSecret('ed25519', scalar));
    expect(scalarSecret('ed25519', scalar).form).toBe('scalar');
  });

  it('is the scalar and one byte', () => {
    const { form, bytes } = scalarSecret('ed25519', scalar, 5);

    expect(form).toBe('torsion-scalar');
    expect(bytes).toEqual(concatBytes(scalarSecret('ed25519', scalar).bytes, Uint8Array.of(5)));
  });

  it.each(eightIds.keys)('of index $torsion_index has the key of the file', (row) => {
    const seed = hexToBytes(eightIds.secret_key);
    const known = Fn.create(ed25519.utils.getExtendedPublicKey(seed).scalar);

    const secret = scalarSecret('ed25519', known, row.torsion_index);

    expect(bytesToHex(scheme.publicKeyOf(secret))).toBe(row.public_key);
  });

  it.each([
    ['ed25519', 8],
    ['ed25519', -1],
    ['ed25519', 0.5],
    ['secp256k1', 1],
  ] as const)('of %s is refused with index %d', (name, torsion) => {
    expect(() => scalarSecret(name, scalar, torsion)).toThrow(RangeError);
  });

  it('stands on a point of the order that its index says', () => {
    const orders = INDICES.map((index) =>
      [1n, 2n, 4n, 8n].find((order) => torsionPoint(index).multiplyUnsafe(order).is0()),
    );

    expect(orders).toEqual([1n, 8n, 4n, 8n, 2n, 8n, 4n, 8n]);
    expect(() => torsionPoint(8)).toThrow(RangeError);
  });
});

describe('the fourteen spellings of small order', () => {
  const { policy } = NAMED_POLICIES['small-order'];
  const foreign = nonCanonical.encodings
    .filter((row) => row.zip215_decodes && row.small_order === true)
    .map(({ encoding }) => encoding);
  const spellings = [...smallOrder.keys.map(({ encoding }) => encoding), ...foreign];

  it('are eight and six', () => {
    expect(new Set(spellings).size).toBe(14);
    expect(foreign).toHaveLength(6);
  });

  it.each(spellings)('%s: anybody forges a claim without a secret', (encoding) => {
    const claim = claimWithoutSecret(encoding);

    expect(admit(claim, policy).admitted).toBe(true);
    expect(admit(claim, STRICT_POLICY).admitted).toBe(false);
  });

  it.each([
    ['none', [], 0],
    ['small order', ['smallOrder'], 1],
    ['small order and torsion', ['smallOrder', 'torsion'], 8],
    ['small order and encoding', ['smallOrder', 'encoding'], 4],
    ['all three', ['smallOrder', 'torsion', 'encoding'], 14],
    ['torsion and encoding', ['torsion', 'encoding'], 0],
  ] as const)('with %s left out pass as often as the cost says', (_what, off, count) => {
    const weak = policyWithout(...off);

    const admitted = spellings.filter((each) => admit(claimWithoutSecret(each), weak).admitted);

    expect(admitted).toHaveLength(count);
    expect(policyCost(weak).keysWithoutSecret).toBe(count);
    expect(policyCost(weak, { scheme: 'secp256k1' }).keysWithoutSecret).toBe(0);
  });

  it('are the keys that are listed, the canonical ones first', () => {
    const listed = smallOrderKeys().map(({ publicKey }) => bytesToHex(publicKey));

    expect(listed).toHaveLength(SMALL_ORDER_KEYS);
    expect([...listed].sort()).toEqual([...spellings].sort());
    expect(listed.slice(0, 8)).toEqual(INDICES.map((index) => torsionPoint(index).toHex()));
  });

  it('have signatures that verifiers without the cofactor accept', () => {
    const messages = Array.from({ length: 10 }, (_, index) => utf8ToBytes(`message ${index}`));
    for (const key of smallOrderKeys()) {
      const accepted = messages.filter((message) => {
        const signature = signForSmallOrder(key, message);
        expect(scheme.verify(key.publicKey, message, signature, LENIENT)).toBe(true);
        expect(scheme.verify(key.publicKey, message, signature, STRICT)).toBe(false);
        return isPlainlyValid(key.publicKey, message, signature);
      });

      expect(accepted, bytesToHex(key.publicKey)).toHaveLength(messages.length);
    }
  });

  it('meet no more than two bits by luck', () => {
    const c3 = policyWith({ ...policy, c1: 3 });

    const admitted = spellings.filter((each) => admit(claimWithoutSecret(each), c3).admitted);

    expect(admitted).toEqual([]);
  });
});

const LENIENT = { strict: false, lowS: true };
const STRICT = { strict: true, lowS: true };

/** The equation without the cofactor, as crypto/ed25519 of Go has it: the encoding of [S]B − [k]A is R. */
function isPlainlyValid(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array) {
  const R = signature.subarray(0, 32);
  const k = Fn.create(bytesToNumberLE(sha512(concatBytes(R, publicKey, message))));
  const key = ed25519.Point.fromBytes(publicKey, true).multiplyUnsafe(k);
  const S = ed25519.Point.BASE.multiplyUnsafe(bytesToNumberLE(signature.subarray(32)));
  return bytesToHex(S.subtract(key).toBytes()) === bytesToHex(R);
}

/** R = identity and S = 0 hold for every message, since eight times the key is the identity. */
function claimWithoutSecret(encoding: string): Claim {
  const publicKey = hexToBytes(encoding);
  const nodeId = nodeIdOf(publicKey);
  return {
    scheme: 'ed25519',
    publicKey,
    nodeId,
    solution: null,
    signature: UNIVERSAL_SIGNATURE,
  };
}

function verifiesByOpenssl(
  publicKey: Uint8Array,
  message: Uint8Array,
  signature: Uint8Array,
): boolean {
  const der = concatBytes(hexToBytes('302a300506032b6570032100'), publicKey);
  const key = createPublicKey({ key: Buffer.from(der), format: 'der', type: 'spki' });
  return verify(null, message, key, signature);
}

function signFlipped(hex: string): string {
  const bytes = hexToBytes(hex);
  return bytesToHex(bytes.map((byte, index) => (index === 31 ? byte ^ 0x80 : byte)));
}
