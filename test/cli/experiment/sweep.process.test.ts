/**
 * @module
 * `usurp sweep` as a user meets it: tables on stdout and in files, rows and cells that replay alone,
 * any number of workers, refusals before work, an interrupt.
 */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import process from 'node:process';
import { describe, expect, it } from 'vitest';
import { OBSERVATION_NAMES } from '../../../src/experiment/runs/observations.ts';
import { columnName, memberName } from '../../../src/experiment/sweep/columns.ts';
import { csvRows } from '../../runtime/sweep/sweeps.ts';
import { IS_WHOLE } from '../../sample.ts';
import { argumentsOf, ended, parsed, ROOT, scratchFolder, spawnUsurp, usurp } from '../shell.ts';

const USURP = `${ROOT}/bin/usurp.js`;
const SAMPLED = ['sweep', 'top-id', '--set', 'work=sampled', '--seed', '5'];
const GRID = [
  ...SAMPLED,
  '--set',
  'network.identity.c1=range(0,8,4)',
  '--set',
  'network.honest=4,8',
];

function out(name = 'f.csv'): string {
  return join(scratchFolder(), name);
}

describe('tables on stdout', () => {
  it('have a line for each cell', async () => {
    const { code, stdout } = await usurp([...GRID, '--runs', '50']);

    const lines = stdout.trimEnd().split('\n');
    expect(code).toBe(0);
    expect(lines).toHaveLength(7);
    expect(lines[0]).toMatch(/^c1 +honest +protocol +n +k +p +interval +theory/);
    expect(lines[1]).toMatch(/^0 +4 +bully-oneshot cr-join +50 /);
  });

  it.each(['csv', 'jsonl', 'json'])('have the same cells as %s', async (format) => {
    const file = out();
    await usurp([...GRID, '--runs', '50', '--out', file]);

    const { stdout } = await usurp([...GRID, '--runs', '50', '--format', format]);

    const cells = readFileSync(file.replace('.csv', '.cells.csv'), 'utf8');
    const names = cells.split('\n')[0]?.split(',') ?? [];
    if (format === 'csv') expect(stdout).toBe(cells);
    else {
      const rows = format === 'json' ? JSON.parse(stdout).cells : stdout.trim().split('\n');
      expect(rows).toHaveLength(6);
      const [row] = format === 'json' ? rows : rows.map((line: string) => JSON.parse(line));
      expect(Object.keys(row)).toEqual(names.map(memberName));
    }
  });

  it('escape control characters', async () => {
    const set = 'network.honest=4,"\\e[31mred"';

    const { stdout } = await usurp([...SAMPLED, '--set', set, '--runs', '5']);

    expect(stdout).toContain('\\u001b[31mred');
    expect(stdout).not.toContain('\x1b');
  });

  it('keep messages on stderr', async () => {
    const { stdout, stderr } = await usurp([...GRID, '--runs', '5', '--json']);

    expect(JSON.parse(stdout)).toMatchObject({ threatModel: 'top-id', seed: '5', runs: 5 });
    expect(stderr).toContain('30 rows of 6 cells');
  });
});

describe('tables in files', () => {
  it('are the same with any number of workers', async () => {
    const [one, three] = [out(), out()];
    const args = [...GRID, '--runs', '400'];

    await usurp([...args, '--workers', '1', '--out', one]);
    await usurp([...args, '--workers', '3', '--out', three]);

    for (const name of ['.csv', '.cells.csv']) {
      const read = (file: string) => readFileSync(file.replace('.csv', name), 'utf8');
      expect(read(three)).toBe(read(one));
    }
    expect(csvRows(one)).toHaveLength(2400);
  });

  it('continue with their first seed', async () => {
    const file = out();
    await usurp([...GRID, '--runs', '5', '--out', file]);
    const unseeded = GRID.filter((word) => word !== '--seed' && word !== '5');

    const { code, stderr } = await usurp([...unseeded, '--runs', '7', '--out', file]);

    expect(code).toBe(0);
    expect(stderr).toContain('42 rows of 6 cells, 30 reused');
  });

  it('of a document have the axes of the document', async () => {
    const text = readFileSync(join(ROOT, 'threat-models/top-id.yaml'), 'utf8');
    const sweep = 'sweep:\n  runs: 4\n  axes:\n    network.honest: 2:8|*2\n    work: [sampled]\n';
    const printed = await usurp(['sweep', '-', '--seed', '1', '--json'], `${text}\n${sweep}`);

    expect(parsed(printed)).toMatchObject({ runs: 4 });
    expect(parsed(printed).cells).toMatchObject([
      { networkHonest: 2, work: 'sampled', n: 4 },
      { networkHonest: 4, n: 4 },
      { networkHonest: 8, n: 4 },
    ]);
  });
});

