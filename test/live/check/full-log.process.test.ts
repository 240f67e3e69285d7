/**
 * @module
 * A log has a bounded size, whatever a Byzantine member sends. What a node did when its log was full is unknown, and no
 * defect of others.
 */

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { replayLogs } from '../../../src/live/check/live-trace.ts';
import { checkLogs, shares } from '../../../src/live/check/log-check.ts';
import { readRecords } from '../../../src/live/check/read-log.ts';
import { liveCast } from '../../../src/live/live-machine.ts';
import { openNodeLog } from '../../../src/live/node-log.ts';
import { parseLiveRecord } from '../../../src/live/node-record.ts';
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
    const { owner } = readRecords(first, (line) => line);
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
      return readRecords(path, (line) => line).records.length;
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
      const records = readRecords(path, (line) => line).records.map(parseLiveRecord);
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

describe('logs that are together too long for a check', () => {
  it.each([
    [[5, 5, 5], 12, [4, 4, 4]],
    [[1, 9, 9], 12, [1, 5, 6]],
    [[1, 2, 3], 12, [1, 2, 3]],
    [[], 12, []],
  ])('of the sizes %j have of %i the shares %j', (sizes, most, expected) => {
    expect(shares(sizes, most)).toEqual(expected);
  });

  it('are checked up to a step, and the rest is unknown and no defect', async () => {
    const run = await ran();
    const paths = run.logs();
    const all = checkLogs(run.network, paths).replayed;
    const { length } = all.records;

    const cut = checkLogs(run.network, paths, null, { count: length - 1, bytes: 1e9 }).replayed;
    const short = checkLogs(run.network, paths, null, { count: length, bytes: 600 }).replayed;

    expect(all.unchecked).toBeNull();
    for (const { defect, unchecked, records } of [cut, short]) {
      expect(defect).toBeNull();
      expect(unchecked).toMatch(
        /^the logs together are too long for a check, which takes the first \d+ records of node \d$/,
      );
      expect(records.length).toBeLessThan(length);
    }
  });
});

it('messages to nodes without a log do not stay in the world that every step copies', async () => {
  const run = await loggedRun({ nodes: 3, level: 'L2' });
  folders.push(run.folder);
  run.step(1, { type: 'start' });
  run.step(1, { type: 'timeout', timer: 'answer' });
  for (let times = 0; times < 20; times += 1) {
    run.step(1, { type: 'trust', node: run.rankOf(3) });
    run.step(1, { type: 'timeout', timer: 'coordinator' });
    run.step(1, { type: 'timeout', timer: 'answer' });
  }

  const { replayed } = checkLogs(run.network, run.logs([1]));

  expect(replayed.defect).toBeNull();
  const sends = replayed.records.flatMap(({ effects }) =>
    effects.filter(({ type }) => type === 'send'),
  );
  expect(sends.length).toBeGreaterThan(20);
  expect(replayed.world.inFlight).toEqual([]);
});
