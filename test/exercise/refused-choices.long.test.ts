/**
 * @module
 * What a student may not choose: submissions that try to change the parameters of the server, to leave the limits of the
 * exercise, or to reach the goal without the attack. Each fails with a finding that names the reason.
 */

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { grade } from '../../src/exercise/grading.ts';
import { createInstance } from '../../src/exercise/instance.ts';
import type { ElectionRecord } from '../../src/exercise/record.ts';
import { submissionSchema } from '../../src/exercise/submission.ts';
import { parseThreatModel } from '../../src/experiment/reading/document.ts';
import { parseSeed } from '../../src/random.ts';
import { readExercises } from '../../src/runtime/files/exercises.ts';

const EXERCISES = await readExercises();
const SECRET = new Uint8Array(32).fill(7);

const STOCKPILE = 'adversaries.main.stockpile';

/** A record of an election in which nothing has happened. */
const UNTOUCHED: ElectionRecord = {
  options: { protocol: 'db-lease', nodes: 5, seed: parseSeed('1') },
  actions: [],
  status: { idle: true, leader: null, agreed: false, messages: {}, ticks: 0, bound: null },
  nodes: [{ rank: 1, up: true, leader: null, outside: false, refusedSeals: 0 }],
  phantoms: [],
};

function gradeOf(name: string, submission: unknown, election = UNTOUCHED) {
  const exercise = EXERCISES.find((each) => each.name === name);
  if (exercise === undefined) throw new Error(`no exercise ${name}`);
  const instance = createInstance(exercise, { secret: SECRET, student: 'alice' });
  const parts = Object.keys(instance.elections);
  const elections = Object.fromEntries(parts.map((part) => [part, election]));
  const record = { elections, forgeries: [] };
  return grade(exercise, instance, { submission: submissionSchema.parse(submission), record });
}

const detailsOf = (...graded: Parameters<typeof gradeOf>) =>
  gradeOf(...graded)
    .findings.filter(({ met }) => !met)
    .map(({ detail }) => detail)
    .join('\n');

const settings = (chosen: Record<string, unknown>) => ({ type: 'settings', settings: chosen });
const scenario = (members: object) => ({ type: 'scenario', ...members });

/** The data of the instance that `gradeOf` judges. */
function givenOf(name: string) {
  const exercise = EXERCISES.find((each) => each.name === name);
  if (exercise === undefined) throw new Error(`no exercise ${name}`);
  return createInstance(exercise, { secret: SECRET, student: 'alice' }).goal.given;
}

/** Does not say which part is wrong. */
const NOT_THESE =
  /these are not the two defences .*, or the leader does not change as often as stated/;

describe('a submission of settings', () => {
  const given = givenOf('salt-stockpile');
  const [most, batch] = [Number(given.stockpileMax), Number(given.batchKeys)];
  const stockpile = most - (most % batch);

  it.each([
    [{ [STOCKPILE]: stockpile, 'expect.probability': 1 }, /expect\.probability is not yours/],
    [{ [STOCKPILE]: stockpile, 'network.honest': 1000 }, /network\.honest is not yours/],
    [{ [STOCKPILE]: stockpile, '__proto__.x': 1 }, /__proto__\.x is not yours/],
    [{ [STOCKPILE]: stockpile + batch }, /a stockpile has at most \d+ keys/],
    [{ [STOCKPILE]: stockpile - 1 }, /a stockpile is a multiple of \d+ keys/],
    [{}, /without a salt this stockpile leads with probability 0\.\d+, and at least 0\.8/],
    [{ [STOCKPILE]: 0.5 }, /must be a whole number of keys/],
    [{ [STOCKPILE]: batch, 'epochs.salt': 'both' }, /leads with probability 0\.\d+, and at least/],
    [{ [STOCKPILE]: stockpile, 'epochs.salt': 'all' }, /must be one of none, puzzle, rank, both/],
    [{ [STOCKPILE]: stockpile, 'network.identity.c1': 41 }, /must be a whole number of bits/],
    [{ [STOCKPILE]: stockpile, 'epochs.salt': 'both' }, /batches lead with .* fewer suffice/],
  ])('%j fails', (chosen, finding) => {
    expect(detailsOf('salt-stockpile', settings(chosen))).toMatch(finding);
  });

  it('is about a threat model that the server accepts', () => {
    expect(parseThreatModel(JSON.stringify(given.model), 'given.json').epochs?.salt).toBe('none');
  });

  it('passes with the fewest batches and the fewest bits only', async () => {
    const path = '../../exercises/salt-stockpile/probability.js';
    const { fewestKeys, fewestBits } = await import(path);
    const [keys, bits] = [fewestKeys(given), fewestBits(given)];
    const salted = { [STOCKPILE]: keys, 'epochs.salt': 'both' };

    const withBits = (more: number) => settings({ ...salted, 'network.identity.c1': bits + more });

    expect(gradeOf('salt-stockpile', withBits(0)).passed).toBe(true);
    expect(detailsOf('salt-stockpile', withBits(-1))).toMatch(/more bits are needed/);
    expect(detailsOf('salt-stockpile', withBits(1))).toMatch(/fewer bits suffice/);
  });
});

/** The same for a drift that is too small and for one that is too large. */
const DRIFT = /with this drift the holder may still count longer .*, or a smaller one is safe/;

