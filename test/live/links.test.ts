/**
 * @module
 * Messages that chance loses or duplicates on the links of a node, drawn from a seed.
 */

import { expect, it } from 'vitest';
import { toRank } from '../../src/election/world/cast.ts';
import { Links } from '../../src/live/transport/links.ts';
import { parseSeed } from '../../src/random.ts';

const [own, other] = [toRank(1), toRank(2)];
const seed = parseSeed('7');

/** How often each of 1 000 messages arrives. */
function arriving(links: Links): readonly number[] {
  return Array.from({ length: 1_000 }, () => links.copies(other));
}

it('a share of the messages is lost, the same with the same seed, and other ones in the next life', () => {
  const [one, same, next] = [new Links(own, 1), new Links(own, 1), new Links(own, 2)];
  for (const links of [one, same, next]) links.take('lose', { share: 0.2, seed });

  const arrived = arriving(one);

  const lost = arrived.filter((copies) => copies === 0).length;
  expect(lost).toBeGreaterThan(150);
  expect(lost).toBeLessThan(250);
  expect(arriving(same)).toEqual(arrived);
  expect(arriving(next)).not.toEqual(arrived);
});

it('all are duplicated with a share of 1, and none with a share of 0', () => {
  const links = new Links(own, 1);
  links.take('duplicate', { share: 1, seed });
  const twice = new Set(arriving(links));
  links.take('duplicate', { share: 0, seed });

  expect([twice, new Set(arriving(links))]).toEqual([new Set([2]), new Set([1])]);
});

it('no copy passes a partition', () => {
  const links = new Links(own, 1);
  links.take('duplicate', { share: 1, seed });
  links.cut({ to: [String(other)], from: [] });

  expect(new Set(arriving(links))).toEqual(new Set([0]));
  expect([links.reaches(other), links.receivesFrom(other)]).toEqual([false, true]);

  links.cut({ to: [], from: [String(other)] });

  expect(new Set(arriving(links))).toEqual(new Set([2]));
  expect([links.reaches(other), links.receivesFrom(other)]).toEqual([true, false]);
});
