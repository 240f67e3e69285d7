/**
 * @module
 * Node IDs by every rule: S/Kademlia with SHA-1 and SHA-256 against values that were found elsewhere,
 * cut IDs, and what each rule refuses.
 */

import { createHash, createPrivateKey, createPublicKey } from 'node:crypto';
import { describe, expect, it } from 'vitest';

import { bytesToHex, concatBytes, hexToBytes, u64be, utf8ToBytes } from '../../../src/bytes.ts';
import { LabError } from '../../../src/errors.ts';
import { admit } from '../../../src/identity/admit.ts';
import { nodeIdBytesOf, nodeIdOf, staticBits } from '../../../src/identity/ids/node-id.ts';
import { schemeOf } from '../../../src/identity/keys/scheme.ts';
import type { Policy } from '../../../src/identity/policy.ts';
import { STRICT_POLICY } from '../../../src/identity/policy.ts';
import { honestClaim, policyWith, SEED } from '../forged-claims.ts';

const KEYS = {
  'RFC 8032 TEST 1': 'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
  'RFC 8032 TEST 3': 'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025',
} as const;

const SHA1 = policyWith({ hash: 'sha1' });

describe('S/Kademlia, computed elsewhere', () => {
  it.each([
    ['RFC 8032 TEST 1', 'sha1', '5b27aa5589179770e47575b162a1ded97b8bfc6d', 0],
    [
      'RFC 8032 TEST 1',
      'sha256',
      '21fe31dfa154a261626bf854046fd2271b7bed4b6abe45aa58877ef47f9721b9',
      0,
    ],
    ['RFC 8032 TEST 3', 'sha1', '88c764c8be44374a7d2f5d84721f8e325e5bd64c', 2],
    [
      'RFC 8032 TEST 3',
      'sha256',
      'dac073e0123bdea59dd9b3bda9cf6037f63aca82627d7abcd5c4ac29dd74003e',
      2,
    ],
  ] as const)('%s, %s: %s meets %d bits', (name, hash, nodeId, measured) => {
    const policy = policyWith({ hash });

    const id = nodeIdOf(hexToBytes(KEYS[name]), policy);

    expect(bytesToHex(id)).toBe(nodeId);
    expect(staticBits(id, policy)).toBe(measured);
  });

  it.each([
    {
      bits: 4,
      index: 2,
      measured: 5,
      publicKey: '426a4cff02ec7064137195d77ab547af9a99428d75a0f824e50687c7eba190c9',
      nodeId: '5901547a3eab406ea328c1ce5c6c54af12b046b1',
    },
    {
      bits: 8,
      index: 623,
      measured: 11,
      publicKey: '2f81e149d48a6597a6d28b5796bb6997802b842c3aeab89e8a7a23b9901e8f1c',
      nodeId: '295e5748ddb3a7b06a6f9e59c982cacd8f1ba002',
    },
  ])('SHA-1: candidate $index is the first of the grind with $bits bits', (row) => {
    const measured = Array.from({ length: row.index + 1 }, (_, index) =>
      staticBits(nodeIdOf(grindKey(index), SHA1), SHA1),
    );

    expect(measured.findIndex((bits) => bits >= row.bits)).toBe(row.index);
    expect(measured.at(-1)).toBe(row.measured);
    expect(bytesToHex(grindKey(row.index))).toBe(row.publicKey);
    expect(bytesToHex(nodeIdOf(grindKey(row.index), SHA1))).toBe(row.nodeId);
  });
});

describe('IDs that are cut', () => {
  it.each([
    ['sha256', 256, 32],
    ['sha256', 32, 4],
    ['sha256', 16, 2],
    ['sha1', 256, 20],
    ['sha1', 160, 20],
    ['sha1', 152, 19],
  ] as const)('%s to %d bits has %d bytes, the head of the digest', (hash, idBits, bytes) => {
    const policy = policyWith({ hash, idBits });
    const publicKey = hexToBytes(KEYS['RFC 8032 TEST 1']);

    const id = nodeIdOf(publicKey, policy);

    expect(nodeIdBytesOf(policy)).toBe(bytes);
    expect(id.length).toBe(bytes);
    expect(createHash(hash).update(publicKey).digest('hex').startsWith(bytesToHex(id))).toBe(true);
  });

  it('are admitted, and the whole ID in their place is refused by its length', () => {
    const policy = policyWith({ idBits: 32 });
    const claim = honestClaim('ed25519', { policy });

    const verdict = admit(claim, policy);
    const whole = admit({ ...claim, nodeId: nodeIdOf(claim.publicKey) }, policy);

    expect(verdict.admitted).toBe(true);
    expect(whole.checks[0]).toMatchObject({
      code: 'id.mismatch',
      detail: 'node IDs of this policy have 4 bytes, the claimed one has 32',
    });
  });

  it('are shared by keys that a few thousand tests find, which a whole ID never is', () => {
    const policy = policyWith({ idBits: 16 });
    const seen = new Map<string, string>();
    let pair: readonly string[] | null = null;
    for (let index = 0; pair === null && index < 5000; index += 1) {
      // Any bytes are a key as far as the ID goes, and a real one costs a multiplication.
      const key = createHash('sha256').update(String(index)).digest();
      const id = bytesToHex(nodeIdOf(key, policy));
      const first = seen.get(id);
      if (first !== undefined) pair = [first, bytesToHex(key)];
      seen.set(id, bytesToHex(key));
    }

    const ids = pair?.map((key) => bytesToHex(nodeIdOf(hexToBytes(key))));

    expect(new Set(pair).size).toBe(2);
    expect(new Set(ids).size).toBe(2);
  });
});

