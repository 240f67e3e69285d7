/**
 * @module
 * Verdicts with OpenSSL as plain verifier are those of noble alone: on a grid of every kind of key, R and S, and on
 * drawn and mutated claims. Environment: PLAIN_CLAIMS, number of claims. The default has every kind of claim with every
 * mutation under both policies, which the test asserts. The slow suite has the whole grid.
 */

import { describe, expect, it } from 'vitest';

import { bytesToHex, concatBytes, u64be } from '../../../src/bytes.ts';
import { admit } from '../../../src/identity/admit.ts';
import type { Claim } from '../../../src/identity/claim.ts';
import { possessionMessage } from '../../../src/identity/claim.ts';
import { nodeIdOf } from '../../../src/identity/ids/node-id.ts';
import type { SchemeName, Secret } from '../../../src/identity/keys/scheme.ts';
import { schemeOf } from '../../../src/identity/keys/scheme.ts';
import { STRICT_POLICY } from '../../../src/identity/policy.ts';
import { challengeOf } from '../../../src/identity/puzzles/puzzle.ts';
import type { Random } from '../../../src/random.ts';
import { createRandom, parseSeed } from '../../../src/random.ts';
import { plainVerifier } from '../../../src/runtime/openssl/plain-verifier.ts';
import { IS_WHOLE, sampled } from '../../sample.ts';
import { policyWithout } from '../forged-claims.ts';
import type { OddKey, OddNonce } from './odd-signatures.ts';
import {
  NON_CANONICAL,
  OFF_CURVE,
  ORDER,
  oddKey,
  oddNonce,
  randomBytes,
  randomScalar,
  responseOf,
  signatureOf,
  TORSION,
} from './odd-signatures.ts';

const CLAIMS = Number(process.env.PLAIN_CLAIMS ?? 288);
const RULES = [true, false].map((strict) => ({ strict, lowS: true }));
const CHALLENGE = challengeOf(STRICT_POLICY);
const { verify } = schemeOf('ed25519');

describe('Ed25519, every kind of key with every kind of R and S', () => {
  const random = createRandom(parseSeed('1'), 'grid');
  const scalar = randomScalar(random);
  const nonce = randomScalar(random);
  const otherEncodings = NON_CANONICAL.filter((_, index) => index % 3 === 0);
  const small = TORSION.map((torsion): OddKey => ({ scalar: 0n, encoding: torsion.toBytes() }));
  const keyKinds: Readonly<Record<string, readonly OddKey[]>> = {
    'of prime order': [oddKey(scalar), oddKey(1n), oddKey(ORDER - 1n)],
    // One of each order, 8, 4 and 2, or all.
    'of mixed order': TORSION.filter((_, index) =>
      IS_WHOLE ? index > 0 : [1, 2, 4].includes(index),
    ).map((torsion) => oddKey(scalar, torsion)),
    'of small order': small,
    'not canonical': otherEncodings.map((encoding) => ({
      scalar: 0n,
      encoding,
    })),
    'on no point': [{ scalar, encoding: OFF_CURVE }],
  };
  const nonces: readonly OddNonce[] = [
    ...TORSION.map((torsion) => oddNonce(nonce, torsion)),
    ...TORSION.map((torsion) => oddNonce(0n, torsion)),
    ...otherEncodings.map((encoding) => ({ nonce: 0n, encoding })),
    { nonce, encoding: OFF_CURVE },
  ];

  it.each(Object.entries(keyKinds))('a key %s', (_, keys) => {
    const differing: string[] = [];
    let valid = 0;
    const cells = keys.flatMap((key) =>
      nonces.flatMap((R) => responsesTo(key, R).map((response) => [key, ...response] as const)),
    );
    for (const [key, what, signature] of sampled(cells, 2)) {
      for (const rules of RULES) {
        const answer = verify(key.encoding, CHALLENGE, signature, rules, plainVerifier);
        if (answer) valid += 1;
        if (answer !== verify(key.encoding, CHALLENGE, signature, rules)) {
          differing.push(`${what}: ${bytesToHex(key.encoding)} ${bytesToHex(signature)}`);
        }
      }
    }

    expect(differing).toEqual([]);
    expect(valid > 0).toBe(keys.some(({ encoding }) => encoding !== OFF_CURVE));
  });

  function responsesTo(key: OddKey, R: OddNonce): readonly (readonly [string, Uint8Array])[] {
    const S = responseOf(key, R, CHALLENGE);
    const responses = { S, 'S + L': S + ORDER, 'S + 1': (S + 1n) % ORDER, L: ORDER, zero: 0n };
    return Object.entries(responses).map(([what, each]) => [what, signatureOf(R, each)] as const);
  }
});

