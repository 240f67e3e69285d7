/**
 * @module
 * What a controller and the nodes that it has started exchange, one JSON object a line: commands on a node's stdin, reports
 * on its stdout. Only the process that started a node can command it.
 */

import { z } from 'zod';
import { parseBySchema } from '../../schema.ts';

export type NodeCommand =
  /** The positions to which no message goes from now on. */
  | { readonly cut: readonly number[] }
  /** Ticks of the node's clock in one real millisecond. */
  | { readonly rate: number };

export type NodeReport =
  | { readonly url: string; readonly position: number }
  /** The leader that it follows now, by position. */
  | { readonly leader: number | null; readonly epoch: number };

export const RATE_MIN = 0.01;
export const RATE_MAX = 100;

const commandSchema = z.union([
  z.strictObject({ cut: z.array(z.int()) }),
  z.strictObject({ rate: z.number().min(RATE_MIN).max(RATE_MAX) }),
]);
const reportSchema = z.union([
  z.object({ url: z.string(), position: z.int() }),
  z.object({ leader: z.int().nullable(), epoch: z.int() }),
]);

/** Throws LabError `schema`. */
export function parseNodeCommand(line: string): NodeCommand {
  return parseBySchema(commandSchema, JSON.parse(line), 'command of a controller');
}

/** Throws LabError `schema`. */
export function parseNodeReport(line: string): NodeReport {
  return parseBySchema(reportSchema, JSON.parse(line), 'report of a node');
}
