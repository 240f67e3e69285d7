/**
 * @module
 * Raft elections as tests need them: with time-outs that are prescribed, and what a trace says of who
 * led when.
 */

import type { Flags } from '../../../src/election/definition/flags.ts';
import type { AnyMachine } from '../../../src/election/definition/protocol.ts';
import type { Json } from '../../../src/election/machine.ts';
import type { ProtocolName } from '../../../src/election/registry.ts';
import { PROTOCOLS } from '../../../src/election/registry.ts';
import { fromRank } from '../../../src/election/world/cast.ts';
import { parseSeed } from '../../../src/random.ts';
import type { TraceRecord } from '../../../src/simulation/engine/trace.ts';
import { createSimulation } from '../../../src/simulation/run/simulation.ts';

export interface Reign {
  readonly leader: number;
  readonly term: number;
  readonly at: number;
}

/** Every time that a node began to lead itself, in the order of a trace. */
export function reignsOf(records: readonly TraceRecord[], nodes: number): Reign[] {
  const reigns: Reign[] = [];
  const known = Array.from({ length: nodes }, () => -1);
  for (const { t, effects } of records) {
    for (const effect of effects) {
      if (effect.type !== 'elect') continue;
      const leader = fromRank(effect.leader);
      // The leader says so before anybody else can.
      if (effect.epoch <= (known[leader - 1] ?? 0)) continue;
      known[leader - 1] = effect.epoch;
      reigns.push({ leader, term: effect.epoch, at: t });
    }
  }
  return reigns;
}

/** Terms that two nodes led. */
export function doubleTerms(reigns: readonly Reign[]): number[] {
  const leaders = new Map<number, number>();
  const twice: number[] = [];
  for (const { leader, term } of reigns) {
    if ((leaders.get(term) ?? leader) !== leader) twice.push(term);
    leaders.set(term, leader);
  }
  return twice;
}

export interface FirstElection {
  readonly nodes: number;
  readonly latencyTicks: number;
  readonly spreadTicks: number;
}

/** The first election after the highest node's death: seeded, or with these time-outs. */
export function isFirstElectionSplit(
  { nodes, latencyTicks, spreadTicks }: FirstElection,
  timeouts: number | readonly number[],
): boolean {
  // Longer than the election, so that no node is a candidate twice before it is over.
  const electionTicks = spreadTicks + 3 * latencyTicks;
  const flags = {
    electionTicks: String(electionTicks),
    spreadTicks: String(spreadTicks),
    heartbeatTicks: String(electionTicks - 1),
  };
  const options = {
    protocol: 'raft',
    nodes,
    seed: parseSeed(typeof timeouts === 'number' ? String(timeouts) : '1'),
    latency: { type: 'constant', ticks: latencyTicks },
    crashedBefore: [nodes],
    flags,
  } as const;
  const simulation =
    typeof timeouts === 'number'
      ? createSimulation(options)
      : createSimulation(options, withChoices({ latencyTicksMax: latencyTicks }, flags, timeouts));
  simulation.start();
  simulation.advance({ until: 2 * electionTicks - 1 });
  return simulation.status().leader === null;
}

/** Raft whose rank r is told entry r−1 when it first chooses. */
export function withChoices(
  timing: Parameters<(typeof PROTOCOLS)[ProtocolName]['create']>[0],
  flags: Flags,
  choices: readonly number[],
): (rank: number) => AnyMachine {
  const machine = PROTOCOLS.raft.create(timing, flags);
  return (rank) => {
    let reported = false;
    return {
      init: machine.init,
      step(self, state: Json, event, effects) {
        const isFirst = event.type === 'chosen' && !reported;
        if (isFirst) reported = true;
        const value = choices[rank - 1] ?? 0;
        machine.step(self, state, isFirst ? { type: 'chosen', value } : event, effects);
      },
    };
  };
}
