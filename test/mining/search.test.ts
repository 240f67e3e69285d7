/**
 * @module
 * A whole search on one thread, the reference for the pool: which identity it finds, where each
 * budget ends it, and what the ledger then says. Clocks are wound by hand.
 */

import { describe, expect, it } from 'vitest';
import { bytesToHex } from '../../src/bytes.ts';
import { admit } from '../../src/identity/admit.ts';
import { SCHEME_NAMES } from '../../src/identity/keys/scheme.ts';
import type { Budget } from '../../src/mining/ledger.ts';
import { SEARCH_NOT_BEGUN } from '../../src/mining/phases.ts';
import type { MiningResult, MiningTask } from '../../src/mining/search.ts';
import { mine, settle } from '../../src/mining/search.ts';
import { isPossessed, publicKeyOf, secretOf, sha256, zeroBits } from './openssl-keys.ts';
import {
  attemptsLedger,
  clocksTicking,
  HIGHEST_ID,
  policyWithout,
  STOPPED_CLOCKS,
  taskWith,
} from './tasks.ts';

describe('the identity found', () => {
  it.each(SCHEME_NAMES)('%s: is the lowest attempt that node:crypto finds', (scheme) => {
    const task = taskWith({ scheme, seed: '3', policy: { c1: 5 } });
    const nodeIdOf = (attempt: number) =>
      sha256(publicKeyOf(scheme, secretOf(scheme, '3', attempt)));
    let winner = 0;
    while (zeroBits(sha256(nodeIdOf(winner))) < 5) winner += 1;

    const result = mine(task, STOPPED_CLOCKS);

    expect(result.ledger.attempts).toBe(winner + 1);
    expect(bytesToHex(identityOf(result).claim.nodeId)).toBe(bytesToHex(nodeIdOf(winner)));
  });

  it('is the same in a second search', () => {
    const task = taskWith({ scheme: 'secp256k1', policy: { c1: 4, c2: 4 } });

    const [first, second] = [mine(task, STOPPED_CLOCKS), mine(task, STOPPED_CLOCKS)];

    expect(second).toEqual(first);
  });

  it.each(
    SCHEME_NAMES.flatMap((scheme) =>
      (['concat', 'xor'] as const).map((dynamic) => [scheme, dynamic] as const),
    ),
  )('%s, %s: its claim is admitted, and verifies with node:crypto', (scheme, dynamic) => {
    const policy = { c1: 4, c2: 6, dynamic, epoch: 3, context: 'lab' };
    const task = taskWith({ scheme, policy });

    const result = mine(task, STOPPED_CLOCKS);

    const { claim } = identityOf(result);
    expect(isPossessed(claim, 3, 'lab')).toBe(true);
    expect(isPossessed(claim, 4, 'lab'), 'in another epoch').toBe(false);
    expect(admit(claim, task.policy).admitted).toBe(true);
    expect(result.measured?.c1).toBe(zeroBits(sha256(claim.nodeId)));
    expect(result.measured?.c2).toBeGreaterThanOrEqual(6);
  });

  it('has no solution where no dynamic puzzle is set', () => {
    const result = mine(taskWith({ policy: { c1: 2 } }), STOPPED_CLOCKS);

    expect(identityOf(result).claim.solution).toBeNull();
    expect(result.measured?.c2).toBe(0);
  });
});

describe('a goal above an ID', () => {
  const first = mine(taskWith({ policy: { c1: 3 } }), STOPPED_CLOCKS);
  const { nodeId } = identityOf(first).claim;

  it('passes over the equal ID and takes the next that is greater', () => {
    const task = taskWith({ policy: { c1: 3 }, goal: { type: 'above', nodeId } });

    const result = mine(task, STOPPED_CLOCKS);

    expect(result.ledger.attempts).toBeGreaterThan(first.ledger.attempts);
    expect(bytesToHex(identityOf(result).claim.nodeId) > bytesToHex(nodeId)).toBe(true);
  });

  it('takes the ID that is one more than the bound', () => {
    const bound = Buffer.from(
      (BigInt(`0x${bytesToHex(nodeId)}`) - 1n).toString(16).padStart(64, '0'),
      'hex',
    );
    const task = taskWith({ policy: { c1: 3 }, goal: { type: 'above', nodeId: bound } });

    const result = mine(task, STOPPED_CLOCKS);

    expect(identityOf(result)).toEqual(identityOf(first));
  });

  it('that no ID can meet ends with the budget', () => {
    const goal = { type: 'above', nodeId: HIGHEST_ID } as const;

    const result = mine(taskWith({ goal, budget: { attempts: 50 } }), STOPPED_CLOCKS);

    expect(result).toMatchObject({ found: false, ending: 'attempts', identity: null });
    expect(result.ledger.attempts).toBe(50);
  });
});

