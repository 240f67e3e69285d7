/**
 * @module
 * `usurp elect --save` and `usurp replay`: the same run, byte for byte, or a plain no.
 */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { parsed, scratchFolder, usurp } from '../shell.ts';

const folder = scratchFolder();
const ELECT = ['elect', '--nodes', '5', '--latency', 'uniform:1:9', '--quiet', '--json'];

async function save(name: string, ...flags: readonly string[]): Promise<string> {
  const path = join(folder, `${name}.json`);
  await usurp([...ELECT, ...flags, '--save', path]);
  return path;
}

/** The saved run with members changed, as another file. */
function changed(path: string, change: object): string {
  const other = `${path}.changed.json`;
  writeFileSync(other, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), ...change }));
  return other;
}

describe('replay', () => {
  it.each([
    ['drawn faults', ['bully-gm82', '--random-faults', '--seed', '11']],
    ['lost messages', ['cr-join', '--loss', '20%', '--seed', '2']],
    ['the dead', ['peterson', '--crash', '5', '--initiators', '1,2']],
    ['flags', ['bully-oneshot', '--flags', 'rejoin=naive', '--crash', 'highest@3']],
    ['attributes', ['ring-attr', '--attributes', '5,4,3,2,1', '--no-fifo']],
    ['timers first', ['raft', '--same-tick', 'timers-first', '--until', '300']],
    ['choices', ['itai-rodeh', '--link-factors', '3']],
  ])('repeats a run with %s', async (name, flags) => {
    const path = join(folder, `${name}.json`);
    const first = await usurp([...ELECT, ...flags, '--save', path]);

    const again = await usurp(['replay', path, '--json']);

    const { replay, digest, same, ...answer } = parsed(again);
    const { replay: _first, ...firstAnswer } = parsed(first);
    expect(again.code).toBe(0);
    expect(same).toBe(true);
    expect(digest).toBe(JSON.parse(readFileSync(path, 'utf8')).digest);
    expect(answer).toEqual(firstAnswer);
    expect(replay).toContain('usurp replay ');
  });

  it('prints what elect prints, and that the digest is the saved one', async () => {
    const path = await save('table', 'cr-join', '--seed', '1');

    const { stdout } = await usurp(['replay', path]);

    expect(stdout).toMatch(/^leader +5 \([0-9a-f]{64}\)\n/);
    expect(stdout).toMatch(/^digest +[0-9a-f]{64}, the saved one$/m);
  });

  it('reads stdin, and writes a trace', async () => {
    const path = await save('stdin', 'cr-join', '--seed', '1');
    const trace = join(folder, 'stdin.txt');

    const printed = await usurp(['replay', '-', '--trace', trace], readFileSync(path));

    expect(printed.code).toBe(0);
    expect(readFileSync(trace, 'utf8')).toContain('SELECTED');
  });

  it('reports that another run is not the saved one, with 1', async () => {
    const path = changed(await save('other', 'cr-join', '--seed', '1'), {
      seed: '2',
    });

    const printed = await usurp(['replay', path]);

    expect(printed.code).toBe(1);
    expect(printed.stdout).toContain('NOT the saved one');
  });

  it('compares nothing if no digest was saved, with 2', async () => {
    const saved = await save('bare', 'cr-join', '--seed', '1');

    const printed = await usurp(['replay', changed(saved, { digest: null }), '--json']);

    expect(printed.code).toBe(2);
    expect(parsed(printed)).toMatchObject({ digest: null, same: null, agreed: true });
  });

  it('refuses foreign files, and names them', async () => {
    const path = await save('foreign', 'cr-join', '--seed', '1');
    mkdirSync(join(folder, 'folder'));
    writeFileSync(join(folder, 'text.json'), 'hello');
    const files = [
      join(folder, 'absent.json'),
      join(folder, 'folder'),
      join(folder, 'text.json'),
      changed(await save('foreign-a', 'cr-join'), { format: 'other/v1' }),
      changed(await save('foreign-b', 'cr-join'), { nodes: 4 }),
      changed(await save('foreign-c', 'cr-join'), { more: 1 }),
      changed(await save('foreign-d', 'cr-join'), { initiators: [6] }),
      changed(path, { flags: { rejoin: 'naive' } }),
    ];

    for (const file of files) {
      const printed = await usurp(['replay', file]);

      expect(printed, file).toMatchObject({ code: 254, stdout: '' });
      expect(printed.stderr).toContain(file);
      expect(printed.stderr).not.toMatch(/\n\s+at /);
    }
  });
});

describe('a saved run of others', () => {
  it('is refused if a key is duplicated', async () => {
    const path = await save('twice', 'cr-join', '--seed', '1');
    writeFileSync(path, readFileSync(path, 'utf8').replace('"nodes": 5', '"nodes": 4, "nodes": 5'));

    const printed = await usurp(['replay', path]);

    expect(printed).toMatchObject({ code: 254, stdout: '' });
    expect(printed.stderr).toContain(`${path}: `);
    expect(printed.stderr).toContain('nodes');
  });

  it('does not reach the terminal with its control characters', async () => {
    const saved = await save('steering', 'cr-join', '--seed', '1');
    const path = changed(saved, { '\u001b]0;owned\u0007\u009b2J\u202e': 1 });

    const { code, stderr } = await usurp(['replay', path]);

    expect(code).toBe(254);
    expect(stderr).toContain('\\u001b]0;owned\\u0007\\u009b2J\\u202e');
    expect(stderr).toMatch(/^\P{Cc}+\n$/u);
  });
});

describe('--save', () => {
  it.each(['', '-'])("refuses '%s', which is no file", async (path) => {
    const printed = await usurp([...ELECT, 'cr-join', '--save', path]);

    expect(printed).toMatchObject({ code: 254, stdout: '' });
    expect(printed.stderr).toContain('--save: expected the name of a file');
  });

  it('refuses the file that --trace names too, before the election', async () => {
    const path = join(folder, 'both.jsonl');
    const again = `${folder}/./both.jsonl`;
    const files = ['--trace', path, '--save', again, '--force'];

    const printed = await usurp([...ELECT, 'cr-join', ...files]);

    expect(printed).toMatchObject({ code: 254, stdout: '' });
    expect(printed.stderr).toContain('same file');
    expect(existsSync(path)).toBe(false);
  });

  it('replaces a file only when forced', async () => {
    const path = await save('kept', 'cr-join', '--seed', '1');
    const before = readFileSync(path, 'utf8');
    const args = [...ELECT, 'cr-join', '--seed', '2', '--save', path];

    const refused = await usurp(args);
    const kept = readFileSync(path, 'utf8');
    const forced = await usurp([...args, '--force']);

    expect(refused).toMatchObject({ code: 254, stdout: '' });
    expect(kept).toBe(before);
    expect(forced.code).toBe(0);
    expect(readFileSync(path, 'utf8')).not.toBe(before);
  });

  it('prints commands of a failed run that a shell can run', async () => {
    const path = join(folder, 'failed run.json');
    const lossy = ['cr-join', '--loss', '100%', '--seed', '1', '--save', path];

    const failed = await usurp([...ELECT, ...lossy]);
    const again = await usurp(['replay', path, '--json']);

    expect(failed.code).toBe(1);
    expect(again.code).toBe(0);
    expect(parsed(again).replay).toBe(`npx usurp replay '${path}'`);
  });
});
