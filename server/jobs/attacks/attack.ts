/**
 * @module
 * This folder contains attacks as jobs: one attack on one election, from forging to the defences that stop
 * it. This file defines the kind, and executes an attack in a thread of its own.
 */

import { z } from '@hono/zod-openapi';
import { AIMS } from '../../../src/adversary/behaviours/behaviour.ts';
import { BEHAVIOUR_NAMES } from '../../../src/adversary/behaviours/registry.ts';
import { LEVELS } from '../../../src/election/authentication/authenticated.ts';
import { PROTOCOL_NAMES } from '../../../src/election/registry.ts';
import { FORGE_KINDS } from '../../../src/experiment/attack/population.ts';
import type { AttackReport } from '../../../src/experiment/attack/report.ts';
import {
  CHOSEN_DEFENCE_NAMES,
  NETWORK_DEFENCE_NAMES,
} from '../../../src/experiment/document/defence-names.ts';
import type { AttackProgress } from '../../../src/runtime/threads/attack.ts';
import { seedSchema } from '../../contract/members.ts';
import type { Execute } from '../job-kind.ts';
import {
  defineJob,
  jobLinks,
  jobLinksSchema,
  jobMembers,
  jobView,
  ledgerSchema,
} from '../job-kind.ts';
import { executeInWorker } from '../worker-job.ts';
import type { AttackRequest } from './request.ts';
import { attackRequestSchema } from './request.ts';

/** Attacks that are over and kept. */
export const ATTACKS_KEPT_MAX = 200;

/** What the thread of an attack receives. */
export interface AttackOrder {
  readonly attack: AttackRequest;
  readonly threads: number;
}

/** What it sends: its progress, or the report without defences, which remains if it is terminated. */
export type AttackMessage =
  | { readonly progress: AttackProgress; readonly watched?: undefined }
  | { readonly progress?: undefined; readonly watched: AttackReport };

/** Progress is null before the first report. */
export interface AttackJob {
  readonly request: AttackRequest;
  readonly progress: AttackProgress | null;
  readonly result: AttackReport;
}

const progressSchema = z
  .discriminatedUnion('phase', [
    z.object({
      phase: z.literal('mining'),
      miner: z.enum(['honest', 'adversary']),
      identities: z.int().describe('Identities sought.'),
      tested: z.int(),
      expectedAttempts: z.number().nullable().describe('Null if the goal has no simple estimate.'),
      perSecond: z.number(),
      cpuSeconds: z.number(),
    }),
    z.object({
      phase: z.literal('watching'),
      elections: z.int().describe('Elections that are watched or about to be.'),
    }),
  ])
  .meta({ id: 'AttackProgress' });

const harmSchema = z.enum(['captured-leader', 'no-leader', 'split', 'late-writes']);
const defenceSchema = z.enum([...CHOSEN_DEFENCE_NAMES, ...NETWORK_DEFENCE_NAMES]);

const measuredSchema = z.object({
  ticks: z.int(),
  leader: z.int().nullable().describe('Rank of the live node that all honest nodes followed.'),
  leaderOtherwise: z.int().nullable().describe('The same without the attack.'),
  usurpedTicks: z.int(),
  splitTicks: z.int(),
  staleWrites: z.int().describe('Accepted writes of leaders that another node had replaced.'),
  lateWrites: z
    .int()
    .describe('Accepted writes after an operation of a later leader, which a fence prevents.'),
  messages: z.int(),
  brokenOffAt: z
    .int()
    .nullable()
    .describe('The tick at which the election had become too large to watch.'),
  otherwiseBrokenOffAt: z.int().nullable(),
  keys: z.enum(['none', 'symbolic', 'real']).describe('The keys that signed messages.'),
});

