/**
 * @module
 * `npm run bench:class [-- --seconds 120 --students 300 --requests 40]`: how long the members of a class wait while all
 * of them work on an exercise. Figures are printed and never asserted.
 */

import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { classFolder, joined, workThrough } from './class-room.ts';
import { hangUp } from './client.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '120' },
    students: { type: 'string', default: '300' },
    requests: { type: 'string', default: '40' },
  },
});

const perSecond = Number(values.requests);
const folder = classFolder(Number(values.students));
const server = await folder.serve();
try {
  const students = await joined(server.url, folder.codes());
  const requests = Number(values.seconds) * perSecond;
  console.log(`${students.length} students, ${perSecond} requests/s for ${values.seconds} s`);
  console.log(`load average before: ${loadavg().map((each) => each.toFixed(1))}`);
  const samples = await workThrough(server.url, students, { requests, perSecond });
  const times = samples.map(({ ms }) => ms).toSorted((one, other) => one - other);
  const answered = samples.filter(({ status }) => status >= 200 && status < 300).length;
  const at = (share: number) => times[Math.floor(share * (times.length - 1))]?.toFixed(1);
  console.log(`load average after: ${loadavg().map((each) => each.toFixed(1))}`);
  console.log(`answered: ${answered} of ${samples.length}`);
  console.log(`p50 ${at(0.5)} ms, p99 ${at(0.99)} ms (demanded: 250 ms), most ${at(1)} ms`);
} finally {
  hangUp();
  await server.kill();
  folder.remove();
}
