/**
 * @module
 * test/vectors/puzzles.json, the bytes that other languages must reproduce. Its values come from a
 * generator that shares no code with the product, so agreement here is agreement of two programs.
 */

import { sha256 } from '@noble/hashes/sha2.js';
import { describe, expect, it } from 'vitest';

import { bytesToHex, hexToBytes, u64be, utf8ToBytes } from '../../src/bytes.ts';
import { admit } from '../../src/identity/admit.ts';
import {
  claimJsonSchema,
  claimToJson,
  createClaim,
  parseClaim,
  possessionMessage,
} from '../../src/identity/claim.ts';
import { nodeIdOf, staticBits } from '../../src/identity/ids/node-id.ts';
import { SCHEME_NAMES, schemeOf } from '../../src/identity/keys/scheme.ts';
import { messageBytes } from '../../src/identity/message.ts';
import { parsePolicy, STRICT_POLICY } from '../../src/identity/policy.ts';
import { challengeOf, dynamicBits } from '../../src/identity/puzzles/puzzle.ts';
import { evaluatePuzzle } from '../../src/identity/puzzles/puzzle-function.ts';
import puzzles from '../vectors/puzzles.json' with { type: 'json' };

describe('challenges', () => {
  it.each(puzzles.challenges.vectors)('epoch $epoch of "$context"', (vector) => {
    expect(bytesToHex(challengeOf(vector))).toBe(vector.challenge);
  });

  it('has the strict policy at epoch 0 of "usurp"', () => {
    expect(bytesToHex(challengeOf(STRICT_POLICY))).toBe(
      '9e9183025d2227433ac52251d6c1c146f4f487a2a2b30db88caf8a771b18b761',
    );
  });
});

describe('static puzzle', () => {
  it.each(puzzles.static.vectors)('$what', (vector) => {
    const nodeId = nodeIdOf(hexToBytes(vector.publicKey));

    expect(bytesToHex(nodeId)).toBe(vector.nodeId);
    expect(bytesToHex(sha256(nodeId))).toBe(vector.hash);
    expect(staticBits(nodeId)).toBe(vector.bits);
  });
});

describe('node IDs and static puzzles of other policies', () => {
  it.each(puzzles.policies.vectors)('$what', (vector) => {
    const policy = parsePolicy(vector.policy);

    const nodeId = nodeIdOf(hexToBytes(vector.publicKey), policy);

    expect(bytesToHex(nodeId)).toBe(vector.nodeId);
    expect(staticBits(nodeId, policy)).toBe(vector.bits);
  });
});

describe('puzzle functions', () => {
  it.each(puzzles.functions.vectors)('$hash, $puzzle', ({ hash, puzzle, input, output }) => {
    const policy = parsePolicy({ hash, puzzle });

    expect(bytesToHex(evaluatePuzzle(policy, hexToBytes(input)))).toBe(output);
  });
});

describe('dynamic puzzle, concat', () => {
  it.each(puzzles.concat.vectors)(
    '$requiredBits bits for $nodeId, epoch $epoch of "$context": first $firstSolution',
    (vector) => {
      const nodeId = hexToBytes(vector.nodeId);
      const challenge = challengeOf(vector);
      const bitsOf = (x: number) =>
        dynamicBits({ form: 'concat', challenge, nodeId, solution: u64be(x) });

      const first = Number.parseInt(vector.firstSolution, 16);
      const earlier = Array.from({ length: first }, (_, x) => bitsOf(x));

      expect(bitsOf(first)).toBe(vector.bits);
      expect(earlier.filter((bits) => bits >= vector.requiredBits)).toEqual([]);
    },
  );
});

describe('dynamic puzzle, xor', () => {
  const { amortised, vectors } = puzzles.xor;

  it('has one Y of enough bits', () => {
    const hash = sha256(hexToBytes(amortised.y));

    expect(bytesToHex(hash)).toBe(amortised.hash);
  });

  it.each(vectors)('the Y solves $nodeId by $solution', (vector) => {
    const y = hexToBytes(amortised.y);
    const nodeId = hexToBytes(vector.nodeId);
    const solution = hexToBytes(vector.solution);

    const bits = dynamicBits({ form: 'xor', challenge: new Uint8Array(32), nodeId, solution });

    expect(bits).toBe(vector.bits);
    expect(bits).toBe(amortised.bits);
    expect(nodeId.map((byte, index) => byte ^ (solution[index] ?? 0))).toEqual(y);
  });
});

describe('claims', () => {
  it.each(puzzles.claims.vectors)('$what: are made byte for byte', (vector) => {
    const given = parseClaim(vector.claim);
    const policy = parsePolicy(vector.policy);

    const made = createClaim({
      scheme: given.scheme,
      secret: { form: 'seed', bytes: hexToBytes(vector.secretKey) },
      policy,
      solution: given.solution,
    });

    expect(claimToJson(made)).toEqual(vector.claim);
    expect(bytesToHex(possessionMessage({ ...given, challenge: challengeOf(policy) }))).toBe(
      vector.possessionMessage,
    );
  });

  it.each(puzzles.claims.vectors)('$what: are admitted', (vector) => {
    expect(admit(parseClaim(vector.claim), parsePolicy(vector.policy)).admitted).toBe(true);
  });

  it('has the example of the schema, which solves 8 bits', () => {
    const members = Object.entries(claimJsonSchema.shape);

    const example = Object.fromEntries(members.map(([name, { meta }]) => [name, meta()?.example]));

    expect(admit(parseClaim(example), parsePolicy({ c2: 8 })).admitted).toBe(true);
  });
});

describe('messages', () => {
  const { vectors, secretKeys } = puzzles.messages;

  it.each(vectors)('$bytes', ({ value, bytes }) => {
    expect(bytesToHex(messageBytes(value))).toBe(bytes);
  });

  it.each(SCHEME_NAMES)('are signed byte for byte by %s', (name) => {
    const secret = { form: 'seed', bytes: hexToBytes(secretKeys[name]) } as const;

    const signatures = vectors.map(({ bytes }) =>
      bytesToHex(schemeOf(name).sign(secret, hexToBytes(bytes))),
    );

    expect(signatures).toEqual(vectors.map((vector) => vector.signatures[name]));
  });

  it('open with their domain and a zero byte', () => {
    const [first] = vectors;

    expect(first?.bytes.startsWith(bytesToHex(utf8ToBytes('usurp/message/v1\0')))).toBe(true);
  });
});
