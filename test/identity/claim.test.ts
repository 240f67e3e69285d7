/**
 * @module
 * Reading claims: one text form and no other, unknown members refused, faults that point.
 */

import { describe, expect, it } from 'vitest';

import { LabError } from '../../src/errors.ts';
import { claimToJson, parseClaim } from '../../src/identity/claim.ts';
import { SCHEME_NAMES } from '../../src/identity/keys/scheme.ts';
import { honestClaim } from './forged-claims.ts';

const CLAIM = claimToJson(honestClaim('ed25519'));
const KEY = CLAIM.publicKey;

describe('a claim', () => {
  it.each(SCHEME_NAMES)('of %s reads back as it was written', (scheme) => {
    const claim = honestClaim(scheme, { solution: new Uint8Array(8).fill(7) });

    expect(parseClaim(JSON.parse(JSON.stringify(claimToJson(claim))))).toEqual(claim);
  });

  it.each([32, 33, 65])('may have a key of %d bytes under either scheme', (length) => {
    for (const scheme of SCHEME_NAMES) {
      const claim = parseClaim({ ...CLAIM, scheme, publicKey: '02'.repeat(length) });

      expect(claim.publicKey.length).toBe(length);
    }
  });

  it.each([2, 20, 32, 33])(
    'may have a node ID of %d bytes, as some policy makes them',
    (length) => {
      const claim = parseClaim({ ...CLAIM, nodeId: 'ff'.repeat(length) });

      expect(claim.nodeId).toEqual(new Uint8Array(length).fill(255));
    },
  );

  it.each([2, 8, 20, 32, 33])('may have a solution of %d bytes', (length) => {
    const claim = parseClaim({ ...CLAIM, solution: 'ff'.repeat(length) });

    expect(claim.solution).toEqual(new Uint8Array(length).fill(255));
  });
});

describe('the public key', () => {
  it.each([
    ['empty', ''],
    ['of 31 bytes', '00'.repeat(31)],
    ['of 34 bytes', '00'.repeat(34)],
    ['of 64 bytes', '00'.repeat(64)],
    ['of 66 bytes', '00'.repeat(66)],
    ['of odd digits', KEY.slice(1)],
    ['in capitals', KEY.toUpperCase()],
    ['with one capital', KEY.replace('d', 'D')],
    ['with 0x', `0x${KEY}`],
    ['with 0x in place of digits', `0x${KEY.slice(2)}`],
    ['with a space before', ` ${KEY}`],
    ['with a newline after', `${KEY}\n`],
    ['in base64', Buffer.from(KEY, 'hex').toString('base64')],
    ['in base64 of the length of hex', 'A'.repeat(64)],
    ['with digits of another script', '\u0660'.repeat(64)],
    ['an array of numbers', Array.from(Buffer.from(KEY, 'hex'))],
    ['a number', 1],
    ['null', null],
    ['missing', undefined],
  ])('is refused when %s', (_name, publicKey) => {
    expect(faultsOf({ ...CLAIM, publicKey })).toEqual([
      { pointer: '/publicKey', detail: 'must be lower-case hex of 32, 33 or 65 bytes' },
    ]);
  });
});

describe('the scheme', () => {
  it.each(['ED25519', 'Ed25519', 'rsa', '', '__proto__', 'constructor', 'toString', 0, null, []])(
    'is refused when it is %j',
    (scheme) => {
      expect(faultsOf({ ...CLAIM, scheme })).toEqual([
        { pointer: '/scheme', detail: 'must be one of ed25519, secp256k1' },
      ]);
    },
  );
});

describe('the solution', () => {
  const infinity: unknown = JSON.parse('1e400');

  it.each([
    0,
    2 ** 53,
    -1,
    1.5,
    infinity,
    '1',
    '',
    'ff',
    'ff'.repeat(34),
    '0x163',
    '163',
    '000000000000016',
    '00000000000001630',
    '000000000000016G',
    '000000000000ABCD',
    true,
    [0],
    {},
    undefined,
  ])('is refused when it is %j', (solution) => {
    expect(faultsOf({ ...CLAIM, solution })).toEqual([
      {
        pointer: '/solution',
        detail: 'must be lower-case hex of 2 to 33 bytes, or null without a dynamic puzzle',
      },
    ]);
  });
});

describe('node ID and signature', () => {
  it.each([0, 1, 34])('refuses a node ID of %d bytes', (length) => {
    expect(faultsOf({ ...CLAIM, nodeId: '00'.repeat(length) })).toEqual([
      { pointer: '/nodeId', detail: 'must be lower-case hex of 2 to 33 bytes' },
    ]);
  });

  it.each([0, 1, 63, 65, 1_000_000])('refuses a signature of %d bytes', (length) => {
    expect(faultsOf({ ...CLAIM, signature: '00'.repeat(length) })).toEqual([
      { pointer: '/signature', detail: 'must be lower-case hex of 64 bytes' },
    ]);
  });
});

describe('members that a claim does not have', () => {
  it.each(['target', 'c1', 'role', 'score', 'id', 'createdAt', 'a/b', 'a~b'])(
    'refuses %s, and points at it',
    (name) => {
      const pointer = `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;

      expect(faultsOf({ ...CLAIM, [name]: 0 })).toEqual([
        { pointer, detail: 'is not a known member' },
      ]);
    },
  );

  it('refuses __proto__, and takes nothing from it', () => {
    const { scheme: _, ...rest } = CLAIM;
    const text = JSON.stringify(rest).replace('{', '{"__proto__":{"scheme":"ed25519"},');

    expect(faultsOf(JSON.parse(text)).map(({ pointer }) => pointer)).toEqual([
      '/scheme',
      '/__proto__',
    ]);
  });
});

describe('what is no claim at all', () => {
  it.each([null, 1, 'claim', [], [CLAIM], true, undefined])('refuses %j', (json) => {
    expect(faultsOf(json)).toHaveLength(1);
    expect(faultsOf(json)[0]?.pointer).toBe('');
  });

  it('says every fault, and the first of them in one line', () => {
    const json = { ...CLAIM, scheme: 'rsa', nodeId: '' };

    expect(() => parseClaim(json)).toThrow(
      'this is not a claim: /scheme must be one of ed25519, secp256k1',
    );
    expect(faultsOf(json)).toHaveLength(2);
  });

  it('says no more than twenty faults', () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`m${index}`, 0]));

    expect(faultsOf({ ...CLAIM, ...many })).toHaveLength(20);
  });
});

function faultsOf(json: unknown): LabError['faults'] {
  try {
    parseClaim(json);
  } catch (error) {
    if (error instanceof LabError && error.code === 'schema') return error.faults;
    throw error;
  }
  throw new Error('the claim was accepted');
}
