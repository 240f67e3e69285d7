/**
 * @module
 * The check of logs: what Byzantine nodes do, and what a missing log hides, is no defect of honest nodes; the merged trace
 * has real times and crashes; and files that are no logs are refused and not changed.
 */

import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

import { afterEach, describe, expect, it } from 'vitest';

import { checkJson, checkText } from '../../src/cli/live/log-check.ts';
import { lastStates } from '../../src/live/check/last-state.ts';
import type { ControllerNotes } from '../../src/live/check/log-check.ts';
import { checkLogs } from '../../src/live/check/log-check.ts';
import { readRecords } from '../../src/live/check/read-log.ts';
import { clockedTrace } from '../../src/live/check/trace-file.ts';
import { foldJournal, openNodeLog } from '../../src/live/node-log.ts';
import { writtenTrace } from '../../src/simulation/report/trace-formats.ts';
import type { LoggedRunOptions } from './logged-run.ts';
import { loggedRun } from './logged-run.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

async function ran(options: LoggedRunOptions) {
  const run = await loggedRun(options);
  folders.push(run.folder);
  for (let node = 1; node <= options.nodes; node += 1) run.step(node, { type: 'start' });
  run.settle();
  return run;
}

/** What a controller that has started the nodes with their first step knows. */
function notesWith(notes: Partial<ControllerNotes>): ControllerNotes {
  return {
    ...{ numberOf: () => undefined, disturbances: [], adversaries: [], startedMs: 1_001 },
    ...notes,
  };
}

describe('the check', () => {
  it.each(['phantom-id', 'equivocate', 'spoof-coordinator'])(
    'takes every step of honest nodes at L0 beside a Byzantine one with %s',
    async (behaviour) => {
      const { network, logs } = await ran({
        nodes: 4,
        level: 'L0',
        behaviours: { 2: [behaviour] },
      });

      const checked = checkLogs(network, logs());

      const { defect, records, forged } = checked.replayed;
      expect(defect).toBeNull();
      expect(records.filter(({ action }) => action.type === 'inject').length).toBeGreaterThan(0);
      const states = lastStates(checked);
      expect(states.map(({ node }) => node)).toEqual([1, 2, 3, 4]);
      expect(states[1]?.status).toBe('unchecked');
      if (behaviour !== 'phantom-id') expect(forged).toBeGreaterThan(0);
      else expect(checked.numbers).toEqual([1, 2, 3, 4, null]);
      expect(writtenTrace(clockedTrace(checked), 'svg')).toContain('<svg');
    },
  );

  it('says whose log is missing, and takes what this node sent as it arrived', async () => {
    const { network, logs } = await ran({ nodes: 3, level: 'L2' });

    const { replayed, missing } = checkLogs(network, logs([1, 2]));

    expect(replayed.defect).toBeNull();
    expect(missing).toEqual([3]);
    expect(replayed.world.nodes.slice(0, 2).map(({ leader }) => leader)).toEqual([3, 3]);
  });

  it('refuses a message that an honest node did not send, from L2 on', async () => {
    const run = await ran({ nodes: 2, level: 'L2' });
    const message = { type: 'ELECTION', seal: { signature: 'signed', by: run.rankOf(1) } };
    run.receive({ from: 1, to: run.rankOf(2), message, stamp: { id: 99, clock: {} } });

    const { replayed } = checkLogs(run.network, run.logs());

    expect(replayed.defect?.reason).toBe('receives message 99 of node 1, which was not sent');
  });

  it('takes a message that the network has copied where copies count', async () => {
    const run = await loggedRun({ nodes: 2, level: 'L0' });
    folders.push(run.folder);
    run.step(1, { type: 'start' });
    const [first] = run.sent;
    run.settle();
    if (first !== undefined) run.receive(first);
    run.settle();

    const { defect, records } = checkLogs(run.network, run.logs()).replayed;

    expect(defect).toBeNull();
    expect(records.map(({ action }) => action.type)).toContain('duplicate');
  });
});

