/**
 * @module
 * Cells of the fault matrix by exhaustion: searches of three nodes for the properties that a cell leaves intact or breaks,
 * with a limit of timeouts if there are too many worlds without it.
 */

import type { CheckResult } from '../../../src/checking/check.ts';
import { check } from '../../../src/checking/check.ts';
import type { Bounds, Instance } from '../../../src/checking/instance.ts';
import { BOUND_MAX } from '../../../src/checking/instance.ts';
import { honestLive, SETTLES } from '../../../src/checking/properties/followers.ts';
import { CHECKED_PROPERTIES, concerning } from '../../../src/checking/properties/registry.ts';
import type { CheckedProperty, WorldView } from '../../../src/checking/property.ts';
import type { Trace } from '../../../src/checking/traces/trace.ts';
import type { FaultCell, FaultName } from '../../../src/election/definition/fault-row.ts';
import type { ProtocolName } from '../../../src/election/registry.ts';
import { PROTOCOLS } from '../../../src/election/registry.ts';
import { noisyCast } from '../../../src/simulation/conform/fault-nodes.ts';
import type { Given } from '../small-instances.ts';
import { instanceOf } from '../small-instances.ts';

const NODES = 3;
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
  'clock-jump': { ...SYNC, bounds: { jump: 1 } },
  'fail-over': { ...SYNC, bounds: { failover: 1 } },
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
   * proved: intact, and no world violates it. shown: broken, and an execution violates it. vacuous: no world violates it,
   * but in none its partner holds, so that it says nothing. sampled: the search was capped. beyond: broken, but not within
   * the bounds. disagrees: intact in the matrix, but an execution violates it.
   */
  readonly finding: 'proved' | 'shown' | 'vacuous' | 'sampled' | 'beyond' | 'disagrees';
  /** At most this number of timers fire in the executions of a proved, vacuous or beyond finding. Null for no limit. */
  readonly timeouts: number | null;
  /** The execution that violates the property; null if none was found. */
  readonly trace: Trace | null;
}

/** How many worlds the searches of a cell may visit. */
export interface Effort {
  /** The limit for a protocol that comes to rest. */
  readonly statesMax: number;
  /** The limit for a protocol that goes on for ever, which mostly has infinitely many worlds. */
  readonly restlessMax: number;
  /** The limit for the searches with few timeouts, which follow a capped one. */
  readonly fewTimeoutsMax: number;
}

/** Searches that take a moment. */
export const QUICK: Effort = { statesMax: 50_000, restlessMax: 50_000, fewTimeoutsMax: 0 };

/** Those of the documented table. */
export const DOCUMENTED: Effort = {
  statesMax: 3_000_000,
  restlessMax: 50_000,
  fewTimeoutsMax: 400_000,
};

/** One finding for each property. Empty if the fault does not apply. */
export function confirmCell(
  protocol: ProtocolName,
  fault: CheckedFault,
  effort: Effort,
): readonly Finding[] {
  const cell = PROTOCOLS[protocol].faults[fault];
  if (cell.expected === '-') return [];
  const properties = comparedIn(protocol, fault);
  const instance = faultInstance(protocol, fault);
  const statesMax = isRestless(protocol) ? effort.restlessMax : effort.statesMax;
  // A search with an `eventually` property is not reduced. It judges such properties after all worlds.
  const [safe, live] = ['always', 'eventually'].map((kind) =>
    properties.filter((property) => property.kind === kind),
  );
  const judged = [...judge(instance, safe ?? [], statesMax).values()];
  const open = judged.filter(({ type }) => type === 'capped').map(({ property }) => property);
  const fewer = judgeFewTimeouts(instance, open, effort.fewTimeoutsMax);
  const found = [
    ...judged.map((judgement) => fewer.get(judgement.property.name) ?? judgement),
    ...judge(instance, live ?? [], open.length > 0 ? 1 : statesMax).values(),
  ];
  return found.map((judgement) => findingOf(cell, judgement));
}

/** Whether elections go on for ever, by chance or because leaders repeat messages. */
function isRestless(protocol: ProtocolName): boolean {
  const { elects, steadyTicks } = PROTOCOLS[protocol];
  return elects === 'any' || steadyTicks !== null;
}

/** What searches say about a property. */
interface Judgement {
  readonly property: CheckedProperty;
  readonly type: CheckResult['type'];
  readonly timeouts: number | null;
  readonly isVacuous: boolean;
  readonly trace: Trace | null;
}

/** By property: each search ends with a violation, and the next one judges the other properties. */
function judge(
  instance: Instance,
  properties: readonly CheckedProperty[],
  statesMax: number,
): ReadonlyMap<string, Judgement> {
  const { timeout: timeouts } = instance.bounds;
  const judged = new Map<string, Judgement>();
  for (let open = properties; open.length > 0; ) {
    const result = search(instance, open, statesMax);
    if (result.type !== 'violated') {
      for (const property of open) {
        const { partner } = property;
        const isVacuous =
          result.type === 'exhausted' && partner !== null && !result.witnessed.includes(partner);
        judged.set(property.name, {
          property,
          ...{ type: result.type, timeouts, isVacuous, trace: null },
        });
      }
      return judged;
    }
    const { property, trace } = result;
    judged.set(property.name, { property, type: 'violated', timeouts, isVacuous: false, trace });
    open = open.filter(({ name }) => name !== property.name);
  }
  return judged;
}

