/**
 * @module
 * The faults that a nemesis draws, and their scripts: the same from the same seed, and possible in every part.
 */

import { expect, it } from 'vitest';
import { parseCommand } from '../../../src/cli/live/commands.ts';
import type { ProtocolName } from '../../../src/election/registry.ts';
import type { ClusterSettings } from '../../../src/live/cluster/cluster-plan.ts';
import type { LiveRound, NemesisKind } from '../../../src/live/nemesis.ts';
import { drawRound, NEMESIS_KINDS, scriptOf, shortened } from '../../../src/live/nemesis.ts';
import { parseSeed } from '../../../src/random.ts';

const ROUNDS = 200;

function settingsOf(protocol: ProtocolName, nodes: number): ClusterSettings {
  return {
    ...{ protocol, nodes, level: 'L3', detector: 'fd-phi-akka', defences: [] },
    ...{ timing: { latencyTicksMax: 20 }, c1: 0, c2: 0, tls: true, workload: null },
    store: protocol === 'db-lease' ? 'sqlite' : null,
  };
}

function drawn(protocol: ProtocolName, kinds = NEMESIS_KINDS, nodes = 3): readonly LiveRound[] {
  const plan = { settings: settingsOf(protocol, nodes), kinds, seed: parseSeed('7') };
  return Array.from({ length: ROUNDS }, (_, round) => drawRound(plan, round));
}

const kindsIn = (rounds: readonly LiveRound[]) =>
  new Set(
    rounds
      .flat()
      .map(({ kind }) => kind)
      .toSorted(),
  );

/** What a script makes impossible, as `up` would refuse it: an account of the nodes by hand. */
function impossible(lines: readonly string[]): readonly string[] {
  const state = new Map<string, string>();
  return lines.filter((line) => {
    const [name = '', node = ''] = line.split(' ');
    const now = state.get(node) ?? 'up';
    switch (name) {
      case 'kill':
        state.set(node, 'down');
        return now === 'down' || now === 'doomed';
      case 'die-at':
        state.set(node, 'doomed');
        return now !== 'up';
      case 'start':
        state.set(node, 'up');
        return now !== 'down' && now !== 'doomed';
      case 'pause':
        state.set(node, 'paused');
        return now !== 'up';
      case 'resume':
        state.set(node, 'up');
        return now !== 'paused';
      case 'jump':
      case 'skew':
        return now !== 'up';
      default:
        return false;
    }
  });
}

it.each(['raft', 'db-lease', 'bully-oneshot'] as const)(
  'the rounds of %s are the same from the same seed, have all kinds, and their scripts can be read',
  (protocol) => {
    const rounds = drawn(protocol);

    expect(drawn(protocol)).toEqual(rounds);
    expect(kindsIn(rounds)).toEqual(new Set(NEMESIS_KINDS.toSorted()));
    for (const line of scriptOf(rounds)) expect(parseCommand(line)).not.toBeNull();
  },
);

it('every part of a round is possible, with shorter faults, too, and ends all of them', () => {
  for (const [index, round] of drawn('raft', NEMESIS_KINDS, 5).entries()) {
    const part = round.flatMap((fault, at) => {
      if ((at + index) % 3 === 0) return [];
      return (at + index) % 3 === 1 ? [fault] : [shortened(fault) ?? fault];
    });
    for (const faults of [round, part]) {
      const lines = scriptOf([faults]);
      expect(impossible(lines)).toEqual([]);
      const ends = faults.flatMap(({ end }) => end ?? []);
      expect(lines.filter((line) => ends.includes(line))).toHaveLength(ends.length);
    }
  }
});

it('a kind that is left out does not change the others', () => {
  const kinds: readonly NemesisKind[] = ['kill', 'partition'];
  const few = drawn('raft', kinds);

  expect(kindsIn(few)).toEqual(new Set(kinds));
  for (const [index, round] of drawn('raft', ['partition', 'kill', 'lose']).entries()) {
    const loses = round.some(({ kind }) => kind === 'lose');
    const same = round.filter(({ kind }) => kind !== 'lose');
    // Without a drawn kind, a round has one of those that are allowed.
    if (same.length > 0 && loses) expect(few[index]).toEqual(same);
  }
});

it('a protocol with a store has no cuts between nodes, and three nodes no ring of majorities', () => {
  const begins = (protocol: ProtocolName) =>
    drawn(protocol, ['partition']).flatMap((round) => round.map(({ begin }) => begin));

  expect(begins('db-lease').filter((line) => /one-way|links|ring/.test(line))).toEqual([]);
  expect(begins('raft').filter((line) => line.includes('ring'))).toEqual([]);
  expect(begins('raft').filter((line) => /one-way/.test(line)).length).toBeGreaterThan(0);
});
