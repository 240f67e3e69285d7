/**
 * @module
 * What the lab says of nodes that follow a phantom.
 */

import { expect, it } from 'vitest';

import {
  nodeSentence,
  observationText,
  phantomSentences,
} from '../../../server/web/clusters/cluster-text.ts';
import { effectSentences } from '../../../src/simulation/report/sentences.ts';

const PHANTOM = 'f'.repeat(64);
const SHOWN = 'a phantom (no node has the rank ffffffffffffffff…)';

function nodeOf(node: number, phantom: string | null) {
  const quiet = { epoch: 0, suspects: [], refused: {}, behaviours: [], rate: 1 };
  const honest = { ...quiet, adversary: false };
  return { node, status: 'up', leader: null, phantom, ...honest } as const;
}

it('names the phantom that a node follows, and the nodes that follow it', () => {
  const nodes = [nodeOf(1, PHANTOM), nodeOf(2, null), nodeOf(3, PHANTOM)];

  expect(nodes.map(nodeSentence)).toEqual([
    `It is up. It follows ${SHOWN}.`,
    'It is up. It follows no leader.',
    `It is up. It follows ${SHOWN}.`,
  ]);
  expect(phantomSentences({ status: 'running', nodes })).toEqual([`Nodes 1, 3 follow ${SHOWN}.`]);
  expect(phantomSentences({ status: 'over', nodes: nodes.slice(0, 2) })).toEqual([
    `Node 1 followed ${SHOWN}.`,
  ]);
  expect(effectSentences([{ type: 'elect', leader: PHANTOM, epoch: 0 }])).toEqual([
    `follows ${SHOWN} as its leader`,
  ]);
});

it('says which node an attack has started, and when an honest one noticed it', () => {
  const observation = { node: 3, what: 'admits it', seconds: 10.812, count: 2 };

  expect(nodeSentence({ ...nodeOf(4, null), leader: 4, adversary: true })).toBe(
    'It is up. It leads. An attack has started it.',
  );
  expect(nodeSentence({ ...nodeOf(2, null), rate: 1.5 })).toBe(
    'It is up. It follows no leader. Its clock runs at 1.5 times the real rate.',
  );
  expect(observationText(observation)).toBe('10.812 s: node 3 admits it, 2 times');
});
