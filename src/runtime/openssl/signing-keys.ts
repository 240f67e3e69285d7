/**
 * @module
 * Real keys for the nodes of an election. A process signs for the nodes that it plays, and verifies messages
 * of the others with the keys of their claims. Every replay of an election repeats its signatures, so the
 * signatures and verdicts of all elections are cached. Both schemes are deterministic (RFC 8032, RFC 6979), so
 * the cache changes no result.
 */

import type { KeyObject } from 'node:crypto';
import { createPrivateKey, hash, sign } from 'node:crypto';
import { LRUCache } from 'lru-cache';

import { bytesToHex, hexToBytes } from '../../bytes.ts';
import type { Keys } from '../../election/authentication/authenticated.ts';
import type { Rank } from '../../election/machine.ts';
import type { SchemeName, Secret } from '../../identity/keys/scheme.ts';
import { schemeOf } from '../../identity/keys/scheme.ts';
import type { SeedKey, SignatureRules } from '../../identity/keys/signature-scheme.ts';
import { SIGNATURE_BYTES } from '../../identity/keys/signature-scheme.ts';
import { messageBytes } from '../../identity/message.ts';
import { plainPublicKey } from './plain-key.ts';
import { plainVerifier } from './plain-verifier.ts';

/** Cached signatures and verdicts, of about 250 bytes each. */
const CACHED_MAX = 32_768;

/** The key of a node. Without a secret, the node is played from outside. */
export interface NodeKey {
  readonly scheme: SchemeName;
  /** The public key of the secret. */
  readonly publicKey: Uint8Array;
  readonly secret: Secret | null;
}

/**
 * The keys of the nodes that `keyOf` knows. No signature by another node is valid. Signing for a node
 * without a secret throws RangeError.
 */
export function signingKeys(
  keyOf: (rank: Rank) => NodeKey | null,
  rules: SignatureRules,
): (rank: Rank) => Keys {
  const rulesName = JSON.stringify(rules);
  return (rank: Rank): Keys => ({
    sign(text) {
      const key = keyOf(rank);
      const secret = key?.secret ?? null;
      if (key === null || secret === null) {
        throw new RangeError(`"rank" expected one with keys, got ${rank}`);
      }
      return SIGNED.memo(nameOf(ownerOf(key), text), {
        context: () => bytesToHex(signatureOf(key, secret, messageBytes(text))),
      });
    },
    verify(signer, text, signature) {
      const key = keyOf(signer);
      if (key === null || !SIGNATURE_FORM.test(signature)) return false;
      const owner = ownerOf(key);
      // A signature by this process with a valid key need not be verified.
      if (key.secret !== null && SIGNED.get(nameOf(owner, text)) === signature) return true;
      return VERIFIED.memo(nameOf(owner, text, signature, rulesName), {
        context: () => {
          const bytes = hexToBytes(signature);
          const { verify } = schemeOf(key.scheme);
          return verify(key.publicKey, messageBytes(text), bytes, rules, plainVerifier);
        },
      });
    },
  });
}

/** OpenSSL computes the same bytes in a fifteenth of the time from a seed, and in a tenth from a scalar. */
function signatureOf(
  { scheme, publicKey }: NodeKey,
  secret: Secret,
  message: Uint8Array,
): Uint8Array {
  if (scheme !== 'ed25519' || secret.form !== 'seed') {
    return schemeOf(scheme).sign(secret, message, publicKey, keyOfSeed);
  }
  const key = NATIVE_KEYS.get(secret) ?? nativeKeyOf(secret.bytes);
  NATIVE_KEYS.set(secret, key);
  return sign(null, message, key);
}

function nativeKeyOf(seed: Uint8Array): KeyObject {
  const der = Buffer.concat([PKCS8_ED25519, seed]);
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
}

const keyOfSeed: SeedKey = (bytes) => plainPublicKey({ form: 'seed', bytes });

const NATIVE_KEYS = new WeakMap<Secret, KeyObject>();

/** PrivateKeyInfo of Ed25519 up to the seed (RFC 8410 section 7). */
const PKCS8_ED25519 = Buffer.from('302e020100300506032b657004220420', 'hex');

const SIGNATURE_FORM = new RegExp(`^[0-9a-f]{${2 * SIGNATURE_BYTES}}$`);

/** Shared by all elections, so that many of them take no more memory than one. */
const SIGNED = cacheOf<string>();
const VERIFIED = cacheOf<boolean>();

/** A cache whose look-ups say how a missing value is computed. */
function cacheOf<Value extends string | boolean>() {
  return new LRUCache<string, Value, () => Value>({
    max: CACHED_MAX,
    memoMethod: (_name, _stale, { context }) => context(),
  });
}

function ownerOf({ scheme, publicKey }: NodeKey): string {
  return `${scheme} ${bytesToHex(publicKey)}`;
}

function nameOf(...parts: readonly string[]): string {
  return hash('sha256', parts.join('\0'), 'base64');
}
