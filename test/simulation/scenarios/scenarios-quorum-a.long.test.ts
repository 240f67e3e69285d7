/**
 * @module
 * Zombies, storms and the dripping leader: what the members of each pair differ in, over seeds, and
 * where in the traces it happens.
 */

import { describe, expect, it } from 'vitest';

import { isDetectorType } from '../../../src/election/detectors/detector.ts';
import { RETURN_BACK_OFF_TYPES } from '../../../src/election/return-back-off.ts';
import { parseSeed } from '../../../src/random.ts';
import type { PlayedRun } from '../../../src/simulation/scenarios/played-run.ts';
import { findScenario } from '../../../src/simulation/scenarios/registry.ts';
import type { PlayedScenario } from '../../../src/simulation/scenarios/scenario.ts';
import { playScenario, runNamed } from '../../../src/simulation/scenarios/scenario.ts';

const SEEDS = Array.from({ length: 25 }, (_, number) => number);

function play(name: string, { number = 3, nodes = 5 } = {}): PlayedScenario {
  return playScenario(findScenario(name), { seed: parseSeed(String(number)), nodes });
}

/** Whose writes the resource accepted, in that order. */
function writersOf({ sent }: PlayedRun): number[] {
  return sent.filter(({ message }) => message.type === 'WRITTEN').map(({ to }) => to);
}

function pausedOf({ staged }: PlayedRun): number {
  const pause = staged.options.schedule?.faults.find(({ type }) => type === 'pause');
  return pause?.type === 'pause' ? pause.rank : 0;
}

function messagesOfType({ sent }: PlayedRun, is: (type: string) => boolean): PlayedRun['sent'] {
  return sent.filter(({ message }) => is(message.type));
}

describe('zombie-unfenced and zombie-fenced', () => {
  it('differ in what they observe, and agree that two lead at once', () => {
    for (const number of SEEDS) {
      const unfenced = play('zombie-unfenced', { number }).observed;
      const fenced = play('zombie-fenced', { number }).observed;

      expect(Object.values(unfenced.members), `seed ${number}`).toEqual(
        Array(3).fill({ accepted: 1, refused: 0, staleWrites: 1, lateWrites: 1, together: true }),
      );
      expect(Object.values(fenced.members), `seed ${number}`).toMatchObject(
        Array(5).fill({ lateWrites: 0, together: true }),
      );
      // Before the successor has registered, a fence does not refuse the write of the old leader.
      expect(Object.values(fenced.members), `seed ${number}`).toMatchObject(
        [0, 0, 0, 0, 1].map((staleWrites) => ({ staleWrites })),
      );
    }
  });

  it('pause the same leaders of the same elections', () => {
    for (const protocol of ['db-lease', 'lease-local', 'zk-recipe']) {
      const without = runNamed(play('zombie-unfenced').runs, protocol);
      const before = runNamed(play('zombie-fenced').runs, `${protocol} before fencing-max`);

      expect(pausedOf(before)).toBe(pausedOf(without));
      expect(without.reigns[0]?.rank).toBe(pausedOf(without));
      expect(before.reigns).toEqual(without.reigns);
    }
  });

  it('write once in between the writes of the successor where there is no fence', () => {
    for (const run of play('zombie-unfenced').runs) {
      const zombie = pausedOf(run);
      const writers = writersOf(run);
      const successor = writers.find((rank) => rank !== zombie) ?? 0;

      const sinceSuccessor = writers.slice(writers.indexOf(successor));

      expect(
        sinceSuccessor.filter((rank) => rank !== successor),
        run.name,
      ).toEqual([zombie]);
      expect(sinceSuccessor.at(-1), run.name).toBe(successor);
    }
  });

  it('come early and are let through, and the registered successor writes after that', () => {
    const name = 'db-lease before fencing-register, not registered yet';
    const run = runNamed(play('zombie-fenced').runs, name);
    const zombie = pausedOf(run);
    const successor = run.reigns.find(({ rank }) => rank !== zombie)?.rank ?? 0;
    const registrations = messagesOfType(run, (type) => type === 'REGISTER');

    const writers = writersOf(run);

    expect(registrations.filter(({ from }) => from === successor)).toHaveLength(2);
    expect(writers.lastIndexOf(zombie)).toBe(writers.indexOf(successor) - 1);
    expect(writers.at(-1)).toBe(successor);
  });
});

