/**
 * @module
 * Cells of the fault matrix by exhaustion: one search of three nodes for the properties that a cell leaves intact, and
 * one for each property that it breaks.
 */

import type { CheckResult } from '../../../src/checking/check.ts';
import { check } from '../../../src/checking/check.ts';
import type { Bounds, Instance } from '../../../src/checking/instance.ts';
import { honestLive } from '../../../src/checking/properties/followers.ts';
import { concerning } from '../../../src/checking/properties/registry.ts';
import { SETTLES } from '../../../src/checking/properties/settles.ts';
import type { CheckedProperty, WorldView } from '../../../src/checking/property.ts';
import type { Trace } from '../../../src/checking/traces/trace.ts';
import type { FaultCell, FaultName } from '../../../src/election/definition/fault-row.ts';
import type { ProtocolName } from '../../../src/election/registry.ts';
import { PROTOCOLS } from '../../../src/election/registry.ts';
import { noisyCast } from '../../../src/simulation/conform/fault-nodes.ts';
import type { Given } from '../small-instances.ts';
import { instanceOf } from '../small-instances.ts';

const NODES = 3;
/** Worlds of a search. */
const STATES_MAX = 50_000;
const SYNC = { timing: 'synchronous' } as const;
const LATE = { timing: 'asynchronous', bounds: { timeout: 2 } } as const;

/** The faults that a check can bring about, and within which bounds. */
export const CHECKED_FAULTS = {
  drop: { ...SYNC, bounds: { loss: 1 } },
  duplicate: { ...SYNC, bounds: { duplicate: 1 } },
  reorder: { ...SYNC, links: 'any' },
  delay: LATE,
  'clean-majority': { ...SYNC, bounds: { partition: 1 } },
  'majorities-ring': { ...SYNC, cut: [[2, 3]] },
  'leader-isolated': { ...SYNC, bounds: { partition: 1 } },
  'swizzle-clog': { ...SYNC, bounds: { partition: 2 } },
  'crash-best': { ...SYNC, bounds: { crash: 1 } },
  restart: { ...SYNC, bounds: { crash: 1, recover: 1 } },
  amnesia: { ...SYNC, bounds: { crash: 1, amnesia: 1 } },
  pause: { ...SYNC, bounds: { pause: 1 } },
  'clock-skew': LATE,
  'unknown-message': SYNC,
} as const satisfies Partial<
  Record<FaultName, Pick<Given, 'timing' | 'links' | 'cut'> & { readonly bounds?: Partial<Bounds> }>
>;

export type CheckedFault = keyof typeof CHECKED_FAULTS;

export const CHECKED_FAULT_NAMES = Object.keys(CHECKED_FAULTS) as CheckedFault[]; // The keys of a constant.

/** What the check of one property says about a cell. */
export interface Finding {
  readonly property: string;
  /**
   * proved: intact, and no world violates it. shown: broken, and an execution violates it. sampled: the search was
   * capped. beyond: broken, but not within the bounds. disagrees: intact in the matrix, but an execution violates it.
   */
  readonly finding: 'proved' | 'shown' | 'sampled' | 'beyond' | 'disagrees';
  /** The execution that violates the property; null if none was found. */
  readonly trace: Trace | null;
}

/** The finding of a search for a property that the matrix says is broken. */
const BROKEN = { violated: 'shown', exhausted: 'beyond', capped: 'sampled' } as const;

/** One finding for each property. Empty if the fault does not apply. */
export function confirmCell(protocol: ProtocolName, fault: CheckedFault): readonly Finding[] {
  const cell = PROTOCOLS[protocol].faults[fault];
  if (cell.expected === '-') return [];
  const properties = comparedIn(protocol, fault);
  const broken = properties.filter((property) => isBroken(cell, property));
  const intact = properties.filter((property) => !broken.includes(property));
  // A search with an `eventually` property is not reduced.
  const groups = Object.values(Object.groupBy(intact, ({ kind }) => kind));
  return [
    ...broken.map((property) => {
      const result = search(protocol, fault, [property]);
      const finding = BROKEN[result.type];
      return { property: property.name, finding, trace: traceIn(result) };
    }),
    ...groups.flatMap((group) => intactFindings(protocol, fault, group)),
  ];
}

