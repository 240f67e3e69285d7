/**
 * @module
 * `usurp serve` over HTTPS, with a certificate that openssl makes for the test: requests, streams, the cookie of
 * browsers, and certificates that cannot be used.
 */

import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import type { RequestOptions } from 'node:https';
import { request } from 'node:https';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { ended, scratchFolder, spawnUsurp, usurp } from '../shell.ts';

const lacksOpenssl = spawnSync('openssl', ['version']).error !== undefined;
const note = lacksOpenssl ? ' (skipped: no openssl here)' : '';

const EC = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];
const RSA = ['-newkey', 'rsa:2048'];

/** A certificate for this machine, and its key. */
function certificate(type: readonly string[] = EC) {
  const folder = scratchFolder();
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const files = ['-keyout', key, '-out', cert, '-days', '2'];
  execFileSync('openssl', ['req', '-x509', '-nodes', ...type, ...files, ...subject], {
    stdio: 'ignore',
  });
  chmodSync(key, 0o600);
  return { cert, key, flags: ['--tls-cert', cert, '--tls-key', key] };
}

interface HttpsAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

function https(url: string, options: RequestOptions, body = ''): Promise<HttpsAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<HttpsAnswer>();
  const sent = request(url, options, (answer) => {
    let text = '';
    answer.on('data', (chunk) => {
      text += chunk;
    });
    answer.on('end', () => {
      resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text });
    });
  });
  sent.on('error', reject).end(body);
  return promise;
}

describe('usurp serve with a certificate', () => {
  it.skipIf(lacksOpenssl)(`serves HTTPS only, and marks cookies Secure${note}`, async () => {
    const { cert, flags } = certificate();
    const folder = scratchFolder();
    const tokens = join(folder, 'tokens');
    writeFileSync(tokens, 'student ann student-0123456789\n', { mode: 0o600 });
    const child = spawnUsurp(['serve', '--port', '0', '--token-file', tokens, ...flags]);
    const end = ended(child);
    const url = await new Promise<string>((resolve) => {
      child.stdout.once('data', (chunk) => resolve(String(chunk).trim()));
    });
    const ca = readFileSync(cert);
    const body = JSON.stringify({ type: 'token', token: 'student-0123456789', cookie: true });
    const headers = { Origin: url, 'Content-Type': 'application/json' };

    const signedIn = await https(`${url}/v1/sessions`, { ca, method: 'POST', headers }, body);
    const [cookie = ''] = [signedIn.headers['set-cookie']].flat().map(String);
    const own = { ...headers, Cookie: cookie.split(';')[0] };
    const plan = '{"protocol":"cr-join","nodes":3,"run":true}';
    const made = await https(`${url}/v1/elections`, { ca, method: 'POST', headers: own }, plan);
    const path = String(made.headers.location);
    const stream = { ca, headers: { Cookie: own.Cookie, Accept: 'text/event-stream' } };
    const events = await https(`${url}${path}/events`, stream);
    const plain = await fetch(`${url.replace('https', 'http')}/healthz`).catch(() => null);
    const unknown = await https(`${url}/healthz`, {}).catch(({ code }) => String(code));
    child.kill('SIGTERM');
    const { code, stderr } = await end;

    expect(url).toMatch(/^https:\/\/127\.0\.0\.1:\d+$/);
    expect(signedIn.status).toBe(201);
    expect(cookie).toContain('Secure');
    expect(made.status).toBe(201);
    expect(events.text).toContain('event: done');
    expect(plain).toBeNull();
    // The client does not know the issuer.
    expect(unknown).toMatch(/SELF_SIGNED|UNABLE_TO_VERIFY/);
    expect(code).toBe(0);
    expect(stderr).not.toContain('fault');
  });

  it.skipIf(lacksOpenssl)(`does not warn of an address that others reach${note}`, async () => {
    const { flags } = certificate();
    const child = spawnUsurp(['serve', '--port', '0', '--host', '0.0.0.0', ...flags]);
    const end = ended(child);
    child.stdout.once('data', () => child.kill('SIGTERM'));

    expect((await end).stderr).not.toContain('unencrypted');
  });

  it.skipIf(lacksOpenssl)(`refuses what is no pair, with exit code 254${note}`, async () => {
    const [one, other] = [certificate(), certificate()];
    const folder = scratchFolder();
    const text = join(folder, 'text');
    writeFileSync(text, 'no certificate', { mode: 0o600 });
    const [open, rsa] = [certificate(), certificate(RSA)];
    chmodSync(open.key, 0o644);
    const refusalOf = async (...flags: readonly string[]) => {
      const { code, stderr, stdout } = await usurp(['serve', '--port', '0', ...flags]);
      expect({ code, stdout }).toEqual({ code: 254, stdout: '' });
      expect(stderr).not.toContain('PRIVATE KEY');
      return stderr;
    };

    expect(await refusalOf('--tls-cert', one.cert)).toContain('--tls-key is missing');
    expect(await refusalOf('--tls-key', one.key)).toContain('--tls-cert is missing');
    expect(await refusalOf('--tls-cert', one.cert, '--tls-key', other.key)).toContain('together');
    expect(await refusalOf('--tls-cert', one.cert, '--tls-key', rsa.key)).toContain('not that of');
    expect(await refusalOf('--tls-cert', rsa.cert, '--tls-key', one.key)).toContain('not that of');
    expect(await refusalOf('--tls-cert', text, '--tls-key', one.key)).toContain('PEM');
    expect(await refusalOf(...open.flags)).toContain(`chmod 600 ${open.key}`);
  });
});