describe('storm and storm-backoff', () => {
  it.each([
    [2, 2],
    [5, 23],
    [10, 98],
    [40, 1598],
  ])(
    'cost %i nodes %i messages a cycle without back-off, and nothing after the first with it',
    (nodes, cost) => {
      const storm = play('storm', { nodes });
      const calm = play('storm-backoff', { nodes });

      expect(storm.observed.members).toMatchObject({ changes: 20, electing: Array(10).fill(cost) });
      expect(calm.observed.members).toMatchObject({
        changes: 1,
        electing: [cost - nodes + 1, ...Array(9).fill(0)],
      });
    },
  );

  it('never have two leaders', () => {
    for (const number of SEEDS) {
      for (const name of ['storm', 'storm-backoff']) {
        for (const run of play(name, { number }).runs) {
          expect(run.outcome, `${name}, seed ${number}`).toMatchObject({
            end: 'leader',
            safety: 'true',
          });
        }
      }
    }
  });

  it('leave the network without a leader for 84 and 8 percent of the storm', () => {
    expect(play('storm').figures.leaderlessPercent).toBe(84);
    expect(play('storm-backoff').figures.leaderlessPercent).toBe(8);
  });

  it('let the top node lead again once it has stayed, with the back-off of its tenth return', () => {
    for (const number of SEEDS) {
      const { figures, runs } = play('storm-backoff', { number });
      const run = runNamed(runs, 'storm with back-off');
      const stands = messagesOfType(run, (type) => type === 'HOLD_STAND');

      // Sixty-four times T' = 48 ticks at least, twice that at most, after tick 645; then Δ + 1.
      expect(figures.takesOverAt).toBeGreaterThanOrEqual(645 + 3072 + 10);
      expect(figures.takesOverAt).toBeLessThan(645 + 2 * 3072 + 10);
      expect(stands).toHaveLength(4);
    }
  });

  it('cost n − 1 questions and one answer a return', () => {
    const run = runNamed(play('storm-backoff').runs, 'storm with back-off');
    const own = messagesOfType(run, (type) => RETURN_BACK_OFF_TYPES.includes(type));

    expect(own.filter(({ message }) => message.type === 'HOLD_ASK')).toHaveLength(10 * 4);
    expect(own.filter(({ message }) => message.type === 'HOLD_LEADER')).toHaveLength(10);
  });
});

describe('detector-slow-drip', () => {
  it('delays the suspicion fivefold, and with a cap less than threefold', () => {
    for (const number of SEEDS.slice(0, 10)) {
      const { figures } = play('detector-slow-drip', { number });
      const [untrained = 0, trained = 0, capped = 0] = Object.values(figures);

      expect(trained / untrained, `seed ${number}`).toBeGreaterThan(4.5);
      expect(capped / untrained, `seed ${number}`).toBeLessThan(3);
    }
  });

  it('is no failure of the leader: no other node leads before it stops', () => {
    const run = runNamed(play('detector-slow-drip').runs, 'trained');
    const crash = run.staged.options.schedule?.faults.find(({ type }) => type === 'crash');
    const stopsAt = crash?.type === 'crash' ? crash.at : 0;

    expect(run.reigns.map(({ rank }) => rank)).toEqual([5, 4]);
    expect(run.reigns[1]?.from).toBeGreaterThan(stopsAt);
  });

  it('needs no more than a later beat each time', () => {
    const run = runNamed(play('detector-slow-drip').runs, 'trained');
    const beats = messagesOfType(run, isDetectorType).filter(
      ({ from, to }) => from === 5 && to === 1,
    );
    const intervals = beats.slice(1).map(({ t }, index) => t - (beats[index]?.t ?? 0));

    expect(intervals.slice(0, 10)).toEqual(Array(10).fill(19));
    expect(intervals.slice(10)).toEqual(
      Array.from({ length: 14 }, (_, index) => Math.round(19 * 1.15 ** (index + 1))),
    );
  });
});