describe('a budget in attempts', () => {
  const task = taskWith({ policy: { c1: 5 } });
  const needed = mine(task, STOPPED_CLOCKS).ledger.attempts;

  it('of exactly what is needed finds', () => {
    const result = mineWith(task, { attempts: needed });

    expect(result).toMatchObject({ found: true, ending: 'found', ledger: { attempts: needed } });
  });

  it('of one less ends without, and is spent whole', () => {
    const result = mineWith(task, { attempts: needed - 1 });

    expect(result).toMatchObject({ found: false, ending: 'attempts', measured: null });
    expect(attemptsLedger(result.ledger)).toEqual({
      attempts: needed - 1,
      hashes: 2 * (needed - 1),
      groupOperations: 65 * (needed - 1),
    });
  });
});

describe('a budget in hashes without a dynamic puzzle', () => {
  const task = taskWith({ policy: { c1: 5 } });
  const needed = mine(task, STOPPED_CLOCKS).ledger.hashes;

  it('of exactly what is needed finds', () => {
    const result = mineWith(task, { hashes: needed });

    expect(result).toMatchObject({ found: true, ledger: { hashes: needed } });
  });

  it('of one less pays for whole attempts only', () => {
    const result = mineWith(task, { hashes: needed - 1 });

    expect(result).toMatchObject({ found: false, ending: 'attempts' });
    expect(result.ledger).toMatchObject({ attempts: needed / 2 - 1, hashes: needed - 2 });
  });

  it('of two less is spent whole', () => {
    const result = mineWith(task, { hashes: needed - 2 });

    expect(result).toMatchObject({ found: false, ledger: { hashes: needed - 2 } });
  });
});

describe.each(['concat', 'xor'] as const)('a budget in hashes with the %s puzzle', (dynamic) => {
  const task = taskWith({ policy: { c1: 5, c2: 6, dynamic } });
  const { attempts, hashes: needed } = mine(task, STOPPED_CLOCKS).ledger;

  it('pays for the keys and for every X that was tried', () => {
    const result = mine(task, STOPPED_CLOCKS);

    const { solution } = identityOf(result).claim;
    expect(needed).toBe(2 * attempts + Number(`0x${bytesToHex(solution ?? HIGHEST_ID)}`) + 1);
  });

  it('of exactly what is needed finds', () => {
    const result = mineWith(task, { hashes: needed });

    expect(result).toMatchObject({
      found: true,
      ending: 'found',
      ledger: { attempts, hashes: needed },
    });
  });

  it.each([
    ['one less', needed - 1],
    ['enough for the key and no X', 2 * attempts],
    ['enough for the key and one X', 2 * attempts + 1],
  ])('of %s ends without, spent to the last hash', (_name, hashes) => {
    const result = mineWith(task, { hashes });

    expect(result).toMatchObject({ found: false, ending: 'attempts', identity: null });
    expect(result.ledger).toMatchObject({ attempts, hashes });
  });

  it('that ends before the key is found tries no X', () => {
    const result = mineWith(task, { hashes: 2 * attempts - 1 });

    expect(result).toMatchObject({ found: false, ending: 'attempts' });
    expect(result.ledger).toMatchObject({ attempts: attempts - 1, hashes: 2 * attempts - 2 });
  });
});

