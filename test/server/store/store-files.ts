/**
 * @module
 * Data files with rows in every table, as a stopped or killed server leaves them.
 */

import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { ElectionAction } from '../../../server/elections/live/action.ts';
import type { ElectionPlan } from '../../../server/elections/live/plan.ts';
import {
  electionRequestSchema,
  parseElectionRequest,
} from '../../../server/elections/live/request.ts';
import type { StoredElection } from '../../../server/elections/storage/log.ts';
import { electionLog } from '../../../server/elections/storage/log.ts';
import { answerLog } from '../../../server/idempotency/answer-log.ts';
import { jobLog } from '../../../server/jobs/job-log.ts';
import { examineStore } from '../../../server/store/store-examination.ts';
import type { StoreFile, StoreOptions } from '../../../server/store/store-file.ts';
import { openStore } from '../../../server/store/store-file.ts';
import { scratchFolder } from '../../cli/shell.ts';

export const PLAN = parseElectionRequest(
  electionRequestSchema.parse({ protocol: 'cr-join', nodes: 3, seed: '1' }),
);

/** No other process has a test's file open. */
const NOT_BUSY: StoreOptions = { busyMs: 0 };

export function openLogs(path: string, options: StoreOptions = {}) {
  const file = openStore(path, { ...NOT_BUSY, ...options });
  const answers = answerLog(file);
  return {
    file,
    answers,
    elections: electionLog(file, answers),
    jobs: jobLog(file, answers, 'run'),
  };
}

export type Logs = ReturnType<typeof openLogs>;

/** Two elections with actions, two jobs of which one is over, an answer and a claim. */
export async function fill({ elections, jobs, answers }: Logs): Promise<void> {
  const request = { caller: 'anyone', key: 'k', fingerprint: 'f' };
  const other = { ...request, key: 'lost' };
  const answer = { status: 201, headers: { Location: '/x' }, body: '{}' };
  elections.created('e_1', PLAN, [], { request, isClaimed: false, isOver: false });
  answers.kept(request, answer, []);
  const keyed = { request: other, isClaimed: false, isOver: false };
  elections.created('e_2', PLAN, [{ type: 'start' }], keyed);
  for (let rank = 1; rank <= 3; rank += 1) elections.acted('e_1', { type: 'crash', rank }, null);
  jobs.submitted(
    { id: 'r_1', caller: 'anyone', createdMs: 0, request: { seed: '1' } },
    '/v1/jobs/r_1',
    null,
  );
  jobs.submitted(
    { id: 'r_2', caller: 'anyone', createdMs: 0, request: { seed: '2' } },
    '/v1/jobs/r_2',
    null,
  );
  jobs.over('r_1', { status: 'done', result: new Uint8Array([1, 2, 3]) });
}

/** All data of a file. */
export function contentsOf({ elections, jobs, answers }: Logs) {
  const kept = answers.read().map(({ expires: _expires, ...answer }) => answer);
  const all = elections
    .read()
    .map(({ id, plan, actions }) => ({ id, plan, actions: [...actions] }));
  return { elections: all, jobs: jobs.read(), answers: kept };
}

/** An election as a log reads it. */
export function storedElection(
  id: string,
  { plan, actions }: { readonly plan: ElectionPlan; readonly actions: readonly ElectionAction[] },
): StoredElection {
  const joins = actions.filter(({ type }) => type === 'join').length;
  const advances = actions.filter(({ type }) => type === 'advance').length;
  const characters = JSON.stringify(actions).length;
  const size = { actions: actions.length, characters, joins, advances };
  return { id, plan, size, actions };
}

/** Opens a file, reads all of it, and closes it. */
export function readAll(path: string): ReturnType<typeof contentsOf> {
  const logs = openLogs(path);
  try {
    return contentsOf(logs);
  } finally {
    logs.file.close();
  }
}

/** A copy of a file in a new folder, with its log and the log's end if they exist, as after a kill. */
export function copyOf(path: string): string {
  const copy = join(scratchFolder(), 'lab.sqlite');
  copyFileSync(path, copy);
  for (const ending of ['-wal', '-wal-end']) {
    if (existsSync(`${path}${ending}`)) copyFileSync(`${path}${ending}`, `${copy}${ending}`);
  }
  return copy;
}

/** A file of a server that was stopped. */
export async function stoppedFile(): Promise<string> {
  const path = join(scratchFolder(), 'lab.sqlite');
  const logs = openLogs(path);
  await fill(logs);
  logs.file.close();
  return path;
}

/** A file of a killed server, with its writes in the log beside it. */
export async function killedFile(): Promise<string> {
  const path = join(scratchFolder(), 'lab.sqlite');
  const logs = openLogs(path);
  await fill(logs);
  const copy = copyOf(path);
  logs.file.close();
  return copy;
}

/** The first value of the first row. */
export function firstOf({ database }: StoreFile, query: string): unknown {
  return Object.values(database.prepare(query).get() ?? {})[0];
}

/** The notes of the examination of a file, or that it was refused. */
export function notesOf(path: string): readonly string[] {
  try {
    return examineStore(path, 0).notes;
  } catch {
    return ['refused'];
  }
}

/** Number of bytes that a test flips or cuts at. */
export const FLIPS = Number(process.env.STORE_FLIPS ?? 24);

/** The data of the file, or its refusal, which must name the file. */
export function outcomeOf(path: string): ReturnType<typeof readAll> | 'refused' {
  const before = readFileSync(path);
  try {
    return readAll(path);
  } catch (error) {
    expect(error).toMatchObject({ code: 'file.unreadable' });
    expect(String(error)).toContain(path);
    if (!/is damaged(?:;|$)/.test(String(error)))
      expect(readFileSync(path).equals(before)).toBe(true);
    return 'refused';
  }
}

/** This number of offsets, spread over the bytes at different distances. */
export function offsets(bytes: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) =>
    Math.floor(((index + ((index * 0.618) % 1)) * bytes) / (count + 1)),
  );
}