describe('replays', () => {
  it.each([
    ['sampled', GRID],
    ['sampled, with elections', [...GRID, '--set', 'confirmRuns=1']],
    ['mined', ['sweep', 'top-id', '--seed', '5', '--set', 'network.identity.c1=2,3']],
    ['watched', ['sweep', 'phantom-probe', '--seed', '5', '--set', 'network.honest=3,5']],
  ])('give a row alone: %s', async (_name, args) => {
    const file = out();
    await usurp([...args, '--runs', '3', '--out', file]);

    for (const row of csvRows(file).slice(IS_WHOLE ? -4 : -2)) {
      const answer = parsed(await usurp([...argumentsOf(row.replay ?? ''), '--json']));
      const result = answer.results.find(
        ({ protocols }: { protocols: string[] }) => protocols.join(' ') === row.protocol,
      );
      expect(result.measured).toMatchObject({ runs: 1, wins: row.won === 'true' ? 1 : 0 });
      for (const name of OBSERVATION_NAMES.filter((each) => !each.endsWith('S'))) {
        expect(String(result.observations[name] ?? '')).toBe(row[columnName(name)]);
      }
    }
  });

  it('repeat a single cell', async () => {
    const cells = parsed(await usurp([...GRID, '--runs', '30', '--json'])).cells;

    for (const cell of cells.slice(0, 3)) {
      const alone = parsed(await usurp([...argumentsOf(cell.replay), '--json'])).cells;
      expect(alone).toMatchObject([{ n: cell.n, k: cell.k, wonSeed: cell.wonSeed }]);
    }
  });

  it('differ by cell if seeds are independent', async () => {
    const file = out();

    await usurp([...GRID, '--runs', '3', '--seeds', 'independent', '--out', file]);

    expect(new Set(csvRows(file).map((row) => row.seed)).size).toBe(18);
  });
});

describe('refusals', () => {
  it.each([
    [['--set', 'network.honest=range(1,1e12)'], 'a sweep has at most 100000 cells'],
    [['--set', 'network.honest=range(1,5,0)'], 'the step must not be 0'],
    [['--set', 'network.honest=4,5', '--runs', '100000000'], 'a sweep has at most 100000000'],
    [['--set', 'network.honest=0,-1'], 'all 2 cells are refused'],
    [['--set', 'network.hnest=1,2'], 'did you mean network.honest'],
    [['--format', 'parquet'], '--format parquet needs --out'],
    [['--out', '/nowhere/f.csv'], 'the folder /nowhere is not writable'],
    [['--out', ''], '--out: expected the name of a file'],
    [['--out', 'f.html'], '--out: f.html is no table: name one, such as f.csv'],
    [['--out', 'f.svg', '--format', 'csv'], 'f.svg is no table'],
    [['--out', 'f.txt'], '--out: f.txt is no table: name one, such as f.csv, f.jsonl, f.parquet;'],
    [['--out', 'g/f.json'], '--out: g/f.json is no table: name one, such as g/f.csv'],
    [['--out', 'f'], '--out: f is no table: name one, such as f.csv'],
    [['--out', 'f.txt', '--format', 'csv'], 'f.txt is no table'],
    [['--out', 'folder/'], '--out: expected the name of a file'],
    [
      ['--out', 'f.csv', '--format', 'table'],
      '--format: expected one of csv, jsonl, parquet with --out',
    ],
    [['--out', 'f.csv', '--format', 'parquet'], 'ends in .csv, and --format says parquet'],
    [['--engine', 'cloud'], 'local, bullmq'],
  ])('come before work: %j', async (more, problem) => {
    const { code, stdout, stderr } = await usurp([...SAMPLED, ...more]);

    expect({ code, stdout }).toEqual({ code: 254, stdout: '' });
    expect(stderr).toContain(problem);
  });

  it('are no lock of others', async () => {
    const file = out('Cargo.csv');
    const lock = file.replace('.csv', '.lock');
    writeFileSync(lock, '[[package]]\n');

    const { code } = await usurp([...GRID, '--runs', '2', '--out', file]);

    expect([code, readFileSync(lock, 'utf8')]).toEqual([0, '[[package]]\n']);
  });

  it.each(['journal', 'html', 'manifest.json', 'cells.csv'])(
    'are folders in the place of files: %s',
    async (ending) => {
      const file = out();
      const folder = file.replace('csv', ending);
      mkdirSync(folder);
      const unseeded = GRID.filter((word) => word !== '--seed' && word !== '5');

      for (const args of [GRID, unseeded, [...GRID, '--force']]) {
        const { code, stderr } = await usurp([...args, '--runs', '2', '--out', file]);
        expect([code, stderr.includes(folder)], stderr).toEqual([254, true]);
      }

      expect(readdirSync(dirname(file))).toEqual([basename(folder)]);
    },
  );

  it('leave a journal as it is when its seed is read', async () => {
    const file = out();
    const journal = file.replace('.csv', '.journal');
    await usurp([...GRID, '--runs', '5', '--out', file]);
    appendFileSync(journal, 'torn');
    const before = readFileSync(journal, 'utf8');
    const words = ['sweep', 'top-id', '--set', 'work=sampled,mined', '--out', file];

    const { code, stderr } = await usurp([...words, '--set', 'network.honest=x,y']);

    expect([code, readFileSync(journal, 'utf8')]).toEqual([254, before]);
    expect(stderr).toContain('seed 5 of');
  });

  it('are no files of another sweep', async () => {
    const file = out();
    await usurp([...GRID, '--runs', '2', '--out', file]);
    const other = [...GRID, '--runs', '2', '--out', file, '--seeds', 'independent'];

    const refused = await usurp(other);
    const forced = await usurp([...other, '--force']);

    expect(refused.code).toBe(254);
    expect(refused.stderr).toContain('belongs to another sweep');
    expect(forced.code).toBe(0);
  });
});

