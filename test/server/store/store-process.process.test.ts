/**
 * @module
 * The data file of the process `usurp serve`: exclusive use, refusals of other files, full disks, copies
 * while it serves, and every way of stopping.
 */

import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';

import {
  electionRequestSchema,
  parseElectionRequest,
} from '../../../server/elections/live/request.ts';
import { CLOSE_GRACE_MS } from '../../../server/socket/listen.ts';
import { examineStore } from '../../../server/store/store-examination.ts';
import { ended, scratchFolder, spawnUsurp, usurp } from '../../cli/shell.ts';
import { openLogs, readAll, stoppedFile } from './store-files.ts';

const BODY = { protocol: 'cr-join', nodes: 3, seed: '1' };

function launch(data: string, ...flags: readonly string[]) {
  const child = spawnUsurp(['serve', '--port', '0', '--data', data, ...flags]);
  const end = ended(child);
  return { child, end };
}

async function start(data: string, ...flags: readonly string[]) {
  const { child, end } = launch(data, ...flags);
  const url = await Promise.race([
    new Promise<string>((resolve) => child.stdout.once('data', (text) => resolve(String(text)))),
    end.then(({ code, stderr }) => Promise.reject(new Error(`ended with ${code}: ${stderr}`))),
  ]);
  return { child, end, url: url.trim() };
}

async function send(url: string, method: string, body?: object) {
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(url, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, json: text && JSON.parse(text) };
}

const scratchFile = () => join(scratchFolder(), 'lab.sqlite');

