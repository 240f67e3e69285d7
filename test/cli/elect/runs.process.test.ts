/**
 * @module
 * `usurp elect --runs`: outcomes over seeds, their exit codes, and commands that show the bad ones.
 */

import { describe, expect, it } from 'vitest';

import { argumentsOf, parsed, usurp } from '../shell.ts';

const RING = ['elect', 'cr-join', '--nodes', '5', '--seed', '1'];

/** Nodes return without their votes, so that two of them lead in one epoch. In the end all agree. */
const FORGETFUL = ['--churn', '20@0-400:50%', '--seed', '7'];

interface Counted {
  readonly n: number;
  readonly k: number;
  readonly p: number;
  readonly ciLow: number;
  readonly ciHigh: number;
}

interface Failed {
  readonly share: Counted;
}

/** Clopper and Pearson: each tail of the binomial law has 2.5 % at its end of the interval. */
function expectExact(k: number, n: number, [low, high]: readonly [number, number]): void {
  const probability = (wins: number, p: number): number =>
    wins === 0 ? (1 - p) ** n : (probability(wins - 1, p) * (n - wins + 1) * p) / (wins * (1 - p));
  const sum = (from: number, to: number, p: number) => {
    let total = 0;
    for (let wins = from; wins <= to; wins += 1) total += probability(wins, p);
    return total;
  };
  if (k === 0) expect(low).toBe(0);
  else if (k === n) expect(low).toBeCloseTo(0.025 ** (1 / n), 9);
  else expect(sum(k, n, low)).toBeCloseTo(0.025, 9);
  if (k === n) expect(high).toBe(1);
  else expect(sum(0, k, high)).toBeCloseTo(0.025, 9);
}

