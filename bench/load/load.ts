/**
 * @module
 * `npm run bench:load [-- --seconds 60 --flood 2000 --data]`: what others get while one caller floods the
 * server. Open event streams, mixed requests at a fixed rate, each measured from when it was meant to be
 * sent, and a flooder in a process of its own; then whether the server's memory is what it was. Figures
 * are printed and never asserted.
 */

import { availableParallelism, cpus, loadavg } from 'node:os';
import process from 'node:process';
import { parseArgs } from 'node:util';

import { hangUp } from './client.ts';
import { printFlood, printMemory, printSamples, printStreams } from './report.ts';
import type { StretchOptions } from './stretch.ts';
import { prepareGround, stretch } from './stretch.ts';

/** The same load for so long, before anything is measured. */
const WARM_UP_S = 10;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    requests: { type: 'string', default: '200' },
    streams: { type: 'string', default: '300' },
    flood: { type: 'string', default: '2000' },
    data: { type: 'boolean', default: false },
    profile: { type: 'string' },
  },
});

await measure({
  seconds: Number(values.seconds),
  perSecond: Number(values.requests),
  streams: Number(values.streams),
  flood: Number(values.flood),
});

async function measure(options: StretchOptions): Promise<void> {
  const { seconds, perSecond, streams, flood } = options;
  console.log(`node ${process.version}, ${cpus()[0]?.model}, ${availableParallelism()} cores`);
  console.log(
    `${streams} streams, ${perSecond} requests/s and a flooder at ${flood}/s for ${seconds} s`,
  );
  const ground = await prepareGround({
    isStored: values.data,
    profile: values.profile ?? null,
  });
  const { server } = ground;
  try {
    const fresh = await server.testify();
    await stretch(ground, { ...options, seconds: WARM_UP_S });
    const before = await server.testify();
    console.log(`load average before: ${loadText()}`);
    const measured = await stretch(ground, options);
    const after = await server.testify();
    console.log(`load average after: ${loadText()}`);
    printSamples(measured.samples);
    printStreams(measured.followed, measured.silent);
    if (measured.flooded !== null) printFlood(measured.flooded);
    printMemory({ fresh, before, after, during: measured.during });
    console.log(`open afterwards: ${JSON.stringify(after.resources)}`);
  } finally {
    hangUp();
    await server.close();
  }
}

function loadText(): string {
  return loadavg()
    .map((each) => each.toFixed(2))
    .join(' ');
}
