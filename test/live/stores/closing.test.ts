/**
 * @module
 * A node that stops waits a moment for the answers of its store, and begins no operation any more.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it, onTestFinished } from 'vitest';

import type { Message, Rank } from '../../../src/election/machine.ts';
import { openNodeStore } from '../../../src/live/start-node.ts';

it('a node that stops has the answers to its open operations, and begins no other', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'usurp-finish-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const answers: Message[] = [];
  // A rank of a live node is hex.
  const use = {
    own: '1a' as string as Rank,
    election: 'test',
    protocol: 'db-lease',
    timing: { latencyTicksMax: 10 },
  } as const;
  const store = await openNodeStore(
    `sqlite:${join(folder, 'store.sqlite')}`,
    { ...use, resource: 'unfenced' },
    { answer: (value) => void answers.push(value), passes: () => true, arrives: () => true },
  );
  const write = (value: number) => Object.assign({ type: 'WRITE' }, { epoch: 1, value });

  store.call(write(1), 0);
  const closed = store.close();
  store.call(write(2), 1);
  await closed;

  expect(answers).toEqual([{ type: 'WRITTEN', epoch: 1, value: 1 }]);
});