describe('--runs', () => {
  it('counts every run once, and ends with 0 when all agreed', async () => {
    const printed = await usurp([...RING, '--runs', '30', '--json']);

    const { outcomes, runs, unfinished, failures, distributions } = parsed(printed);
    const { messages } = distributions;
    expect(printed.code).toBe(0);
    expect(unfinished).toBe(0);
    expect(runs).toBe(30);
    expect(outcomes).toEqual({ leader: 30, 'no-leader': 0, split: 0, until: 0 });
    expect(failures).toEqual([]);
    expect(messages.min).toBeLessThan(messages.mean);
    expect(messages.mean).toBeLessThan(messages.max);
  });

  it('gives each share its exact interval, in JSON and in text', async () => {
    const lossy = [...RING, '--loss', '10%', '--runs', '20'];
    const { shares, outcomes, failures } = parsed(await usurp([...lossy, '--json']));
    const { distribution } = parsed(await usurp([...lossy, '--measure', 'messages', '--json']));
    const { stdout } = await usurp(lossy);

    const all = [
      ...Object.values(shares),
      ...failures.map(({ share }: Failed) => share),
    ] as Counted[];
    for (const { n, k, p, ciLow, ciHigh } of all) {
      expect([n, p]).toEqual([20, k / 20]);
      expectExact(k, n, [ciLow, ciHigh]);
    }
    expect(shares.leader.k).toBe(outcomes.leader);
    expect(failures[0].share.k).toBe(failures[0].runs);
    for (const { share, ciLow, ciHigh } of distribution) {
      expectExact(Math.round(20 * share), 20, [ciLow, ciHigh]);
    }
    const { k, p, ciLow, ciHigh } = shares['no-leader'];
    const [share, low, high] = [p, ciLow, ciHigh].map((each) => `${(100 * each).toFixed(1)} %`);
    for (const name of ['no-leader', 'termination violated']) {
      expect(stdout).toMatch(new RegExp(`^${name} +${k} +${share} +${low}–${high}`, 'm'));
    }
  });

  it('runs the same elections as single commands with these seeds', async () => {
    const { distributions } = parsed(await usurp([...RING, '--runs', '3', '--json']));
    const { messages } = distributions;

    const totals = [];
    for (const seed of ['1', '2', '3']) {
      totals.push(parsed(await usurp([...RING, '--seed', seed, '--json'])).messages.total);
    }
    expect(messages.min).toBe(Math.min(...totals));
    expect(messages.max).toBe(Math.max(...totals));
  });

  it('names the first seed of a bad outcome with a command that shows it', async () => {
    const printed = await usurp([...RING, '--loss', '10%', '--runs', '40', '--json']);

    const { outcomes, failures } = parsed(printed);
    const [{ failing, runs, replay, seed }] = failures;
    const shown = await usurp([...argumentsOf(replay), '--json']);
    expect(printed.code).toBe(1);
    expect(failing).toBe('termination');
    expect(runs).toBe(outcomes['no-leader']);
    expect(shown.code).toBe(1);
    expect(parsed(shown)).toMatchObject({ outcome: 'no-leader', seed });
    for (let before = 1; before < Number(seed); before += 1) {
      expect((await usurp([...RING, '--loss', '10%', '--seed', String(before)])).code).toBe(0);
    }
  });

  it('keeps the other runs if the copies of one multiply, and names its seed', async () => {
    const copied = ['--initiators', 'lowest', '--duplicate', '100%@375-', '--loss', '50%@0-1'];
    const ring = ['elect', 'ring-collect', '--nodes', '400', ...copied];

    const mixed = await usurp([...ring, '--seed', '2', '--runs', '2', '--json']);
    const lone = await usurp([...ring, '--seed', '2', '--runs', '1']);

    const { runs, unfinished, outcomes, distributions, failures, firstFailure } = parsed(mixed);
    expect({ code: mixed.code, runs, unfinished, firstFailure }).toEqual({
      ...{ code: 1, runs: 2, unfinished: 1, firstFailure: '3' },
    });
    expect(outcomes).toEqual({ leader: 0, 'no-leader': 1, split: 0, until: 0 });
    expect(distributions.messages).toMatchObject({ n: 1, min: 1, mean: 1, max: 1 });
    expect(failures[1]).toMatchObject({ failing: 'unfinished', runs: 1, seed: '2' });
    expect(lone.code).toBe(2);
    expect(lone.stdout).toMatch(/^unfinished +1 +100\.0 % +2\.5 %–100\.0 %$/m);
    expect(lone.stderr).toContain('ring-collect under seed 2 does not finish: copies multiply');
  });

  it('ends with 2 when bounds were hit and all others agreed, with 1 when some failed too', async () => {
    const bounded = await usurp([...RING, '--until', '3', '--runs', '4', '--json']);
    const mixed = await usurp([...RING, '--loss', '30%', '--until', '7', '--runs', '60', '--json']);

    expect(bounded.code).toBe(2);
    expect(parsed(bounded).outcomes.until).toBe(4);
    expect(parsed(mixed).outcomes.until).toBeGreaterThan(0);
    expect(parsed(mixed).outcomes['no-leader']).toBeGreaterThan(0);
    expect(mixed.code).toBe(1);
  });

  it('finds failures of only some seeds: two leaders and the wrong leader', async () => {
    const args = ['peterson', '--nodes', '9', '--latency', 'exp:30', '--no-fifo'];
    const printed = await usurp(['elect', ...args, '--runs', '60', '--seed', '1', '--json']);

    const kinds = parsed(printed).failures.map(({ failing }: { failing: string }) => failing);
    expect(kinds).toEqual(expect.arrayContaining(['uniqueness', 'highestLiveWins']));
  });

  it('fails if a run agreed in the end but violated a property before', async () => {
    const args = ['elect', 'raft', '--nodes', '3', ...FORGETFUL];

    const one = await usurp([...args, '--json']);
    const many = await usurp([...args, '--runs', '3', '--json']);
    const table = await usurp([...args, '--runs', '3']);

    const { agreed, verdict } = parsed(one);
    expect({ agreed, uniqueness: verdict.properties.uniqueness.value }).toEqual({
      ...{ agreed: true, uniqueness: 'false' },
    });
    expect(one.code).toBe(1);
    expect(many.code).toBe(1);
    expect(parsed(many).failures).toEqual([
      expect.objectContaining({ failing: 'uniqueness', seed: FORGETFUL.at(-1) }),
    ]);
    expect(table.stdout).toMatch(
      /^uniqueness violated +\d+ +[\d.]+ % +\S+ %–\S+ % +\d+ +npx usurp elect/m,
    );
  });

  it('repeats itself by its replay', async () => {
    const first = await usurp([...RING, '--random-faults', '--runs', '20', '--json']);
    const again = await usurp([...argumentsOf(parsed(first).replay), '--json']);

    expect(again.stdout).toBe(first.stdout);
  });

  it('is a table for people', async () => {
    const { stdout } = await usurp([...RING, '--loss', '10%', '--runs', '40']);

    expect(stdout).toMatch(
      /^outcome +runs +share +95 %\nleader +\d+ +[\d.]+ % +[\d.]+ %–[\d.]+ %\n/,
    );
    expect(stdout).toMatch(/^messages( +[\d.]+){6}( +0)?$/m);
    expect(stdout).toMatch(
      /^termination violated +\d+ .* % +(\d+) +npx usurp elect .* --seed \1$/m,
    );
  });

  it('makes a valid election of every drawn schedule', async () => {
    const drawn = ['--random-faults', '--runs', '300', '--json', '--crash', '5'];
    for (const who of ['all', 'lowest', '1']) {
      for (const protocol of ['bully-oneshot', 'ring-attr', 'ring-robust']) {
        const args = [protocol, '--nodes', '5', '--initiators', who, '--seed', '9'];

        const printed = await usurp(['elect', ...args, ...drawn]);

        const notes = printed.stderr.replaceAll(/^runs: \d+ of 300\n/gm, '');
        expect(notes, `${protocol}, ${who}`).toBe('');
        expect(parsed(printed).runs).toBe(300);
      }
    }
  });
});
