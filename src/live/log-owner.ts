/**
 * @module
 * What the log of a node belongs to: its identity, its election, and the settings with which it ran. A node returns with
 * the same ones.
 */

import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { LabError } from '../errors.ts';
import { parseTextBySchema } from '../schema.ts';
import { settingsDifference } from './live-machine.ts';

const ownerSchema = z.strictObject({
  ...{ rank: z.string(), protocol: z.string(), election: z.string() },
  /** Longest time of a message, in ms. All timers follow from it. */
  latency: z.int().min(1),
  /** Null of a node that watches no other. Files from before it was written lack it. */
  detector: z.string().nullable().optional(),
  ...{ level: z.string(), defences: z.array(z.string()).readonly() },
  behaviours: z.array(z.string()).readonly(),
  /** What leaders do at a resource, in the form of the command line; null for nothing. */
  workload: z.string().nullable(),
});

export type LogOwner = Readonly<z.output<typeof ownerSchema>>;

/** Throws LabError `json.syntax` or `schema`. */
export function parseLogOwner(text: string): LogOwner {
  return parseTextBySchema(ownerSchema, text, 'owner of a log');
}

/** Throws LabError `file.unreadable` that names the settings in which a node differs from the owner of its log. */
export function assertOwner(path: string, before: LogOwner, now: LogOwner): void {
  const known = { ...before, detector: before.detector ?? now.detector };
  if (isDeepStrictEqual(known, { ...now, detector: now.detector })) return;
  throw new LabError(
    'file.unreadable',
    `${path} cannot be used: its node ran with ${settingsDifference(known, now)}; give the same settings again, or name another file with --data for a new life without its past`,
  );
}
