/**
 * @module
 * One Ed25519 secret, one ID: the seven torsion siblings of a key are keys that its secret signs
 * for, under every cofactored verifier, and only the torsion check distinguishes them from the key.
 */

import { createPublicKey, verify } from 'node:crypto';
import { ed25519 as noble } from '@noble/curves/ed25519.js';
import { describe, expect, it } from 'vitest';

import { bytesToHex, hexToBytes, utf8ToBytes } from '../../../src/bytes.ts';
import { admit } from '../../../src/identity/admit.ts';
import { nodeIdOf } from '../../../src/identity/ids/node-id.ts';
import { schemeOf } from '../../../src/identity/keys/scheme.ts';
import { STRICT_POLICY } from '../../../src/identity/policy.ts';
import eightIds from '../../vectors/derived/ed25519_one_secret_eight_ids.json' with {
  type: 'json',
};
import split from '../../vectors/derived/ed25519_verifier_split.json' with { type: 'json' };
import { claimOfSibling, policyWithout, torsionPoints } from '../forged-claims.ts';

const SIBLINGS_OF_TEST_1 = [
  '9158312a9a8d6e3b34c891d6d61444f8b8211c5117ebad15bdb0bd68b07e0245',
  'ad38a8f0b22ab7ca46ecee7bbef12b5f336c182652fac34392f859dbd9666a7d',
  '3b5b475c4b82dd1572799fc546f4c6c03e478c6654aa4c7f945b347ea32af60d',
  '16a567fe7d4ef5482ab4012c369bf8c5f11e8d0c2559dcda50fde59708f8aee5',
  '5ca7ced5657291c4cb376e2929ebbb0747dee3aee81452ea424f42974f81fdba',
  '40c7570f4dd54835b9131184410ed4a0cc93e7d9ad053cbc6d07a62426999582',
  'b2a4b8a3b47d22ea8d86603ab90b393fc1b87399ab55b3806ba4cb815cd509f2',
] as const;

const YGGDRASIL_KEYS = [
  '00000000000da547036a01860a9e3a0476a525415801ec34f4e5b59fd6055b88',
  '000000000143db657d1d6f80b5066dd109a4cb31f7dc6cb5d56050fffb014217',
  '0000000087ee9949eeab56bd430ee8f324cad55abf3993ed9b9be63ce693e18a',
  '00000002a957313975d1fe53b9ac641b05b1a9c37da22d4ebcef45e7a5bd4c67',
  '00defa4b4b243547f2d5641ac5235ff1e35d393c576e4bb9cd45baefc81e48d9',
  'f91b909f43829f8b20732b3bcf80cbc4bb078dd47b41638379a078e35984c9a4',
  'bdbacfd82240de3dcd123924cbb55256fb8dab08aa98e305528ab84f419e6efb',
] as const;

const ed25519 = schemeOf('ed25519');
const RULES = { strict: true, lowS: true };

describe('the eight keys of one secret', () => {
  const seed = hexToBytes(eightIds.secret_key);
  const message = utf8ToBytes(eightIds.message_utf8);

  it.each(eightIds.keys)('index $torsion_index: the facts of the file hold', (row) => {
    const publicKey = hexToBytes(row.public_key);

    const facts = ed25519.decode(publicKey);

    expect(bytesToHex(nodeIdOf(publicKey))).toBe(row.sha256_of_public_key);
    expect(facts?.canonical).toBe(true);
    expect(facts?.isSmallOrder()).toBe(false);
    expect(facts?.isTorsionFree()).toBe(row.torsion_free);
  });

  it.each(eightIds.keys)('index $torsion_index: both signatures verify, strict too', (row) => {
    const publicKey = hexToBytes(row.public_key);

    const answers = [row.signature, row.signature_ground_for_cofactorless].map((signature) =>
      ed25519.verify(publicKey, message, hexToBytes(signature), RULES),
    );

    expect(answers).toEqual([row.noble_strict, row.ground_noble_strict]);
  });

  it.each(eightIds.keys)('index $torsion_index: $expected_of_our_api', (row) => {
    const claim = claimOfSibling(hexToBytes(row.public_key), seed);

    const { refusal } = admit(claim, STRICT_POLICY);

    expect(refusal).toBe(row.torsion_free ? null : 'key.not_torsion_free');
  });

  it.each(eightIds.keys)('index $torsion_index: a network without the check lets it in', (row) => {
    const claim = claimOfSibling(hexToBytes(row.public_key), seed);

    expect(admit(claim, policyWithout('torsion')).admitted).toBe(true);
  });

  it('admits exactly one of the eight', () => {
    const claims = eightIds.keys.map((row) => claimOfSibling(hexToBytes(row.public_key), seed));

    const admitted = claims.filter((claim) => admit(claim, STRICT_POLICY).admitted);

    expect(admitted.map(({ publicKey }) => bytesToHex(publicKey))).toEqual([
      eightIds.keys[0]?.public_key,
    ]);
  });
});

describe('the sixteen encodings of RFC 8032 TEST 1: eight torsion points, two signs', () => {
  const base = noble.Point.fromHex(
    'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
  );
  const siblings = [base, base.negate()].flatMap((point) =>
    torsionPoints().map((torsion) => point.add(torsion).toHex()),
  );

  it('are those that were computed elsewhere', () => {
    const listed = [base.toHex(), ...SIBLINGS_OF_TEST_1];
    const withSigns = listed.flatMap((hex) => [hex, signFlipped(hex)]);

    expect([...siblings].sort()).toEqual([...withSigns].sort());
    expect(new Set(siblings).size).toBe(16);
  });

  it('pass the torsion check for ±A alone', () => {
    const free = siblings.filter((hex) => ed25519.decode(hexToBytes(hex))?.isTorsionFree());

    expect(free).toEqual([base.toHex(), base.negate().toHex()]);
  });
});

describe('keys of real Yggdrasil peers, ground for leading zeros', () => {
  it.each(YGGDRASIL_KEYS)('%s is canonical and of prime order', (hex) => {
    const facts = ed25519.decode(hexToBytes(hex));

    expect(facts?.canonical).toBe(true);
    expect(facts?.isSmallOrder()).toBe(false);
    expect(facts?.isTorsionFree()).toBe(true);
  });
});

describe('a signature that splits cofactored from cofactorless verifiers', () => {
  const publicKey = hexToBytes(split.public_key);
  const message = utf8ToBytes(split.message_utf8);
  const signature = hexToBytes(split.signature);

  it('gets one answer here, under strict and lenient rules and when asked again', () => {
    const rules = [RULES, { strict: false, lowS: true }, RULES];

    const answers = rules.map((rule) => ed25519.verify(publicKey, message, signature, rule));

    expect(answers).toEqual([split.noble_strict, split.noble_zip215_default, split.noble_strict]);
  });

  it('gets the other answer from OpenSSL, whose refusals thus do not count for such an R', () => {
    const der = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), publicKey]);
    const key = createPublicKey({ key: der, format: 'der', type: 'spki' });

    expect(verify(null, message, key, signature)).toBe(split.node_crypto);
  });
});

function signFlipped(hex: string): string {
  const bytes = hexToBytes(hex);
  return bytesToHex(bytes.map((byte, index) => (index === 31 ? byte ^ 0x80 : byte)));
}
