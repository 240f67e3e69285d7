/**
 * @module
 * The feed of solves, as callers who see a part of it receive it when a solve is removed.
 */

import { expect, it } from 'vitest';
import type { Solve } from '../../../server/exercises/solve-feed.ts';
import { SolveFeed } from '../../../server/exercises/solve-feed.ts';

const workOf = (student: string) => ({ student, exercise: 'mine-claim', version: 1 });

/** A feed of three solves, and a caller who has received all that it may see. */
async function followed(see: (solve: Solve) => boolean) {
  const feed = new SolveFeed();
  for (const [index, student] of ['ann', 'bob', 'cem'].entries()) feed.add(workOf(student), index);
  const source = feed.source({
    see: (solve) => (see(solve) ? solve : null),
    ...{ form: 'jsonl', after: -1, end: 'deleted' },
  });
  const read = async () => {
    const piece = await source.next(() => false);
    const lines = (piece?.text ?? '').split('\n').filter((line) => line !== '');
    return lines.map((line) => {
      const { event, student, seq } = JSON.parse(line);
      return event === 'solve' ? `${seq} ${student}` : event;
    });
  };
  return { feed, read, first: await read() };
}

const isNotBob = ({ student }: Solve) => student !== 'bob';

it('the removal of a solve that a caller does not see is hidden', async () => {
  const { feed, read, first } = await followed(isNotBob);

  feed.remove(workOf('bob'));
  const afterRemoval = await read();
  feed.add(workOf('dan'), 3);

  expect([first, afterRemoval]).toEqual([['0 ann', '1 cem'], []]);
  expect(await read()).toEqual(['2 dan']);
});

it('the removal of one that a caller sees begins its feed again, also beside a hidden one', async () => {
  const { feed, read } = await followed(isNotBob);

  feed.remove(workOf('bob'));
  feed.remove(workOf('ann'));

  expect(await read()).toEqual(['resync', '0 cem']);
});

it('the removal of one that a caller has not received yet changes nothing for it', async () => {
  const { feed, read } = await followed(() => true);
  feed.add(workOf('dan'), 3);
  feed.add(workOf('eve'), 4);

  feed.remove(workOf('dan'));

  expect(await read()).toEqual(['3 eve']);
});
