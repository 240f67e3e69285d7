/**
 * @module
 * One caller who asks far more often than it may, as a process of its own: POSTs at a fixed rate over
 * connections that stay. (autocannon at an overall rate stopped sending for good when the first second
 * went badly.) Takes a URL, a token, a rate and seconds as arguments and prints one line of JSON.
 */

import { Agent } from 'node:http';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';

import { ask } from './client.ts';

/** What the flooder got. */
export interface Flooded {
  /** Until the last answer. */
  readonly seconds: number;
  readonly answered: number;
  /** Answers by status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Connections that broke. */
  readonly errors: number;
  /** Requests that were never sent, since as many waited for an answer already. */
  readonly unsent: number;
}

const CONNECTIONS = 40;
/** On their way or waiting for a connection. */
const OUTSTANDING_MAX = 400;
const TICK_MS = 5;

const [url = '', token = '', rate = '', seconds = ''] = process.argv.slice(2);
const flooder = { name: 'flooder', token };
const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
// The dearest thing that one short request can ask of the thread that answers.
const body = JSON.stringify({ protocol: 'bully-oneshot', nodes: 5, run: true });
const statuses: Record<string, number> = {};
let [due, outstanding, answered, errors, unsent] = [0, 0, 0, 0, 0];

const beganMs = performance.now();
const elapsedS = () => (performance.now() - beganMs) / 1000;
while (elapsedS() < Number(seconds)) {
  for (const until = elapsedS() * Number(rate); due < until; due += 1) {
    if (outstanding >= OUTSTANDING_MAX) unsent += 1;
    else void send();
  }
  await delay(TICK_MS);
}
while (outstanding > 0) await delay(TICK_MS);
agent.destroy();
const flooded: Flooded = { seconds: elapsedS(), answered, statuses, errors, unsent };
console.log(JSON.stringify(flooded));

async function send(): Promise<void> {
  outstanding += 1;
  try {
    const asked = { method: 'POST', path: '', body } as const;
    const { status } = await ask(url, flooder, asked, agent);
    statuses[status] = (statuses[status] ?? 0) + 1;
    answered += 1;
  } catch {
    errors += 1;
  } finally {
    outstanding -= 1;
  }
}
