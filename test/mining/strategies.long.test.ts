/**
 * @module
 * What every strategy guarantees: the same winner on one thread and on many, an identity that a strict network
 * admits and OpenSSL verifies, a ledger that follows from the attempts, hits with the expected probability, and
 * no key twice. `PLAIN_ATTEMPTS_LOG2` makes the slow strategies' share larger.
 */

import { describe, expect, it } from 'vitest';
import { bytesToHex } from '../../src/bytes.ts';
import { admit } from '../../src/identity/admit.ts';
import { SCHEME_NAMES, schemeOf } from '../../src/identity/keys/scheme.ts';
import { mine } from '../../src/mining/search.ts';
import { STRATEGIES } from '../../src/mining/strategies.ts';
import { STRATEGY_NAMES } from '../../src/mining/strategy.ts';
import { kernelSource } from '../../src/runtime/threads/kernels.ts';
import { mineInThreads } from '../../src/runtime/threads/mining-pool.ts';
import { isPossessed } from './openssl-keys.ts';
import { clocksTicking, policyWith, specOf, taskWith } from './tasks.ts';
import { threadCounts } from './thread-counts.ts';

const kernels = kernelSource();
const STILL = clocksTicking({ cpu: 0, wall: 0 });
/** `stockpile` tests keys that were made before, so it has tests of its own. */
const MAKING_KEYS = STRATEGY_NAMES.filter((strategy) => strategy !== 'stockpile');
const PAIRS = MAKING_KEYS.flatMap((strategy) =>
  SCHEME_NAMES.map((scheme) => ({ strategy, scheme })),
).map((pair, index) => ({ ...pair, counts: threadCounts(index) }));
const HAS_KERNEL = new Set(['batch', 'siblings']);
const PLAIN_ATTEMPTS = 2 ** Number(process.env.PLAIN_ATTEMPTS_LOG2 ?? 9);
const ATTEMPTS_DISTINCT = 2 ** 12;
const KERNEL_ATTEMPTS = 2 ** Number(process.env.KERNEL_ATTEMPTS_LOG2 ?? 14);

describe.each(PAIRS)('$strategy with $scheme', ({ strategy, scheme, counts }) => {
  const c1 = HAS_KERNEL.has(strategy) ? 15 : 6;
  const task = taskWith({ strategy, scheme, seed: '11', policy: { c1, c2: 6 } });
  const reference = mine(task, STILL, kernels);

  it('finds the same identity and spends the same on threads', async () => {
    const counted = ({ attempts, hashes, groupOperations }: typeof reference.ledger) => {
      return { attempts, hashes, groupOperations };
    };
    for (const threads of counts) {
      const result = await mineInThreads(task, { threads });

      expect(result.identity, `${threads} threads`).toEqual(reference.identity);
      expect(counted(result.ledger), `${threads} threads`).toEqual(counted(reference.ledger));
    }
  });

  it('makes claims that a strict policy admits and OpenSSL verifies', () => {
    const { identity } = reference;

    expect(identity && admit(identity.claim, task.policy).admitted).toBe(true);
    expect(identity && isPossessed(identity.claim)).toBe(true);
  });

  it('knows the secret of every candidate', () => {
    const searcher = STRATEGIES[strategy].searcher(specOf(task), kernels);
    for (const attempt of [0, 1, 2, 3, 5, 11, 12, 2048, 2049, 12_293, 12_294, 10 ** 9]) {
      const { secret, publicKey } = searcher.candidate(attempt);

      expect(schemeOf(scheme).publicKeyOf(secret), `attempt ${attempt}`).toEqual(publicKey);
    }
  });

  it(`gives each of ${ATTEMPTS_DISTINCT} attempts a node ID of its own`, () => {
    // If IDs that are one byte short differ, whole ones do. Without a puzzle the kernel reports every attempt.
    const policy = policyWith({ idBits: 248 });
    const searcher = STRATEGIES[strategy].searcher({ ...specOf(task), policy }, kernels);
    const count = HAS_KERNEL.has(strategy) ? ATTEMPTS_DISTINCT : PLAIN_ATTEMPTS;

    const { hits } = searcher.scan({ from: 0, count, wanted: count });

    expect(new Set(hits.map(({ nodeId }) => bytesToHex(nodeId))).size).toBe(count);
  });

  it('reaches an ID above a given one', () => {
    const nodeId = new Uint8Array(32);
    nodeId.set([0xe0], 0);

    const { identity } = mine({ ...task, goal: { type: 'above', nodeId } }, STILL, kernels);

    expect(identity?.claim.nodeId[0]).toBeGreaterThanOrEqual(0xe0);
  });

  it('ends exactly at a budget of attempts that lies inside a batch', () => {
    const poor = { ...task, policy: policyWith({ c1: 200 }), budget: { attempts: 777 } };

    const { found, ledger } = mine(poor, STILL, kernels);

    expect(found).toBe(false);
    expect(ledger).toMatchObject({ attempts: 777, hashes: 1554 });
  });

  it('finds as many hits as chance has it', () => {
    const attempts = HAS_KERNEL.has(strategy) ? KERNEL_ATTEMPTS : PLAIN_ATTEMPTS;
    const bits = HAS_KERNEL.has(strategy) ? 8 : 4;
    const policy = policyWith({ c1: bits });
    const searcher = STRATEGIES[strategy].searcher({ ...specOf(task), policy }, kernels);
    let hits = 0;
    for (let next = 0; next < attempts; ) {
      const count = Math.min(65_536, attempts - next);
      hits += searcher.scan({ from: next, count, wanted: count }).hits.length;
      next += count;
    }

    const mean = attempts / 2 ** bits;
    expect(Math.abs(hits - mean)).toBeLessThan(4 * Math.sqrt(mean * (1 - 2 ** -bits)));
  });
});
