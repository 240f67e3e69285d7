/**
 * @module
 * Redis over TLS: a node trusts the authorities of the system, and those that NODE_EXTRA_CA_CERTS names.
 */

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { parseStoreAddress } from '../../../src/live/stores/open-store.ts';
import { holdsWithin } from '../../../src/live/waiting.ts';
import { ROOT } from '../../cli/shell.ts';
import { freePort } from '../../redis-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'usurp-tls-'));
const certificate = join(folder, 'certificate.pem');
const script = join(folder, 'script.txt');
let port = 0;
let end = (): void => undefined;

beforeAll(async () => {
  const key = join(folder, 'key.pem');
  execFileSync('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
    ...['-keyout', key, '-out', certificate, '-subj', '/CN=localhost'],
    ...['-addext', 'subjectAltName=DNS:localhost'],
  ]);
  writeFileSync(script, 'wait\n');
  port = await freePort();
  const redis = spawn('redis-server', [
    ...['--port', '0', '--tls-port', String(port), '--tls-auth-clients', 'no', '--save', ''],
    ...['--tls-cert-file', certificate, '--tls-key-file', key, '--dir', folder],
  ]);
  end = () => redis.kill();
  const answers = () =>
    new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true));
      socket.once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
  await holdsWithin(answers, { waitMs: 20_000 });
});

afterAll(() => {
  end();
  rmSync(folder, { recursive: true });
});

/** Runs one node of db-lease until it leads. Returns what the command printed on both. */
function up(env: Readonly<Record<string, string>>): string {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [
      ...[`${ROOT}/bin/usurp.js`, 'cluster', 'up', '--protocol', 'db-lease', '--nodes', '1'],
      ...['--script', script, '--store', `rediss://localhost:${port}`],
    ],
    { env: { ...process.env, ...env }, encoding: 'utf8' },
  );
  return `${stdout}${stderr}`;
}

it('an address has TLS if its scheme says so', () => {
  expect(parseStoreAddress('rediss:host:1')).toEqual({
    kind: 'redis',
    location: 'rediss://host:1',
  });
  expect(parseStoreAddress('redis:host:1')).toEqual({ kind: 'redis', location: 'redis://host:1' });
});

it('nodes elect over TLS, and refuse a certificate of an authority that they do not know', () => {
  const trusting = up({ NODE_EXTRA_CA_CERTS: certificate });
  const strict = up({});

  expect(trusting).toMatch(/^leader 1 in epoch 1 of nodes 1 after/m);
  expect(strict).toMatch(/self-signed certificate.*; name the file of its authority in/);
});
