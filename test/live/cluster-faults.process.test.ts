/**
 * @module
 * Faults around a cluster: its controller is killed at once, a node reports nonsense, a takeover fails, a file is
 * damaged. None leaves anything behind or ends the controller.
 */

import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';

import { afterAll, afterEach, describe, expect, it } from 'vitest';

import { warningsOfNodes } from '../../src/cli/live/play.ts';
import { EXIT } from '../../src/cli/shell/exit.ts';
import { LabError } from '../../src/errors.ts';
import { Cluster } from '../../src/live/cluster/cluster.ts';
import { clusterPolicy } from '../../src/live/cluster/cluster-files.ts';
import type { ClusterSession } from '../../src/live/cluster/cluster-session.ts';
import { parseNodeCommand } from '../../src/live/cluster/control.ts';
import type { Namespaces } from '../../src/live/cluster/namespaces.ts';
import { Observer, takeOver } from '../../src/live/cluster/takeover.ts';
import { openNodeLog } from '../../src/live/node-log.ts';
import { parseLiveRecord } from '../../src/live/node-record.ts';
import { ended, ROOT } from '../cli/shell.ts';
import { testKey, testNetwork, until, writeKey } from './network.ts';

const folder = mkdtempSync(join(tmpdir(), 'usurp-faults-'));
const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('a controller that is killed with its first file', () => {
  const CLUSTER = join(import.meta.dirname, '../../src/live/cluster');
  const SETTINGS = {
    ...{ nodes: 3, protocol: 'bully-oneshot', timing: { latencyTicksMax: 50 }, level: 'L3' },
    ...{ detector: 'fd-phi-akka', defences: [], c1: 0, c2: 0, tls: true, store: null },
  };
  const IN_ONE = `
    const { startCluster } = await import(${urlOf('cluster-session.ts')});
    await startCluster(${JSON.stringify(SETTINGS)}, options);`;
  const node = {
    ...{ machine: 'alpha', position: 1, rank: 'aa', key: 'key.json' },
    claim: { publicKey: testKey(1).claim.publicKey },
  };
  const placed = { settings: SETTINGS, network: { peers: [] }, peers: '{}', nodes: [node] };
  const here = { machine: 'alpha', keys: folder, gatherMs: 0 };
  const ON_SEVERAL = `
    const { startHere } = await import(${urlOf('machines.ts')});
    startHere(${JSON.stringify(placed)}, ${JSON.stringify(here)}, options);`;

  function urlOf(file: string): string {
    return JSON.stringify(pathToFileURL(join(CLUSTER, file)).href);
  }

  it.each([
    ['on one machine', IN_ONE],
    ['on several machines', ON_SEVERAL],
  ])('leaves no folder %s', async (_, start) => {
    writeKey(join(folder, 'key.json'), testKey(1));
    const temporary = mkdtempSync(join(tmpdir(), 'usurp-faults-'));
    closing.push(() => rmSync(temporary, { recursive: true, force: true }));
    const script = `
      import fs from 'node:fs';
      import { syncBuiltinESMExports } from 'node:module';
      const write = fs.writeFileSync;
      fs.writeFileSync = (...args) => {
        write(...args);
        process.kill(process.pid, 'SIGKILL');
      };
      syncBuiltinESMExports();
      const options = { folder: null, threads: 1, signal: new AbortController().signal };
      ${start}`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      env: { ...process.env, TMPDIR: temporary },
    });
    let said = '';
    child.stderr.on('data', (chunk) => {
      said += chunk;
    });
    const [, signal] = await new Promise<[number | null, string | null]>((resolve) =>
      child.once('exit', (code, by) => resolve([code, by])),
    );

    expect([signal, said]).toEqual(['SIGKILL', '']);
    await until('the folder is gone', () => readdirSync(temporary).length === 0);
    expect(existsSync(temporary)).toBe(true);
  });
});

describe('a node that reports what is no report', () => {
  it('is named, and the controller goes on', async () => {
    const faults: string[] = [];
    const says = `echo '{"record":1}'; echo '{"url":7}'; echo '{"url":"u","rank":"aa"}'; exec cat`;
    // A program in the place of the node.
    const namespaces = { add() {}, commandIn: () => ['/bin/sh', '-c', says] } as unknown;
    const cluster = new Cluster({
      ...{ founders: [[]], folder: null, namespaces: namespaces as Namespaces },
      onFault: (_node, text) => faults.push(text),
      onRecord: () => undefined,
    });
    closing.push(
      () => cluster.down(),
      () => cluster.close(),
    );

    await until('it is ready', () => cluster.rankOf(1) === 'aa');

    const fault = expect.stringContaining('this is not a report of a node');
    expect(faults).toEqual([fault, fault]);
  });
});

describe('a node that warns', () => {
  it('has its first warnings shown with its number, each on one line', async () => {
    const shown: string[] = [];
    const warn = (text: string) => `printf '%s\\n' '{"warning":"${text}"}'`;
    const says = [warn('a\\nb'), ...Array.from({ length: 12 }, (_, index) => warn(`${index}`))];
    const ready = `echo '{"url":"u","rank":"aa"}'; exec cat`;
    const commandIn = () => ['/bin/sh', '-c', [...says, ready].join('; ')];
    const namespaces = { add() {}, commandIn } as unknown;
    const cluster = new Cluster({
      ...{ founders: [[]], folder: null, namespaces: namespaces as Namespaces },
      ...{ onFault: () => undefined, onRecord: () => undefined },
      onWarning: warningsOfNodes((line) => shown.push(line)),
    });
    closing.push(
      () => cluster.down(),
      () => cluster.close(),
    );

    await until('it is ready', () => cluster.rankOf(1) === 'aa');

    expect(shown).toEqual([
      'usurp: node 1: a\\u000ab',
      ...Array.from({ length: 7 }, (_, index) => `usurp: node 1: ${index}`),
      'usurp: node 1: its later warnings are not shown',
    ]);
  });
});

