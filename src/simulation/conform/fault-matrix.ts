/**
 * @module
 * The fault matrix, run: what each fault does to each protocol, in runs that the number of the run
 * determines, beside what the definition of the protocol states.
 */

import { z } from 'zod';

import type { FaultCell, FaultName } from '../../election/definition/fault-row.ts';
import { FAULT_NAMES } from '../../election/definition/fault-row.ts';
import type { ProtocolName } from '../../election/registry.ts';
import { PROTOCOL_NAMES, PROTOCOLS } from '../../election/registry.ts';
import type { FaultEffect } from './fault-row.ts';
import { FAULT_EFFECTS, isAllowed, seenUnder, soughtIn } from './fault-row.ts';
import { FAULT_DRAWS } from './fault-runs.ts';
import type { RunStarts } from './starts.ts';

/** A run that a cell rests on. */
const runSchema = z.object({
  seed: z.string(),
  nodes: z.int(),
  leader: z.int().nullable(),
  messages: z.int(),
});

/** What one fault did to one protocol. */
const cellSchema = z.object({
  fault: z.enum(FAULT_NAMES),
  drawn: z.string().describe('The fault in words.'),
  stated: z.string().meta({ description: 'What the definition states.', example: 'X S1 S2' }),
  why: z.string(),
  runs: z.int(),
  seen: z
    .array(
      runSchema.extend({
        effect: z.enum(FAULT_EFFECTS),
        runs: z.int().describe('Runs that showed it.'),
        detail: z.string(),
      }),
    )
    .readonly()
    .describe('Each effect with the first run that showed it.'),
  calm: runSchema.nullable().describe('The first run, if none shows an effect.'),
  agrees: z
    .enum(['true', 'false', 'unknown'])
    .describe(
      'Whether the runs agree with the definition. unknown: no run showed an effect that it states, which more runs may do.',
    ),
});

export const faultMatrixRowSchema = z.object({
  protocol: z.enum(PROTOCOL_NAMES),
  cells: z
    .array(cellSchema)
    .readonly()
    .describe('Without the faults that do not apply to the protocol.'),
});

export type FaultMatrixRow = z.output<typeof faultMatrixRowSchema>;
export type FaultMatrixCell = FaultMatrixRow['cells'][number];

/** What is run. */
export interface FaultMatrixRequest {
  readonly protocols: readonly ProtocolName[];
  /** Runs of each cell. */
  readonly runs: number;
  readonly starts: RunStarts;
}

/** Where a matrix is, before each run. */
export interface FaultStep {
  readonly protocol: ProtocolName;
  readonly fault: FaultName;
}

/**
 * Row by row, with this number of runs in each cell. `goOn` is called before each run; a row during which it
 * returns false is left out.
 */
export async function* faultMatrix(
  { protocols, runs, starts }: FaultMatrixRequest,
  goOn: (step: FaultStep) => Promise<boolean>,
): AsyncGenerator<FaultMatrixRow, void, undefined> {
  for (const protocol of protocols) {
    const cells: FaultMatrixCell[] = [];
    for (const fault of faultsOn(protocol)) {
      const cell = await cellOf({ protocol, fault }, { runs, starts }, goOn);
      if (cell === null) return;
      cells.push(cell);
    }
    yield { protocol, cells };
  }
}

/** The faults that apply to a protocol. */
function faultsOn(protocol: ProtocolName): readonly FaultName[] {
  const { faults } = PROTOCOLS[protocol];
  return FAULT_NAMES.filter((fault) => faults[fault].expected !== '-');
}

/** Null if it was interrupted. */
async function cellOf(
  step: FaultStep,
  { runs, starts }: Pick<FaultMatrixRequest, 'runs' | 'starts'>,
  goOn: (step: FaultStep) => Promise<boolean>,
): Promise<FaultMatrixCell | null> {
  const { protocol, fault } = step;
  const stated = PROTOCOLS[protocol].faults[fault];
  const seen = new Map<FaultEffect, FaultMatrixCell['seen'][number]>();
  let calm: z.output<typeof runSchema> | null = null;
  for (let number = 0; number < runs; number += 1) {
    if (!(await goOn(step))) return null;
    const { effects, ...end } = seenUnder(fault, protocol, { number, starts });
    const run = { seed: String(number), ...end };
    if (effects.size === 0) calm ??= run;
    for (const [effect, detail] of effects) {
      const first = seen.get(effect) ?? { effect, runs: 0, detail, ...run };
      seen.set(effect, { ...first, runs: first.runs + 1 });
    }
  }
  const isSurprising = [...seen.keys()].some((effect) => !isAllowed(effect, stated, starts));
  const isMissing = soughtIn(stated).some((effect) => !seen.has(effect));
  return {
    fault,
    drawn: FAULT_DRAWS[fault].fault,
    runs,
    why: stated.why,
    stated: [stated.expected, ...stated.breaks, ...lateText(stated, starts)].join(' '),
    seen: FAULT_EFFECTS.flatMap((effect) => seen.get(effect) ?? []),
    calm: seen.size === 0 ? calm : null,
    agrees: isSurprising ? 'false' : isMissing ? 'unknown' : 'true',
  };
}

/** What only nodes that start at different moments can violate. */
function lateText({ late }: FaultCell, starts: RunStarts): readonly string[] {
  return starts === 'any' && late.length > 0 ? [`(late ${late.join(' ')})`] : [];
}