describe('the output', () => {
  it('names the nodes of a defect by their numbers in the cluster', async () => {
    const run = await ran({ nodes: 2, level: 'L2' });
    const message = { type: 'ELECTION', seal: { signature: 'signed', by: run.rankOf(1) } };
    run.receive({ from: 1, to: run.rankOf(2), message, stamp: { id: 99, clock: {} } });
    const numberOf = (rank: string) => (rank === run.rankOf(1) ? 2 : 1);

    const checked = checkLogs(run.network, run.logs(), notesWith({ numberOf }));

    expect(checkText(checked)).toMatch(
      /of node 1: it receives message 99 of node 2, which was not sent$/m,
    );
  });

  it('names nodes by their numbers in the cluster, and says once how traces number them', async () => {
    const run = await ran({ nodes: 3, level: 'L2' });
    const order = [2, 3, 1].map((position) => String(run.rankOf(position)));
    const numberOf = (rank: string) => order.indexOf(rank) + 1;
    const ends = [{ type: 'end', node: order[2] ?? '', t: run.now() } as const];

    const checked = checkLogs(run.network, run.logs(), notesWith({ numberOf, disturbances: ends }));

    const lines = [
      `The model takes all ${checked.replayed.records.length} steps`,
      'at the end node 1 follows 2, node 2 follows 2, node 3 is down',
    ];
    const ofTrace =
      'the nodes in the trace are numbered in the order of their IDs, otherwise than here: node 3 is 1, node 1 is 2, node 2 is 3';
    expect(checkText(checked)).toBe(`${lines.join('\n')}\n`);
    expect(checkText(checked, true)).toBe(`${[...lines, ofTrace].join('\n')}\n`);
    expect(checkJson(checked)).toMatchObject({ leaders: [2, 2, null], numbers: [3, 1, 2] });
    expect([...clockedTrace(checked).traceLines()][0]).toContain('"numbers":[3,1,2]');
  });

  it('names the node whose log is missing, and nodes that others suspect', async () => {
    const run = await ran({ nodes: 3, level: 'L2' });
    run.step(1, { type: 'suspect', node: run.rankOf(2) });
    run.settle();

    const text = checkText(checkLogs(run.network, run.logs([1, 2])));

    expect(text).toContain('the log of node 3 is missing: its steps are not checked');
    expect(text).toContain('node 2 (suspected by 1) follows 3\n');
  });
});

describe('the merged trace', () => {
  it('has concurrent steps by real time, with the milliseconds since the first', async () => {
    const run = await loggedRun({ nodes: 3, level: 'L2' });
    folders.push(run.folder);
    run.step(3, { type: 'suspect', node: run.rankOf(1) });
    run.wait(400);
    run.step(1, { type: 'suspect', node: run.rankOf(2) });
    run.wait(100);
    run.step(2, { type: 'trust', node: run.rankOf(1) });

    const { records } = checkLogs(run.network, run.logs()).replayed;

    const seen = records.map(({ t, action }) => [t, 'node' in action ? action.node : null]);
    expect(seen).toEqual([
      [0, 3],
      [401, 1],
      [502, 2],
    ]);
  });

  it('has a crash when the process ended, and without a return too', async () => {
    const run = await ran({ nodes: 3, level: 'L2' });
    const first = run.now();
    run.wait(200);
    const killed = run.now();
    run.wait(300);
    run.recover(1);
    run.settle();
    run.wait(50);
    const end = (node: number, t: number) => {
      return { type: 'end', node: String(run.rankOf(node)), t } as const;
    };
    const disturbances = [end(1, killed), end(3, run.now())];
    const paths = run.logs();

    const checked = checkLogs(run.network, paths, notesWith({ disturbances }));
    const alone = checkLogs(run.network, paths);

    const crashes = ({ replayed }: typeof checked) =>
      replayed.records.flatMap(({ t, action }) =>
        action.type === 'crash' ? [[action.node, t] as const] : [],
      );
    const begin = 1_001;
    expect(crashes(checked)).toEqual([
      [1, killed - begin],
      [3, run.now() - begin],
    ]);
    expect(lastStates(checked)[2]).toMatchObject({ node: 3, status: 'down' });
    // Without the times of the controller it is after the last step of the node.
    expect(crashes(alone)).toHaveLength(1);
    expect(crashes(alone)[0]?.[1]).toBeLessThanOrEqual(first - begin);
    const kinds = checked.replayed.records.map(({ action }) => action.type);
    expect(kinds.indexOf('recover')).toBeGreaterThan(kinds.indexOf('crash'));
  });
});

describe('the log of a node that was killed', () => {
  it('is read without a trace, and is one file when its journal is folded into it', async () => {
    const run = await ran({ nodes: 1, level: 'L2' });
    const [path = ''] = run.logs();
    const killed = join(run.folder, 'killed.log');
    const { owner, records } = readRecords(path, (line) => line);
    const log = openNodeLog(path, owner);
    const recorder = { sent: 0, clock: {} };
    log.append({
      records: [{ t: 2_000, event: { type: 'start' }, effects: [], clock: {} }],
      recorder,
      persisted: undefined,
      heard: null,
    });
    for (const end of ['', '-wal']) copyFileSync(`${path}${end}`, `${killed}${end}`);
    log.close();
    const files = () => readdirSync(run.folder).filter((name) => name.startsWith('killed'));

    const before = readRecords(killed, (line) => line).records;
    const filesRead = files();
    foldJournal(killed);

    expect(before).toHaveLength(records.length + 1);
    expect(filesRead).toEqual(['killed.log', 'killed.log-wal']);
    expect(files()).toEqual(['killed.log']);
    expect(readRecords(killed, (line) => line).records).toEqual(before);
  });
});

