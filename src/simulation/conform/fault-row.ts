/**
 * @module
 * Compares the row of the fault matrix that a definition states with runs under each fault. S4 and S5
 * concern votes and disks, about which a definition states too little; they are not checked.
 */

import type { FaultCell, FaultName, SafetyProperty } from '../../election/definition/fault-row.ts';
import { FAULT_NAMES } from '../../election/definition/fault-row.ts';
import type { ProtocolName } from '../../election/registry.ts';
import { PROTOCOLS } from '../../election/registry.ts';
import type { SimulationOptions } from '../plan/plan.ts';
import type { Simulation } from '../run/simulation.ts';
import { createFaultSimulation } from './fault-nodes.ts';
import { FAULT_DRAWS, faultRun, faultStarts, shortWaits } from './fault-runs.ts';
import type { Finding, Subject } from './finding.ts';
import { failed, guarded, held, nameOf } from './finding.ts';
import type { RunStarts, StartTicks } from './starts.ts';
import { startNodes } from './starts.ts';

/** Usual runs of each fault, and runs after which an effect that was not seen counts as absent. */
export const FAULT_RUNS = 30;
export const FAULT_RUNS_MAX = 4000;
/** An election among six nodes has about 200 events. */
export const EVENTS_MAX = 20_000;

/**
 * What a run under a fault can show beside leadership: a violation, no leader at all (`leaderless`, which
 * includes L), or an election that does not come to rest.
 */
export const FAULT_EFFECTS = [
  ...(['S1', 'S2', 'S3', 'S4', 'S5', 'M'] as const satisfies readonly SafetyProperty[]),
  ...(['L', 'leaderless', 'no rest'] as const),
] as const;

export type FaultEffect = (typeof FAULT_EFFECTS)[number];

/** One finding for each fault that applies. */
export function checkFaultRow(subject: Subject): readonly Finding[] {
  return FAULT_NAMES.filter((fault) => subject.protocol.faults[fault].expected !== '-').map(
    (fault) => {
      const check = `has the stated cell of the fault matrix for ${fault}`;
      return guarded(check, () => checkFault(subject, fault, check));
    },
  );
}

function checkFault({ protocol }: Subject, fault: FaultName, check: string): Finding {
  const cell = protocol.faults[fault];
  const expected = [cell.expected, ...cell.breaks].join(' ');
  const sought = soughtIn(cell);
  const name = nameOf(protocol.name);
  const seen = new Map<FaultEffect, string>();
  const surprises: string[] = [];
  let runs = 0;
  const isMissing = () => sought.some((effect) => !seen.has(effect));
  const look = (number: number, starts: RunStarts) => {
    const { nodes, effects } = seenUnder(fault, name, { number, starts });
    const started = starts === 'any' ? ' that start at different ticks' : '';
    for (const [effect, what] of effects) {
      const isStated = isAllowed(effect, cell, starts);
      // What the cell states is looked for among the runs in which all start together.
      if (seen.has(effect) || (isStated && starts === 'any')) continue;
      seen.set(effect, what);
      if (!isStated) {
        surprises.push(
          `${effect} in the run of ${nodes} nodes${started} with seed ${number}: ${what}`,
        );
      }
    }
  };
  for (
    ;
    runs < FAULT_RUNS || (runs < FAULT_RUNS_MAX && surprises.length === 0 && isMissing());
    runs += 1
  ) {
    look(runs, 'together');
  }
  for (let number = 0; number < FAULT_RUNS && surprises.length === 0; number += 1) {
    look(number, 'any');
  }
  const missing = sought.filter((effect) => !seen.has(effect));
  if (surprises.length === 0 && missing.length === 0) {
    return held(check, `${expected}, in ${runs} runs`);
  }
  const absent = missing.map((effect) =>
    effect === 'leaderless'
      ? `none of ${runs} runs ends without a leader`
      : `none of ${runs} runs violates ${effect}`,
  );
  const reasons = [...surprises, ...absent].join('; ');
  return failed(
    check,
    `expected ${expected}, seen ${cellText([...seen.keys()])} (${FAULT_DRAWS[fault].fault}): ${reasons}`,
  );
}

