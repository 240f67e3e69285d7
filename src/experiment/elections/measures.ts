/**
 * @module
 * This folder evaluates many runs of an election: the measures of each run, their distributions, and tables and
 * charts of both, for one election or for the cells of a sweep. This file measures one run.
 */

import type { PropertyName } from '../../election/properties.ts';
import { PROPERTY_NAMES } from '../../election/properties.ts';
import type { ProtocolName } from '../../election/registry.ts';
import type { Seed } from '../../random.ts';
import type { Outcome } from '../../simulation/report/outcome.ts';
import { outcomeOf } from '../../simulation/report/outcome.ts';
import type { Simulation } from '../../simulation/run/simulation.ts';

/** The numbers that a run has: the label in tables for people, and what each means. */
export const MEASURES = {
  messages: ['messages', 'messages sent, all types, to the end of the run'],
  bytes: ['bytes', 'bytes of the messages sent, as JSON without spaces'],
  ticks: ['ticks', 'tick of the last event'],
  agreementTicks: [
    'ticks to agreement',
    'first tick at which all live nodes follow the same live leader',
  ],
  leaderCrashes: [
    'crashes of leaders',
    'crashes of nodes that led; those before the run count as one',
  ],
  downtimeTicks: [
    'downtime in ticks',
    'ticks from a crash of a leader until all live nodes follow the same live leader again, summed',
  ],
  ticksWithoutLeader: ['ticks without leader', 'ticks in which no live node leads'],
  ticksSplit: ['ticks split', 'ticks in which several live nodes lead'],
  changes: ['changes of leader', 'how often another node leads than before'],
  stableFrom: [
    'stable from tick',
    'first tick from which all live nodes follow the same live leader to the end',
  ],
  mistakes: ['mistakes per run', 'suspicions of live nodes'],
  staleWrites: ['stale writes', 'accepted writes of leaders that another node had replaced'],
} as const satisfies Readonly<Record<string, readonly [label: string, meaning: string]>>;
export type MeasureName = keyof typeof MEASURES;
// Object.keys loses the type of the keys.
export const MEASURE_NAMES = Object.keys(MEASURES) as readonly MeasureName[];

/** The properties that a run has or has not. */
export const RUN_PROPERTIES = ['leader', ...PROPERTY_NAMES] as const;
export type RunProperty = (typeof RUN_PROPERTIES)[number];

/** One run. All members but the first two are null for a run that grew too large to finish. */
export interface MeasuredRun {
  readonly protocol: ProtocolName;
  readonly seed: Seed;
  readonly outcome: Outcome | null;
  /** The rank of the leader that all live nodes follow. */
  readonly leader: number | null;
  /** Null where the measure does not apply. Infinity where its event does not happen. */
  readonly measures: Readonly<Record<MeasureName, number | null>> | null;
  /** Null where it is not known at the end of the run. */
  readonly properties: Readonly<Record<RunProperty, boolean | null>> | null;
  /** Messages sent by type. */
  readonly messages: Readonly<Record<string, number>> | null;
}

/** A run that grew too large to finish. */
export function unfinishedRun(protocol: ProtocolName, seed: Seed): MeasuredRun {
  const nothing = { leader: null, measures: null, properties: null, messages: null };
  return { protocol, seed, outcome: null, ...nothing };
}

/** Measures a run at its end. Measures of leadership need an audit, bytes need their count. */
export function measuredRun(simulation: Simulation): MeasuredRun {
  const status = simulation.status();
  const { total = 0, ...messages } = status.messages;
  const audit = simulation.audit();
  const { protocol, seed, schedule, detector } = simulation.plan;
  const leadership = audit?.finish(status.ticks) ?? null;
  const outages = audit?.outages() ?? null;
  const isDetecting = schedule !== null || detector !== null;
  const outcome = outcomeOf(status);
  const verdictOn = (name: PropertyName) => status.verdict.properties[name].value;
  return {
    protocol,
    seed,
    outcome,
    leader: status.agreed ? status.leader : null,
    measures: {
      messages: total,
      bytes: simulation.bytes(),
      ticks: status.lastEventTicks,
      agreementTicks: outages === null ? null : (outages.agreementTicks ?? NEVER),
      leaderCrashes: outages?.leaderCrashes ?? null,
      downtimeTicks:
        outages === null || outages.leaderCrashes === 0 ? null : (outages.downtimeTicks ?? NEVER),
      ticksWithoutLeader: leadership?.ticksWithoutLeader ?? null,
      ticksSplit: leadership?.ticksSplit ?? null,
      changes: leadership?.changes ?? null,
      stableFrom: leadership === null ? null : (leadership.stableFrom ?? NEVER),
      mistakes: isDetecting ? (simulation.detection()?.mistakes.count ?? null) : null,
      staleWrites: simulation.resource()?.staleWrites ?? null,
    },
    properties: {
      leader: outcome === 'leader',
      agreement: truthOf(verdictOn('agreement')),
      uniqueness: truthOf(verdictOn('uniqueness')),
      termination: truthOf(verdictOn('termination')),
      highestLiveWins: truthOf(verdictOn('highestLiveWins')),
    },
    messages,
  };
}

const NEVER = Number.POSITIVE_INFINITY;

function truthOf(value: 'true' | 'false' | 'unknown'): boolean | null {
  return value === 'unknown' ? null : value === 'true';
}