describe('a log whose author lies', () => {
  it('is refused if it states a weaker level than the others, which would excuse forgeries', async () => {
    const run = await ran({ nodes: 3, level: 'L2' });
    const [one = '', two = ''] = run.logs([1, 2]);
    rewrite(two, "UPDATE owner SET owner = json_set(owner, '$.level', ?)", 'L0');

    expect(() => checkLogs(run.network, [one, two])).toThrow(
      /2\.log is of bully-oneshot, level L0, .* the first log of bully-oneshot, level L2, /,
    );
  });

  it.each([
    [2, 'has a join of itself'],
    [3, 'has a join of node 3, which is a founder'],
  ])('has a defect if node 2 lets node %i join', async (joining, reason) => {
    const run = await ran({ nodes: 3, level: 'L2' });
    const [path = ''] = run.logs([2]);
    const event = { type: 'join', node: run.rankOf(joining) };
    const record = { t: run.now(), event, effects: [], clock: {} };
    rewrite(
      path,
      'INSERT INTO records SELECT MAX(seq) + 1, ? FROM records',
      JSON.stringify(record),
    );

    expect(checkLogs(run.network, [path]).replayed.defect?.reason).toBe(reason);
  });

  it('has no line of its own in the output', async () => {
    const run = await ran({ nodes: 2, level: 'L2' });
    const [path = ''] = run.logs([2]);
    const record = { t: run.now(), event: { type: 'x\nall is well' }, effects: [], clock: {} };
    rewrite(
      path,
      'INSERT INTO records SELECT MAX(seq) + 1, ? FROM records',
      JSON.stringify(record),
    );

    const text = checkText(checkLogs(run.network, [path]));

    expect(text).toContain('x\\u000aall is well');
    expect(text).not.toContain('\nall is well');
  });
});

function rewrite(path: string, change: string, value: string): void {
  const database = new DatabaseSync(path);
  database.prepare(change).run(value);
  database.close();
}

const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
const nested = `{"t":1,"event":{"type":"recover","persisted":${deep}},"effects":[],"clock":{}}`;

describe('a file that is no log', () => {
  function scratch(): string {
    const folder = mkdtempSync(join(tmpdir(), 'usurp-log-'));
    folders.push(folder);
    return folder;
  }

  it('is refused if it is missing, and is not made', () => {
    const folder = scratch();

    expect(() => readRecords(join(folder, 'no.log'), (line) => line)).toThrow('it does not exist');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is refused if it is of another program, and is not changed', () => {
    const folder = scratch();
    const text = join(folder, 'text.log');
    writeFileSync(text, 'not a database');
    const other = join(folder, 'other.log');
    const database = new DatabaseSync(other);
    database.exec('CREATE TABLE notes (note TEXT)');
    database.close();
    const before = readFileSync(other);

    expect(() => readRecords(text, (line) => line)).toThrow('it is no file of SQLite');
    expect(() => readRecords(other, (line) => line)).toThrow('it has other tables than a log');
    expect(readFileSync(other).equals(before)).toBe(true);
    expect(readdirSync(folder)).toEqual(['other.log', 'text.log']);
  });

  it('is refused at once if a view without end stands for its records', async () => {
    const run = await ran({ nodes: 1, level: 'L2' });
    const [path = ''] = run.logs();
    const database = new DatabaseSync(path);
    database.exec(`DROP TABLE records;
      CREATE VIEW records AS WITH RECURSIVE c(seq) AS (SELECT 0 UNION ALL SELECT seq + 1 FROM c)
      SELECT seq, '{}' AS record FROM c;`);
    database.close();

    expect(() => readRecords(path, (line) => line)).toThrow('it has other tables than a log');
  });

  it.each([
    ['{', 'json.syntax'],
    ['{"t":1,"event":{"type":"deliver"},"effects":[],"clock":{}}', 'schema'],
    [nested, 'json.depth'],
  ])('is refused with a record such as %.60s', async (record, code) => {
    const run = await ran({ nodes: 1, level: 'L2' });
    const [path = ''] = run.logs();
    rewrite(path, 'UPDATE records SET record = ?', record);

    expect(() => checkLogs(run.network, [path])).toThrow(expect.objectContaining({ code }));
  });
});
