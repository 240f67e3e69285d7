/**
 * @module
 * What the grader asks a process with a submitted definition, and the form of its answers. A request has everything that
 * a step depends on, and an answer everything that it changes, so that equal requests must have equal answers.
 */

import { z } from 'zod';
import type { Level } from '../../election/authentication/authenticated.ts';
import type { Flags } from '../../election/definition/flags.ts';
import type { Event, Json, Message, Rank, Self } from '../../election/machine.ts';
import type { ProtocolName } from '../../election/registry.ts';
import type { Timing } from '../../election/timing.ts';

/** Which machine of the definition is meant. */
export type MachineSpec =
  | { readonly of: 'protocol'; readonly timing: Timing; readonly flags: Flags }
  | { readonly of: 'defence'; readonly timing: Timing; readonly protocol: ProtocolName }
  | {
      readonly of: 'behaviour';
      readonly timing: Timing;
      readonly protocol: ProtocolName;
      readonly level: Level;
      readonly election: string;
      readonly highestRank: number | null;
      readonly rank: Rank;
      readonly accomplices: readonly Rank[];
      readonly phantom: Rank;
    };

/** A step, or without an event the initial state. */
export interface StepRequest {
  readonly machine: MachineSpec;
  readonly self: Self;
  readonly state: Json;
  readonly event: Event<Message> | null;
}

/** Effects of one step. */
const EFFECTS_MAX = 256;
const TICKS_MAX = 1e9;
const TEXT_CHARACTERS_MAX = 300;

const jsonSchema = z.custom<Json>((value) => value !== undefined);
const rankSchema = z
  .int()
  .min(1)
  .transform((rank) => rank as Rank); // A node's rank in the simulator, which the driver checks.
const timerSchema = z.string().max(TEXT_CHARACTERS_MAX);

/** The effects that a submitted definition may have. It calls no store. */
const effectSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('send'),
    id: z.literal(0),
    to: rankSchema,
    message: z.looseObject({ type: z.string().max(TEXT_CHARACTERS_MAX) }),
  }),
  z.strictObject({
    type: z.literal('set-timer'),
    timer: timerSchema,
    ticks: z.int().min(0).max(TICKS_MAX),
    periodic: z.boolean(),
  }),
  z.strictObject({ type: z.literal('cancel-timer'), timer: timerSchema }),
  z.strictObject({ type: z.literal('choose'), below: z.int().min(1).max(TICKS_MAX) }),
  z.strictObject({ type: z.literal('persist'), fields: jsonSchema }),
  z.strictObject({ type: z.literal('elect'), leader: rankSchema, epoch: z.int().min(0) }),
  z.strictObject({ type: z.literal('step-down') }),
  z.strictObject({ type: z.literal('accuse'), evidence: jsonSchema }),
  z.strictObject({ type: z.literal('respond'), value: jsonSchema }),
]);

export type SubmittedEffect = z.output<typeof effectSchema>;

/** An answer: a new state and effects in order, or what the definition threw. */
export const answerSchema = z.union([
  z.strictObject({
    state: z.record(z.string(), jsonSchema),
    effects: z.array(effectSchema).max(EFFECTS_MAX),
  }),
  z.strictObject({ error: z.string() }),
]);

/** The first line of the process: what the file defines, or why it cannot be loaded. */
export const helloSchema = z.union([
  z.strictObject({ kind: z.string(), name: z.string() }),
  z.strictObject({ error: z.string() }),
]);

/** Depth and size of a state or message. */
const DEPTH_MAX = 32;
const VALUES_MAX = 20_000;

/** Parses a line. Throws RangeError for one that is not JSON, that is too deep or large, or that names a prototype. */
export function parseLine(line: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new RangeError('an answer is not JSON');
  }
  assertPlain(value);
  return value;
}

function assertPlain(value: unknown): void {
  let values = 0;
  const visit = (part: unknown, depth: number): void => {
    values += 1;
    if (values > VALUES_MAX) throw new RangeError(`an answer has more than ${VALUES_MAX} values`);
    if (depth > DEPTH_MAX) throw new RangeError(`an answer is deeper than ${DEPTH_MAX} levels`);
    if (typeof part !== 'object' || part === null) return;
    for (const [name, member] of Object.entries(part)) {
      if (name === '__proto__') throw new RangeError('an answer has a member __proto__');
      visit(member, depth + 1);
    }
  };
  visit(value, 0);
}
