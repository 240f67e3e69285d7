/**
 * @module
 * Agreement in each epoch: all nodes that ever follow a leader of an epoch follow the same one. This is stronger than
 * one leader per epoch, because a follower must not follow a node that does not lead.
 */

import { fromRank } from '../../election/world/cast.ts';
import type { CheckedProperty, History } from '../property.ts';
import { clashIn, renamedPairs, withPair } from './one-leader-per-epoch.ts';

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
