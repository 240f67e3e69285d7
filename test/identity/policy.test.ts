/**
 * @module
 * Reading policies: the strict default, member by member, and bounds tried on both sides.
 */

import { describe, expect, it } from 'vitest';

import { LabError } from '../../src/errors.ts';
import { CHECK_NAMES, parsePolicy, STRICT_POLICY } from '../../src/identity/policy.ts';

describe('the default policy', () => {
  it('is strict in every check', () => {
    const policy = parsePolicy({});

    expect(policy).toEqual(STRICT_POLICY);
    expect(policy.checks).toEqual(Object.fromEntries(CHECK_NAMES.map((name) => [name, true])));
    expect(policy.lowS).toBe(true);
  });

  it('asks for no work, in the form that cannot be amortised', () => {
    expect(STRICT_POLICY).toMatchObject({ c1: 0, c2: 0, dynamic: 'concat' });
  });

  it('fills in what a policy leaves out, inside checks too', () => {
    const policy = parsePolicy({ c1: 16, checks: { torsion: false } });

    expect(policy).toEqual({
      ...STRICT_POLICY,
      c1: 16,
      checks: { ...STRICT_POLICY.checks, torsion: false },
    });
  });

  it('lists its checks from the cheapest on', () => {
    expect(CHECK_NAMES).toEqual([
      'nodeId',
      'static',
      'dynamic',
      'encoding',
      'smallOrder',
      'torsion',
      'signature',
    ]);
  });
});

describe('bounds', () => {
  it.each([
    ['/c1', { c1: 0 }],
    ['/c1', { c1: 256 }],
    ['/c2', { c2: 256 }],
    ['/epoch', { epoch: 2 ** 53 - 1 }],
    ['/context', { context: '' }],
    ['/dynamic', { dynamic: 'xor' }],
  ])('accepts %s of %j', (_pointer, json) => {
    expect(parsePolicy(json)).toMatchObject(json);
  });

  it.each([
    ['/c1', { c1: -1 }],
    ['/c1', { c1: 257 }],
    ['/c1', { c1: 8.5 }],
    ['/c1', { c1: '8' }],
    ['/c1', { c1: null }],
    ['/c2', { c2: 257 }],
    ['/c2', JSON.parse('{"c2":1e400}')],
    ['/epoch', { epoch: -1 }],
    ['/epoch', { epoch: 2 ** 53 }],
    ['/epoch', { epoch: 0.5 }],
    ['/context', { context: 'caf\u00e9' }],
    ['/context', { context: 'a\u0000b' }],
    ['/context', { context: 'a\nb' }],
    ['/context', { context: 'a\u007fb' }],
    ['/context', { context: 7 }],
    ['/dynamic', { dynamic: 'CONCAT' }],
    ['/dynamic', { dynamic: '__proto__' }],
    ['/lowS', { lowS: 1 }],
    ['/checks', { checks: true }],
    ['/checks/torsion', { checks: { torsion: 'false' } }],
    ['/checks/speed', { checks: { speed: false } }],
    ['/target', { target: 0 }],
    ['', []],
    ['', null],
    ['', 'strict'],
  ])('refuses at %s: %j', (pointer, json) => {
    expect(pointersOf(json)).toEqual([pointer]);
  });

  it('takes a context of 256 characters and refuses one of 257', () => {
    const context = ' ~'.repeat(128);

    expect(parsePolicy({ context }).context).toBe(context);
    expect(pointersOf({ context: `${context}a` })).toEqual(['/context']);
  });
});

function pointersOf(json: unknown): readonly string[] {
  try {
    parsePolicy(json);
  } catch (error) {
    if (error instanceof LabError && error.code === 'schema') {
      return error.faults.map(({ pointer }) => pointer);
    }
    throw error;
  }
  throw new Error('the policy was accepted');
}
