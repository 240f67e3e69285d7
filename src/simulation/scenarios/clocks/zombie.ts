/**
 * @module
 * The stage of the zombie: a leader by lease pauses for longer than its lease, another is elected and
 * works, and the first one resumes in the middle of its work. Its clock has stopped with it: the write
 * that fell due first is sent before the timer that would have told it. Who leads is the seed's
 * choice, so that a run is staged by looking first: nothing before the pause depends on what follows.
 */

import { isResourceReply } from '../../../election/lease/stores/resource.ts';
import type { ProtocolName } from '../../../election/registry.ts';
import type { ScheduledFault } from '../../faults/schedule.ts';
import { EMPTY_SCHEDULE } from '../../faults/schedule.ts';
import type { ElectionOptions } from '../../run/simulate.ts';
import { createSimulation } from '../../run/simulation.ts';

import type { PlayedRun, StagedRun } from '../played-run.ts';
import { ledTogether } from '../played-run.ts';
import type { ScenarioSettings } from '../scenario.ts';
import { listed } from '../words.ts';

/** Somebody has led for two leases of 190 ticks by then. */
const PAUSE_AT = 400;
/**
 * With Δ = 9 the next leader is elected at most D(1+ρ) + P + 5Δ = 256 ticks after the pause began, and
 * has written 28 later.
 */
const RESUME_AT = 700;
const UNTIL_TICKS = 2000;

export interface StagedZombie {
  readonly name: string;
  readonly protocol: ProtocolName;
  readonly resource: 'unfenced' | 'fencing-register' | 'fencing-max';
  /**
   * Whether it resumes before the next leader has done anything: one tick after the election, in
   * which everything that was sent is lost, the registration of the new epoch with it.
   */
  readonly early?: boolean;
}

/** What came of the writes that the old leader sent after it had resumed. */
export type Zombie = {
  readonly accepted: number;
  readonly refused: number;
  /** Accepted after an operation of a higher epoch. */
  readonly stale: number;
  /** It led on beside its successor. */
  readonly together: boolean;
};

/** That run. */
export function stageZombie(setting: ScenarioSettings, staged: StagedZombie): StagedRun {
  const { name, early = false } = staged;
  const options = optionsOf(setting, staged);
  const rank = leaderBefore(options);
  const asleep = pause(rank, RESUME_AT);
  const faults = early ? wakeEarly(options, asleep) : [asleep];
  return { name, options: { ...options, schedule: { ...EMPTY_SCHEDULE, faults } } };
}

function optionsOf({ nodes, seed }: ScenarioSettings, { protocol, resource }: StagedZombie) {
  return {
    ...{ protocol, nodes, seed },
    latency: { type: 'uniform', ticksMin: 1, ticksMax: 9 },
    workload: { resource, everyTicks: null },
    schedule: EMPTY_SCHEDULE,
    audit: true,
    untilTicks: UNTIL_TICKS,
  } as const satisfies ElectionOptions;
}

type Pause = ScheduledFault & { readonly type: 'pause' };

function pause(rank: number, to: number): Pause {
  return { type: 'pause', rank, from: PAUSE_AT, to };
}

function leaderBefore(options: ElectionOptions): number {
  const simulation = createSimulation(options);
  simulation.start();
  simulation.advance({ until: PAUSE_AT - 1 });
  // Without a leader there is none to pause; whoever it is then, nothing comes of it.
  return simulation.status().leader ?? options.nodes;
}

/** The pause ends, and the tick before is lost, as soon as another leads. */
function wakeEarly(options: ElectionOptions, asleep: Pause): ScheduledFault[] {
  const simulation = createSimulation({
    ...options,
    schedule: { ...EMPTY_SCHEDULE, faults: [asleep] },
  });
  simulation.start();
  simulation.advance({ until: RESUME_AT - 1 });
  const trail = simulation.audit()?.trail() ?? [];
  const next = trail.find(({ at, leads }) => at > PAUSE_AT && leads);
  const at = next?.at ?? RESUME_AT - 1;
  return [pause(asleep.rank, at + 1), { type: 'blackout', from: at, to: at + 1 }];
}

/** Reads that off a run. */
export function zombieOf(run: PlayedRun): Zombie {
  const { simulation } = run;
  const answers = lateAnswers(run).map(({ message }) => message.type);
  return {
    accepted: answers.filter((type) => type === 'WRITTEN').length,
    refused: answers.filter((type) => type === 'REFUSED').length,
    stale: simulation.resource()?.staleAccepted ?? 0,
    together: ledTogether(run),
  };
}

/** Runs that went alike are told of together. */
export function tellZombies(outcome: Readonly<Record<string, Zombie>>): string {
  const alike = Map.groupBy(Object.entries(outcome), ([, zombie]) => tellOne(zombie));
  return [...alike]
    .map(([told, runs]) => `${listed(runs.map(([name]) => name))}: ${told}`)
    .join('; ');
}

function tellOne({ accepted, refused, stale, together }: Zombie): string {
  const shared = together ? 'leads on beside its successor' : 'leads no more';
  const writes = `${accepted} accepted (${stale} after its successor's) and ${refused} refused`;
  return `the old leader ${shared}, of its late writes ${writes}`;
}

/** Ticks from the pause to the next leader. */
export function takeOverTicks({ reigns }: PlayedRun): number {
  const next = reigns.find(({ from }) => from > PAUSE_AT);
  return (next?.from ?? PAUSE_AT) - PAUSE_AT;
}

/** What the resource answers to what the paused node has sent since it resumed. */
function lateAnswers({ staged, sent, simulation }: PlayedRun): PlayedRun['sent'] {
  const { store } = simulation.plan;
  const faults = staged.options.schedule?.faults ?? [];
  const zombie = faults.find((fault) => fault.type === 'pause');
  if (zombie === undefined) return [];
  // A protocol's own store may refuse things too.
  return sent.filter(
    ({ t, from, to, message }) =>
      t > zombie.to && from === store && to === zombie.rank && isResourceReply(message),
  );
}
