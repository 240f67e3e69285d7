/**
 * @module
 * The identity rules of a threat model: what contradicts itself is refused with its place, beside the
 * scheme too, and a rule of another network is mined and admitted like the default one.
 */

import { describe, expect, it } from 'vitest';

import { executeRuns } from '../../../src/experiment/runs/run.ts';
import { parseSeed } from '../../../src/random.ts';
import { STILL, topId } from '../models.ts';
import { refusedBy } from './refusals.ts';

describe('identity rules that contradict each other', () => {
  it.each([
    [
      ['network.identity.idRule=yggdrasil', 'network.identity.scheme=secp256k1'],
      'network.identity.scheme must be ed25519 under the yggdrasil rule',
    ],
    [
      ['network.identity.idRule=storj', 'network.identity.hash=sha1'],
      'network.identity.hash must be sha256 under the storj rule',
    ],
    [
      ['network.identity.hash=sha1', 'network.identity.c1=161'],
      'network.identity.c1 must be at most 160 bits',
    ],
    [
      ['network.identity.c1=256', 'work=sampled'],
      'network.identity.c1 leaves 1 node ID that the puzzle admits, and 8 nodes need twice',
    ],
    [
      ['network.identity.c1=22', 'network.identity.idBits=24'],
      'network.identity.idBits leaves 4 node IDs that the puzzle admits, and 8 nodes need twice',
    ],
    [
      ['network.identity.idRule=yggdrasil', 'adversaries.main.budget={hashes: 200}'],
      'adversaries.main.budget.hashes bounds nothing under the yggdrasil rule',
    ],
  ])('%j are refused', (settings, words) => {
    expect(refusedBy(() => topId(...settings)).message).toContain(words);
  });

  it('are refused where a puzzle costs too much', () => {
    const setting = 'network.identity.puzzle={function: scrypt, logN: 15, r: 64, p: 1}';

    expect(refusedBy(() => topId(setting)).message).toContain('65536');
  });
});

describe('checks without which identities cost no key', () => {
  const off = (check: string) => `network.identity.checks.${check}=false`;
  const yggdrasil = 'network.identity.idRule=yggdrasil';
  it.each([
    ['nodeId', [off('nodeId'), 'work=sampled']],
    ['nodeId', [off('nodeId')]],
    ['signature', [off('signature'), 'work=sampled']],
    ['smallOrder', [off('smallOrder'), yggdrasil, 'network.identity.c1=0']],
  ])('are refused if adversaries forge: %s with %j', (check, settings) => {
    const { message } = refusedBy(() => topId(...settings));

    expect(message).toContain(`network.identity.checks.${check} must be true`);
    expect(message).toContain('docs/museum.md');
  });

  it.each([
    [off('nodeId'), 'adversaries={}', 'expect.comparison=at-most', 'expect.probability=0'],
    [off('smallOrder')],
    [off('torsion')],
    [off('encoding')],
  ])('are accepted where keys still cost a hash: %s', (...settings) => {
    expect(topId(...settings).id).toBe('top-id');
  });
});

describe('too many claims over epochs', () => {
  it.each([
    ['network.honest', 'epochs={count: 2, salt: puzzle}', 'network.honest=600000'],
    ['epochs.newcomers', 'epochs={count: 9, salt: puzzle, newcomers: 20000}', 'network.honest=9'],
    ['epochs.count', 'epochs={count: 9000, salt: puzzle}', 'network.honest=300'],
  ])('are refused at %s, which is the greatest number', (path, epochs, honest) => {
    const sets = [epochs, honest, 'work=sampled', 'adversaries.main.behaviours=null'];

    const { message } = refusedBy(() => topId(...sets));

    expect(message).toContain(`${path} must be lower: epochs times honest nodes`);
  });
});

describe('identity rules that fit', () => {
  it.each([
    ['SHA-1', ['network.identity.hash=sha1', 'adversaries.main.strategy=fresh']],
    ['Storj', ['network.identity.idRule=storj', 'adversaries.main.strategy=fresh']],
    ['Yggdrasil', ['network.identity.idRule=yggdrasil', 'adversaries.main.strategy=fresh']],
    ['a salted puzzle', ['network.identity.salted=true', 'adversaries.main.strategy=fresh']],
  ])('%s: runs are mined and elections held', (_what, settings) => {
    const model = topId(...settings, 'network.identity.c1=2', 'network.honest=3');

    const tally = executeRuns(model, parseSeed('1'), { from: 0, count: 2 }, STILL);

    expect(tally.runs).toBe(2);
  });
});