describe('serve --data', () => {
  it('serves a file once: a second server waits for the first, then refuses and changes nothing', async () => {
    const data = scratchFile();
    const first = await start(data, '--quiet');
    await send(`${first.url}/v1/elections`, 'POST', BODY);

    const refused = launch(data).end;
    await delay(3000);
    const later = launch(data, '--quiet');
    const second = await refused;
    first.child.kill('SIGTERM');
    await first.end;
    const third = new Promise<string>((resolve) =>
      later.child.stdout.once('data', (text) => resolve(String(text).trim())),
    );
    const kept = await send(`${await third}/v1/elections`, 'GET');
    later.child.kill('SIGTERM');

    expect(second).toMatchObject({ code: 254, stdout: '' });
    expect(second.stderr).toContain('is another server using it?');
    expect(kept.json.items).toHaveLength(1);
    expect((await later.end).code).toBe(0);
  });

  it.each([
    ['a text', (path: string) => writeFileSync(path, 'no database, but text that is long enough')],
    ['a folder', (path: string) => mkdirSync(path)],
    [
      'a damaged file',
      (path: string, whole: Buffer) => writeFileSync(path, whole.fill(0x55, 8192, 8200)),
    ],
    [
      'half a file',
      (path: string, whole: Buffer) => writeFileSync(path, whole.subarray(0, 20_000)),
    ],
  ])('refuses %s in one line, and does not change it', async (_name, make) => {
    const whole = readFileSync(await stoppedFile());
    const data = scratchFile();
    make(data, whole);
    const read = () => (_name === 'a folder' ? '' : readFileSync(data, 'latin1'));
    const before = read();

    const { code, stdout, stderr } = await usurp(['serve', '--port', '0', '--data', data]);

    expect(code).toBe(254);
    expect(stdout).toBe('');
    expect(stderr.trimEnd().split('\n')).toEqual([
      expect.stringContaining(`--data ${data} cannot be used`),
    ]);
    expect(read()).toBe(before);
  });

  it('copies the file on SIGUSR2 while it serves', async () => {
    const data = scratchFile();
    const { child, end, url } = await start(data);
    const before = await send(`${url}/v1/elections`, 'POST', BODY);
    child.kill('SIGUSR2');
    while (!existsSync(`${data}.backup`)) await delay(5);
    await send(`${url}/v1/elections/${before.json.id}`, 'DELETE');
    child.kill('SIGKILL');
    await end;

    const restored = scratchFile();
    copyFileSync(`${data}.backup`, restored);

    expect(readAll(restored).elections).toMatchObject([{ id: before.json.id }]);
    expect(readAll(data).elections).toEqual([]);
    expect((await end).stderr).toContain(`a backup is in ${data}.backup`);
  });

  it('names a full disk at the start in one line, and starts when there is room', async (context) => {
    const disk = scratchFolder();
    if (!mount(disk, '64k')) context.skip('a disk of its own cannot be mounted here');
    try {
      const data = join(disk, 'lab.sqlite');
      const serve = ['serve', '--port', '0', '--data', data];
      const { code, stdout, stderr } = await usurp(serve);
      asRoot('mount', ['-o', 'remount,size=1m', disk]);
      const { child, end, url } = await start(data, '--quiet');
      await send(`${url}/v1/elections`, 'POST', BODY);
      child.kill('SIGTERM');
      await end;
      const ballast = join(disk, 'ballast');
      fill(ballast);
      const again = await usurp(serve);
      rmSync(ballast);
      const third = await start(data, '--quiet');
      const kept = await send(`${third.url}/v1/elections`, 'GET');
      third.child.kill('SIGTERM');

      const full =
        /^usurp: --data \S+ cannot be used: the disk is full \(\d+ bytes of it are free\)/;
      expect({ code, stdout }).toEqual({ code: 255, stdout: '' });
      expect(stderr).toMatch(full);
      expect(stderr.trimEnd().split('\n')).toHaveLength(1);
      expect(again.stderr).toMatch(full);
      expect(kept.json.items).toHaveLength(1);
      expect((await third.end).code).toBe(0);
    } finally {
      asRoot('umount', ['-l', disk]);
    }
  });

  it('answers 503 while the disk is full, and writes again when there is room', async (context) => {
    const disk = scratchFolder();
    if (!mount(disk)) context.skip('a disk of its own cannot be mounted here');
    try {
      const { child, end, url } = await start(join(disk, 'lab.sqlite'));
      const made = await send(`${url}/v1/elections`, 'POST', BODY);
      const ballast = join(disk, 'ballast');
      fill(ballast);
      const large = { type: 'start', nodes: [1, 2, 3] };
      const actions = `${url}/v1/elections/${made.json.id}/actions`;
      let full = await send(actions, 'POST', large);
      for (let time = 0; time < 200 && full.status === 200; time += 1) {
        full = await send(actions, 'POST', { type: 'advance', until: 'idle', events: 1 });
      }
      const read = await send(`${url}/v1/elections/${made.json.id}`, 'GET');
      const unready = await send(`${url}/readyz`, 'GET');
      rmSync(ballast);
      await expect.poll(async () => (await fetch(`${url}/readyz`)).status).toBe(200);
      const again = await send(actions, 'POST', { type: 'crash', rank: 2 });
      const after = await send(`${url}/v1/elections/${made.json.id}`, 'GET');
      child.kill('SIGKILL');
      const { stderr } = await end;
      const second = await start(join(disk, 'lab.sqlite'), '--quiet');
      const restored = await send(`${second.url}/v1/elections/${made.json.id}`, 'GET');
      second.child.kill('SIGTERM');

      expect(full).toMatchObject({ status: 503, json: { code: 'storage.unavailable' } });
      expect(full.headers.get('Retry-After')).toBe('10');
      expect(unready).toMatchObject({ status: 503, json: { code: 'storage.unavailable' } });
      expect([read.status, again.status]).toEqual([200, 200]);
      expect(restored.json).toEqual(after.json);
      expect((await second.end).code).toBe(0);
      expect(stderr.match(/disk is full/g)).toHaveLength(1);
    } finally {
      asRoot('umount', ['-l', disk]);
    }
  });
});

