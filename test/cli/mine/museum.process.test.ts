/**
 * @module
 * The attack on each weak policy at a small difficulty. Over many seeds its attempts agree with the cost that the policy
 * states. For some of these seeds the command line carries it out with the same ledger: `verify` admits the claim under the
 * policy, and the strict policy refuses it by the check that the policy states.
 */

import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { admit } from '../../../src/identity/admit.ts';
import type { PolicyName } from '../../../src/identity/named-policies.ts';
import { NAMED_POLICIES, POLICY_NAMES } from '../../../src/identity/named-policies.ts';
import type { CheckName, Policy } from '../../../src/identity/policy.ts';
import { STRICT_POLICY } from '../../../src/identity/policy.ts';
import { headOf } from '../../../src/mining/goal.ts';
import { policyCost } from '../../../src/mining/policy-cost.ts';
import type { MiningTask } from '../../../src/mining/search.ts';
import { mine } from '../../../src/mining/search.ts';
import { strongestDynamicStrategy } from '../../../src/mining/strategies.ts';
import { parseSeed } from '../../../src/random.ts';
import { kernelSource } from '../../../src/runtime/threads/kernels.ts';
import { STOPPED_CLOCKS } from '../../mining/tasks.ts';
import { IS_WHOLE } from '../../sample.ts';
import { parsed, scratchFolder, usurp } from '../shell.ts';

const folder = scratchFolder();
const kernels = kernelSource();
const SEEDS = Array.from({ length: 64 }, (_, seed) => String(seed));
const SHOWN = SEEDS.slice(0, 3);
const WEAK = POLICY_NAMES.filter((name) => NAMED_POLICIES[name].weakness !== null);
/** Deviations of one search, over its mean: attempts are geometric, or follow the birthday law. */
const GEOMETRIC = 1;
const BIRTHDAY = 0.53;
const STOCKPILE = 5000;

interface Exercise {
  /** The flags of `mine` and of `verify` that make the exercise small, and the members that they change. */
  readonly flags: readonly string[];
  readonly changes: Partial<Policy>;
  readonly search?: Partial<MiningTask>;
  readonly searchFlags?: readonly string[];
  readonly deviation: number;
  /** Part of the claims that the strict policy refuses by its check. */
  readonly refused: number;
}

const ONE = { deviation: GEOMETRIC, refused: 1 };
const PAIR_GOAL = { type: 'pair' } as const;
const PAIR: Omit<Exercise, 'flags' | 'changes'> = {
  ...{ search: { goal: PAIR_GOAL }, searchFlags: ['--goal', 'pair'] },
  ...{ deviation: BIRTHDAY, refused: 1 },
};

const EXERCISES: Partial<Record<PolicyName, Exercise>> = {
  'xor-dynamic': { flags: ['--c1', '6', '--c2', '8'], changes: { c1: 6, c2: 8 }, ...ONE },
  'unhashed-xor': { flags: ['--c1', '6', '--c2', '200'], changes: { c1: 6, c2: 200 }, ...ONE },
  'version-byte': { flags: ['--c1', '15'], changes: { c1: 15 }, ...ONE },
  'truncated-id': {
    ...{ flags: ['--id-bits', '16', '--c1', '4'], changes: { idBits: 16, c1: 4 } },
    ...PAIR,
  },
  torsion: { flags: ['--c1', '7'], changes: { c1: 7 }, deviation: GEOMETRIC, refused: 7 / 8 },
  sha1: { flags: ['--id-bits', '16', '--c1', '3'], changes: { idBits: 16, c1: 3 }, ...PAIR },
  salted: {
    ...{ flags: ['--c1', '7'], changes: { c1: 7 } },
    search: { strategy: 'stockpile', stockpile: STOCKPILE },
    searchFlags: ['--strategy', 'stockpile', '--stockpile', String(STOCKPILE)],
    ...{ deviation: GEOMETRIC, refused: 1 - 2 ** -7 },
  },
  storj: { flags: ['--c1', '14'], changes: { c1: 14 }, ...ONE },
};

