/**
 * @module
 * A class of 300 students under load, as counts: all are answered, and a server that is killed in between has lost no
 * submission that it acknowledged. `npm run bench:class` measures the speed.
 */

import { afterAll, expect, it } from 'vitest';
import {
  classFolder,
  joined,
  keptSubmissions,
  workThrough,
} from '../../../bench/load/class-room.ts';
import { hangUp } from '../../../bench/load/client.ts';

const STUDENTS = 300;
/** Up to the submission that is right. */
const REQUESTS = 7 * STUDENTS;
const folder = classFolder(STUDENTS);

afterAll(() => {
  hangUp();
  folder.remove();
});

it('answers all students, and loses no acknowledged submission when it is killed', async () => {
  const first = await folder.serve();
  const students = await joined(first.url, folder.codes());

  const samples = await workThrough(first.url, students, { requests: REQUESTS, perSecond: 60 });
  await first.kill();
  hangUp();
  const second = await folder.serve();
  const kept = await Promise.all(students.map((each) => keptSubmissions(second.url, each)));
  await second.kill();

  expect(samples.filter(({ status }) => status !== 200)).toEqual([]);
  const lost = students.flatMap(({ submitted }, index) =>
    submitted.filter((id) => kept[index]?.includes(id) !== true),
  );
  expect(lost).toEqual([]);
  expect(students.map(({ submitted }) => submitted.length)).toEqual(students.map(() => 2));
}, 300_000);
