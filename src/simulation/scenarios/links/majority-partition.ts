/**
 * @module
 * A majority and a minority that are cut off from each other and meet again: staged the same way for
 * every protocol, once broken from the start and once with the leader on the minority's side. The
 * majority are ranks 1 to ⌊n/2⌋ + 1.
 */

import type { Flags } from '../../../election/definition/flags.ts';
import type { ProtocolName } from '../../../election/registry.ts';
import type { LeadershipChange } from '../../run/audit.ts';

import type { PlayedRun, StagedRun } from '../played-run.ts';
import { auditOf, leadersAt, measuresOf } from '../played-run.ts';
import type { ScenarioSettings } from '../scenario.ts';
import { listed } from '../words.ts';

/** By now n leads and is followed: a Raft node stands after 379 ticks at the latest. */
const CUT_AT = 600;
/** Some 20 time-outs later: of so many elections one is not split. */
const HEALED_AT = 4600;

/** What is cut when, and under what name. */
export interface StagedSplit {
  readonly name: string;
  readonly protocol: ProtocolName;
  readonly flags?: Flags;
  /** Broken from the start, or when all follow n. */
  readonly cut: 'from the start' | 'under leader n';
}

/** What came of one of them. */
export type SidesOutcome = {
  /** How many leaders of their own the majority follow just before the network heals. */
  readonly majority: number;
  /** Who of the minority leads then. */
  readonly minority: readonly number[];
  /** Whether that is in an earlier term than the majority's leader has; without terms never. */
  readonly outdated: boolean;
  /** Nodes that led in one and the same term, at most; null where elections have no number. */
  readonly leadersPerTermMax: number | null;
  /** Whether all follow one leader at the end. */
  readonly agreed: boolean;
};

/** Stages one run under that partition; it ends at rest, some time after the network has healed. */
export function stageSplit({ nodes, seed }: ScenarioSettings, split: StagedSplit): StagedRun {
  const { name, protocol, flags, cut } = split;
  const isFromStart = cut === 'from the start';
  return {
    name,
    options: {
      protocol,
      nodes,
      seed,
      flags,
      initiators: isFromStart ? undefined : [nodes],
      latency: { type: 'uniform', ticksMin: 1, ticksMax: 9 },
      schedule: {
        faults: [
          {
            ...{ type: 'partition', cut: { kind: 'minority' } },
            ...{ from: isFromStart ? 0 : CUT_AT, to: HEALED_AT },
          },
        ],
        calm: null,
        detector: 'links',
      },
      audit: true,
    },
  };
}

/** Reads a run of `stageSplit`. Throws RangeError for one that was staged without an audit. */
export function observeSplit(run: PlayedRun): SidesOutcome {
  const { nodes } = run.simulation.plan;
  const first = Math.floor(nodes / 2) + 2;
  const majority = Array.from({ length: first - 1 }, (_, index) => index + 1);
  const leading = leadingAt(run, HEALED_AT - 1);
  const minority = leading.filter(({ node }) => node >= first);
  const termMax = Math.max(0, ...leading.map(({ epoch }) => epoch));
  return {
    majority: leadersAt(run, majority, HEALED_AT - 1).filter((leader) => leader < first).length,
    minority: minority.map(({ node }) => node),
    outdated: minority.some(({ epoch }) => epoch < termMax),
    leadersPerTermMax: measuresOf(run).leadersPerEpochMax,
    agreed: run.outcome.agreed,
  };
}

/** An outcome in words, after the name of its run. */
export function tellSplit(name: string, outcome: SidesOutcome): string {
  const { majority, minority, outdated, leadersPerTermMax, agreed } = outcome;
  const led = `${minority.length === 0 ? 'nobody' : listed(minority)} leads in the minority${
    outdated ? ', in an earlier term' : ''
  }`;
  const terms = leadersPerTermMax === null ? '' : `, never more than ${leadersPerTermMax} a term`;
  return `${name}: the majority follow ${majority === 1 ? 'one leader' : `${majority} leaders`} of their own and ${led}${terms}; healed, ${
    agreed ? 'all follow one' : 'they do not agree'
  }`;
}

/** Who leads itself after everything that happened up to and including tick `t`, and in which epoch. */
function leadingAt(run: PlayedRun, t: number): LeadershipChange[] {
  const last = new Map<number, LeadershipChange>();
  for (const change of auditOf(run).trail()) {
    if (change.at <= t) last.set(change.node, change);
  }
  return [...last.values()]
    .filter(({ leads }) => leads)
    .toSorted((left, right) => left.node - right.node);
}
