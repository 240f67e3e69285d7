/**
 * @module
 * Puzzles of hardness 1 that are solved: their attempts against those that Node's SHA-256 counts, and a network whose
 * puzzles are mined beside the same network whose puzzles are counted.
 */

import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';

import { CHURN_ADVERSARIES } from '../../../src/experiment/churn/adversaries.ts';
import { minedWork } from '../../../src/experiment/churn/mined.ts';
import { ChurnNetwork } from '../../../src/experiment/churn/network.ts';
import { parseChurnDefence } from '../../../src/experiment/churn/registry.ts';
import { parseSessionLaw, sessionsOf } from '../../../src/experiment/churn/sessions.ts';
import { parseSeed } from '../../../src/random.ts';

const SEED = parseSeed('1');

const sha256 = (...parts: readonly Uint8Array[]) =>
  createHash('sha256').update(Buffer.concat(parts)).digest();

function bytesOf(value: number): Uint8Array {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
}

it('search X from 0 on, for one node ID after the other', () => {
  const domain = Buffer.from('usurp/challenge/v1\0');
  const challenge = sha256(domain, bytesOf(0), Buffer.from('churn 1'));
  const attempts = [0, 1, 2, 3, 4].map((puzzle) => {
    const nodeId = sha256(bytesOf(puzzle));
    let x = 0;
    while ((sha256(challenge, nodeId, bytesOf(x))[0] ?? 255) >> 3 !== 0) x += 1;
    return x + 1;
  });
  const solve = minedWork(5, SEED);

  expect(solve(1)).toBe((attempts[0] ?? 0) / 32);
  expect(solve(4)).toBe(attempts.slice(1).reduce((sum, each) => sum + each, 0) / 32);
});

it('make a network without an adversary cost what the counted ones do', () => {
  const [adversary] = CHURN_ADVERSARIES.filter(({ name }) => name === 'keep');
  if (adversary === undefined) throw new RangeError('no adversary keep');
  const { rules } = parseChurnDefence('ergo');
  const [counted, mined] = [undefined, minedWork(2, SEED)].map((solve) => {
    const sessions = sessionsOf(parseSessionLaw('exp:10m'), 60, SEED);
    const usual = { rules, adversary, sessions, rate: 0, power: 1 / 18, seconds: 2000 };
    const network = new ChurnNetwork({ ...usual, solve });
    while (!network.run(1000));
    return network.measures();
  });

  expect(mined?.purges).toBe(counted?.purges);
  expect(mined?.honestRate).not.toBe(counted?.honestRate);
  // About 5 000 puzzles, each with a deviation of √(1 − 1/4): a standard error below 2 %.
  expect((mined?.honestRate ?? 0) / (counted?.honestRate ?? 1)).toBeCloseTo(1, 1);
});
