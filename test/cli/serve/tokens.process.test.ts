/**
 * @module
 * `usurp serve` and tokens: when it demands them, where they come from, and what their holders may take.
 */

import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { SHARED_LIMITS } from '../../../server/callers/caller-budgets.ts';
import { assertPrivate } from '../../../src/cli/shell/files.ts';
import { ended, scratchFolder, spawnUsurp, usurp } from '../shell.ts';

const TOKEN = 'user-0123456789ab';
const bearer = { Authorization: `Bearer ${TOKEN}` };

describe('usurp serve', () => {
  async function served(...flags: readonly string[]) {
    const child = spawnUsurp(['serve', '--port', '0', ...flags]);
    const end = ended(child);
    const url = await new Promise<string>((resolve) => {
      child.stdout.once('data', (chunk) => resolve(String(chunk).trim()));
    });
    const statusOf = async (headers: Record<string, string>) => {
      const { port } = new URL(url);
      return (await fetch(`http://127.0.0.1:${port}/v1/params`, { headers })).status;
    };
    const paramsFor = async (headers: Record<string, string>) => {
      const body: unknown = await (await fetch(`${url}/v1/params`, { headers })).json();
      return body as { readonly limits: Readonly<Record<string, number>> };
    };
    const stop = () => {
      child.kill('SIGTERM');
      return end;
    };
    return { statusOf, paramsFor, stop };
  }

  it.each([
    ['--auth', ['--auth']],
    ['an address that others reach', ['--host', '0.0.0.0']],
  ])('makes a token with %s and shows it once, even when quiet', async (_name, flags) => {
    const { statusOf, stop } = await served(...flags, '--quiet');
    const without = await statusOf({});
    const { stderr } = await stop();

    const [, token = ''] = /shown once: (\S+)\n/.exec(stderr) ?? [];
    expect(without).toBe(401);
    expect(Buffer.from(token, 'base64url')).toHaveLength(32);
    expect(stderr.split(token)).toHaveLength(2);
  });

  it('requires the tokens of a file, and prints none', async () => {
    const file = join(scratchFolder(), 'tokens');
    writeFileSync(file, `student ann ${TOKEN}\n`, { mode: 0o600 });
    const { statusOf, stop } = await served('--token-file', file, '--log', 'json');

    const statuses = [await statusOf({}), await statusOf(bearer)];
    const { stderr } = await stop();

    expect(statuses).toEqual([401, 200]);
    expect(stderr).toContain('"caller":"ann"');
    expect(stderr).not.toContain(TOKEN);
  });

  it('gives each holder the limits of the flags, and otherwise those of shared servers', async () => {
    const file = join(scratchFolder(), 'tokens');
    writeFileSync(file, `student ann ${TOKEN}\n`, { mode: 0o600 });
    const { paramsFor, stop } = await served(
      '--token-file',
      file,
      '--rate',
      '7',
      '--cpu-per-hour=0',
    );

    const { limits } = await paramsFor(bearer);
    await stop();

    expect(limits).toMatchObject({
      ...{ requestsPerSecondPerCaller: 7, cpuSecondsPerHourPerCaller: 0 },
      ...{ jobsPerCaller: SHARED_LIMITS.jobs, streamsPerCaller: SHARED_LIMITS.streams },
    });
  });

  it.each([0o644, 0o640, 0o602])('refuses a file of tokens with mode %o', async (mode) => {
    const file = join(scratchFolder(), 'tokens');
    writeFileSync(file, `student ann ${TOKEN}\n`);
    chmodSync(file, mode);

    await expect(assertPrivate(file)).rejects.toThrow(`chmod 600 ${file}`);
  });

  it('exits with 254 if others can read its tokens', async () => {
    const file = join(scratchFolder(), 'tokens');
    writeFileSync(file, `student ann ${TOKEN}\n`, { mode: 0o644 });

    const { code, stderr } = await usurp(['serve', '--token-file', file]);

    expect(code).toBe(254);
    expect(stderr).toContain(`chmod 600 ${file}`);
  });

  it('no proxy has the address of all of a machine', async () => {
    const { code, stderr } = await usurp(['serve', '--auth', '--trusted-proxy', '0.0.0.0']);

    expect(code).toBe(254);
    expect(stderr).toContain('expected the IP address of one proxy');
  });

  it('writes no generated token to a log', async () => {
    const { code, stderr } = await usurp(['serve', '--auth', '--log', 'json']);

    expect(code).toBe(254);
    expect(stderr).toContain('--token-file');
  });
});
