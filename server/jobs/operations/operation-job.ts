/**
 * @module
 * This folder makes jobs from operations (src/operations): the kind, the schemas and the route follow from the definition.
 */

import { randomBytes } from 'node:crypto';
import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { LabError } from '../../../src/errors.ts';
import type { ThreatModel } from '../../../src/experiment/document/threat-model.ts';
import { asksDevice } from '../../../src/experiment/document/threat-model.ts';
import { readSetting } from '../../../src/experiment/reading/settings.ts';
import { findsExamples, hasExample } from '../../../src/operations/check/example.ts';
import { valueEntered } from '../../../src/operations/command-words.ts';
import { fileOf } from '../../../src/operations/file.ts';
import { MINE } from '../../../src/operations/identity/mine.ts';
import type { OperationProgress } from '../../../src/operations/machine.ts';
import type { modelSourceSchema, NamedModel } from '../../../src/operations/model.ts';
import type { Operation, Secret } from '../../../src/operations/operation.ts';
import { inputSchema } from '../../../src/operations/operation.ts';
import { allOperations, operationNamed } from '../../../src/operations/registry.ts';
import { REPRODUCE, unknownPaper } from '../../../src/operations/reproduce/reproduce.ts';
import { capitalized } from '../../../src/printable.ts';
import type { Seed } from '../../../src/random.ts';
import { parseSeed } from '../../../src/random.ts';
import { seedOf } from '../../contract/members.ts';
import type { Work } from '../../exercises/submission-store.ts';
import type { ServerEnv } from '../../request/env.ts';
import type { Execute, JobKind, JobSnapshot, JobViewSchema } from '../job-kind.ts';
import { jobLinks, jobLinksSchema, jobMembers, jobView, noJob } from '../job-kind.ts';
import { modelIn } from '../model-source.ts';
import { resultOf, resultTableAnswer } from '../table-answers.ts';
import { executeInWorker } from '../worker-job.ts';
import { counterexampleAnswer } from './counterexample.ts';

/** Jobs of each operation that are over and kept. */
export const OPERATION_JOBS_KEPT_MAX = 200;

/** Characters of the JSON of their results that are kept, for each operation. */
export const OPERATION_CHARACTERS_MAX = 64 * 2 ** 20;

type Output = { readonly replay: string };

export interface OperationRequest {
  /** The operation. */
  readonly name: string;
  /** The whole input as callers see it, which was checked. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The threat models that it names, by the names of the members. */
  readonly models: Readonly<Record<string, NamedModel>>;
  /** A seed that the server drew and that reveals keys, so that it is not in the body. */
  readonly secretSeed?: Seed;
  /** The budget of an exercise that it is charged to, and its number there; absent without one. */
  readonly metered?: { readonly work: Work; readonly number: number };
}

/** The progress of an operation, with its own members. */
export interface ShownProgress extends Omit<OperationProgress, 'details'> {
  readonly [name: string]: unknown;
}

/** The output of an operation, and what only its owner may have. No output has a member of that name. */
type Result = Output & { readonly secret?: Secret };

export interface OperationJob {
  readonly request: OperationRequest;
  readonly progress: ShownProgress;
  readonly result: Result;
}

/** What the thread of an operation receives. */
export interface OperationOrder {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly threads: number;
  readonly secretSeed: Seed | undefined;
}

/** What it sends: its progress, what is finished, which remains if it is terminated, or what only the owner may have. */
export type OperationMessage =
  | { readonly type: 'progress'; readonly progress: ShownProgress }
  | { readonly type: 'partial'; readonly partial: Output }
  | { readonly type: 'secret'; readonly secret: Secret };

export const operationProgressSchema = z
  .object({
    now: z.string().describe('What it does now.'),
    done: z.number(),
    total: z.number().nullable().describe('Null if it is not known.'),
  })
  .meta({ id: 'OperationProgress' });

export type OperationKind = JobKind<OperationJob, string, z.ZodType, JobViewSchema>;

/** The kind of job of every operation. */
export const OPERATION_KINDS: readonly OperationKind[] = allOperations().map(kindOf);