describe.each(WEAK.flatMap((name) => (EXERCISES[name] ? [[name, EXERCISES[name]] as const] : [])))(
  'the attack on %s',
  (name, exercise) => {
    const { policy: usual, weakness } = NAMED_POLICIES[name];
    const { flags, changes, search = {}, searchFlags = [], deviation, refused } = exercise;
    const policy = { ...usual, ...changes };
    const strict = { ...STRICT_POLICY, c1: policy.c1, c2: policy.c2 };
    const taskOf = (seed: string): MiningTask => ({
      ...{ scheme: 'ed25519', policy, goal: { type: 'any' }, strategy: 'siblings', budget: {} },
      ...{ dynamicStrategy: strongestDynamicStrategy(policy), seed: parseSeed(seed), ...search },
    });
    const results = SEEDS.map((seed) => mine(taskOf(seed), STOPPED_CLOCKS, kernels));

    it('costs the keys that the policy states', () => {
      const mean = results.reduce((sum, { ledger }) => sum + ledger.attempts, 0) / SEEDS.length;

      const stated = weakness?.attempts(policy) ?? 0;
      const error = (4 * deviation) / Math.sqrt(SEEDS.length);
      expect(Math.abs(mean / stated - 1), `mean ${mean}, stated ${stated}`).toBeLessThan(error);
    });

    it('is admitted by the policy, and refused by the check of the strict one that it states', () => {
      const refusals = results.map(({ identities }) => {
        const [claim] = identities.map((each) => each.claim);
        if (claim === undefined) throw new Error('no claim');
        expect(admit(claim, policy).admitted).toBe(true);
        return admit(claim, strict).checks.find(({ ok }) => !ok)?.check;
      });

      const part = refusals.filter((check) => check === weakness?.refusedBy).length / SEEDS.length;
      const spread = Math.sqrt((refused * (1 - refused)) / SEEDS.length);
      expect(Math.abs(part - refused)).toBeLessThanOrEqual(4 * spread);
    });

    it.each(SHOWN)('is the same by the command line, seed %s', async (seed) => {
      const named = ['--policy', name, ...flags];
      const options = [...searchFlags, '--seed', seed, '--threads', '1', '--quiet', '--json'];
      const mined = await usurp(['mine', ...named, ...options]);
      const goal = searchFlags.filter((flag) => ['--goal', 'pair'].includes(flag));
      const weak = await usurp(['verify', '-', ...named, ...goal], mined.stdout);
      const bits = ['--c1', String(policy.c1), '--c2', String(policy.c2)];
      const verdict = await usurp(['verify', '-', ...bits, '--json'], mined.stdout);

      const result = results[Number(seed)];
      expect([mined.code, weak.code]).toEqual([0, 0]);
      expect(parsed(mined).ledger.attempts).toBe(result?.ledger.attempts);
      const [first] = result?.identities ?? [];
      const expected = first && admit(first.claim, strict).checks.find(({ ok }) => !ok)?.check;
      expect(refusalOf(verdict.stdout)).toBe(expected ?? null);
    });
  },
);

describe('the attack on keys without a secret', () => {
  it.each(Array.from({ length: 14 }, (_, index) => String(index)))(
    'small-order: claims the key %s without a search',
    async (index) => {
      const made = await usurp(['claim', '--small-order', index, '--policy', 'small-order']);

      const weak = await usurp(['verify', '-', '--policy', 'small-order'], made.stdout);
      const verdict = await usurp(['verify', '-', '--json', '--all'], made.stdout);
      expect([made.code, weak.code, verdict.code]).toEqual([0, 0, 1]);
      const checks: readonly { readonly check: CheckName; readonly ok: boolean }[] =
        parsed(verdict).checks;
      const failed = checks.filter(({ ok }) => !ok).map(({ check }) => check);
      expect(failed).toContain('smallOrder');
      expect(failed.includes('encoding')).toBe(Number(index) >= 8);
    },
  );

  it('small-order: meets at most the two bits that the policy states', async () => {
    const claims: string[] = [];
    for (let index = 0; index < 14; index += 1) {
      claims.push(
        (await usurp(['claim', '--small-order', `${index}`, '--policy', 'small-order'])).stdout,
      );
    }

    const admitted = async (c1: string) => {
      const flags = ['--policy', 'small-order', '--c1', c1, '--json'];
      const { claims: all, invalid } = parsed(
        await usurp(['verify', '-', ...flags], claims.join('')),
      );
      return all - invalid;
    };

    expect(await admitted('0')).toBe(14);
    expect(await admitted('2')).toBeGreaterThan(0);
    expect(await admitted('3')).toBe(0);
  });

  it('yggdrasil: claims the smallest ID of all without a search', async () => {
    const made = await usurp(['claim', '--small-order', '6', '--policy', 'yggdrasil']);

    const goal = ['--goal', `between:${'ff'.repeat(32)}:${'00'.repeat(31)}01`];
    const weak = await usurp(['verify', '-', '--policy', 'yggdrasil', ...goal], made.stdout);
    const strict = await usurp(['verify', '-', '--json'], made.stdout);
    const strictKeys = await usurp(
      ['verify', '-', '--id-rule', 'yggdrasil', '--json'],
      made.stdout,
    );
    expect(JSON.parse(made.stdout).nodeId).toBe('00'.repeat(32));
    expect(weak.code).toBe(0);
    expect(refusalOf(strict.stdout)).toBe(NAMED_POLICIES.yggdrasil.weakness?.refusedBy);
    expect(refusalOf(strictKeys.stdout)).toBe('smallOrder');
  });

  it('storj: has no claim for the ID of zeros', async () => {
    const printed = await usurp(['verify', '-', '--policy', 'storj', '--c1', '0'], '00'.repeat(32));

    expect(printed).toMatchObject({ code: 254, stdout: '' });
    expect(printed.stderr).toContain('shows no work');
  });
});