/** The report as `usurp attack --json` prints it. */
const reportSchema = z
  .object({
    protocol: z.enum(PROTOCOL_NAMES),
    behaviours: z.array(z.enum(BEHAVIOUR_NAMES)).readonly(),
    level: z.enum(LEVELS),
    aim: z.enum(AIMS).nullable().describe('The only harm that counts. Null if any does.'),
    defences: z.array(z.enum(CHOSEN_DEFENCE_NAMES)).readonly(),
    forge: z.enum(FORGE_KINDS),
    colluders: z.int(),
    c1: z.int(),
    seed: seedSchema,
    succeeded: z
      .boolean()
      .nullable()
      .describe('Null if the budget ended first, the election was too large, or it was stopped.'),
    sentence: z.string(),
    ledger: ledgerSchema.describe('Cost of the forged identities.'),
    stoppedBy: z.array(defenceSchema).readonly().describe('Each alone stops the attack.'),
    replay: z.string().describe('Command that repeats the attack.'),
    harms: z.array(harmSchema).readonly(),
    possibleHarms: z.array(harmSchema).readonly(),
    members: z
      .array(
        z.object({ rank: z.int(), nodeId: z.string(), owner: z.enum(['honest', 'adversary']) }),
      )
      .readonly()
      .describe('By rank, the lowest first. Empty if the budget ended first.'),
    measured: measuredSchema.nullable(),
    trials: z
      .array(
        z.object({
          defence: defenceSchema,
          stops: z.boolean().nullable(),
          c1: z.int().optional().describe('Of proof-of-work: the bits at which it was tried.'),
        }),
      )
      .readonly(),
    sets: z
      .object({
        smallest: z.array(defenceSchema).readonly().nullable(),
        tried: z.int(),
        complete: z.boolean(),
      })
      .nullable()
      .describe('The search for a set of defences. Null if a single one stops the attack.'),
    notTried: z.array(z.object({ defence: defenceSchema, why: z.string() })).readonly(),
    interrupted: z.boolean().describe('Whether it has only what was finished.'),
    forgerSeed: seedSchema
      .nullable()
      .describe('Seed under which usurp mine finds the forged identities again.'),
  })
  .meta({ id: 'AttackReport' });

const attackSchema = z
  .object({
    ...jobMembers('attack', 'a', attackRequestSchema),
    progress: progressSchema.nullable().describe('Null before the first report.'),
    result: reportSchema.optional().describe('Partial if it was cancelled.'),
    links: jobLinksSchema,
  })
  .meta({ id: 'AttackJob' });

export const ATTACK = defineJob<AttackJob>()({
  ...{ letter: 'a', name: 'attack', plural: 'attacks', tags: ['experiments'] },
  summary: 'Attack an election and find the defences that stop the attack',
  body: attackRequestSchema,
  example: { protocol: 'cr-join', behaviours: ['phantom-id'], level: 'L0', seed: '1' },
  ...{ keptMax: ATTACKS_KEPT_MAX, begun: null },
  remainingMs: () => Number.POSITIVE_INFINITY,
  view: attackSchema,
  viewOf(job): z.output<typeof attackSchema> {
    const { result } = job.state;
    return {
      ...jobView('attack', job),
      progress: job.progress,
      ...(result && { result: { ...result, behaviours: known(result.behaviours) } }),
      links: jobLinks(job),
    };
  },
});

/** Names that were checked before. */
function known(names: readonly string[]) {
  return BEHAVIOUR_NAMES.filter((name) => names.includes(name)).toSorted(
    (one, other) => names.indexOf(one) - names.indexOf(other),
  );
}

/** Executes each attack with this number of mining threads. */
export function attackInThreads(threads: number): Execute<AttackJob> {
  return async (attack, { onProgress, ...execution }) => {
    let watched: AttackReport | null = null;
    const order: AttackOrder = { attack, threads };
    const report = await executeInWorker<AttackMessage, AttackReport>(ATTACK_WORKER, order, {
      ...execution,
      onProgress: (message) => {
        if (message.watched === undefined) onProgress(message.progress);
        else watched = message.watched;
      },
    });
    const found = report ?? watched;
    if (found === null) throw new DOMException('terminated', 'AbortError');
    return found;
  };
}

const ATTACK_WORKER = new URL('./worker.ts', import.meta.url);
