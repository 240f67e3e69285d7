/**
 * @module
 * Compares the faults that a definition calls without effect on it with drawn runs. The faults of a run have
 * changed it if the nodes act otherwise, or at other times, than in the same run without them.
 */

import type { FaultKind } from '../../election/definition/drawn-faults.ts';
import { FAULT_KINDS } from '../../election/definition/drawn-faults.ts';
import type { Protocol } from '../../election/definition/protocol.ts';
import { parseSeed } from '../../random.ts';
import { drawnCalmAt, drawSchedule } from '../faults/draw.ts';
import type { SimulationOptions } from '../plan/plan.ts';
import { calmTicks, electionTicks } from '../plan/time-limits.ts';
import { createSimulation } from '../run/simulation.ts';
import type { Finding, Subject } from './finding.ts';
import { failed, guarded, held, nameOf } from './finding.ts';

const NODES = 5;
/** More than a run has whose messages do not multiply without end. */
const EVENTS_MAX = 40_000;
/** Runs of each kind, and runs after which a kind that changed none counts as one without effect. */
const RUNS = 20;
const RUNS_MAX = 400;

/** Actions that are the fault itself, not what a node does about it. */
const FAULT_ACTIONS: readonly string[] = ['crash', 'pause', 'resume', 'enter', 'drop', 'duplicate'];

export interface DrawnRun {
  readonly kind: FaultKind;
  /** The bound on latency. Every message takes as long. */
  readonly latencyTicks: number;
  /** The seed. */
  readonly number: number;
}

/**
 * Whether the faults that a seed draws of one kind change what the nodes do, amid those that it draws of the
 * other kinds. Null if it draws none of the kind.
 */
export function isChanged({ name }: Pick<Protocol, 'name'>, of: DrawnRun): boolean | null {
  const { kind, latencyTicks, number } = of;
  const shape = {
    ...{ protocol: nameOf(name), nodes: NODES, flags: {} },
    ...{ timing: { latencyTicksMax: latencyTicks }, detector: undefined, workload: undefined },
  };
  const ticks = electionTicks(shape);
  const calmAt = drawnCalmAt(ticks);
  const seed = parseSeed(String(number));
  const drawn = (kinds: readonly FaultKind[]) =>
    drawSchedule(seed, {
      ...{ name: 'swarm', nodes: NODES, kinds, electionTicks: ticks, restart: false },
      ...{ calmAt, calmTicks: calmTicks(shape), detector: 'crashes' },
    });
  const others = drawn(FAULT_KINDS.filter((each) => each !== kind));
  const { faults } = drawn([kind]);
  if (faults.length === 0) return null;
  const options = {
    ...{ protocol: shape.protocol, nodes: NODES, seed, trace: true },
    latency: { type: 'constant', ticks: latencyTicks },
  } as const;
  const both = { ...others, faults: [...others.faults, ...faults] };
  // A run ends later the later its last fault ends, so that both are compared up to the same tick.
  const until = calmAt + ticks;
  const acts = actsOf({ ...options, schedule: both }, until);
  const actsWithout = actsOf({ ...options, schedule: others }, until);
  // Most changed runs differ in length or soon, so that few acts are written as text.
  return (
    acts.length !== actsWithout.length ||
    acts.some((act, index) => JSON.stringify(act) !== JSON.stringify(actsWithout[index]))
  );
}

/** What the nodes do: each event of a node with its effects, without the numbers of messages. */
function actsOf(options: SimulationOptions, until: number): readonly (readonly unknown[])[] {
  const simulation = createSimulation(options);
  simulation.start();
  simulation.advance({ until, events: EVENTS_MAX });
  const acts = simulation.records().filter(({ action }) => !FAULT_ACTIONS.includes(action.type));
  return acts.map(({ t, action, effects }) => [t, action.type, effects]);
}

/** One finding for each kind of fault. */
export function checkDrawnFaults({ protocol }: Subject): readonly Finding[] {
  return FAULT_KINDS.map((kind) => {
    const check = `${protocol.unaffected[kind] === null ? 'can be' : 'cannot be'} changed by ${kind}`;
    return guarded(check, () => {
      const isAffected = protocol.unaffected[kind] === null;
      const runs = isAffected ? RUNS_MAX : RUNS;
      for (let number = 1; number <= runs; number += 1) {
        const run = { kind, latencyTicks: 1 + (number % 12), number };
        if (isChanged(protocol, run) !== true) continue;
        if (isAffected) return held(check, `changed by seed ${number}`);
        return failed(check, `"unaffected.${kind}" holds not for seed ${number}`);
      }
      return isAffected
        ? failed(check, `none of ${runs} runs changes; state a reason in "unaffected.${kind}"`)
        : held(check, `${runs} runs`);
    });
  });
}