describe('a full disk', () => {
  it('lets callers delete, and keeps that when the server is killed', async (context) => {
    const disk = scratchFolder();
    if (!mount(disk, '3m')) context.skip('a disk of its own cannot be mounted here');
    try {
      const data = join(disk, 'lab.sqlite');
      const first = await start(data, '--quiet');
      const made: string[] = [];
      for (let count = 0; count < 6; count += 1) {
        const { json } = await send(`${first.url}/v1/elections`, 'POST', { ...BODY, nodes: 40 });
        await send(`${first.url}/v1/elections/${json.id}/actions`, 'POST', { type: 'start' });
        made.push(json.id);
      }
      // A new server has a log without room.
      first.child.kill('SIGTERM');
      await first.end;
      const { child, end, url } = await start(data, '--quiet');
      fill(join(disk, 'ballast'));
      let refused = await send(`${url}/v1/elections`, 'POST', BODY);
      for (let time = 0; time < 400 && refused.status < 300; time += 1) {
        refused = await send(`${url}/v1/elections`, 'POST', BODY);
      }
      const deleted = [];
      for (const id of made) deleted.push(await send(`${url}/v1/elections/${id}`, 'DELETE'));
      child.kill('SIGKILL');
      await end;
      rmSync(join(disk, 'ballast'));
      const second = await start(data, '--quiet');
      const gone = await Promise.all(
        made.map((id) => send(`${second.url}/v1/elections/${id}`, 'GET')),
      );
      second.child.kill('SIGTERM');
      await second.end;

      expect(refused).toMatchObject({ status: 503, json: { code: 'storage.unavailable' } });
      expect(deleted.map(({ status }) => status)).toEqual(made.map(() => 204));
      expect(gone.map(({ status }) => status)).toEqual(made.map(() => 404));
    } finally {
      asRoot('umount', ['-l', disk]);
    }
  });
});

/** Runs a program of the system, which fails if it is not permitted. */
function asRoot(program: string, args: readonly string[]): void {
  execFileSync(program, args, { stdio: 'ignore' });
}

/** Mounts a small disk, if that is permitted. */
function mount(folder: string, size = '1m'): boolean {
  try {
    asRoot('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder]);
    return true;
  } catch {
    return false;
  }
}

/** Writes until the disk is full. */
function fill(path: string): void {
  for (const bytes of [65_536, 4096]) {
    try {
      for (;;) writeFileSync(path, new Uint8Array(bytes), { flag: 'a' });
    } catch {
      // The disk has less room than this.
    }
  }
}

describe('a server that stops', () => {
  it('leaves one complete file after two signals', async () => {
    const data = scratchFile();
    const { child, end, url } = await start(data);
    await send(`${url}/v1/elections`, 'POST', BODY);
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(
      `POST /v1/elections HTTP/1.1\r\nHost: ${new URL(url).host}\r\nContent-Length: 9\r\n`,
    );
    socket.write('Expect: 100-continue\r\nContent-Type: application/json\r\n\r\n{');
    // The interim answer means that the request is being answered.
    await once(socket, 'data');
    child.kill('SIGTERM');
    // The server closes kept connections, also one on which `fetch` has just begun to ask.
    const readiness = () =>
      fetch(`${url}/readyz`).then(
        ({ status }) => status,
        () => null,
      );
    while (child.exitCode === null && (await readiness()) !== 503) await delay(5);
    const started = performance.now();

    child.kill('SIGTERM');
    const { code } = await end;

    expect(code).toBe(130);
    // Without a second signal it would wait for the request as long as this.
    expect(performance.now() - started).toBeLessThan(CLOSE_GRACE_MS);
    expect(existsSync(`${data}-wal`)).toBe(false);
    expect(readAll(data).elections).toHaveLength(1);
  });

  it('stops at once while it restores elections, and loses none of them', async () => {
    const data = scratchFile();
    const logs = openLogs(data);
    const body = { protocol: 'raft', nodes: 100, seed: '1', run: true };
    const plan = parseElectionRequest(electionRequestSchema.parse(body));
    for (let id = 1; id <= 60; id += 1) logs.elections.created(`e_${id}`, plan, [], null);
    logs.file.close();
    const { child, end, url } = await start(data);
    const list = await send(`${url}/v1/elections?pageSize=100`, 'GET');
    const started = performance.now();

    child.kill('SIGTERM');
    const { code } = await end;

    const restoring = list.json.items.filter(
      ({ status }: { status: string }) => status === 'restoring',
    );
    expect(list.json.items).toHaveLength(60);
    expect(restoring.length).toBeGreaterThan(0);
    expect(code).toBe(0);
    expect(performance.now() - started).toBeLessThan(CLOSE_GRACE_MS);
    expect(examineStore(data, 0).notes).toEqual([]);
    expect(readAll(data).elections).toHaveLength(60);
  });
});
