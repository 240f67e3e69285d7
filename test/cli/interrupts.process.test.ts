/**
 * @module
 * The command as a process of its own: interrupts, pipes that close, and the line with its address.
 */

import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ended, interruptAt, ROOT, scratchFolder, spawnUsurp } from './shell.ts';

describe('process', () => {
  it('answers Ctrl-C with the ledger and 130', async () => {
    const child = spawnUsurp(['mine', '--c1', '60', '--seed', '1', '--json']);
    const end = ended(child);
    child.stderr.once('data', () => setTimeout(() => child.kill('SIGINT'), 300));

    const { code, stdout } = await end;

    expect(code).toBe(130);
    expect(JSON.parse(stdout)).toMatchObject({ found: false, claim: null });
  });

  it('stops an election with slow events at Ctrl-C, with its results so far', async () => {
    const election = ['ring-collect', '--nodes', '1500', '--seed', '1', '--json'];
    const child = spawnUsurp(['elect', ...election]);
    const end = ended(child);
    child.stderr.once('data', () => child.kill('SIGINT'));

    const { code, stdout } = await end;

    expect(code).toBe(130);
    expect(JSON.parse(stdout)).toMatchObject({ protocol: 'ring-collect', leader: null });
  });

  it('reports the finished runs of an interrupted experiment', async () => {
    const child = spawnUsurp(['run', 'top-id', '--runs', '100000', '--seed', '1', '--json']);
    const end = ended(child);
    // Only runs below the first unfinished one are reported. Runs of both threads have come back by then.
    interruptAt(child, /: [1-9]\d{2,} of 100000/);

    const { code, stdout } = await end;

    const { results, replay } = JSON.parse(stdout);
    const [{ measured }] = results;
    expect(code).toBe(130);
    expect(measured.runs).toBeGreaterThan(0);
    expect(measured.runs).toBeLessThan(100_000);
    expect(replay).toContain(`--runs ${measured.runs} `);
  });

  it('ignores a reader that closes stdout early', () => {
    const usurp = `'${process.execPath}' '${ROOT}/bin/usurp.js'`;

    const output = execFileSync('sh', ['-c', `${usurp} mine --help 2>&1 | head -1`]);

    expect(String(output)).toBe('Usage: usurp mine [options]\n');
  });

  it('gives the same exit code when its stderr is closed', () => {
    const usurp = `'${process.execPath}' '${ROOT}/bin/usurp.js'`;
    const line = `${usurp} elect cr-join --nodes 3 --json 2>/dev/full`;

    expect(() => execFileSync('sh', ['-c', line])).not.toThrow();
  });

  it.each(['run top-id --runs 10 --seed 1 --set work=sampled --json', 'verify --help'])(
    'says on stderr that the result of %s could not be written',
    (args) => {
      const line = `'${process.execPath}' '${ROOT}/bin/usurp.js' ${args} >/dev/full`;

      const { status, stderr } = spawnSync('sh', ['-c', line], { encoding: 'utf8' });

      expect(status).toBe(255);
      expect(stderr).toMatch(/^usurp: stdout could not be written: ENOSPC\b.*\n$/m);
    },
  );

  it.each([
    ['mine --c1 4 --seed 7 --out a.json --ledger b.json', ['a.json', 'b.json']],
    ['elect cr-join --nodes 3 --trace a.svg --save b.json', ['a.svg', 'b.json']],
    ['elect --scenario flapping-top --save a.json', ['a.json']],
    ['check bully-oneshot --properties one-leader --save a.json', ['a.json']],
  ])('writes the files of %s although its result cannot be written', (args, files) => {
    const cwd = scratchFolder();
    const line = `'${process.execPath}' '${ROOT}/bin/usurp.js' ${args} >/dev/full`;

    const { status } = spawnSync('sh', ['-c', line], { cwd });

    expect(status).toBe(255);
    expect(readdirSync(cwd)).toEqual(expect.arrayContaining(files));
  });

  it.each([
    ['verify', 'expected value'],
    ['run', 'larger than'],
  ])('reads no more of an endless file than %s accepts', (name, reason) => {
    const script = `${ROOT}/bin/usurp.js`;

    expect(() => execFileSync(process.execPath, [script, name, '/dev/zero'])).toThrow(reason);
  });

  it('prints its address as one line, serves, and ends on SIGTERM', async () => {
    const child = spawnUsurp(['serve', '--port', '0', '--ephemeral']);
    const end = ended(child);
    const line = await new Promise<string>((resolve) => {
      child.stdout.once('data', (chunk) => resolve(String(chunk)));
    });

    const health = await fetch(`${line.trim()}/healthz`);
    child.kill('SIGTERM');
    const { code, stdout } = await end;

    expect(health.status).toBe(200);
    expect(stdout).toMatch(/^http:\/\/127\.0\.0\.1:\d+\n$/);
    expect(code).toBe(0);
  });
});
