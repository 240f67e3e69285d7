/**
 * @module
 * Storj's node IDs against real ones and against the rows of its own unit test.
 */

import { sha256 } from '@noble/hashes/sha2.js';
import { createBase58check } from '@scure/base';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { bytesToHex, hexToBytes } from '../../../src/bytes.ts';
import { LabError } from '../../../src/errors.ts';
import { nodeIdOf, staticBits } from '../../../src/identity/ids/node-id.ts';
import {
  checkSpki,
  formatStorjId,
  parseStorjId,
  storjDifficulty,
  storjIdOfSpki,
} from '../../../src/identity/ids/storj.ts';
import { policyWith } from '../forged-claims.ts';

/** A P-256 key of a certificate authority, as Storj's unit tests have it. */
const SPKI =
  '3059301306072a8648ce3d020106082a8648ce3d0301070342000487c9d05e3e55c323a624dae5a6926162645534db' +
  'e584a303310651ae89bab6b7b506860dce89b6c7df34c1e981f3ae1170f417a72524a4c9e5f56784ede01dfb';

const REAL_IDS = [
  [
    '12EayRS2V1kEsWESU9QMRseFhdxYxKicsiFmxrsLZHeLUtdps3S',
    'a28b4f04e10bae85d67f4c6cb82bf8d4c0f0f47a8ea72627524deb6ec0000000',
    30,
  ],
  [
    '12L9ZFwhzVpuEKMUNUqkaTLGzwY9G24tbiigLiXpmZWKwmcNDDs',
    'af2c42003efc826ab4361f73f9d890942146fe0ebe806786f8e7190800000000',
    35,
  ],
  [
    '1wFTAgs9DP5RSnCqKV1eLf6N9wtk4EAtmN5DpSxcs8EjT69tGE',
    '7b2de9d72c2e935f1918c058caaf8ed00f0581639008707317ff1bd000000000',
    36,
  ],
  [
    '12rfG3sh9NCWiX3ivPjq2HtdLmbqCrvHVEzJubnzFzosMuawymB',
    'f474535a19db00db4f8071a1be6c2551f4ded6a6e38f0818c68c68d000000000',
    36,
  ],
  [
    '12Hse11Xu2HPCoLq4B7Q8Ub2jK8vjv15pFmgeo4jPmS9tpUw6Jv',
    'aa022a6e4ba96d071eccc64de3378de880e9a4226eccf5e1f22aef0470400000',
    22,
  ],
] as const;

const PREFIX = 'fda09d6bed970d7a38fe7389cd2b1b9620cf0ea1fcda2404d353c3fa11';

describe('a real node ID', () => {
  it.each(REAL_IDS)('%s reads as %s, difficulty %d', (text, hex, difficulty) => {
    const nodeId = parseStorjId(text);

    expect(bytesToHex(nodeId)).toBe(hex);
    expect(storjDifficulty(nodeId)).toBe(difficulty);
    expect(staticBits(nodeId, policyWith({ idRule: 'storj' }))).toBe(difficulty);
  });

  it.each(REAL_IDS)('%s is written from %s', (text, hex) => {
    expect(formatStorjId(hexToBytes(hex))).toBe(text);
  });

  it('follows from the key', () => {
    const nodeId = storjIdOfSpki(hexToBytes(SPKI));

    expect(formatStorjId(nodeId)).toBe('12Hse11Xu2HPCoLq4B7Q8Ub2jK8vjv15pFmgeo4jPmS9tpUw6Jv');
  });
});

describe('the difficulty, as upstream tests it', () => {
  it.each([
    ['3de500', 8],
    ['3dee00', 9],
    ['3dec00', 10],
    ['3de800', 11],
    ['3d7000', 12],
    ['3de000', 13],
    ['3dc000', 14],
    ['3d8000', 15],
    ['390000', 16],
    ['3e0000', 17],
  ])('of …%s is %d', (tail, difficulty) => {
    expect(storjDifficulty(hexToBytes(PREFIX + tail.padStart(6, '0')))).toBe(difficulty);
  });

  it('counts the version byte as zeros whatever it is', () => {
    expect(storjDifficulty(hexToBytes(`${PREFIX}3de5ff`))).toBe(8);
  });

  it('of an ID of zeros is none', () => {
    expect(storjDifficulty(new Uint8Array(32))).toBe(0);
  });

  it('of any key is at least the eight bits that cost nothing', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 100 }), (spki) => {
        expect(storjDifficulty(storjIdOfSpki(spki))).toBeGreaterThanOrEqual(8);
      }),
      { seed: 1, numRuns: 50 },
    );
  });
});