function kindOf(operation: Operation): OperationKind {
  const { name, collection, summary, description, measuresTime, has } = operation;
  const id = typeNameOf(name);
  const body = inputSchema(operation, true).meta({ id: `${id}Request` });
  return {
    name,
    letter: name,
    plural: collection,
    tags: ['operations'],
    summary: capitalized(summary),
    ...(description !== '' && { description }),
    body,
    example: exampleOf(operation),
    takesModel: modelMembers(operation).length > 0,
    givesNoWay: measuresTime,
    deviceMember,
    canConflict: isMetered(name),
    keptMax: OPERATION_JOBS_KEPT_MAX,
    weight: { of: charactersOf, keptMax: OPERATION_CHARACTERS_MAX },
    begun: { now: 'waiting', done: 0, total: null },
    remainingMs,
    resultAtOnce: (request) => operation.atOnce(inputOf(request)),
    view: z
      .object({
        ...jobMembers(name, name, body),
        progress: progressSchemaOf(operation, id),
        result: operation.output.optional(),
        links: jobLinksSchema.extend({
          report: z.string().describe('The report for people, as data.'),
          ...(has.table && { rows: z.string() }),
          ...(has.secret && {
            secret: z.string().nullable().describe('Null for other callers than its owner.'),
          }),
          ...(findsExamples(name) && { counterexample: z.string().optional() }),
        }),
      })
      .meta({ id: `${id}Job` }),
    viewOf: (job) => {
      const { status } = job.state;
      const { likelySeconds: _time, ...progress } = job.progress;
      const result = job.state.result && outputIn(job.state.result);
      const links = jobLinks(job);
      return {
        ...jobView(name, job),
        progress: status === 'done' ? { ...progress, ...DONE } : progress,
        ...(result && { result }),
        links: {
          ...links,
          report: `${links.self}/results/report`,
          ...(has.table && { rows: `${links.self}/results/rows` }),
          ...(has.secret && { secret: job.isOwn ? `${links.self}/results/secret` : null }),
          ...(result &&
            hasExample(name, result) && {
              counterexample: `${links.self}/results/counterexample`,
            }),
        },
      };
    },
  };
}

/** The name of an operation in the names of schemas: `AttackMatrix` of `attack-matrix`. */
export function typeNameOf(name: string): string {
  return name.split('-').map(capitalized).join('');
}

/** Whether jobs of this operation can count for the budget of an exercise. */
export function isMetered(name: string): boolean {
  return name === MINE.name;
}

function progressSchemaOf({ has }: Operation, id: string) {
  if (has.progress === undefined) return operationProgressSchema;
  // Before its first report, an operation has no members of its own.
  const own = has.progress.partial().shape;
  return operationProgressSchema.extend(own).meta({ id: `${id}Progress` });
}

/** What everyone who sees a job may see of its result. */
function outputIn({ secret: _secret, ...output }: Result): Output {
  return output;
}

function remainingMs(
  { request, progress }: Pick<JobSnapshot<OperationJob>, 'request' | 'progress'>,
  elapsedMs: number,
): number {
  const { done, total, likelySeconds } = progress;
  // The time on the wall that an operation may take has this name.
  const { wall } = request.body;
  const most = typeof wall === 'number' ? 1000 * wall - elapsedMs : Number.POSITIVE_INFINITY;
  if (likelySeconds !== undefined) return Math.min(1000 * likelySeconds, most);
  if (most < Number.POSITIVE_INFINITY) return most;
  return total === null || done === 0 ? UNKNOWN_MS : (elapsedMs / done) * (total - done);
}

/** Characters of results as JSON. They are asked for after every job. */
const CHARACTERS = new WeakMap<object, number>();

function charactersOf(result: Output): number {
  const known = CHARACTERS.get(result) ?? JSON.stringify(result).length;
  CHARACTERS.set(result, known);
  return known;
}

/** The progress of an operation that is done, also if it was answered at once. */
const DONE: OperationProgress = { now: 'done', done: 1, total: 1 };

/** The first example as a body. */
function exampleOf({ members, examples: [example = {}] }: Operation): object {
  const values = Object.entries(example).map(([key, value]) => {
    const entry = members[key]?.entry;
    const isText = entry !== undefined && typeof value === 'string';
    return [key, isText ? valueEntered(entry, value) : value];
  });
  return Object.fromEntries(values);
}

/** Estimated time until the end of a job whose progress does not say it. */
const UNKNOWN_MS = 2000;

/** What requests can name. */
export interface Catalogue {
  readonly threatModels: readonly ThreatModel[];
  /** Names of the published results. */
  readonly papers: readonly string[];
}

/** Checks a body that its schema accepts. Throws LabError for members that do not fit together. */
export function parseOperation(
  name: string,
  given: unknown,
  { threatModels, papers }: Catalogue,
): OperationRequest {
  const operation = operationNamed(name);
  // The schema of the route has accepted it.
  const body = given as OperationRequest['body'];
  const models = modelMembers(operation).map((key) => {
    // The schema of the member has accepted it.
    return [key, modelIn(body[key] as z.output<typeof modelSourceSchema>, threatModels)] as const;
  });
  const { paper } = body;
  if (name === REPRODUCE.name && typeof paper === 'string' && !papers.includes(paper)) {
    throw unknownPaper(papers, paper);
  }
  const request = { name, body, models: Object.fromEntries(models) };
  operation.check(inputOf(request), true);
  const entry = operation.members.seed?.entry;
  if (entry?.as === 'seed' && entry.isKey) {
    return body.seed === undefined ? { ...request, secretSeed: drawnSecret() } : request;
  }
  const isDrawn =
    entry?.as === 'seed' && (entry.with === undefined || body[entry.with] !== undefined);
  // What is answered at once draws nothing.
  const isSeeded = isDrawn && operation.atOnce(inputOf(request)) === null;
  if (!isSeeded) return request;
  const text = typeof body.seed === 'string' ? body.seed : undefined;
  return { ...request, body: { ...body, seed: seedOf(text) } };
}