/** The findings with as many timeouts as can be searched: first 1, then more. */
function judgeFewTimeouts(
  instance: Instance,
  properties: readonly CheckedProperty[],
  statesMax: number,
): ReadonlyMap<string, Judgement> {
  const found = new Map<string, Judgement>();
  const most = instance.bounds.timeout === null ? BOUND_MAX : instance.bounds.timeout - 1;
  let open = properties;
  for (let timeout = 1; timeout <= most && open.length > 0 && statesMax > 0; timeout += 1) {
    const bounds = { ...instance.bounds, timeout };
    const judged = judge({ ...instance, bounds }, open, statesMax);
    for (const [name, judgement] of judged) {
      if (judgement.type !== 'capped') found.set(name, judgement);
    }
    if ([...judged.values()].some(({ type }) => type === 'capped')) break;
    open = open.filter(({ name }) => judged.get(name)?.type === 'exhausted');
  }
  return found;
}

function findingOf(cell: FaultCell, judgement: Judgement): Finding {
  const { property, type, timeouts, isVacuous, trace } = judgement;
  const finding = {
    capped: 'sampled',
    violated: isBroken(cell, property) ? 'shown' : 'disagrees',
    exhausted: isBroken(cell, property) ? 'beyond' : isVacuous ? 'vacuous' : 'proved',
  } as const;
  return { property: property.name, finding: finding[type], timeouts, trace };
}

/** The properties of a protocol that a search with this fault judges as the matrix does. */
function comparedIn(protocol: ProtocolName, fault: CheckedFault): readonly CheckedProperty[] {
  const safe = concerning(PROTOCOLS[protocol], null).filter(
    ({ kind, name }) => kind === 'always' && name !== 'fenced-writes',
  );
  // Links are cut for ever. In the matrix the links are whole again before the end of the run.
  if (fault === 'majorities-ring') return safe.filter(({ partner }) => partner !== 'comes-to-rest');
  const { unaffected } = PROTOCOLS[protocol];
  const isTimed = CHECKED_FAULTS[fault].timing === 'asynchronous' && unaffected.skew === null;
  if (isRestless(protocol) || isTimed) return safe;
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

/** The partners of the properties are judged, too. */
function search(
  instance: Instance,
  judged: readonly CheckedProperty[],
  statesMax: number,
): CheckResult {
  const partners = new Set(judged.map(({ partner }) => partner));
  const properties = [...judged, ...CHECKED_PROPERTIES.filter(({ name }) => partners.has(name))];
  const steps = check({
    ...{ instance, properties, byzantine: new Set<number>() },
    ...{ order: 'breadth', isReduced: true, statesMax, bytesMax: 2 ** 30 },
  });
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

function faultInstance(protocol: ProtocolName, fault: CheckedFault): Instance {
  const instance: Instance = {
    ...instanceOf(protocol, NODES, CHECKED_FAULTS[fault]),
    // The states that a replica may have contain ranks.
    isSymmetric: fault !== 'fail-over',
  };
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

const FINDINGS = ['proved', 'shown', 'beyond', 'vacuous', 'sampled', 'disagrees'] as const;

/** Finds the row of a cell. */
export function rowPattern(protocol: ProtocolName, fault: CheckedFault): RegExp {
  return new RegExp(`^\\| \`${protocol}\` \\| \`${fault}\` \\|.*$`, 'm');
}

/** The findings of a protocol as rows of the table in docs/model-checking.md. */
export function rowsOf(protocol: ProtocolName, faults: readonly CheckedFault[]): readonly string[] {
  return faults.map((fault) => {
    const found = confirmCell(protocol, fault, DOCUMENTED);
    const byLabel = Map.groupBy(
      found.toSorted(
        (one, other) => FINDINGS.indexOf(one.finding) - FINDINGS.indexOf(other.finding),
      ),
      (each) => labelOf(each, fault),
    );
    const parts = [...byLabel].map(
      ([label, each]) => `${label}: ${each.map(({ property }) => property).join(', ')}`,
    );
    return `| \`${protocol}\` | \`${fault}\` | ${parts.length === 0 ? '-' : parts.join('; ')} |`;
  });
}

/** Such as `proved with 3 timeouts`, if the bounds of the fault allow more. */
export function labelOf({ finding, timeouts }: Finding, fault: CheckedFault): string {
  const given: Given = CHECKED_FAULTS[fault];
  const isLimited = !['shown', 'sampled', 'disagrees'].includes(finding);
  if (!isLimited || timeouts === (given.bounds?.timeout ?? null)) return finding;
  return `${finding} with ${timeouts} ${timeouts === 1 ? 'timeout' : 'timeouts'}`;
}
