/**
 * @module
 * What a controller and the nodes that it has started exchange, one JSON object a line: commands on a node's stdin, reports
 * on its stdout. Only the process that started a node can command it.
 */

import { z } from 'zod';
import type { Message } from '../../election/machine.ts';
import { LabError } from '../../errors.ts';
import type { Seed } from '../../random.ts';
import { parseSeed } from '../../random.ts';
import { parseTextBySchema } from '../../schema.ts';
import type { CrashPoint } from '../crash-points.ts';
import { CRASH_POINT_NAMES } from '../crash-points.ts';
import type { LiveRecord } from '../node-record.ts';
import { liveRecordSchema } from '../node-record.ts';
import type { ChanceName, Cuts } from '../transport/links.ts';
import { CHANCES } from '../transport/links.ts';

export type NodeCommand =
  /** The nodes with which it exchanges no messages from now on. */
  | { readonly cut: Cuts }
  /** What happens to its messages by chance from now on. */
  | { readonly chance: ChanceName; readonly share: number; readonly seed: Seed }
  /** Ticks of the node's clock in one real millisecond. */
  | { readonly rate: number }
  /** Ms by which its clock jumps; back if they are below 0. */
  | { readonly jump: number }
  /** Where it dies in a later step. */
  | { readonly dieAt: CrashPoint }
  /** The rank of a member that is to leave. */
  | { readonly leave: string }
  /** A question of a client. */
  | { readonly ask: Message }
  /** All nodes have gathered: the node begins. */
  | { readonly begin: true };

export type NodeReport =
  /** The node starts for the first time, and these peers have not answered yet: their positions in the peers file. */
  | { readonly unmet: readonly number[] }
  /** The node starts for the first time, all its peers have answered, and it waits for `begin`. */
  | { readonly gathered: true }
  /** The node is ready. */
  | { readonly url: string; readonly rank: string }
  /** The leader that it follows now, by rank, and how many messages it has refused, by reason. */
  | {
      readonly leader: string | null;
      readonly epoch: number;
      readonly refused: Readonly<Record<string, number>>;
      /** Refused messages that no level has checked, by reason. */
      readonly unseen: Readonly<Record<string, number>>;
    }
  | { readonly record: LiveRecord }
  /** A message for clients. */
  | { readonly client: Message }
  /** What is wrong with a peer, for people. */
  | { readonly warning: string };

export const RATE_MIN = 0.01;
export const RATE_MAX = 100;
/** A day. */
export const JUMP_MS_MAX = 86_400_000;

const commandSchema = z.union([
  z.strictObject({
    cut: z.strictObject({ to: z.array(z.string()), from: z.array(z.string()) }),
  }),
  z.strictObject({
    chance: z.enum(CHANCES),
    share: z.number().min(0).max(1),
    seed: z.string().transform(parseSeed),
  }),
  z.strictObject({ rate: z.number().min(RATE_MIN).max(RATE_MAX) }),
  z.strictObject({ jump: z.number().min(-JUMP_MS_MAX).max(JUMP_MS_MAX) }),
  z.strictObject({ dieAt: z.enum(CRASH_POINT_NAMES) }),
  z.strictObject({ leave: z.string() }),
  z.strictObject({ ask: z.looseObject({ type: z.literal('ASK') }) }),
  z.strictObject({ begin: z.literal(true) }),
]);
const reportSchema = z.union([
  z.object({ unmet: z.array(z.int()) }),
  z.object({ gathered: z.literal(true) }),
  z.object({ url: z.string(), rank: z.string() }),
  z.object({
    leader: z.string().nullable(),
    epoch: z.int(),
    refused: z.record(z.string(), z.int()),
    unseen: z.record(z.string(), z.int()),
  }),
  z.object({ record: liveRecordSchema }),
  z.object({ client: z.looseObject({ type: z.string() }) }),
  z.object({ warning: z.string() }),
]);

/** Throws LabError `json.syntax` or `schema`. */
export function parseNodeCommand(line: string): NodeCommand {
  return parseTextBySchema(commandSchema, line, 'command of a controller');
}

/**
 * Null for the part of a line that a node wrote last before it was killed, and for JSON that is no report. `onFault`
 * receives what is wrong with such JSON.
 */
export function parseNodeReport(
  line: string,
  onFault: (detail: string) => void,
): NodeReport | null {
  try {
    return parseTextBySchema(reportSchema, line, 'report of a node');
  } catch (error) {
    if (!(error instanceof LabError)) throw error;
    if (error.code !== 'json.syntax') onFault(error.message);
    return null;
  }
}
