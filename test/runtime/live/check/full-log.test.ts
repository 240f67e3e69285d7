/**
 * @module
 * A log has a bounded size, whatever a Byzantine member sends. What a node did when its log was full is unknown, and no
 * defect of others.
 */

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { replayLogs } from '../../../../src/runtime/live/check/live-trace.ts';
import { liveCast } from '../../../../src/runtime/live/live-machine.ts';
import { openNodeLog, readNodeLog } from '../../../../src/runtime/live/node-log.ts';
import { parseLiveRecord } from '../../../../src/runtime/live/node-record.ts';
import { loggedRun } from '../logged-run.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

async function ran() {
  const run = await loggedRun({ nodes: 3, level: 'L2' });
  folders.push(run.folder);
  for (const node of [1, 2, 3]) run.step(node, { type: 'start' });
  run.settle();
  return run;
}

describe('a log that is full', () => {
  it('has no further records, also after a restart of the node', async () => {
    const run = await ran();
    const [first = ''] = run.logs([1]);
    const { owner } = readNodeLog(first);
    const path = join(run.folder, 'full.log');
    const message = { type: 'HELLO', x: 'x'.repeat(500) };
    const event = { type: 'deliver', from: run.rankOf(3), id: 0, message } as const;
    const records = [{ t: 1, event, effects: [], clock: {} }];
    const written = {
      records,
      recorder: { sent: 0, clock: {} },
      persisted: undefined,
      heard: null,
    };

    const counts = [1, 2].map(() => {
      const log = openNodeLog(path, owner, 1_000);
      for (let times = 0; times < 3; times += 1) log.append(written);
      expect(log.isComplete()).toBe(false);
      log.close();
      return readNodeLog(path).records.length;
    });

    expect(counts).toEqual([2, 2]);
  });

  it('makes later steps of other nodes unknown, which would be defects after a whole log', async () => {
    const run = await ran();
    const { network } = run;
    const live = {
      protocol: 'bully-oneshot',
      timing: { latencyTicksMax: 10 },
      defences: [],
    } as const;
    const whole = run.logs().map((path, index) => {
      const records = readNodeLog(path).records.map(parseLiveRecord);
      return { position: index + 1, records, isByzantine: false };
    });
    const replayed = (isFull: boolean) => {
      const logs = whole.map((log) =>
        log.position === 3 ? { ...log, records: log.records.slice(0, 1), isFull } : log,
      );
      return replayLogs(liveCast(live, network), network, logs);
    };

    const reason = expect.stringContaining('which was not sent');
    expect(replayed(false)).toMatchObject({ defect: { reason }, unchecked: null });
    expect(replayed(true)).toMatchObject({
      defect: null,
      unchecked: 'the log of node 3 is full, so that its later steps are not known',
    });
  });
});
