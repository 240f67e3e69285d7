/**
 * @module
 * What others write to a store, or answer in its place, ends no node: it counts as no answer until it is right again.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseDetector } from '../../../src/election/detectors/registry.ts';
import type { Message, Rank } from '../../../src/election/machine.ts';
import { parsePeers } from '../../../src/live/peers.ts';
import { startNode } from '../../../src/live/start-node.ts';
import { cellServices } from '../../../src/live/stores/cells.ts';
import type { LiveStore, StoreUse } from '../../../src/live/stores/live-store.ts';
import { storeOfServices } from '../../../src/live/stores/live-store.ts';
import { openStore } from '../../../src/live/stores/open-store.ts';
import { testNetwork, until } from '../network.ts';
import { etcdAnswer, hostileServer, redisCell, SERVED, zookeeperData } from './hostile-servers.ts';

const FAR = 2 ** 53;
const HOLDER = '1a';
const ROW = { holder: HOLDER, version: 2, epoch: 1, request: 7, leaseTicks: 60 };
const RESOURCE = {
  ...{ max: 1, holder: HOLDER, highest: 1, accepted: 1, refused: 0, lateWrites: 0 },
  last: { [HOLDER]: [1, 1] },
  recent: [{ by: HOLDER, epoch: 1, value: 1, late: false }],
};
const READ = { type: 'READ' };
const WRITE: Message = Object.assign({ type: 'WRITE' }, { epoch: 1, value: 2 });

function useOf(changed: Partial<StoreUse>): StoreUse & { readonly warnings: string[] } {
  const warnings: string[] = [];
  return {
    // A rank of a live node is hex.
    ...{ own: HOLDER as string as Rank, election: 'test', protocol: 'db-lease', resource: null },
    ...{ timing: { latencyTicksMax: 10 }, onNotice: () => undefined, warnings },
    onWarning: (text) => void warnings.push(text),
    ...changed,
  };
}

/** Calls twice while the store is hostile and once after that. */
async function threeCalls(store: LiveStore, operation: Message, recover: () => void) {
  const during = [await store.call(operation), await store.call(operation)];
  recover();
  return { during, after: await store.call(operation) };
}

const anyContents: readonly string[] = [
  '',
  '{',
  '17',
  'null',
  '[]',
  '{}',
  '"ROW"',
  '['.repeat(100_000),
];
const tables = [
  ...anyContents,
  JSON.stringify({ row: 17 }),
  JSON.stringify({ row: { ...ROW, more: 1 } }),
  ...[-1, 0.5, FAR, '1', null, [1]].map((epoch) => JSON.stringify({ row: { ...ROW, epoch } })),
  ...[FAR, FAR - 0.5].map((version) => JSON.stringify({ row: { ...ROW, version } })),
  ...['', 'x', '1A', '1a1a', 7, null].map((holder) => JSON.stringify({ row: { ...ROW, holder } })),
  JSON.stringify({ row: ROW }).padEnd(2 ** 20),
];
const resources = [
  ...anyContents,
  JSON.stringify({ ...RESOURCE, max: FAR }),
  JSON.stringify({ ...RESOURCE, accepted: Number.MAX_SAFE_INTEGER }),
  JSON.stringify({ ...RESOURCE, last: { [HOLDER]: 1 } }),
  JSON.stringify({ ...RESOURCE, recent: {} }),
  JSON.stringify({ ...RESOURCE, recent: [null] }),
];

