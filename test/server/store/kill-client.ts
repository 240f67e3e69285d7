/**
 * @module
 * A client that records what the server acknowledged: each request is written to a file before it is sent,
 * each answer before the next request. The data of a killed server is then compared with this record.
 */

import { appendFileSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

import { JOB_KINDS } from '../../../server/jobs/all-jobs.ts';
import { submissionOf } from '../jobs/submissions.ts';

/** A line of the file. */
interface Note {
  readonly type: 'sent' | 'made' | 'acted' | 'deleting' | 'deleted' | 'job';
  /** Id of an election or a job, or the seed that identifies a sent request. */
  readonly id: string;
  readonly seed?: string;
  readonly key?: string;
  readonly text?: string;
}

export interface Promises {
  /** Elections by id: the seed of each, and the number of acknowledged actions. */
  readonly elections: Map<string, { readonly seed: string; actions: number }>;
  /** Elections whose deletion was requested, acknowledged or not. */
  readonly deleting: Set<string>;
  readonly deleted: Set<string>;
  readonly jobs: string[];
  /** Elections that were requested with a key, and their answers; null if none was received. */
  readonly keyed: Map<string, { readonly seed: string; text: string | null }>;
}

/** The complete lines of `notes`. */
export function promisesOf(notes: string): Promises {
  const promises: Promises = {
    ...{ elections: new Map(), deleting: new Set(), deleted: new Set() },
    ...{ jobs: [], keyed: new Map() },
  };
  for (const line of readFileSync(notes, 'utf8').trimEnd().split('\n')) {
    if (line !== '') take(promises, JSON.parse(line));
  }
  return promises;
}

function take(promises: Promises, note: Note): void {
  const { elections, deleting, deleted, jobs, keyed } = promises;
  const { id, seed = '', key = '', text = null } = note;
  switch (note.type) {
    case 'sent':
      keyed.set(key, { seed, text: null });
      break;
    case 'made':
      elections.set(id, { seed, actions: 0 });
      if (key !== '') keyed.set(key, { seed, text });
      break;
    case 'acted': {
      const election = elections.get(id);
      if (election !== undefined) election.actions += 1;
      break;
    }
    case 'deleting':
      deleting.add(id);
      break;
    case 'deleted':
      deleted.add(id);
      break;
    case 'job':
      jobs.push(id);
      break;
    default: {
      note.type satisfies never;
    }
  }
}

/** Sends one request after the other until the server has stopped. No other process writes these notes. */
export async function useUntilGone(url: string, notes: string, name: string): Promise<void> {
  const note = (each: Note) => appendFileSync(notes, `${JSON.stringify(each)}\n`);
  try {
    for (let turn = 1; ; turn += 1) {
      // Seeds are numbers; no other request has this one.
      const seed = `${Date.now()}${String(turn).padStart(4, '0')}${name}`;
      const key = turn % 2 === 0 ? `${name}-${seed}` : '';
      if (key !== '') note({ type: 'sent', id: '', seed, key });
      const made = await send(`${url}/v1/elections`, electionOf(seed), key);
      const { id } = JSON.parse(made);
      note({ type: 'made', id, seed, key, text: made });
      for (const action of ACTIONS) {
        await send(`${url}/v1/elections/${id}/actions`, action);
        note({ type: 'acted', id });
      }
      if (turn % 3 === 0) {
        note({ type: 'deleting', id });
        await fetch(`${url}/v1/elections/${id}`, { method: 'DELETE' });
        note({ type: 'deleted', id });
      }
      if (turn % 8 === 1) {
        const [path, body] = submissionOf(cyclic(JOB_KINDS, turn >> 3));
        const { id: job } = JSON.parse(await send(`${url}${path}`, body));
        if (job !== undefined) note({ type: 'job', id: job });
      }
      await delay(1);
    }
  } catch (error) {
    // The test expects aborted connections, but no refusals.
    if (!(error instanceof TypeError) && !(error instanceof SyntaxError)) throw error;
  }
}

export function electionOf(seed: string): object {
  return { protocol: 'bully-oneshot', nodes: 4, seed };
}

/** POSTs and reads the whole answer. Throws for a refusal, except that of a full queue. */
export async function send(url: string, body: object, key = ''): Promise<string> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...(key !== '' && { 'Idempotency-Key': key }) },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok && !text.includes('limit.queue')) throw new Error(`${url} answered ${text}`);
  return text;
}

const ACTIONS = [
  { type: 'start' },
  { type: 'advance', until: 'idle', events: 2 },
  { type: 'crash', rank: 4 },
  { type: 'advance', until: 'idle' },
];

/** The member with this index of the list that repeats these for ever. */
function cyclic<Each>(all: readonly Each[], index: number): Each {
  const found = all[index % all.length];
  if (found === undefined) throw new RangeError('there are none');
  return found;
}