describe('the attack on several identities', () => {
  it('xor-dynamic: solves the dynamic puzzle of eight identities once', async () => {
    const policy = { ...NAMED_POLICIES['xor-dynamic'].policy, c1: 4, c2: 10 };
    const goal = { type: 'count', identities: 8 } as const;
    // Each of them mines eight identities.
    const seeds = IS_WHOLE ? SEEDS : SEEDS.slice(0, 24);
    const ledgers = seeds.map((seed) => {
      const search = {
        policy,
        goal,
        seed: parseSeed(seed),
        dynamicStrategy: 'amortised-xor',
      } as const;
      const kind = { scheme: 'ed25519', strategy: 'siblings', budget: {} } as const;
      return mine({ ...kind, ...search }, STOPPED_CLOCKS, kernels).ledger;
    });

    const mean = ledgers.reduce((sum, { hashes }) => sum + hashes, 0) / seeds.length;
    const stated = policyCost(policy, { ids: 8 }).cheapest.hashes;
    expect(stated).toBeCloseTo(8 * 2 * 2 ** 4 + 2 ** 10 * (1 - 2 ** -6) ** 8, 9);
    // The search for Y does not begin with the IDs.
    const searched = 8 * 2 * 2 ** 4 + 2 ** 10;
    expect(stated).toBeLessThan(searched);
    expect(Math.abs(mean / searched - 1)).toBeLessThan(4 / Math.sqrt(seeds.length));

    const flags = ['--policy', 'xor-dynamic', '--c1', '4', '--c2', '10', '--goal', 'count:8'];
    const mined = await usurp(['mine', ...flags, '--seed', '0', '--quiet', '--json']);
    const verified = await usurp(['verify', '-', ...flags], mined.stdout);
    expect([mined.code, verified.code]).toEqual([0, 0]);
    expect(parsed(mined).ledger.hashes).toBe(ledgers[0]?.hashes);
  });

  it('torsion: one secret has eight IDs, seven of them refused by the strict policy', async () => {
    const file = join(folder, 'key.json');
    await usurp(['mine', '--seed', '5', '--out', file, '--quiet']);
    const ids = new Set<string>();
    for (let index = 1; index < 8; index += 1) {
      const made = await usurp([
        'claim',
        file,
        '--policy',
        'torsion',
        '--c1',
        '0',
        '--torsion',
        `${index}`,
      ]);
      const weak = await usurp(['verify', '-', '--policy', 'torsion', '--c1', '0'], made.stdout);
      expect(weak.code).toBe(0);
      const strict = await usurp(['verify', '-', '--json'], made.stdout);
      expect(refusalOf(strict.stdout)).toBe('torsion');
      ids.add(JSON.parse(made.stdout).nodeId);
    }

    expect(ids.size).toBe(7);
  });

  it('salted: the identity is among the highest of the stockpile, by tests of one hash', () => {
    const policy = { ...NAMED_POLICIES.salted.policy, c1: 7, epoch: 9 };
    const kind = { scheme: 'ed25519', strategy: 'stockpile', dynamicStrategy: 'dynamic' } as const;
    const shares = SEEDS.map((seed) => {
      const task = { ...kind, policy, goal: { type: 'any' }, seed: parseSeed(seed) } as const;
      const stocked = { ...task, stockpile: STOCKPILE, budget: {} };
      const { ledger, identity } = mine(stocked, STOPPED_CLOCKS, kernels);
      expect(ledger.hashes).toBe(ledger.attempts);
      return 1 - headOf(identity?.claim.nodeId ?? new Uint8Array(4)) / 2 ** 32;
    });

    const mean = shares.reduce((sum, share) => sum + share, 0) / SEEDS.length;
    expect(Math.abs(mean / (2 ** 7 / STOCKPILE) - 1)).toBeLessThan(4 / Math.sqrt(SEEDS.length));
  });
});

describe('the texts of the policies', () => {
  it('have an exercise for each weak policy', () => {
    const exercised = [...Object.keys(EXERCISES), 'small-order', 'yggdrasil'];

    expect([...WEAK].sort()).toEqual(exercised.sort());
  });

  it.each([
    ['truncated-id', '2^20.3'],
    ['sha1', '2^86.3'],
    ['storj', '2^138.3'],
  ] as const)('%s: states the cost of a pair, %s', (name, text) => {
    const { policy, weakness } = NAMED_POLICIES[name];
    const stated = policyCost(policy).collisionBits?.any ?? 0;

    expect(`2^${stated.toFixed(1)}`).toBe(text);
    expect(`${weakness?.flaw} ${weakness?.cost}`).toContain(text);
  });

  it.each(['truncated-id', 'sha1'] as const)(
    '%s: has the attempts of the birthday bound',
    (name) => {
      const { policy, weakness } = NAMED_POLICIES[name];
      const { any = 0 } = policyCost(policy).collisionBits ?? {};

      expect(Math.log2(weakness?.attempts(policy) ?? 0)).toBeCloseTo(any, 9);
    },
  );
});

/** The check that refused the claim, or the first of several. */
function refusalOf(report: string): string | null {
  const { checks, refused } = JSON.parse(report);
  const all: readonly { readonly check: string; readonly ok: boolean }[] =
    checks ?? refused[0]?.checks ?? [];
  return all.find(({ ok }) => !ok)?.check ?? null;
}
