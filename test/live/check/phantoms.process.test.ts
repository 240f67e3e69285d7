/**
 * @module
 * Messages of one Byzantine member do not prevent the check of the logs of honest nodes, whatever ranks they name.
 */

import { rmSync } from 'node:fs';

import { afterEach, describe, expect, it } from 'vitest';

import { checkJson, checkText } from '../../../src/cli/live/log-check.ts';
import type { Message } from '../../../src/election/machine.ts';
import { checkLogs } from '../../../src/live/check/log-check.ts';
import { PHANTOMS_MAX } from '../../../src/live/check/model-network.ts';
import type { LoggedRunOptions } from '../logged-run.ts';
import { loggedRun } from '../logged-run.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** An election of three nodes, and then messages of node 3 to node 2. The log of node 3 is not given. */
async function checkedWith(
  level: LoggedRunOptions['level'],
  messagesOf: (rankOf: (position: number) => string) => readonly Message[],
) {
  const run = await loggedRun({ nodes: 3, level });
  folders.push(run.folder);
  for (const node of [1, 2, 3]) run.step(node, { type: 'start' });
  run.settle();
  const [by, to] = [run.rankOf(3), run.rankOf(2)];
  for (const [index, message] of messagesOf((position) => String(run.rankOf(position))).entries()) {
    const sealed = level === 'L0' ? message : { ...message, seal: { signature: 'signed', by } };
    run.receive({ from: 3, to, message: sealed, stamp: { id: 1_000 + index, clock: {} } });
  }
  return checkLogs(run.network, run.logs([1, 2]));
}

function invented(count: number, first = 0): readonly string[] {
  return Array.from({ length: count }, (_, index) =>
    (first + index).toString(16).padStart(64, '0'),
  );
}

describe('messages of a member that name ranks that no member has', () => {
  it('add nothing to the model where machines look for no ranks', async () => {
    const checked = await checkedWith('L2', (rankOf) => [
      ...Array.from({ length: 100 }, (_, index) => ({
        type: 'HELLO',
        x: invented(14, 14 * index),
      })),
      { type: 'OK', x: invented(14) } as Message,
      { type: rankOf(2) },
      { type: 'HOLD_LEADER', leader: invented(1)[0], epoch: 0 } as Message,
    ]);

    const { defect, unchecked, records } = checked.replayed;
    expect({ defect, unchecked }).toEqual({ defect: null, unchecked: null });
    expect(records.filter(({ action }) => action.type === 'inject').length).toBeGreaterThan(103);
    expect(checked.numbers).toEqual([1, 2, 3]);
  });

  it('end the check of what follows if they are too many, which names the member', async () => {
    const checked = await checkedWith('L0', () =>
      invented(PHANTOMS_MAX + 1).map((leader) => ({ type: 'COORDINATOR', leader }) as Message),
    );

    const { defect, unchecked, records } = checked.replayed;
    expect(defect).toBeNull();
    expect(unchecked).toMatch(
      /^the messages name 513 ranks that no member has, most of them in the name of node 3; /,
    );
    expect(records.length).toBeGreaterThan(PHANTOMS_MAX);
    expect(checkJson(checked)).toMatchObject({ accepted: false, unchecked });
    expect(checkText(checked)).toContain(`the rest is unknown: ${unchecked}`);
  });
});