describe('answers with members of their own', () => {
  const { from, toMax } = z
    .object({ from: z.int(), toMax: z.int() })
    .parse(givenOf('depose-leader'));
  const cuts = { plainTo: from + 1, preVoteTo: from + 1, flags: 'both' };
  const lease = { overlapTicks: 1, driftPpm: 1e6 };

  it.each([
    ['depose-leader', {}, /plainTo must be a number/],
    ['depose-leader', { ...cuts, seed: '1' }, /seed is not yours to choose/],
    ['depose-leader', { ...cuts, flags: 'all' }, /flags must be one of none, preVote/],
    ['depose-leader', { ...cuts, plainTo: 1.5 }, /plainTo must be a whole number/],
    ['depose-leader', { ...cuts, preVoteTo: from }, /with preVote the leader survives/],
    ['depose-leader', { ...cuts, plainTo: toMax + 1 }, /without flags the leader survives/],
    ['depose-leader', { ...cuts, plainTo: toMax }, /without flags a shorter cut deposes it/],
    ['slow-clock', { ...lease, driftPpm: 1e6 + 1 }, /driftPpm must be at most 1000000/],
    ['slow-clock', lease, /two nodes do not lead for 1 ticks/],
    ['slow-clock', lease, DRIFT],
    ['slow-clock', { ...lease, driftPpm: 1 }, DRIFT],
    ['price-churn', { lifetime: 2, c1: 0, attempts: 1 }, /0 bits .* are not the fewest/],
    ['price-churn', { lifetime: 64, c1: 64, attempts: 1 }, /for at most 24 epochs/],
  ])('%s with %j', (name, chosen, finding) => {
    const { points } = gradeOf(name, settings(chosen));

    expect(points).toBe(0);
    expect(detailsOf(name, settings(chosen))).toMatch(finding);
  });
});

describe('a scenario', () => {
  const { from, resumes } = z
    .object({ from: z.int(), resumes: z.array(z.int()) })
    .parse(givenOf('fence-zombie'));
  const [tooShort = 0, right = 0, tooLong = 0] = resumes;
  const pause = { rank: 1, from, to: right };
  const crash = { rank: 1, from: 10, to: 20 };

  it.each([
    [{ pauses: [] }, /exactly one pause is needed, got 0/],
    [{ pauses: [pause, pause] }, /exactly one pause is needed, got 2/],
    [{ pauses: [pause], crashes: [crash] }, /crashes and defences are not yours/],
    [{ pauses: [{ ...pause, rank: 99 }] }, /there is no node 99/],
    [{ pauses: [{ ...pause, to: tooLong }] }, /the pause has \d+ ticks, and at most 150/],
    [{ pauses: [{ ...pause, to: right + 1 }] }, /must end at one of the ticks \d+, \d+, \d+/],
    [{ pauses: [{ ...pause, from: from - 1 }] }, /must begin at tick \d+/],
    [{ pauses: [{ ...pause, to: tooShort }] }, /its lease must expire/],
    [{ pauses: [{ ...pause, rank: 2 }] }, /node 2 does not lead at tick \d+/],
  ])('%j does not make a zombie', (members, finding) => {
    const submission = scenario({ resource: 'fencing-max', ...members });

    expect(detailsOf('fence-zombie', submission)).toMatch(finding);
  });

  it.each([
    [{ crashes: [crash] }, /only node \d, the highest, may crash/],
    [{ pauses: [pause] }, /pauses are not yours/],
    [{ crashes: Array.from({ length: 11 }, () => crash) }, /at most 10 crashes/],
  ])('%j does not make a storm', (members, finding) => {
    expect(detailsOf('calm-storm', scenario(members))).toMatch(finding);
  });

  it.each([
    [{ rank: 1, from: 10, to: 10 }, 'must begin before it ends'],
    [{ rank: 0, from: 10, to: 20 }, 'must be a rank'],
    [{ rank: 1, from: 10, to: 1e9 }, 'must be a tick'],
  ])('with the spell %j is refused', (spell, rule) => {
    const { error } = submissionSchema.safeParse(scenario({ crashes: [spell] }));

    expect(error?.issues[0]?.message).toContain(rule);
  });

  it.each([
    [[], [], /name two different defences, the best first, got 0/],
    [['incumbency', 'incumbency'], [1, 1], /name two different defences/],
    [['incumbency', 'pre-vote'], [1, 1], /pre-vote does not fit bully-oneshot/],
    [['back-off', 'incumbency'], [7, 1], NOT_THESE],
    [['incumbency', 'skip-list'], [1, 20], NOT_THESE],
    [['incumbency', 'back-off'], [1, 19], NOT_THESE],
  ])(
    'with the defences %j and the changes %j does not calm the storm',
    (defences, changes, finding) => {
      const { nodes, windows } = givenOf('calm-storm');
      const crashes = z
        .array(z.object({ from: z.int() }))
        .parse(windows)
        .map(({ from }) => ({ rank: nodes, from, to: from + 35 }));

      expect(detailsOf('calm-storm', scenario({ crashes, defences, changes }))).toMatch(finding);
    },
  );
});

describe('counterexamples', () => {
  it.each([
    [{ byHand: [0] }, /after the 1 steps no node leads, .* must lead at the same time/],
    [{ byCheck: [0] }, /every property holds after the 1 steps/],
    [{ byHand: [999] }, /step 1 is not possible/],
    [{}, /there is no address/],
  ])('%j violate nothing', (addresses, finding) => {
    const submission = { type: 'counterexamples', ...addresses };

    expect(detailsOf('find-counterexample', submission)).toMatch(finding);
  });
});

describe('an election in which nothing has happened', () => {
  it.each(['phantom-probe', 'swallow-ring'])('does not solve %s', (name) => {
    const { points, passed } = gradeOf(name, { type: 'elections' });

    expect({ points, passed }).toEqual({ points: 0, passed: false });
  });
});
