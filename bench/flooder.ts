/**
 * @module
 * One caller who asks far more often than it may, as a process of its own: autocannon at a fixed rate on
 * one POST. Takes a URL, a token, a rate and seconds as arguments and prints one line of JSON.
 */

import process from 'node:process';

import autocannon from 'autocannon';

/** What the flooder got. */
export interface Flooded {
  readonly seconds: number;
  readonly answered: number;
  /** Answers by status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Connections that broke, and answers that did not come. */
  readonly errors: number;
}

const CONNECTIONS = 40;

const [url = '', token = '', rate = '', seconds = ''] = process.argv.slice(2);
const result = await autocannon({
  url,
  method: 'POST',
  headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  // The dearest thing that one short request can ask of the thread that answers.
  body: JSON.stringify({ algorithm: 'bully-oneshot', nodes: 5, run: true }),
  connections: CONNECTIONS,
  overallRate: Number(rate),
  duration: Number(seconds),
});
const statuses = Object.entries(result.statusCodeStats ?? {}).map(
  ([status, { count = 0 }]) => [status, count] as const,
);
const flooded: Flooded = {
  seconds: result.duration,
  // Those that were sent are counted otherwise, with some that never were.
  answered: result.requests.total,
  statuses: Object.fromEntries(statuses),
  errors: result.errors + result.timeouts + result.resets,
};
console.log(JSON.stringify(flooded));
