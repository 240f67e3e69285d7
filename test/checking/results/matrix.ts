/**
 * @module
 * The safety of cells of the fault matrix, by exhaustion: one search of three nodes for the properties that a cell leaves
 * intact, and one for each property that it breaks.
 */

import type { Bounds } from '../../../src/checking/instance.ts';
import { concerning } from '../../../src/checking/properties/registry.ts';
import type { CheckedProperty } from '../../../src/checking/property.ts';
import type { FaultCell, FaultName } from '../../../src/election/definition/fault-row.ts';
import type { ProtocolName } from '../../../src/election/registry.ts';
import { PROTOCOLS } from '../../../src/election/registry.ts';
import type { Given } from '../checked.ts';
import { checked } from '../checked.ts';

const NODES = 3;
/** Worlds of a search. */
const STATES_MAX = 50_000;
const SYNC = { timing: 'synchronous' } as const;

/** The faults that a check can bring about, and within which bounds. */
export const CHECKED_FAULTS = {
  drop: { ...SYNC, bounds: { loss: 1 } },
  duplicate: { ...SYNC, bounds: { duplicate: 1 } },
  reorder: { ...SYNC, links: 'any' },
  delay: { timing: 'asynchronous', bounds: { timeout: 2 } },
  'clean-majority': { ...SYNC, bounds: { partition: 1 } },
  'crash-best': { ...SYNC, bounds: { crash: 1 } },
  restart: { ...SYNC, bounds: { crash: 1, recover: 1 } },
  amnesia: { ...SYNC, bounds: { crash: 1, amnesia: 1 } },
  pause: { ...SYNC, bounds: { pause: 1 } },
} as const satisfies Partial<
  Record<FaultName, Pick<Given, 'timing' | 'links'> & { readonly bounds?: Partial<Bounds> }>
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
  /** Number of worlds. */
  readonly worlds: number;
}

/** One finding for each safety property. Empty if the fault does not apply. */
export function confirmCell(protocol: ProtocolName, fault: CheckedFault): readonly Finding[] {
  const cell = PROTOCOLS[protocol].faults[fault];
  if (cell.expected === '-') return [];
  const properties = concerning(PROTOCOLS[protocol], null).filter(
    ({ kind, name }) => kind === 'always' && name !== 'fenced-writes',
  );
  const broken = properties.filter((property) => isBroken(cell, property));
  const intact = properties.filter((property) => !broken.includes(property));
  return [
    ...broken.map((property) => {
      const { type, counts } = search(protocol, fault, [property]);
      const finding = ({ violated: 'shown', exhausted: 'beyond', capped: 'sampled' } as const)[
        type
      ];
      return { property: property.name, finding, worlds: counts.states };
    }),
    ...(intact.length === 0 ? [] : intactFindings(protocol, fault, intact)),
  ];
}

function intactFindings(
  protocol: ProtocolName,
  fault: CheckedFault,
  intact: readonly CheckedProperty[],
): readonly Finding[] {
  const result = search(protocol, fault, intact);
  const worlds = result.counts.states;
  if (result.type !== 'violated') {
    const finding = result.type === 'exhausted' ? 'proved' : 'sampled';
    return intact.map(({ name }) => ({ property: name, finding, worlds }));
  }
  const { name } = result.property;
  const rest = intact.filter((property) => property.name !== name);
  const others = rest.length === 0 ? [] : intactFindings(protocol, fault, rest);
  return [{ property: name, finding: 'disagrees', worlds }, ...others];
}

function search(
  protocol: ProtocolName,
  fault: CheckedFault,
  properties: readonly CheckedProperty[],
): ReturnType<typeof checked> {
  // Lengths of time-outs have no meaning in a check.
  const flags = protocol === 'raft' ? { spreadTicks: '1' } : {};
  return checked(protocol, NODES, {
    ...CHECKED_FAULTS[fault],
    ...{ flags, properties, statesMax: STATES_MAX },
  });
}

function isBroken({ breaks, rarely }: FaultCell, { claim }: CheckedProperty): boolean {
  return (claim.matrix ?? []).some(
    (property) => property !== 'L' && (breaks.includes(property) || rarely.includes(property)),
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