describe('the process', () => {
  it('keeps finished rows after an interrupt, and continues', async () => {
    const file = out();
    const args = [...GRID, '--runs', '30000', '--out', file];
    const child = spawnUsurp(args);
    const journal = file.replace('.csv', '.journal');
    const log = `${journal}-wal`;
    while ((statSync(log, { throwIfNoEntry: false })?.size ?? 0) < 50_000) {
      await once(AbortSignal.timeout(20), 'abort');
    }

    child.kill('SIGINT');

    const { code, stderr } = await ended(child);
    expect(code).toBe(130);
    expect(stderr).toContain(`${journal} keeps them; the same command continues`);
    expect(existsSync(file)).toBe(false);
  });

  it('keeps finished rows when the disk is full, and continues', async () => {
    const file = out();
    const args = [...GRID, '--runs', '1500', '--out', file];
    const limited = ['-c', 'ulimit -f 2000; exec "$@"', 'sh', process.execPath, USURP, ...args];

    const full = await ended(spawn('sh', limited));
    const names = readdirSync(dirname(file));
    const again = await ended(spawnUsurp(args));

    expect(full.code).toBe(255);
    expect(full.stderr).toMatch(/f\.csv could not be written: (EFBIG|ENOSPC)/);
    expect(names).toEqual(['f.journal']);
    expect(again.code).toBe(0);
    expect(again.stderr).toContain('9000 rows of 6 cells, 9000 reused');
  });

  it('leaves no folder behind at a closed pipe', async () => {
    const folder = scratchFolder();
    const args = [...GRID, '--runs', '200', '--format', 'csv', '-q'];
    const env = { ...process.env, TMPDIR: folder };
    const child = spawn(process.execPath, [USURP, ...args], { env });
    await once(child.stdout, 'data');
    child.stdout.destroy();

    const [code] = await once(child, 'close');

    const left = readdirSync(folder).filter((name) => name.startsWith('usurp-sweep-'));
    expect([code, left]).toEqual([0, []]);
  });

  it('prints the same in every locale and time zone', async () => {
    const args = [...GRID, '--runs', '20', '--format', 'csv', '-q'];
    const here = await usurp(args);

    const env = { LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8', TZ: 'Asia/Kathmandu', COLUMNS: '20' };
    const there = await ended(spawn(process.execPath, [USURP, ...args], { env }));

    expect(there.stdout).toBe(here.stdout);
  });
});
