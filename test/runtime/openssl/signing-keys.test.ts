/**
 * @module
 * The keys of nodes: every way of signing gives the bytes of the implementation that verifies.
 */

import { describe, expect, it } from 'vitest';
import { bytesToHex } from '../../../src/bytes.ts';
import { fromRank, toRank } from '../../../src/election/world/cast.ts';
import type { Secret } from '../../../src/identity/keys/scheme.ts';
import { schemeOf } from '../../../src/identity/keys/scheme.ts';
import { messageBytes } from '../../../src/identity/message.ts';
import type { NodeKey } from '../../../src/runtime/openssl/signing-keys.ts';
import { signingKeys } from '../../../src/runtime/openssl/signing-keys.ts';

const RULES = { strict: true, lowS: true };
const bytesOf = (byte: number) => new Uint8Array(32).fill(byte, 0, 31);
const keyOf = (scheme: NodeKey['scheme'], secret: Secret): NodeKey => ({
  ...{ scheme, secret },
  publicKey: schemeOf(scheme).publicKeyOf(secret),
});
const keys = [
  keyOf('ed25519', { form: 'seed', bytes: bytesOf(1) }),
  keyOf('ed25519', { form: 'scalar', bytes: bytesOf(2) }),
  keyOf('secp256k1', { form: 'seed', bytes: bytesOf(3) }),
];
const played = { ...keyOf('ed25519', { form: 'seed', bytes: bytesOf(4) }), secret: null };
const keysOf = signingKeys((rank) => [...keys, played][fromRank(rank) - 1] ?? null, RULES);

describe('keys of nodes', () => {
  it.each(
    keys.map((key, index) => [`${key.scheme}, ${key.secret?.form}`, key, index + 1] as const),
  )('sign as the scheme does: %s', (_name, { scheme, publicKey, secret }, rank) => {
    if (secret === null) throw new TypeError('"secret" expected one, got none');
    for (const text of ['', 'a', '["usurp/election/v1",1,2]', 'ü\u0000'.repeat(200)]) {
      const signature = keysOf(toRank(rank)).sign(text);

      const bytes = schemeOf(scheme).sign(secret, messageBytes(text));
      expect(signature).toBe(bytesToHex(bytes));
      expect(schemeOf(scheme).verify(publicKey, messageBytes(text), bytes, RULES)).toBe(true);
      expect(keysOf(toRank(4)).verify(toRank(rank), text, signature)).toBe(true);
      expect(keysOf(toRank(4)).verify(toRank(rank), `${text}.`, signature)).toBe(false);
    }
  });

  it('refuse texts that are no signature by the node, also when they are sent again', () => {
    const { verify } = keysOf(toRank(1));
    const signature = keysOf(toRank(1)).sign('text');
    const last = signature.endsWith('0') ? '1' : '0';
    const forged = [
      signature.toUpperCase(),
      signature.slice(2),
      `${signature}00`,
      '',
      `${signature.slice(0, -1)}${last}`,
    ];

    for (let round = 0; round < 2; round += 1) {
      for (const each of forged) expect(verify(toRank(1), 'text', each)).toBe(false);
      expect(verify(toRank(2), 'text', signature)).toBe(false);
      expect(verify(toRank(9), 'text', signature)).toBe(false);
    }
  });

  it('do not sign for nodes that are played from outside', () => {
    expect(() => keysOf(toRank(4)).sign('text')).toThrow(RangeError);
    expect(() => keysOf(toRank(9)).sign('text')).toThrow(RangeError);
  });
});
