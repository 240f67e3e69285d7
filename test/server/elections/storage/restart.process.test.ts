/**
 * @module
 * Elections in a file: an acknowledged action exists after a restart, exactly as it was. A file of
 * another program is refused and left unchanged.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import type { ElectionLog } from '../../../../server/elections/storage/log.ts';
import { EPHEMERAL_LOG } from '../../../../server/elections/storage/log.ts';
import { ElectionStore } from '../../../../server/elections/storage/store.ts';
import type { Lab } from '../../../../server/lab.ts';
import { startLab } from '../../../../server/lab.ts';
import { SERVER } from '../../../../server/request/principal.ts';
import { OverloadError } from '../../../../server/request/refusals.ts';
import { STRICT_POLICY } from '../../../../src/identity/policy.ts';
import { parseSeed } from '../../../../src/random.ts';
import { ended, scratchFolder, spawnUsurp } from '../../../cli/shell.ts';

const open = (data: string): Promise<Lab> =>
  startLab(
    { host: '127.0.0.1', port: 0, version: '0.0.0', policy: STRICT_POLICY, data },
    () => undefined,
  );

async function send(url: string, method: string, body?: unknown): Promise<Response> {
  const headers = { 'Content-Type': 'application/json' };
  return fetch(url, { method, ...(body !== undefined && { headers, body: JSON.stringify(body) }) });
}

const ACTIONS = [
  { type: 'start' },
  { type: 'advance', until: 'idle' },
  { type: 'crash', rank: 6 },
  { type: 'advance', until: 'idle', events: 3 },
  { type: 'recover', rank: 6 },
  { type: 'advance', until: 'idle' },
];

describe('serve --data', () => {
  it('restores elections exactly as they were', async () => {
    const data = join(scratchFolder(), 'lab.sqlite');
    const plan = { nodes: 6, seed: '9', latency: 'uniform:1:9' };
    const first = await open(data);
    const paths: string[] = [];
    for (const protocol of ['bully-oneshot', 'cr-join']) {
      const made = await send(`${first.url}/v1/elections`, 'POST', { protocol, ...plan });
      paths.push(made.headers.get('location') ?? '');
      for (const action of ACTIONS) {
        await send(`${first.url}${paths.at(-1)}/actions`, 'POST', action);
      }
    }
    const run = { protocol: 'cr-join', ...plan, run: true };
    paths.push(
      (await send(`${first.url}/v1/elections`, 'POST', run)).headers.get('location') ?? '',
    );
    const before = await Promise.all(
      paths.map(async (path) => (await fetch(first.url + path)).json()),
    );
    await first.close();

    const second = await open(data);

    const after = await Promise.all(
      paths.map(async (path) => (await fetch(second.url + path)).json()),
    );
    await second.close();
    expect(second.restored).toBe(3);
    expect(after).toEqual(before);
  });

  it('does not restore deleted elections', async () => {
    const data = join(scratchFolder(), 'lab.sqlite');
    const first = await open(data);
    const body = { protocol: 'cr-join', nodes: 3 };
    const made = await send(`${first.url}/v1/elections`, 'POST', body);
    await send(first.url + made.headers.get('location'), 'DELETE');
    await first.close();

    const second = await open(data);

    await second.close();
    expect(second.restored).toBe(0);
  });

  it('keeps actions that were acknowledged before a kill -9', async () => {
    const data = join(scratchFolder(), 'lab.sqlite');
    const child = spawnUsurp(['serve', '--port', '0', '--data', data]);
    const url = await new Promise<string>((resolve) => {
      child.stdout.once('data', (chunk) => resolve(String(chunk).trim()));
    });
    const body = { protocol: 'bully-oneshot', nodes: 4, seed: '1', run: true };
    const answer = await send(`${url}/v1/elections`, 'POST', body);
    const made = JSON.parse(await answer.text());
    const end = ended(child);
    child.kill('SIGKILL');
    await end;

    const lab = await open(data);

    const kept = await (await fetch(lab.url + made.links.self)).json();
    await lab.close();
    expect(kept).toEqual(made);
  });

  it.each([
    ['no database', (path: string) => writeFileSync(path, 'this is a text file, not a database')],
    [
      "another program's database",
      (path: string) => new DatabaseSync(path).exec('CREATE TABLE t(x)'),
    ],
    [
      'a newer version',
      (path: string) => {
        const database = new DatabaseSync(path);
        database.exec('CREATE TABLE t(x); PRAGMA application_id = 1970500208');
        database.exec('PRAGMA user_version = 99');
      },
    ],
  ])('refuses %s and leaves it as it is', async (_what, make) => {
    const data = join(scratchFolder(), 'lab.sqlite');
    make(data);
    const before = readFileSync(data);

    await expect(open(data)).rejects.toThrow(`--data ${data} cannot be used`);

    expect(readFileSync(data)).toEqual(before);
  });

  it('refuses a store in which a row was changed', async () => {
    const data = join(scratchFolder(), 'lab.sqlite');
    const lab = await open(data);
    await send(`${lab.url}/v1/elections`, 'POST', { protocol: 'cr-join', nodes: 3, seed: '1' });
    await lab.close();
    const database = new DatabaseSync(data);
    database.exec(`UPDATE elections SET plan = replace(plan, '"seed":"1"', '"seed":"2"')`);
    database.close();

    await expect(open(data)).rejects.toThrow('is damaged');
  });

  it.each(['', ':memory:'])('refuses %j, which would keep nothing', async (data) => {
    await expect(open(data)).rejects.toThrow('--ephemeral');
  });

  it('leaves an election as it was when an action cannot be stored', async () => {
    const refusal = new OverloadError('storage.unavailable', 'disk full', 10);
    let isFull = false;
    const log: ElectionLog = {
      ...EPHEMERAL_LOG,
      acted: () => {
        if (isFull) throw refusal;
        return 0;
      },
    };
    const store = new ElectionStore(log);
    const plan = {
      options: { protocol: 'bully-oneshot', nodes: 5, seed: parseSeed('1') },
    } as const;
    const election = await store.create({ ...plan, initiators: undefined, runs: true }, SERVER);
    const before = election.status();
    isFull = true;

    const crashing = store.act(election.id, { type: 'crash', rank: 5 }, { principal: SERVER });

    await expect(crashing).rejects.toBe(refusal);
    expect(election.status()).toEqual(before);
  });

  it('retracts an action that was refused', async () => {
    const data = join(scratchFolder(), 'lab.sqlite');
    const lab = await open(data);
    const body = { protocol: 'cr-join', nodes: 3, seed: '1', run: true };
    const made = await send(`${lab.url}/v1/elections`, 'POST', body);
    const refused = await send(`${lab.url}${made.headers.get('location')}/actions`, 'POST', {
      type: 'recover',
      rank: 2,
    });
    await lab.close();

    const rows = new DatabaseSync(data).prepare('SELECT count(*) AS count FROM actions').get();
    expect(refused.status).toBe(409);
    expect(rows?.count).toBe(0);
  });
});
