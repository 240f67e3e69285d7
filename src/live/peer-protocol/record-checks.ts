/**
 * @module
 * Whether a node shows its records as the check against the model reads them. A node need not have records.
 */

import { request } from 'node:http';
import { LabError } from '../../errors.ts';
import type { Finding } from '../../simulation/conform/finding.ts';
import { failed, held } from '../../simulation/conform/finding.ts';
import { parseLiveRecord } from '../node-record.ts';
import { ANSWER_BYTES_MAX, answerTo } from './bounded-request.ts';

const CHECK = 'shows its records, or has none';

/** A server-sent event. */
interface ShownEvent {
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/** The finding about `GET /events` of a node that has started. */
export async function recordFinding(url: string, waitMs: number): Promise<Finding> {
  const answer = await firstBytes(`${url}/events`, waitMs);
  if (answer.status === 404) return held(CHECK, 'it has none');
  const fault = answer.status === 200 ? faultOf(answer.text) : `status ${answer.status}`;
  if (fault === null) return held(CHECK, 'GET /events');
  const expected =
    'events with the name record, ids from 0 on and the records as data, that of its start first';
  return failed(CHECK, `sent GET /events; expected ${expected}; received ${fault}`);
}

/** What is wrong with the events of a text that may end within one; null if nothing is. */
function faultOf(text: string): string | null {
  const events = text.split('\n\n').slice(0, -1).map(eventOf);
  if (events.length === 0) return 'no event';
  for (const [index, { id, event, data }] of events.entries()) {
    if (event !== 'record' || id !== String(index)) return `event ${event} with the id ${id}`;
    try {
      const { event: happened } = parseLiveRecord(data);
      if (index === 0 && happened.type !== 'start') return `${happened.type} as the first record`;
    } catch (error) {
      if (!(error instanceof LabError)) throw error;
      return `a record of another form: ${error.message}`;
    }
  }
  return null;
}

function eventOf(text: string): ShownEvent {
  const fields = new Map(
    text.split('\n').map((line) => {
      const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? [];
      return [name, value] as const;
    }),
  );
  const field = (name: string) => fields.get(name) ?? '';
  return { id: field('id'), event: field('event'), data: field('data') };
}

/** The first bytes of an endless answer, until an event is there or the time is over. Status 0 is no answer. */
async function firstBytes(
  url: string,
  waitMs: number,
): Promise<{ readonly status: number; readonly text: string }> {
  const outgoing = request(url, { agent: false, signal: AbortSignal.timeout(waitMs) });
  let text = '';
  let status = 0;
  try {
    outgoing.end();
    const answer = await answerTo(outgoing);
    status = answer.statusCode ?? 0;
    for await (const chunk of status === 200 ? answer : []) {
      text += String(chunk);
      if (text.includes('\n\n') || text.length > ANSWER_BYTES_MAX) break;
    }
  } catch {
    // What has come until then is judged.
  } finally {
    outgoing.on('error', () => undefined).destroy();
  }
  return { status, text };
}
