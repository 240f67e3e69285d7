/**
 * @module
 * The commands in the statements of exercises work: each is a command of this program, with options that it has. A command
 * with the student's own file is tried with the reference solution.
 */

import { spawnSync } from 'node:child_process';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, it } from 'vitest';
import { readExercises } from '../../../src/runtime/files/exercises.ts';
import { argumentsOf, ROOT, scratchFolder } from '../shell.ts';

/** A command with an argument, in lines of its own or between backticks. A line that ends with a backslash goes on. */
const COMMAND = /(?<=^(?: {4})?|`)usurp (?:[^`\n\\]|\\\n)+/gm;
const OWN_NAME = /name: '([a-z-]+)'/;

const COMMANDS = (await readExercises()).flatMap(({ name, statement }) =>
  [...statement.matchAll(COMMAND)]
    .map(([command]) => command.replace(/\\\n */g, ''))
    // The first word is that of the program.
    .filter((command) => command.split(' ').length > 2 || command.includes('--'))
    .map((command) => [name, command] as const),
);

describe('the statement of', () => {
  it.each(COMMANDS)('%s has the command %s, which works', (exercise, command) => {
    const folder = scratchFolder();
    let own = 'my-own';
    if (command.includes('./NAME.ts')) {
      const solution = join(ROOT, 'exercises', exercise, 'solution.ts');
      own = OWN_NAME.exec(readFileSync(solution, 'utf8'))?.[1] ?? '';
      copyFileSync(solution, join(folder, `${own}.ts`));
      writeFileSync(join(folder, 'package.json'), '{"type":"module"}\n');
    }
    const [, ...words] = argumentsOf(command).map((word) => word.replace('NAME', own));

    const { status, stderr } = spawnSync(
      process.execPath,
      [join(ROOT, 'bin/usurp.js'), ...words, '--quiet'],
      { cwd: folder, encoding: 'utf8' },
    );

    // 1 is a result: an attack that works.
    expect([0, 1], stderr).toContain(status);
  });

  it('some exercises has commands', () => expect(COMMANDS.length).toBeGreaterThan(5));
});
