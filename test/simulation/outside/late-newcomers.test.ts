/**
 * @module
 * Newcomers that a program outside plays by the documentation alone, at any moment of an election: it
 * ends as it does for one of the simulation that joins at the same tick.
 */

import { describe, expect, it } from 'vitest';

import type { Keys, SealedMessage } from '../../../src/election/authentication/authenticated.ts';
import { messageText } from '../../../src/election/authentication/authenticated.ts';
import { toRank } from '../../../src/election/world/cast.ts';
import type { SimulationOptions } from '../../../src/simulation/plan/plan.ts';
import type { Advance } from '../../../src/simulation/run/advance.ts';
import type { Simulation } from '../../../src/simulation/run/simulation.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';
import { SEED } from '../ring/rings.ts';
import { documentedProgram } from './documented-player.ts';
import { keysOfPlan, playOn } from './outside-player.ts';

/** Kept at both ends and between any two of the nodes 2, 4, 6 and 8. */
const OPENINGS = [1, 3, 5, 7, 9];
const TICKS = [0, 2, 3, 5, 8, 60];
const RINGS = [
  ...(['cr-join', 'cr-replace', 'cr-always', 'ring-collect', 'ring-lelann'] as const),
  ...(['hs-wake', 'peterson'] as const),
];

/** Which election a message is signed for, as a server reports it. */
function electionOf(
  simulation: Simulation,
  to: number,
  { seal, ...body }: SealedMessage,
  verify: Keys['verify'],
): string | null {
  const { protocol } = simulation.plan;
  const { by = toRank(1), number = 0, signature = '' } = seal ?? {};
  const names = [simulation.electionName(), ...simulation.earlierNames()];
  const isFor = (election: string) => {
    const authentication = { level: 'L3', protocol, election, keysOf: () => keys } as const;
    const keys = { verify, sign: () => '' };
    return verify(by, messageText(authentication, { by, to: toRank(to), number, body }), signature);
  };
  return names.find(isFor) ?? null;
}

function documentedPlayer(simulation: Simulation, rank: number, missing = OPENINGS) {
  const { plan } = simulation;
  const { sign, verify } = keysOfPlan(plan)(toRank(rank));
  const program = documentedProgram(plan, rank, { missing, sign });
  return {
    answer() {
      const { events } = simulation.inbox(rank);
      const reported = events.map(({ event }) => {
        const isNamed = plan.level === 'L3' && event.type === 'deliver';
        const election = isNamed ? electionOf(simulation, rank, event.message, verify) : undefined;
        return { event, election };
      });
      simulation.inject(rank, program.react(reported, simulation.electionName()));
      simulation.answered(rank, events.at(-1)?.number ?? 0);
    },
  };
}

function outcomeOf(simulation: Simulation) {
  const { leader, agreed, idle } = simulation.status();
  return { leader, agreed, idle, nodes: simulation.nodes().map((node) => node.leader) };
}

function scheduled(options: SimulationOptions, rank: number, at: number) {
  const simulation = createSimulation({
    ...options,
    openings: OPENINGS.filter((each) => each !== rank),
    schedule: { faults: [{ type: 'join', rank, at }], calm: null, detector: 'crashes' },
  });
  simulation.start();
  simulation.advance({ until: 'idle', events: 20_000 });
  return outcomeOf(simulation);
}

/** Joins when this has happened. */
function played(options: SimulationOptions, rank: number, before: Advance | null) {
  const simulation = createSimulation({ ...options, openings: OPENINGS });
  simulation.start();
  if (before !== null) simulation.advance(before);
  simulation.enter(rank, { waits: true });
  playOn(simulation, new Map([[rank, documentedPlayer(simulation, rank)]]));
  return outcomeOf(simulation);
}

describe.each(['L0', 'L3'] as const)('a late newcomer at %s', (level) => {
  it.each([...RINGS, 'bully-oneshot'] as const)(
    'makes %s end as one of the simulation does',
    (protocol) => {
      const options = { protocol, level, nodes: 9, seed: SEED, election: 'of May' } as const;

      for (const rank of [1, 5, 9]) {
        for (const at of TICKS) {
          // A newcomer by schedule comes before anything else does at its tick.
          const outcome = played(
            options,
            rank,
            at === 0 ? null : { until: at - 1, events: 20_000 },
          );

          expect(outcome, `rank ${rank} at ${at}`).toEqual(scheduled(options, rank, at));
          expect(outcome, `rank ${rank} at ${at}`).toMatchObject({ agreed: true, idle: true });
        }
      }
    },
  );

  // The leader of a quorum depends on draws, which programs outside make themselves.
  it.each([...RINGS, 'raft'] as const)('comes to rest in %s after any event', (protocol) => {
    const options = { protocol, level, nodes: 9, seed: SEED } as const;

    for (const rank of [1, 5, 9]) {
      for (const events of [1, 6, 14]) {
        const outcome = played(options, rank, { until: 'idle', events });

        expect(outcome, `rank ${rank} after ${events}`).toMatchObject({ agreed: true, idle: true });
        if (protocol !== 'raft') expect(outcome.leader).toBe(Math.max(rank, 8));
      }
    }
  });
});