describe.each([
  { name: 'table', use: useOf({}), operation: READ, texts: tables, right: { row: ROW } },
  {
    ...{ name: 'resource', use: useOf({ protocol: 'bully-oneshot', resource: 'fencing-max' }) },
    ...{ operation: WRITE, texts: resources, right: RESOURCE },
  },
])('the $name of a store', ({ name, use, operation, texts, right }) => {
  it.each(texts.map((text) => [text.slice(0, 80), text]))(
    'that is %j counts as away until it is right again, with one warning',
    async (_shown, hostile) => {
      let text: string | null = null;
      const { warnings, ...rest } = use;
      warnings.length = 0;
      const cells = {
        where: (cell: string) => `${cell} of a test`,
        raises: false,
        read: async () => ({ text, version: 1, revision: 1 }),
        swap: async () => 2,
      };
      const store = await storeOfServices(cellServices(cells, rest), rest, async () => undefined);

      text = hostile;
      const { during, after } = await threeCalls(store, operation, () => {
        text = JSON.stringify(right);
      });

      expect(during).toEqual([null, null]);
      expect(after).not.toBeNull();
      expect(warnings).toEqual([expect.stringMatching(`${name} of a test: .*; write back`)]);
    },
  );
});

const endless = { answer: 'endless', warns: 'more than 1048576 bytes' };
const HOSTILE_ANSWERS = {
  redis: [
    endless,
    { answer: redisCell('{'), warns: 'usurp:{test}:table' },
    { answer: redisCell(`{"row":[${'{},'.repeat(8_000)}{}]}`), warns: 'no such JSON' },
    { answer: '-WRONGTYPE of a list\r\n', warns: 'WRONGTYPE' },
    { answer: '*30000000\r\n', warns: 'a list of 30000000' },
    { answer: '*3\r\n*30000000\r\n', warns: 'a list of 30000000' },
    { answer: '*-1\r\n', warns: 'no list' },
    { answer: ':x\r\n', warns: 'no list' },
    { answer: 'HTTP/1.1 400 Bad Request\r\n', warns: 'no reply' },
  ],
  etcd: [
    endless,
    { answer: etcdAnswer('{"oops"'), warns: 'usurp/test/table' },
    { answer: etcdAnswer('17'), warns: 'usurp/test/table' },
    { answer: '<html>', warns: 'no answer to kv/range' },
    { answer: `{"kvs":[${'{},'.repeat(8_000)}{}]}`, warns: 'no answer to kv/range' },
    { answer: etcdAnswer('{}').replaceAll('"1"', '"zzz"'), warns: 'no answer to kv/range' },
    { answer: etcdAnswer('{}').replaceAll('"1"', '"9007199254740993"'), warns: 'no answer to' },
  ],
  zookeeper: [
    { answer: 'endless', warns: 'too short' },
    { answer: zookeeperData('{"not":"a table"'), warns: '/usurp/test/table' },
    { answer: Buffer.from([0, 0, 0, 4, 0, 0, 0, 1]), warns: 'too short' },
    { answer: Buffer.from([0, 0, 0, 16, 255, 255, 255, 255, ...Buffer.alloc(12)]), warns: 'short' },
    { answer: Buffer.from([0x7f, 255, 255, 255]), warns: 'a packet of 2147483647 bytes' },
    { answer: Buffer.from([255, 255, 255, 255]), warns: 'a packet of -1 bytes' },
  ],
};

describe.each(SERVED)('%s', (kind) => {
  it.each(HOSTILE_ANSWERS[kind])(
    'with a hostile answer counts as away until it is right again, with one warning that says $warns',
    async ({ answer, warns }) => {
      const server = await hostileServer(kind);
      onTestFinished(() => server.close());
      const use = useOf({});
      const store = await openStore(server.address, use);
      onTestFinished(() => store.close());

      server.answer = answer;
      const { during, after } = await threeCalls(store, READ, () => {
        server.answer = null;
      });

      expect(during).toEqual([null, null]);
      expect(after).toMatchObject({ value: { type: 'ROW', row: null } });
      expect(use.warnings).toEqual([expect.stringContaining(warns)]);
    },
  );

  it('whose content is not of the form of nodes is refused at the start, with the place and what to do', async () => {
    const server = await hostileServer(kind);
    onTestFinished(() => server.close());
    const answers = { redis: redisCell, etcd: etcdAnswer, zookeeper: zookeeperData };
    server.answer = answers[kind]('{');

    await expect(openStore(server.address, useOf({}))).rejects.toMatchObject({
      code: 'storage.unavailable',
      message: expect.stringMatching(/the store cannot be used: .*usurp.*table.*write back/),
    });
  });
});

