/**
 * @module
 * Ed25519 keys without an owner or with two encodings: the eight small-order points, for which anyone can
 * sign, and the complete set of non-canonical encodings.
 */

import { describe, expect, it } from 'vitest';

import { bytesToHex, hexToBytes } from '../../../src/bytes.ts';
import { admit } from '../../../src/identity/admit.ts';
import { nodeIdOf } from '../../../src/identity/ids/node-id.ts';
import { schemeOf } from '../../../src/identity/keys/scheme.ts';
import { STRICT_POLICY } from '../../../src/identity/policy.ts';
import nonCanonical from '../../vectors/derived/ed25519_noncanonical_public_keys.json' with {
  type: 'json',
};
import smallOrder from '../../vectors/derived/ed25519_small_order_public_keys.json' with {
  type: 'json',
};
import { claimUnder, policyWithout, UNIVERSAL_SIGNATURE } from '../forged-claims.ts';

const WITHOUT_KEY_CHECKS = policyWithout('encoding', 'smallOrder', 'torsion');

describe('small-order keys with the universal signature', () => {
  const forged = (encoding: string) =>
    claimUnder('ed25519', hexToBytes(encoding), UNIVERSAL_SIGNATURE);

  it('is the signature of the file', () => {
    expect(bytesToHex(UNIVERSAL_SIGNATURE)).toBe(smallOrder.universal_signature_for_identity_key);
  });

  it.each(smallOrder.keys)('order $order, $encoding: refused as key.small_order', (row) => {
    const claim = forged(row.encoding);

    const { refusal } = admit(claim, STRICT_POLICY);

    expect(refusal).toBe('key.small_order');
    expect(bytesToHex(nodeIdOf(claim.publicKey))).toBe(row.sha256_of_public_key);
  });

  it.each(smallOrder.keys)('order $order, $encoding: admitted where no key is checked', (row) => {
    expect(admit(forged(row.encoding), WITHOUT_KEY_CHECKS).admitted).toBe(true);
  });

  it.each(smallOrder.keys)(
    'order $order, $encoding: the torsion check alone stops all but the identity',
    (row) => {
      const { refusal } = admit(forged(row.encoding), policyWithout('encoding', 'smallOrder'));

      expect(refusal).toBe(row.order === 1 ? null : 'key.not_torsion_free');
    },
  );

  it('lets the identity in where only small order is not checked', () => {
    const identity = forged(`01${'00'.repeat(31)}`);

    expect(admit(identity, policyWithout('smallOrder')).admitted).toBe(true);
  });

  it('holds the strict verifier to refusing them by itself', () => {
    const accepted = smallOrder.keys.filter((row) =>
      schemeOf('ed25519').verify(hexToBytes(row.encoding), new Uint8Array(), UNIVERSAL_SIGNATURE, {
        strict: true,
        lowS: true,
      }),
    );

    expect(accepted).toEqual([]);
  });
});

describe('non-canonical encodings', () => {
  const forged = (encoding: string) =>
    claimUnder('ed25519', hexToBytes(encoding), UNIVERSAL_SIGNATURE);

  it('are forty, of which twenty-six decode leniently', () => {
    const decoded = nonCanonical.encodings.filter(
      ({ encoding }) => schemeOf('ed25519').decode(hexToBytes(encoding)) !== null,
    );

    expect(nonCanonical.encodings.length).toBe(40);
    expect(decoded.length).toBe(nonCanonical.decodable_by_zip215);
  });

  it.each(nonCanonical.encodings)('$what, $encoding: refused as key.encoding', (row) => {
    expect(admit(forged(row.encoding), STRICT_POLICY).refusal).toBe('key.encoding');
  });

  it.each(nonCanonical.encodings)('$what, $encoding: measured leniently all the same', (row) => {
    const { checks } = admit(forged(row.encoding), STRICT_POLICY, { all: true });

    const ok = Object.fromEntries(checks.map((check) => [check.check, check.ok]));
    expect(ok).toEqual({
      nodeId: true,
      static: true,
      encoding: false,
      smallOrder: row.small_order === false,
      torsion: row.torsion_free === true,
      signature: false,
    });
  });

  it.each(nonCanonical.encodings.filter((row) => row.small_order))(
    '$what, $encoding: admitted where no key is checked',
    (row) => {
      expect(admit(forged(row.encoding), WITHOUT_KEY_CHECKS).admitted).toBe(true);
    },
  );

  it.each(nonCanonical.encodings.filter((row) => !row.zip215_decodes))(
    '$what, $encoding: does not decode, and every key check says so',
    (row) => {
      const verdict = admit(forged(row.encoding), policyWithout('encoding'), { all: true });

      const failed = verdict.checks.flatMap((check) =>
        check.ok ? [] : [{ check: check.check, code: check.code }],
      );
      expect(failed).toEqual([
        { check: 'smallOrder', code: 'key.encoding' },
        { check: 'torsion', code: 'key.encoding' },
        { check: 'signature', code: 'signature.invalid' },
      ]);
    },
  );
});
