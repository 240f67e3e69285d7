/**
 * @module
 * The names that `--data` accepts: an ordinary file, also by a link, or a file that does not exist yet.
 */

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

import { openStore } from '../../../server/store/store-file.ts';
import { scratchFolder } from '../../cli/shell.ts';

describe('the name of a data file', () => {
  it('is refused if it is that of a folder or a pipe', () => {
    const folder = scratchFolder();
    mkdirSync(join(folder, 'folder'));
    execFileSync('mkfifo', [join(folder, 'pipe')]);

    expect(() => openStore(join(folder, 'folder'))).toThrow(/cannot be used: it is a folder/);
    expect(() => openStore(join(folder, 'pipe'))).toThrow(/cannot be used: it is no ordinary file/);
    expect(() => openStore('/dev/null')).toThrow(/cannot be used: it is no ordinary file/);
  });

  it.each(['', ':memory:', 'file:lab?mode=memory'])(
    'is refused as %j, and nothing made',
    (name) => {
      expect(() => openStore(name)).toThrow(/--data wants the name of a file/);

      expect(existsSync(name)).toBe(false);
    },
  );

  it('may be that of a link; the log is then beside the target', () => {
    const folder = scratchFolder();
    const file = join(folder, 'lab.sqlite');
    openStore(file).close();
    mkdirSync(join(folder, 'elsewhere'));
    const link = join(folder, 'elsewhere', 'link');
    symlinkSync(file, link);

    const store = openStore(link);
    const beside = readdirSync(join(folder, 'elsewhere'));
    store.close();

    expect(store.path).toBe(file);
    expect(beside).toEqual(['link']);
  });

  it.each(['missing', 'empty'])(
    'is refused beside the tables of an earlier file if the file is %s',
    (state) => {
      const folder = scratchFolder();
      const path = join(folder, 'lab.sqlite');
      if (state === 'empty') writeFileSync(path, '');
      const open = () => openStore(path, { folderEnding: '.sweeps' });
      mkdirSync(`${path}.sweeps/sweep-1`, { recursive: true });

      expect(open).toThrow(/belongs to an earlier lab.sqlite; put that file back first/);

      expect(readdirSync(`${path}.sweeps`)).toEqual(['sweep-1']);
      expect(existsSync(path)).toBe(state === 'empty');
      rmdirSync(`${path}.sweeps/sweep-1`);
      open().close();
    },
  );
});