describe('a takeover that fails', () => {
  it('ends the observation', async () => {
    const observer = new Observer();
    const cluster = {
      ...{ leader: () => 1, rankOf: () => 'aa', awake: () => [1], refused: () => ({}) },
      followedRank: () => null,
    };
    const session = {
      ...{ cluster, policy: clusterPolicy({ c1: 0, c2: 0 }), founders: { peers: [] } },
      ...{
        settings: { protocol: 'raft', timing: { latencyTicksMax: 1 } },
        options: { threads: 1, signal: AbortSignal.timeout(20_000) },
      },
      join: () => Promise.reject(new LabError('arguments', 'no more nodes')),
    } as unknown;

    const taking = takeOver(session as ClusterSession, observer, {
      ...{ budget: { attempts: 10 }, behaviours: [], onProgress: () => undefined },
    });

    await expect(taking).rejects.toThrow('no more nodes');
    observer.note(1, { t: 0, event: { type: 'start' }, effects: [], clock: {} });
    expect(observer.records).toEqual([]);
  });
});

describe('what is no JSON', () => {
  it('is refused with its code', () => {
    const parsers = [parseLiveRecord, parseNodeCommand];

    for (const parse of parsers) {
      expect(() => parse('{')).toThrow(expect.objectContaining({ code: 'json.syntax' }));
    }
  });

  it('in the state of a log is refused with the name of the file', () => {
    const own = mkdtempSync(join(tmpdir(), 'usurp-faults-'));
    closing.push(() => rmSync(own, { recursive: true }));
    const path = join(own, 'node.log');
    const owner = {
      ...{ rank: 'aa', protocol: 'raft', election: 'test', latency: 50, level: 'L3' },
      ...{ detector: 'fd-phi-akka', defences: [], behaviours: [], workload: null },
    };
    const log = openNodeLog(path, owner);
    // A log that has nothing is removed.
    log.notePort(1);
    log.close();
    expect(() => openNodeLog(path, { ...owner, protocol: 'bully-oneshot' })).toThrow(
      'its node ran with protocol raft, not bully-oneshot; give the same settings again, or name',
    );
    expect(() => openNodeLog(path, { ...owner, detector: 'fd-gossip' })).toThrow(
      'its node ran with detector fd-phi-akka, not fd-gossip',
    );
    const returned = openNodeLog(path, owner);
    const persisted = { term: 7, vote: 2 };
    returned.append({ records: [], recorder: { sent: 1, clock: {} }, persisted, heard: null });
    returned.close();
    const changed = (sql: string) => {
      const database = new DatabaseSync(path);
      database.exec(sql);
      database.close();
      return () => openNodeLog(path, owner);
    };

    expect(openedOnce(path, owner)).toEqual(persisted);
    // One bit: 7 becomes 6.
    expect(changed(`UPDATE state SET persisted = replace(persisted, '7', '6')`)).toThrow(
      expect.objectContaining({ code: 'file.unreadable', message: expect.stringContaining(path) }),
    );
    expect(changed(`UPDATE state SET persisted = replace(persisted, '6', '7')`)).not.toThrow();
  });
});

function openedOnce(path: string, owner: Parameters<typeof openNodeLog>[1]) {
  const log = openNodeLog(path, owner);
  log.close();
  return log.persisted;
}

it('a node whose disk is full ends with the reason, and returns when it is not', async () => {
  const made = await testNetwork(1);
  closing.push(() => rmSync(made.folder, { recursive: true }));
  const peers = join(made.folder, 'peers.json');
  const key = join(made.folder, 'key-1.json');
  const words = ['node', '--identity', key, '--peers', peers, '--protocol', 'raft', '--quiet'];
  const line = [process.execPath, `${ROOT}/bin/usurp.js`, ...words].map((word) => `'${word}'`);
  // Files of at most this number of blocks, which a process may write without being ended by a signal.
  const limitedTo = (blocks: number) =>
    ended(spawn('sh', ['-c', `trap '' XFSZ; ulimit -f ${blocks}; exec ${line.join(' ')}`]));

  const atStart = await limitedTo(40);
  const later = await limitedTo(400);
  const returned = spawn('sh', ['-c', `exec ${line.join(' ')}`]);
  await new Promise((resolve) => returned.stdout.once('data', resolve));
  returned.kill();

  expect(atStart).toMatchObject({ code: EXIT.refused, stderr: expect.stringContaining('disk') });
  expect(later).toMatchObject({
    code: EXIT.internal,
    stderr: expect.stringMatching(
      /\.log cannot be written: .*; this node has ended, and nothing of/,
    ),
  });
  expect(await ended(returned)).toMatchObject({ stderr: '' });
});

it('a node of another machine is starting until it has answered once, and down if it no longer answers', async () => {
  const founders = ['aa', 'bb'].map((rank) => ({ machine: 'alpha', rank }));
  const onFault = () => undefined;
  const cluster = new Cluster({ founders, folder: null, onFault, onRecord: onFault });
  closing.push(() => cluster.close());
  const seen = { leader: 'bb', epoch: 2, refused: {}, suspects: new Set<string>() };
  const look = (node: number, state: typeof seen | null) => {
    cluster.observe(node, state);
    return [cluster.states().map(({ status }) => status), cluster.agreement()?.leader ?? null];
  };

  expect([look(2, seen), look(1, null), look(1, seen), look(1, null)]).toEqual([
    [['starting', 'up'], null],
    [['starting', 'up'], null],
    [['up', 'up'], 2],
    [['down', 'up'], 2],
  ]);
});