/** The member that asks for a search on a device, or for the rate of one. Null if none does. */
function deviceMember({ body: { device, set }, models }: OperationRequest) {
  if (device !== undefined) return 'device';
  const settings = Array.isArray(set) ? set.map((text) => readSetting(String(text)).value) : [];
  return asksDevice([models, settings]) ? 'threatModel' : null;
}

/** A seed as long as a key, because it reveals one. */
function drawnSecret(): Seed {
  return parseSeed(BigInt(`0x${randomBytes(32).toString('hex')}`).toString());
}

/** The seed of a request whose operation needs one. */
function seedIn({ body: { seed }, secretSeed }: OperationRequest): string | null {
  return typeof seed === 'string' ? seed : (secretSeed ?? null);
}

/** The input of a request as its operation takes it. */
export function inputOf({
  name,
  body,
  models,
}: Pick<OperationRequest, 'name' | 'body' | 'models'>): Readonly<Record<string, unknown>> {
  const files = Object.entries(operationNamed(name).members).flatMap(([key, { entry }]) => {
    const content = body[key];
    return entry.as === 'file' && content !== undefined ? [[key, fileOf(key, content)]] : [];
  });
  return { ...body, ...models, ...Object.fromEntries(files) };
}

/** The members that name a threat model. */
function modelMembers({ members }: Operation): readonly string[] {
  return Object.keys(members).filter((key) => members[key]?.entry.as === 'model');
}

/** Executes an operation in a thread that may use this number of threads. */
export function operationInThreads(threads: number): Execute<OperationJob> {
  return async (request, { onProgress, ...execution }) => {
    let finished: Output | null = null;
    let secret: Secret | undefined;
    const { name, secretSeed } = request;
    const order: OperationOrder = { name, input: inputOf(request), threads, secretSeed };
    const output = await executeInWorker<OperationMessage, Output | null>(
      OPERATION_WORKER,
      order,
      {
        ...execution,
        onProgress: (message) => {
          if (message.type === 'progress') onProgress(message.progress);
          else if (message.type === 'partial') finished = message.partial;
          else secret = message.secret;
        },
      },
      deviceMember(request) === null ? ENDING_GRACE_MS : DEVICE_GRACE_MS,
    );
    const found = output ?? finished;
    if (found === null) throw new DOMException('terminated', 'AbortError');
    return secret === undefined ? found : { ...found, secret };
  };
}

/** Time for a cancelled operation to end what it has begun, such as a chunk of runs, and to return what was finished. */
const ENDING_GRACE_MS = 10_000;
/** More than a driver may take to compile a program. Its library ends the whole process if its thread ends during a call. */
const DEVICE_GRACE_MS = 150_000;

const OPERATION_WORKER = new URL('./worker.ts', import.meta.url);

/** A block of a report. Its members depend on its type. */
const blockSchema = z.looseObject({
  type: z.enum(['sentence', 'facts', 'table', 'lines', 'notes', 'suggestions']),
});

export const reportSchema = z
  .object({
    blocks: z.array(blockSchema).readonly(),
    replay: z.string(),
    picture: z.string().nullable().describe('A chart as an SVG document.'),
  })
  .meta({ id: 'OperationReport', description: 'The result of an operation for people.' });

/** Answers with the report, the rows and the secret of a job. */
export const OPERATION_RESULTS = {
  /** Throws LabError `not_found` for other callers than the owner. */
  secret(c: Context<ServerEnv>, job: JobSnapshot<OperationJob>): Response {
    const { id, caller, request } = job;
    if (caller !== c.get('principal').caller) throw noJob(id);
    if (operationNamed(request.name).has.secret !== true) {
      throw new LabError('not_found', `job ${id} is a ${request.name}, which has no secret`);
    }
    c.header('Cache-Control', 'no-store');
    // The server alone knows the seed of an exercise.
    const seed = request.metered === undefined ? seedIn(request) : null;
    const keys = job.state.result?.secret?.keys ?? [];
    return c.json({ seed, keys: keys.map((key) => ({ ...key })) } satisfies Secret, 200);
  },
  counterexample: counterexampleAnswer,
  report(c: Context, job: JobSnapshot<OperationJob>): Response {
    const operation = operationNamed(job.request.name);
    const result = resultOf(job);
    const report: z.output<typeof reportSchema> = {
      blocks: operation.report(result).map((block) => ({ ...block })),
      replay: result.replay,
      picture: operation.picture(result),
    };
    return c.json(report, 200);
  },
  rows(c: Context, job: JobSnapshot<OperationJob>): Promise<Response> {
    const { name } = job.request;
    return resultTableAnswer(c, job, (result) => {
      const table = operationNamed(name).table(result);
      if (table === null) throw new LabError('not_found', `the job ${job.id} has no rows`);
      return table;
    });
  },
};
