/**
 * @module
 * Uniqueness in an epoch, as election/properties.ts defines it, and the history of the leaders of epochs.
 */

import { fromRank } from '../../election/world/cast.ts';
import type { CheckedProperty, History, NodeStep } from '../property.ts';

/** An epoch and a node that led it. */
type Led = readonly [epoch: number, leader: number];

/** Nodes that led themselves in each epoch, each once, ascending. Epoch 0 is none. */
export const LEADERS_OF_EPOCHS: History<readonly Led[], Led> = {
  first: [],
  notesOf: ledIn,
  fold: (past, note) => withPair(past, note),
  renamed: renamedPairs,
};

/** The epochs in which a node led itself by the effects of one step. */
export function ledIn({ rank, effects }: Pick<NodeStep, 'rank' | 'effects'>): readonly Led[] {
  return effects.flatMap((effect): Led[] =>
    effect.type === 'elect' && fromRank(effect.leader) === rank && effect.epoch > 0
      ? [[effect.epoch, rank]]
      : [],
  );
}

/** A sorted list of pairs with one more, unless it has it. */
export function withPair<Pair extends readonly [number, number]>(
  pairs: readonly Pair[],
  pair: Pair,
): readonly Pair[] {
  if (pairs.some((each) => each[0] === pair[0] && each[1] === pair[1])) return pairs;
  return [...pairs, pair].toSorted((left, right) => left[0] - right[0] || left[1] - right[1]);
}

/** A sorted list of pairs of a number and a rank with other ranks. */
export function renamedPairs(
  pairs: readonly (readonly [number, number])[],
  rankOf: (rank: number) => number,
): readonly (readonly [number, number])[] {
  return pairs.reduce<readonly (readonly [number, number])[]>(
    (renamed, [number, rank]) => withPair(renamed, [number, rankOf(rank)]),
    [],
  );
}

/** The first two pairs with the same number; null if all numbers differ. */
export function clashIn<Pair extends readonly [number, number]>(
  pairs: readonly Pair[],
): { readonly number: number; readonly values: readonly [number, number] } | null {
  for (const [index, [number, value]] of pairs.entries()) {
    const next = pairs[index + 1];
    if (next?.[0] === number) return { number, values: [value, next[1]] };
  }
  return null;
}

export const ONE_LEADER_PER_EPOCH: CheckedProperty = {
  name: 'one-leader-per-epoch',
  kind: 'always',
  description: 'an epoch never has two honest leaders, now or earlier',
  claim: {
    unsupportedReason: ({ unique }) => (unique === 'epoch' ? null : 'its leaders have no epochs'),
    matrix: ['S1'],
  },
  partner: 'someone-leads',
  histories: [LEADERS_OF_EPOCHS],
  readings: [],
  isSymmetric: true,
  holds: (view) => clashIn(view.pastOf(LEADERS_OF_EPOCHS)) === null,
  breach(view) {
    const clash = clashIn(view.pastOf(LEADERS_OF_EPOCHS));
    if (clash === null) return 'no epoch has two honest leaders';
    return `nodes ${clash.values.join(' and ')} both led epoch ${clash.number}`;
  },
};

/** An epoch and a leader that a node follows in it. */
type Followed = readonly [epoch: number, leader: number];

/** Leaders that nodes followed in each epoch, each once, ascending. Epoch 0 is none. */
const FOLLOWED_IN_EPOCHS: History<readonly Followed[], Followed> = {
  first: [],
  notesOf: ({ effects }) =>
    effects.flatMap((effect): Followed[] =>
      effect.type === 'elect' && effect.epoch > 0 ? [[effect.epoch, fromRank(effect.leader)]] : [],
    ),
  fold: (past, note) => withPair(past, note),
  renamed: renamedPairs,
};

/**
 * Agreement in each epoch: all nodes that ever follow a leader of an epoch follow the same one. This is stronger
 * than one leader per epoch, because a follower must not follow a node that does not lead.
 */
export const AGREEMENT_PER_EPOCH: CheckedProperty = {
  name: 'agreement-per-epoch',
  kind: 'always',
  description: 'no two honest nodes ever follow different leaders of one epoch',
  claim: {
    unsupportedReason: ({ unique }) => (unique === 'epoch' ? null : 'its leaders have no epochs'),
    matrix: ['S1'],
  },
  partner: 'someone-leads',
  histories: [FOLLOWED_IN_EPOCHS],
  readings: [],
  isSymmetric: true,
  holds: (view) => clashIn(view.pastOf(FOLLOWED_IN_EPOCHS)) === null,
  breach(view) {
    const clash = clashIn(view.pastOf(FOLLOWED_IN_EPOCHS));
    if (clash === null) return 'each epoch has one leader';
    return `${clash.values.join(' and ')} were both followed as leaders of epoch ${clash.number}`;
  },
};
