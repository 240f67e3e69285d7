/**
 * @module
 * Project Wycheproof's vectors, read from the folder that USURP_VECTORS names. They are others' and
 * are not part of this repository; without the folder these tests are skipped, and say so.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { secp256k1 as noble } from '@noble/curves/secp256k1.js';
import { describe, expect, it } from 'vitest';

import { hexToBytes } from '../../../src/bytes.ts';
import { schemeOf } from '../../../src/identity/keys/scheme.ts';

const FOLDER = process.env.USURP_VECTORS;
const REASON = 'skipped unless USURP_VECTORS names a folder with wycheproof/';

const ed25519Groups = groupsOf<Ed25519Group>('ed25519_test.json');
const ecdsaGroups = groupsOf<EcdsaGroup>('ecdsa_secp256k1_sha256_p1363_test.json');

interface Vector {
  readonly tcId: number;
  readonly comment: string;
  readonly msg: string;
  readonly sig: string;
  readonly result: 'valid' | 'invalid' | 'acceptable';
}

interface Ed25519Group {
  readonly publicKey: { readonly pk: string };
  readonly tests: readonly Vector[];
}

interface EcdsaGroup {
  readonly publicKey: { readonly uncompressed: string };
  readonly tests: readonly Vector[];
}

describe.skipIf(ed25519Groups.length === 0)(`Wycheproof ed25519 (${REASON})`, () => {
  const rows = ed25519Groups.flatMap(({ publicKey, tests }) =>
    tests.map((vector) => ({ ...vector, publicKey: hexToBytes(publicKey.pk) })),
  );

  it('has 88 valid and 63 invalid signatures', () => {
    expect(countsOf(rows)).toEqual({ valid: 88, invalid: 63 });
  });

  it.each(rows)('$tcId $result: $comment', (row) => {
    const answers = [true, false].map((strict) =>
      schemeOf('ed25519').verify(row.publicKey, hexToBytes(row.msg), hexToBytes(row.sig), {
        strict,
        lowS: true,
      }),
    );

    if (row.result === 'valid') expect(answers).toEqual([true, true]);
    else expect(answers[0]).toBe(false);
  });
});

describe.skipIf(ecdsaGroups.length === 0)(`Wycheproof secp256k1 P1363 (${REASON})`, () => {
  const rows = ecdsaGroups.flatMap(({ publicKey, tests }) => {
    const point = noble.Point.fromHex(publicKey.uncompressed);
    return tests.map((vector) => ({ ...vector, publicKey: point.toBytes(true) }));
  });
  const valid = rows.filter(({ result }) => result === 'valid');
  const invalid = rows.filter(({ result }) => result !== 'valid');

  it('has 167 valid and 85 invalid signatures', () => {
    expect(countsOf(rows)).toEqual({ valid: 167, invalid: 85 });
  });

  it('verifies every valid one with the low-s rule off', () => {
    const refused = valid.filter((row) => !verifies(row, false));

    expect(refused.map(({ tcId }) => tcId)).toEqual([]);
  });

  it('refuses with the low-s rule on those 72 valid ones that have s > n/2', () => {
    const refused = valid.filter((row) => !verifies(row, true));

    expect(refused).toHaveLength(72);
    expect(refused.filter(({ sig }) => !isHigh(sig))).toEqual([]);
    expect(valid.filter(({ sig }) => isHigh(sig))).toHaveLength(72);
  });

  it.each(invalid)('$tcId never verifies: $comment', (row) => {
    expect([verifies(row, true), verifies(row, false)]).toEqual([false, false]);
  });
});

function verifies(row: Vector & { readonly publicKey: Uint8Array }, lowS: boolean): boolean {
  const message = hexToBytes(row.msg);
  const signature = hexToBytes(row.sig);
  return schemeOf('secp256k1').verify(row.publicKey, message, signature, { strict: true, lowS });
}

function isHigh(signature: string): boolean {
  return BigInt(`0x${signature.slice(64)}`) > noble.Point.Fn.ORDER >> 1n;
}

function countsOf(rows: readonly Vector[]): Readonly<Record<string, number>> {
  return Object.fromEntries(
    ['valid', 'invalid'].map((name) => [name, rows.filter((row) => row.result === name).length]),
  );
}

/** The test groups of a file; none if no folder is named, an error if it lacks the file. */
function groupsOf<Group>(file: string): readonly Group[] {
  if (FOLDER === undefined || FOLDER === '') return [];
  const path = join(FOLDER, 'wycheproof', file);
  const document = JSON.parse(readFileSync(path, 'utf8')) as { readonly testGroups: Group[] };
  return document.testGroups;
}
