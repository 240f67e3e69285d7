/**
 * @module
 * Real keys for the nodes of an election: those who are played here sign with their own, those who are
 * played elsewhere are verified with the key of their claim. An election is folded again for every
 * listener, and a signature costs a millisecond or two each time, so what was signed and verified is
 * remembered, of all elections together. Both schemes sign deterministically (RFC 8032, RFC 6979):
 * the memory saves time and changes nothing.
 */

import type { KeyObject } from 'node:crypto';
import { createPrivateKey, hash, sign } from 'node:crypto';

import { bytesToHex, hexToBytes } from '../../../src/bytes.ts';
import type { Keys } from '../../../src/election/authenticated.ts';
import type { Rank } from '../../../src/election/machine.ts';
import type { SchemeName, Secret } from '../../../src/identity/keys/scheme.ts';
import { schemeOf } from '../../../src/identity/keys/scheme.ts';
import type { SignatureRules } from '../../../src/identity/keys/signature-scheme.ts';
import { SIGNATURE_BYTES } from '../../../src/identity/keys/signature-scheme.ts';
import { messageBytes } from '../../../src/identity/message.ts';

/** Signatures remembered, of about 250 bytes each. */
const REMEMBERED_MAX = 32_768;

/** The key of a node; without a secret it is played elsewhere. */
export interface NodeKey {
  readonly scheme: SchemeName;
  readonly publicKey: Uint8Array;
  readonly secret: Secret | null;
}

/**
 * The keys of nodes that `keyOf` knows; a signature in the name of any other holds for nobody. Signing
 * for who is played elsewhere throws RangeError: nothing here has its secret.
 */
export function signingKeys(
  keyOf: (rank: number) => NodeKey | null,
  rules: SignatureRules,
): (rank: Rank) => Keys {
  const rulesName = JSON.stringify(rules);
  const keys = (rank: Rank): Keys => ({
    sign(text) {
      const key = keyOf(Number(rank));
      if (key === null || key.secret === null)
        throw new RangeError(`"rank" expected one with keys, got ${rank}`);
      const { scheme, publicKey, secret } = key;
      const owner = `${scheme} ${bytesToHex(publicKey)}`;
      return remembered(SIGNED, [owner, text], () => {
        return bytesToHex(signatureOf(scheme, secret, messageBytes(text)));
      });
    },
    verify(signer, text, signature) {
      const key = keyOf(Number(signer));
      if (key === null || !SIGNATURE_FORM.test(signature)) return false;
      const owner = `${key.scheme} ${bytesToHex(key.publicKey)}`;
      // Nobody need verify what was just signed here with a key that is good.
      if (key.secret !== null && SIGNED.get(nameOf([owner, text])) === signature) return true;
      return remembered(VERIFIED, [owner, text, signature, rulesName], () => {
        const bytes = hexToBytes(signature);
        return schemeOf(key.scheme).verify(key.publicKey, messageBytes(text), bytes, rules);
      });
    },
  });
  return keys;
}

/** The same bytes from OpenSSL, where it knows the form of the secret, take a fifteenth of the time. */
function signatureOf(scheme: SchemeName, secret: Secret, message: Uint8Array): Uint8Array {
  if (scheme !== 'ed25519' || secret.form !== 'seed') {
    return schemeOf(scheme).sign(secret, message);
  }
  return sign(null, message, nativeKeyOf(secret));
}

const NATIVE_KEYS = new WeakMap<Secret, KeyObject>();

function nativeKeyOf(secret: Secret): KeyObject {
  const known = NATIVE_KEYS.get(secret);
  if (known !== undefined) return known;
  const der = Buffer.concat([PKCS8_ED25519, secret.bytes]);
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  NATIVE_KEYS.set(secret, key);
  return key;
}

/** PrivateKeyInfo of Ed25519 up to the seed (RFC 8410 section 7). */
const PKCS8_ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex');

const SIGNATURE_FORM = new RegExp(`^[0-9a-f]{${2 * SIGNATURE_BYTES}}$`);

/** One memory for all elections, so that many of them take no more room than one. */
const SIGNED = new Map<string, string>();
const VERIFIED = new Map<string, boolean>();

/** What `work` gives for these parts; the oldest is forgotten first. */
function remembered<Value>(
  memory: Map<string, Value>,
  parts: readonly string[],
  work: () => Value,
): Value {
  const name = nameOf(parts);
  const known = memory.get(name);
  if (known !== undefined) return known;
  const value = work();
  if (memory.size >= REMEMBERED_MAX) {
    for (const oldest of memory.keys()) {
      memory.delete(oldest);
      break;
    }
  }
  memory.set(name, value);
  return value;
}

function nameOf(parts: readonly string[]): string {
  return hash('sha256', parts.join('\0'), 'base64');
}
