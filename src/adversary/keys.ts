/**
 * @module
 * The keys of an election's nodes, in two forms that give the same outcomes. Real keys sign with the
 * scheme of their identity. Symbolic keys are for large runs and for checkers (D. Dolev, A. Yao, "On the
 * security of public key protocols", IEEE Trans. Information Theory 29(2), 1983): a signature is a code
 * under a secret that only the signer has, so that a node can send only what its own keys can sign, or
 * what it has received.
 */

import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, hexToBytes, utf8ToBytes } from '../bytes.ts';
import type { Authentication, Keys } from '../election/authentication/authenticated.ts';
import type { Rank } from '../election/machine.ts';
import type { SchemeName, Secret } from '../identity/keys/scheme.ts';
import { schemeOf } from '../identity/keys/scheme.ts';
import { SIGNATURE_BYTES } from '../identity/keys/signature-scheme.ts';
import { messageBytes } from '../identity/message.ts';
import type { Seed } from '../random.ts';
import { deriveSeed } from '../random.ts';

/** An admitted node's keys. */
export interface HeldKey {
  readonly scheme: SchemeName;
  readonly secret: Secret;
  readonly publicKey: Uint8Array;
}

/** Bytes of a symbolic signature: no attack on it is modelled, but two texts must not share one. */
const CODE_BYTES = 16;

/** Codes that are kept, 300 bytes each. */
const RECENT_CODES_MAX = 1024;

/** Keys of the admitted `ranks`; a signature in the name of any other never verifies. */
export function symbolicKeys(seed: Seed, ranks: readonly Rank[]): (rank: Rank) => Keys {
  const secrets = new Map(ranks.map((rank) => [rank, deriveSeed(seed, 'symbolic-key', rank)]));
  // Most codes are needed twice, by the signer and soon after by the verifier.
  const recent = new Map<string, string>();
  const codeOf = (rank: Rank, text: string) => {
    const secret = secrets.get(rank);
    if (secret === undefined) return null;
    const signed = `${secret}\0${text}`;
    const known = recent.get(signed);
    if (known !== undefined) return known;
    const code = bytesToHex(sha256(utf8ToBytes(signed)).subarray(0, CODE_BYTES));
    if (recent.size >= RECENT_CODES_MAX) recent.clear();
    recent.set(signed, code);
    return code;
  };
  return (rank) => ({
    sign: (text) => codeOf(rank, text) ?? refuseSigner(rank),
    verify: (signer, text, signature) => codeOf(signer, text) === signature,
  });
}

/** Keys of identities that were admitted, by rank. */
export function realKeys(held: ReadonlyMap<Rank, HeldKey>): (rank: Rank) => Keys {
  return (rank) => ({
    sign(text) {
      const key = held.get(rank) ?? refuseSigner(rank);
      return bytesToHex(schemeOf(key.scheme).sign(key.secret, messageBytes(text)));
    },
    verify(signer, text, signature) {
      const key = held.get(signer);
      if (key === undefined || !SIGNATURE_FORM.test(signature)) return false;
      const bytes = hexToBytes(signature);
      const rules = { strict: true, lowS: true };
      return schemeOf(key.scheme).verify(key.publicKey, messageBytes(text), bytes, rules);
    },
  });
}

const SIGNATURE_FORM = new RegExp(`^[0-9a-f]{${2 * SIGNATURE_BYTES}}$`);

function refuseSigner(rank: Rank): never {
  throw new RangeError(`"rank" expected one that was admitted, got ${rank}`);
}

/** Keys that sign for these nodes and verify the signatures of all. */
export function confined(
  authentication: Authentication,
  accomplices: readonly Rank[],
): Authentication {
  return {
    ...authentication,
    keysOf(rank) {
      const { sign, verify } = authentication.keysOf(rank);
      return {
        verify,
        sign(text) {
          if (accomplices.includes(rank)) return sign(text);
          throw new RangeError(`"rank" expected an accomplice, got ${rank}`);
        },
      };
    },
  };
}