it.each([
  'UPDATE cells SET version = 9007199254740993',
  'UPDATE cells SET version = -1',
  'DELETE FROM writes',
  'DROP TABLE writes',
])('a file of SQLite after %s counts as away, with one warning that names it', async (change) => {
  const folder = mkdtempSync(join(tmpdir(), 'usurp-hostile-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'store.sqlite');
  const use = useOf({});
  const store = await openStore(`sqlite:${path}`, use);
  onTestFinished(() => store.close());
  await store.call(Object.assign({ type: 'SWAP' }, { expected: 0, row: { ...ROW, version: 1 } }));
  const other = new DatabaseSync(path);
  other.exec(change);
  other.close();

  const { during, after } = await threeCalls(store, READ, () => undefined);

  expect([...during, after]).toEqual([null, null, null]);
  expect(use.warnings).toEqual([expect.stringContaining(`table of the election test in ${path}`)]);
});

it.each(['9007199254740993000', '9007199254740991', 'x', '-1', '1.5'])(
  'a node takes no lease in the epoch %s of Redis',
  async (epoch) => {
    const server = await hostileServer('redis');
    onTestFinished(() => server.close());
    const listed = (last: string) =>
      `*5\r\n:1\r\n$2\r\n1a\r\n$${last.length}\r\n${last}\r\n:1\r\n:1\r\n`;
    const use = useOf({ protocol: 'lease-local' });
    server.answer = listed('1');
    const store = await openStore(server.address, use);
    onTestFinished(() => store.close());

    server.answer = listed(epoch);
    const acquire: Message = Object.assign({ type: 'ACQUIRE' }, { request: 1 });
    const { during, after } = await threeCalls(store, acquire, () => {
      server.answer = listed('2');
    });

    expect(during).toEqual([null, null]);
    expect(after).toMatchObject({ value: { type: 'GRANTED', epoch: 2 } });
    expect(use.warnings).toEqual([expect.stringContaining('usurp:{test}:epoch')]);
  },
);

it('a node whose store is damaged answers its peers, and leads again when the store is right', async () => {
  const { folder, peers, keys } = await testNetwork(1);
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [key] = keys;
  if (key === undefined) throw new Error('there is no key');
  const path = join(folder, 'store.sqlite');
  const warnings: string[] = [];
  const followed: unknown[] = [];
  const settings = {
    ...{ network: parsePeers(peers), key, timing: { latencyTicksMax: 10 } },
    ...{ defences: [], behaviours: [], detector: parseDetector('fd-phi-akka') },
    protocol: 'db-lease',
    level: 'L3',
    ...{ listen: null, joins: false, amnesia: false, gatherMs: 0, store: `sqlite:${path}` },
    data: join(folder, 'node.log'),
  } as const;
  const events = {
    onLeader: (leader: unknown) => void followed.push(leader),
    onRecord: () => undefined,
    onWarning: (text: string) => void warnings.push(text),
  };
  const node = await startNode(settings, events, new AbortController().signal);
  onTestFinished(() => node.close());
  const other = new DatabaseSync(path, { timeout: 1_000 });
  onTestFinished(() => other.close());
  await until('it leads', () => followed.length > 0);

  other.exec('BEGIN IMMEDIATE');
  const { text } = Object(other.prepare("SELECT text FROM cells WHERE name = 'table'").get());
  other.exec("UPDATE cells SET text = '{' WHERE name = 'table'; COMMIT");
  await until('it leads no more', () => followed.at(-1) === null);
  const status = await fetch(`${node.url}/status`);
  other.prepare("UPDATE cells SET text = ? WHERE name = 'table'").run(text);
  await until('it leads again', () => followed.at(-1) !== null);

  expect(await status.json()).toMatchObject({ leader: null, ready: true });
  expect(warnings).toEqual([expect.stringContaining(`table of the election test in ${path}`)]);
});