describe('the text form', () => {
  it('is the inverse of reading it', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 31, maxLength: 31 }), (head) => {
        const nodeId = Uint8Array.of(...head, 0);
        if (head.every((byte) => byte === 0)) return;

        expect(parseStorjId(formatStorjId(nodeId))).toEqual(nodeId);
      }),
      { seed: 1, numRuns: 100 },
    );
  });

  it.each([
    ['a wrong checksum', '12EayRS2V1kEsWESU9QMRseFhdxYxKicsiFmxrsLZHeLUtdps3T', 'checksum'],
    ['a letter that base58 lacks', '12EayRS2V1kEsWESU9QMRseFhdxYxKicsiFmxrsLZHeLUtdps30', '"0"'],
    ['nothing', '', 'base58check'],
    ['another payload', '1Wh4bh', 'it has 1 bytes, a version and an ID have 33'],
    ['text without end', '1'.repeat(100_000), '100000 characters'],
    ['a character too many', '1'.repeat(53), '53 characters'],
    ['as many characters as an ID may have', '1'.repeat(52), 'checksum'],
    ['an ID of zeros', formatStorjId(new Uint8Array(32)), 'it has no bit set'],
    ['another version', formatStorjId(hexToBytes(`${PREFIX}3de501`)), 'version is 1'],
  ])('is refused with %s', (_what, text, words) => {
    const read = () => parseStorjId(text);

    expect(read).toThrow(LabError);
    expect(read).toThrow(words);
    expect(read).toThrow(expect.objectContaining({ code: 'schema' }));
    expect(read).toThrow(/^this is not a Storj node ID in base58check, such as 12Eay/);
  });

  it('begins with the version and ends with a zero, whatever the last byte was', () => {
    const base58check = createBase58check(sha256);
    const head = hexToBytes(`${PREFIX}3de5`);
    const foreign = base58check.encode(Uint8Array.of(0, ...head, 5));

    const written = base58check.decode(formatStorjId(Uint8Array.of(...head, 1)));

    expect(written).toEqual(Uint8Array.of(1, ...head, 0));
    expect(parseStorjId(foreign)).toEqual(Uint8Array.of(...head, 0));
  });
});

describe('a key in DER', () => {
  it('is let through whole, whatever its kind', () => {
    const long = `30820100${'00'.repeat(256)}`;
    const middle = `308180${'00'.repeat(128)}`;

    const longer = `30820203${'00'.repeat(0x203)}`;
    const longest = `30820ffc${'00'.repeat(0xffc)}`;

    for (const hex of [SPKI, middle, long, longer, longest]) {
      expect(() => checkSpki(hexToBytes(hex)), hex.slice(0, 8)).not.toThrow();
    }
  });

  it.each([
    ['nothing', ''],
    ['no SEQUENCE', SPKI.replace(/^30/, '31')],
    ['a byte too few', SPKI.slice(0, -2)],
    ['a byte too many', `${SPKI}00`],
    ['a length that is too long for its value', `30817f${'00'.repeat(127)}`],
    ['a length without end', `3080${'00'.repeat(10)}`],
    ['a length without end for as many bytes', `3080${'00'.repeat(128)}`],
    ['a length of two bytes, read as one', `308280${'00'.repeat(128)}`],
    ['a length of two bytes, the first of them zero', `30820010${'00'.repeat(16)}`],
    ['a length of three bytes', `30830100${'00'.repeat(256)}`],
    ['a byte more than four kilobytes', `30820ffd${'00'.repeat(0xffd)}`],
  ])('is refused with %s', (_what, hex) => {
    const check = () => checkSpki(hexToBytes(hex));

    expect(check).toThrow(expect.objectContaining({ code: 'schema' }));
    expect(check).toThrow(
      'this is not a SubjectPublicKeyInfo: expected the hex of one DER SEQUENCE of at most 4096 bytes, such as 3059… for a P-256 key',
    );
  });
});

describe('a key of the lab', () => {
  it('is refused if it has no SubjectPublicKeyInfo', () => {
    const make = () => nodeIdOf(new Uint8Array(31), policyWith({ idRule: 'storj' }));

    expect(make).toThrow(expect.objectContaining({ code: 'arguments' }));
    expect(make).toThrow('the storj rule takes keys of 32, 33 or 65 bytes, this one has 31');
  });
});
