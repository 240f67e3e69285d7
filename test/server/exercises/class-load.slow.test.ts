/**
 * @module
 * A class of 300 students under load, as counts: all are answered, and a server that is killed while they submit has lost
 * no submission that it acknowledged. `npm run bench:class` measures the speed.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import {
  classFolder,
  joined,
  keptSubmissions,
  workThrough,
} from '../../../bench/load/class-room.ts';
import { hangUp } from '../../../bench/load/client.ts';

const STUDENTS = 300;
/** The last one is the submission that is right. */
const STEPS = 7;
const PER_SECOND = 60;
const folder = classFolder(STUDENTS);

afterAll(() => {
  hangUp();
  folder.remove();
});

it('answers all students, and loses no acknowledged submission when it is killed among them', async () => {
  const first = await folder.serve();
  const students = await joined(first.url, folder.codes());
  const acknowledged = () => students.reduce((sum, { submitted }) => sum + submitted.length, 0);
  const keptBy = (url: string) => Promise.all(students.map((each) => keptSubmissions(url, each)));

  const sampled = workThrough(first.url, students, {
    ...{ requests: STEPS * STUDENTS, perSecond: PER_SECOND },
  });
  // Half of the students have submitted twice.
  while (acknowledged() < 1.5 * STUDENTS) await delay(10);
  await first.kill();
  const samples = await sampled;
  hangUp();
  const second = await folder.serve();
  const kept = await keptBy(second.url);
  const lost = students.flatMap(({ submitted }, index) =>
    submitted.filter((id) => kept[index]?.includes(id) !== true),
  );
  const more = await workThrough(second.url, students, {
    ...{ requests: STUDENTS, perSecond: PER_SECOND, first: (STEPS - 1) * STUDENTS },
  });
  const all = await keptBy(second.url);
  await second.kill();

  const broken = samples.filter(({ status }) => status !== 200);
  expect(new Set(broken.map(({ status }) => status))).toEqual(new Set([0]));
  expect(broken.length).toBeLessThanOrEqual(STUDENTS / 2);
  expect(lost).toEqual([]);
  expect(more.filter(({ status }) => status !== 200)).toEqual([]);
  expect(all.map((ids) => ids.length)).toEqual(students.map(() => 2));
}, 300_000);