describe('a budget in seconds', () => {
  const endless = taskWith({ goal: { type: 'above', nodeId: HIGHEST_ID } });

  it.each([
    ['CPU seconds', { cpuSeconds: 5, wallSeconds: 100 }],
    ['wall seconds', { cpuSeconds: 100, wallSeconds: 10 }],
  ])('ends when the %s are used up', (_name, budget) => {
    const task = { ...endless, budget };

    const result = mine(task, clocksTicking({ cpu: 1, wall: 2 }));

    // The fifth look at the clocks shows 5 s of CPU and 10 s of wall; between two are 8 attempts.
    expect(result).toMatchObject({ found: false, ending: 'time', ledger: { attempts: 32 } });
  });

  it.each([
    ['attempts', { attempts: 8, cpuSeconds: 100, hashes: 100, wallSeconds: 100 }, 'attempts', 8],
    ['hashes', { attempts: 100, hashes: 8, cpuSeconds: 100, wallSeconds: 100 }, 'attempts', 8],
    ['CPU', { attempts: 100, hashes: 100, cpuSeconds: 2, wallSeconds: 100 }, 'time', 8],
    ['wall', { attempts: 100, hashes: 100, cpuSeconds: 100, wallSeconds: 2 }, 'time', 8],
  ])('and others end with whichever comes first: %s', (_name, budget, ending, attempts) => {
    const result = mine({ ...endless, budget }, clocksTicking({ cpu: 1, wall: 1 }));

    expect(result).toMatchObject({ found: false, ending, ledger: { attempts } });
  });

  it('also ends the search for X', () => {
    const task = taskWith({ policy: { c2: 256 }, budget: { cpuSeconds: 5 } });

    const result = mine(task, clocksTicking({ cpu: 1, wall: 1 }));

    expect(result).toMatchObject({ found: false, ending: 'time', ledger: { attempts: 1 } });
    expect(result.ledger.hashes).toBeGreaterThan(1);
  });

  it('counts from the start of the search', () => {
    const clocks = clocksTicking({ cpu: 1, wall: 1 });
    for (let reading = 0; reading < 1000; reading += 1) {
      clocks.cpuSeconds();
      clocks.wallSeconds();
    }

    const result = mine({ ...endless, budget: { cpuSeconds: 2, wallSeconds: 2 } }, clocks);

    expect(result.ledger).toMatchObject({ attempts: 8, cpuSeconds: 3, wallSeconds: 3 });
  });
});

describe('no budget at all', () => {
  it.each([
    ['attempts', { attempts: 0 }, 'attempts'],
    ['hashes', { hashes: 0 }, 'attempts'],
    ['CPU seconds', { cpuSeconds: 0 }, 'time'],
    ['wall seconds', { wallSeconds: 0 }, 'time'],
  ])('in %s tests nothing', (_name, budget, ending) => {
    const result = mineWith(taskWith(), budget);

    expect(result).toMatchObject({ found: false, ending });
    expect(attemptsLedger(result.ledger)).toEqual({ attempts: 0, hashes: 0, groupOperations: 0 });
  });
});

describe('a weak policy', () => {
  it('without the static check demands no bits and costs one hash an attempt', () => {
    const policy = { ...policyWithout('static'), c1: 256 };
    const goal = { type: 'above', nodeId: new Uint8Array(32).fill(0x80) } as const;

    const result = mine(taskWith({ policy, goal }), STOPPED_CLOCKS);

    const { attempts, hashes } = result.ledger;
    expect(result.found).toBe(true);
    expect(hashes).toBe(attempts);
  });

  it('with it demands every bit', () => {
    const result = mineWith(taskWith({ policy: { c1: 256 } }), { attempts: 20 });

    expect(result).toMatchObject({ found: false, ledger: { attempts: 20, hashes: 40 } });
  });

  it('without the dynamic check asks for no X', () => {
    const policy = { ...policyWithout('dynamic'), c2: 256 };

    const result = mine(taskWith({ policy }), STOPPED_CLOCKS);

    expect(identityOf(result).claim.solution).toBeNull();
    expect(result.ledger).toMatchObject({ attempts: 1, hashes: 1 });
  });
});

describe('settling', () => {
  it('refuses to present a claim that would not be admitted', () => {
    const task = taskWith({ policy: { c1: 256 } });
    const state = { ...SEARCH_NOT_BEGUN, keys: { winners: [0], tested: 1 } };

    expect(() => settle(task, state, 'found')).toThrow(
      new TypeError('mined claim was refused: pow.insufficient'),
    );
  });
});

function mineWith(task: MiningTask, budget: Budget): MiningResult {
  return mine({ ...task, budget }, STOPPED_CLOCKS);
}

function identityOf({ identity }: MiningResult) {
  if (identity === null) throw new TypeError('nothing was found');
  return identity;
}