/** The election of the run of a fault with this number. */
export function faultRunOptions(
  fault: FaultName,
  protocol: ProtocolName,
  number: number,
): SimulationOptions {
  const definition = PROTOCOLS[protocol];
  const column = { protocol, flags: shortWaits(definition) };
  return { ...faultRun(fault, column, number), audit: definition.leases };
}

/** The run of a fault with this number: its nodes, each effect with what shows it, and its end. */
export function seenUnder(
  fault: FaultName,
  protocol: ProtocolName,
  run: { readonly number: number; readonly starts: RunStarts },
) {
  const options = faultRunOptions(fault, protocol, run.number);
  const simulation = createFaultSimulation(fault, options);
  const effects = effectsOf(simulation, faultStarts(fault, options.nodes, run));
  const { leader, messages } = simulation.status();
  return { nodes: options.nodes, effects, leader, messages: messages.total ?? 0 };
}

/** Effects that some run must show. */
export function soughtIn({ expected, breaks }: FaultCell): readonly FaultEffect[] {
  if (expected === 'stop') return ['leaderless'];
  return breaks.filter((property) => property !== 'S4' && property !== 'S5');
}

/** Whether the cell states that a run whose nodes start so may show the effect. */
export function isAllowed(effect: FaultEffect, cell: FaultCell, starts: RunStarts): boolean {
  const { expected, breaks, late, storms, splits } = cell;
  const rarely = starts === 'any' ? [...cell.rarely, ...late] : cell.rarely;
  if (effect === 'no rest') return storms || splits;
  if (effect === 'L') return expected === 'stop' || expected === 'X' || rarely.includes('L');
  // A run without a leader violates L, too.
  return effect === 'leaderless' || breaks.includes(effect) || rarely.includes(effect);
}

function cellText(seen: readonly FaultEffect[]): string {
  const broken = seen.filter((effect) => /^(S|M)/.test(effect)).toSorted();
  const rest = seen.includes('no rest') ? ' without rest' : '';
  if (broken.length > 0) return `X ${broken.join(' ')}${rest}`;
  return `${seen.includes('L') ? 'stop' : 'ok'}${rest}`;
}

/** Runs an election, and describes each effect of the fault on it. */
function effectsOf(simulation: Simulation, starts: StartTicks): ReadonlyMap<FaultEffect, string> {
  const { elects, leases } = PROTOCOLS[simulation.plan.protocol];
  startNodes(simulation, starts, EVENTS_MAX);
  const bound = simulation.advance({ until: 'idle', events: EVENTS_MAX });
  const { ticks, verdict } = simulation.status();
  const { uniqueness, agreement } = verdict.properties;
  const found = new Map<FaultEffect, string>();
  const live = simulation.nodes().filter(({ up }) => up);
  const best = live.at(-1)?.rank;
  const usurper = live.find(({ rank, leader }) => leader === rank && rank !== best);
  const lost = live.filter(({ leader }) => !live.some(({ rank }) => rank === leader));
  const ticksSplit = simulation.audit()?.finish(ticks).ticksSplit ?? 0;
  if (bound !== 'idle') found.set('no rest', `it still goes on at tick ${ticks}`);
  if (uniqueness.value === 'false') found.set('S1', verdict.reason);
  if (agreement.value === 'false') found.set('S2', verdict.reason);
  if (elects !== 'any' && usurper !== undefined) {
    found.set('S3', `node ${usurper.rank} leads, and node ${best} is up and higher`);
  }
  if (leases && ticksSplit > 0) found.set('M', `two nodes lead at once for ${ticksSplit} ticks`);
  if (lost.length > 0) found.set('L', `${lost.length} of ${live.length} nodes follow no live node`);
  if (lost.length === live.length) found.set('leaderless', 'no live node follows a live node');
  return found;
}