describe('what a mismatch says', () => {
  it.each([
    ['SHA-256 of the public key is ', {}],
    ['SHA-1 of the public key is ', { hash: 'sha1' }],
    ['the first 32 bits of SHA-256 of the public key is ', { idBits: 32 }],
    ['the double SHA-256 of the SubjectPublicKeyInfo', { idRule: 'storj' }],
    ['the public key itself is ', { idRule: 'yggdrasil' }],
  ] as const)('%s…', (start, members: Partial<Policy>) => {
    const policy = policyWith(members);
    const claim = honestClaim('ed25519', { policy });
    const nodeId = claim.nodeId.map((byte) => byte ^ 1);

    const [check] = admit({ ...claim, nodeId }, policy).checks;

    expect(check).toHaveProperty('detail', expect.stringContaining(start));
  });
});

describe('the storj rule on keys of the lab', () => {
  const policy = policyWith({ idRule: 'storj' });

  it('hashes the SubjectPublicKeyInfo that OpenSSL writes for an Ed25519 key', () => {
    const der = concatBytes(hexToBytes('302e020100300506032b657004220420'), SEED);
    const key = createPrivateKey({ key: Buffer.from(der), format: 'der', type: 'pkcs8' });
    const spki = createPublicKey(key).export({ format: 'der', type: 'spki' });
    const publicKey = schemeOf('ed25519').publicKeyOf({ form: 'seed', bytes: SEED });

    expect(bytesToHex(nodeIdOf(publicKey, policy))).toBe(storjByOpenssl(spki));
  });

  it('hashes the point of a secp256k1 key as it is spelt, compressed or not', () => {
    const compressed = schemeOf('secp256k1').publicKeyOf({ form: 'seed', bytes: SEED });
    const head = hexToBytes('3036301006072a8648ce3d020106052b8104000a032200');
    const key = createPublicKey({
      key: Buffer.from(concatBytes(head, compressed)),
      format: 'der',
      type: 'spki',
    });
    const { x = '', y = '' } = key.export({ format: 'jwk' });
    const uncompressed = Buffer.concat([
      Uint8Array.of(4),
      Buffer.from(x, 'base64url'),
      Buffer.from(y, 'base64url'),
    ]);
    const whole = hexToBytes('3056301006072a8648ce3d020106052b8104000a034200');

    expect(bytesToHex(nodeIdOf(compressed, policy))).toBe(
      storjByOpenssl(concatBytes(head, compressed)),
    );
    expect(bytesToHex(nodeIdOf(uncompressed, policy))).toBe(
      storjByOpenssl(concatBytes(whole, uncompressed)),
    );
  });

  it.each(['ed25519', 'secp256k1'] as const)('admits claims of %s', (scheme) => {
    expect(admit(honestClaim(scheme, { policy }), policy).admitted).toBe(true);
  });

  function storjByOpenssl(spki: Uint8Array): string {
    const once = createHash('sha256').update(spki).digest();
    return `${createHash('sha256').update(once).digest('hex').slice(0, -2)}00`;
  }
});

describe('the yggdrasil rule', () => {
  const policy = policyWith({ idRule: 'yggdrasil' });

  it('takes a copy of the key for the ID', () => {
    const claim = honestClaim('ed25519', { policy });

    expect(claim.nodeId).toEqual(claim.publicKey);
    expect(claim.nodeId).not.toBe(claim.publicKey);
    expect(admit(claim, policy).admitted).toBe(true);
  });

  it('refuses to make an ID of a secp256k1 key, in words', () => {
    const make = () => honestClaim('secp256k1', { policy });

    expect(make).toThrow(LabError);
    expect(make).toThrow('the yggdrasil rule takes Ed25519 keys only, which have 32 bytes');
  });

  it('refuses a claim of secp256k1 by its node ID', () => {
    const [check] = admit(honestClaim('secp256k1'), policy).checks;

    expect(check).toMatchObject({
      check: 'nodeId',
      code: 'id.mismatch',
      detail: 'the yggdrasil rule takes Ed25519 keys only, which have 32 bytes, this one has 33',
    });
  });
});

describe('the default', () => {
  it('is the rule of the strict policy', () => {
    const publicKey = hexToBytes(KEYS['RFC 8032 TEST 1']);

    expect(nodeIdOf(publicKey)).toEqual(nodeIdOf(publicKey, STRICT_POLICY));
    expect(nodeIdBytesOf(STRICT_POLICY)).toBe(32);
  });
});

function grindKey(index: number): Uint8Array {
  const input = concatBytes(utf8ToBytes('skad-oracle'), u64be(index).slice(4));
  const bytes = createHash('sha256').update(input).digest();
  return schemeOf('ed25519').publicKeyOf({ form: 'seed', bytes: Uint8Array.from(bytes) });
}