/** The properties of a protocol that a search with this fault judges as the matrix does. */
function comparedIn(protocol: ProtocolName, fault: CheckedFault): readonly CheckedProperty[] {
  const safe = concerning(PROTOCOLS[protocol], null).filter(
    ({ kind, name }) => kind === 'always' && name !== 'fenced-writes',
  );
  // Links are cut for ever. In the matrix the links are whole again before the end of the run.
  if (fault === 'majorities-ring') return safe.filter(({ partner }) => partner !== 'comes-to-rest');
  const { elects, steadyTicks, unaffected } = PROTOCOLS[protocol];
  const isTimed = CHECKED_FAULTS[fault].timing === 'asynchronous' && unaffected.skew === null;
  if (elects === 'any' || steadyTicks !== null || isTimed) return safe;
  const returns = fault === 'restart' || fault === 'amnesia';
  return [...safe, returns ? LED_AFTER_RETURNS : LED_AT_REST, SETTLING];
}

/** Whether each live node follows a live node: L of the matrix. */
function isLed(view: WorldView): boolean {
  return honestLive(view).every(({ leader }) => view.nodes[(leader ?? 0) - 1]?.up === true);
}

export const LED_AT_REST: CheckedProperty = {
  name: 'led-at-rest',
  kind: 'always',
  description: 'at rest each live node follows a live node',
  claim: { unsupportedReason: () => null, matrix: ['L'] },
  partner: 'comes-to-rest',
  histories: [],
  readings: [],
  holds: (view) => !view.isAtRest || isLed(view),
  breach: () => 'at rest, some live node follows no live node',
};

/** The matrix judges runs in which all nodes have returned. */
const LED_AFTER_RETURNS: CheckedProperty = {
  ...LED_AT_REST,
  holds: (view) => view.nodes.some(({ up }) => !up) || LED_AT_REST.holds(view),
};

const SETTLING: CheckedProperty = { ...SETTLES, claim: LED_AT_REST.claim };

function intactFindings(
  protocol: ProtocolName,
  fault: CheckedFault,
  intact: readonly CheckedProperty[],
): readonly Finding[] {
  const result = search(protocol, fault, intact);
  if (result.type !== 'violated') {
    const finding = result.type === 'exhausted' ? 'proved' : 'sampled';
    return intact.map(({ name }) => ({ property: name, finding, trace: null }));
  }
  const { name } = result.property;
  const rest = intact.filter((property) => property.name !== name);
  const others = rest.length === 0 ? [] : intactFindings(protocol, fault, rest);
  return [{ property: name, finding: 'disagrees', trace: traceIn(result) }, ...others];
}

function traceIn(result: CheckResult): Trace | null {
  return result.type === 'violated' ? result.trace : null;
}

function search(
  protocol: ProtocolName,
  fault: CheckedFault,
  properties: readonly CheckedProperty[],
): CheckResult {
  const steps = check({
    ...{ instance: faultInstance(protocol, fault), properties, byzantine: new Set<number>() },
    ...{ order: 'breadth', isReduced: true, statesMax: STATES_MAX, bytesMax: 2 ** 30 },
  });
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

function faultInstance(protocol: ProtocolName, fault: CheckedFault): Instance {
  const instance = instanceOf(protocol, NODES, CHECKED_FAULTS[fault]);
  if (fault !== 'unknown-message') return instance;
  return { ...instance, cast: noisyCast(instance.cast, protocol) };
}

function isBroken(cell: FaultCell, { claim }: CheckedProperty): boolean {
  const { expected, breaks, rarely, splits, storms } = cell;
  return (claim.matrix ?? []).some((property) =>
    property === 'L'
      ? expected === 'stop' || expected === 'X' || rarely.includes('L') || splits || storms
      : breaks.includes(property) || rarely.includes(property),
  );
}

const FINDINGS = ['proved', 'shown', 'beyond', 'sampled', 'disagrees'] as const;

/** The findings of a protocol as rows of the table in docs/model-checking.md. */
export function rowsOf(protocol: ProtocolName, faults: readonly CheckedFault[]): readonly string[] {
  return faults.map((fault) => {
    const found = confirmCell(protocol, fault);
    const parts = FINDINGS.flatMap((finding) => {
      const names = found.filter((each) => each.finding === finding).map((each) => each.property);
      return names.length === 0 ? [] : [`${finding}: ${names.join(', ')}`];
    });
    return `| \`${protocol}\` | \`${fault}\` | ${parts.length === 0 ? '-' : parts.join('; ')} |`;
  });
}
