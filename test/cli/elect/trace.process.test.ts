/**
 * @module
 * `usurp elect --trace` as a user meets it: the extension decides the form, and a form that cannot
 * be written is refused before anybody is elected.
 */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { scratchFolder, usurp } from '../shell.ts';

const ELECT = ['elect', 'cr-join', '--seed', '3'];

async function traceOf(name: string, ...more: readonly string[]): Promise<string> {
  const path = join(scratchFolder(), name);
  const printed = await usurp([...ELECT, '--nodes', '4', ...more, '--trace', path]);
  expect(printed).toMatchObject({ code: 0, stderr: `trace written to ${path}\n` });
  return readFileSync(path, 'utf8');
}

describe('elect --trace', () => {
  it('writes the format of the extension', async () => {
    expect(await traceOf('a.jsonl')).toMatch(
      /^\{"trace":"usurp\/trace\/v1".*\n.*"clock":\{"\d":1\}\}\n/,
    );
    expect(await traceOf('a.shiviz')).toMatch(/^\(\?<host>.*\n\nnode\d \{"node\d":1\}\n0 starts/);
    expect(await traceOf('a.b.svg')).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg"/);
    expect(await traceOf('a.txt')).toMatch(/^● acts/);
  });

  it('leaves the clocks out with --no-clocks', async () => {
    expect(await traceOf('a.jsonl', '--no-clocks')).not.toContain('"clock"');
  });

  it.each(['a.xml', 'a', 'a.svg/b', '.svg.', 'a.SVG'])('refuses %s with the list', async (name) => {
    const path = join(scratchFolder(), name);

    const printed = await usurp([...ELECT, '--nodes', '4', '--trace', path]);

    expect(printed).toMatchObject({ code: 254, stdout: '' });
    expect(printed.stderr).toContain('.jsonl, .shiviz, .svg, .txt');
  });

  it.each([
    ['a.svg', '65', '64 nodes'],
    ['a.shiviz', '1001', '1000 nodes'],
    ['a.jsonl', '1001', '1000 nodes'],
  ])('refuses %s for %s nodes before the election', async (name, nodes, limit) => {
    const path = join(scratchFolder(), name);

    const printed = await usurp([...ELECT, '--nodes', nodes, '--trace', path]);

    expect(printed).toMatchObject({ code: 254, stdout: '' });
    expect(printed.stderr).toContain(limit);
    expect(existsSync(path)).toBe(false);
  });
});