/** One claim and how it was made. */
interface Drawn {
  readonly what: string;
  readonly claim: Claim;
}

type Draw = (random: Random) => Claim;

describe(`${CLAIMS} drawn and mutated claims`, () => {
  const pool = createRandom(parseSeed('2'), 'pool');
  const scalars = Array.from({ length: 64 }, () => randomScalar(pool));
  const pick = <T>(random: Random, items: readonly T[]): T => {
    const item = items[random.below(items.length)];
    if (item === undefined) throw new RangeError('"items" expected one or more, got none');
    return item;
  };
  const anyTorsion = (random: Random) => pick(random, TORSION);

  /** A claim that is signed with these parts. `change` alters S. */
  const signed = (
    random: Random,
    key: OddKey,
    R: OddNonce,
    change: (S: bigint) => bigint = (S) => S,
  ): Claim => {
    const nodeId = nodeIdOf(key.encoding);
    const solution = random.below(2) === 0 ? null : randomBytes(random, 8);
    const message = possessionMessage({ challenge: CHALLENGE, nodeId, solution });
    const signature = signatureOf(R, change(responseOf(key, R, message)));
    return { scheme: 'ed25519', publicKey: key.encoding, nodeId, solution, signature };
  };
  const nameOf = (scalar: bigint, torsion = TORSION[0]) =>
    `${scalar}/${torsion === undefined ? 0 : TORSION.indexOf(torsion)}`;
  const keys = remembered(oddKey, nameOf);
  const nonces = remembered(oddNonce, nameOf);
  const publicKeys = remembered(
    (scheme: SchemeName, secret: Secret) => schemeOf(scheme).publicKeyOf(secret),
    (scheme, { bytes }) => `${scheme}/${bytesToHex(bytes)}`,
  );
  const keyOf = (random: Random) => keys(pick(random, scalars));
  const nonceOf = (random: Random) => nonces(pick(random, scalars));
  const seeded = (random: Random, scheme: SchemeName): Claim => {
    const secret = { form: 'seed', bytes: u64be(random.below(64) + 1) } as const;
    const whole = { ...secret, bytes: concatBytes(new Uint8Array(24), secret.bytes) };
    const publicKey = publicKeys(scheme, whole);
    const nodeId = nodeIdOf(publicKey);
    const solution = randomBytes(random, 8);
    const message = possessionMessage({ challenge: CHALLENGE, nodeId, solution });
    const signature = schemeOf(scheme).sign(whole, message, publicKey);
    return { scheme, publicKey, nodeId, solution, signature };
  };

  const KINDS: Readonly<Record<string, Draw>> = {
    honest: (random) => seeded(random, 'ed25519'),
    'honest secp256k1': (random) => seeded(random, 'secp256k1'),
    'a nonce of its own': (random) => signed(random, keyOf(random), nonceOf(random)),
    'R of mixed order': (random) =>
      signed(random, keyOf(random), nonces(pick(random, scalars), anyTorsion(random))),
    'R of small order': (random) => signed(random, keyOf(random), nonces(0n, anyTorsion(random))),
    'another encoding of R': (random) =>
      signed(random, keyOf(random), { nonce: 0n, encoding: pick(random, NON_CANONICAL) }),
    'a key of mixed order': (random) =>
      signed(random, keys(pick(random, scalars), anyTorsion(random)), nonceOf(random)),
    'key and R of mixed order': (random) =>
      signed(
        random,
        keys(pick(random, scalars), anyTorsion(random)),
        nonces(pick(random, scalars), anyTorsion(random)),
      ),
    'a key of small order': (random) =>
      signed(
        random,
        { scalar: 0n, encoding: anyTorsion(random).toBytes() },
        nonces(pick(random, [0n, ...scalars]), anyTorsion(random)),
      ),
    'S + L': (random) => signed(random, keyOf(random), nonceOf(random), (S) => S + ORDER),
    'a drawn S': (random) =>
      signed(random, keyOf(random), nonceOf(random), () => pick(random, scalars)),
    'drawn bytes': (random) => ({
      ...signed(random, keyOf(random), nonceOf(random)),
      signature: randomBytes(random, 64),
    }),
  };
  const kinds = Object.entries(KINDS);
  const MEMBERS = ['publicKey', 'nodeId', 'solution', 'signature'] as const;

  /**
   * A claim of each kind, one after the other. Half of the claims of a kind are left as they are. In the others one bit of
   * one member is flipped, which all of them have in turn.
   */
  const drawnAt = (index: number): Drawn => {
    const random = createRandom(parseSeed('3'), 'claim', index);
    const [what, draw] = kinds[index % kinds.length] ?? pick(random, kinds);
    const member = MEMBERS[Math.floor(index / kinds.length) % (2 * MEMBERS.length)];
    let claim = draw(random);
    if (member === undefined) return { what, claim };
    // Some claims have no solution.
    while (claim[member] === null) claim = draw(random);
    const bytes = claim[member] ?? new Uint8Array();
    const mutated = { ...claim, [member]: withFlippedBit(bytes, random) };
    // A flipped key gets its own node ID, so that it reaches the checks of the key.
    const nodeId = member === 'publicKey' ? nodeIdOf(mutated.publicKey) : mutated.nodeId;
    return { what: `${what}, ${member} flipped`, claim: { ...mutated, nodeId } };
  };

  it('get the same verdict, check by check, from strict and from weak policies', () => {
    const policies = [STRICT_POLICY, policyWithout('encoding', 'smallOrder', 'torsion')];
    const differing: string[] = [];
    const seen = new Map<string, number>();
    const classes = new Set<string>();
    for (let index = 0; index < CLAIMS; index += 1) {
      const { what, claim } = drawnAt(index);
      // A third of the claims of each kind and mutation meets the weak policy.
      const round = Math.floor(index / (2 * MEMBERS.length * kinds.length));
      const policy = policies[round % 3 === 0 ? 1 : 0] ?? STRICT_POLICY;
      classes.add(`${what}, ${policy === STRICT_POLICY ? 'strict' : 'weak'}`);
      const fast = admit(claim, policy, { all: true, plain: plainVerifier });
      const noble = admit(claim, policy, { all: true });
      if (JSON.stringify(fast) !== JSON.stringify(noble)) differing.push(`${index}: ${what}`);
      const last = noble.checks.at(-1)?.ok === true ? 'signed' : 'not signed';
      seen.set(last, (seen.get(last) ?? 0) + 1);
    }

    expect(differing).toEqual([]);
    // Unchanged or with one of four members flipped.
    expect(classes.size).toBe(kinds.length * 5 * policies.length);
    expect(seen.get('signed')).toBeGreaterThan(CLAIMS / 4);
    expect(seen.get('not signed')).toBeGreaterThan(CLAIMS / 4);
  });
});

/** The same as `make`, which takes longer than all else about a claim but its verification, and is called once for each. */
function remembered<Args extends readonly unknown[], Made>(
  make: (...args: Args) => Made,
  nameOf: (...args: Args) => string,
): (...args: Args) => Made {
  const made = new Map<string, Made>();
  return (...args) => {
    const name = nameOf(...args);
    const value = made.get(name) ?? make(...args);
    made.set(name, value);
    return value;
  };
}

function withFlippedBit(bytes: Uint8Array, random: Random): Uint8Array {
  const bit = random.below(8 * bytes.length);
  return bytes.map((byte, index) => (index === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte));
}
