/**
 * @module
 * A sweep whose process is killed again and again ends with the tables of one that was left alone.
 */

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createRandom, parseSeed } from '../../../src/random.ts';
import { IS_WHOLE } from '../../sample.ts';
import { ended, scratchFolder, spawnUsurp, usurp } from '../shell.ts';

const KILLS = IS_WHOLE ? 10 : 6;
const ARGS = [
  ...['sweep', 'top-id', '--set', 'work=sampled', '--seed', '5', '--runs', '8000'],
  ...['--set', 'network.identity.c1=range(2,6,1)', '--workers', '2'],
];

describe('a sweep that is killed', () => {
  it('ends with the tables of an undisturbed one', async () => {
    const [whole, killed] = [scratchFolder(), scratchFolder()].map((folder) =>
      join(folder, 'f.csv'),
    );
    const began = Date.now();
    const child = spawnUsurp([...ARGS, '--out', String(whole)]);
    await ended(child);
    const tookMs = Date.now() - began;
    const random = createRandom(parseSeed('3'), 'kill');

    const codes: number[] = [];
    for (let kill = 0; kill < KILLS; kill += 1) {
      const victim = spawnUsurp([...ARGS, '--out', String(killed)]);
      const end = ended(victim);
      await once(AbortSignal.timeout(Math.ceil(1.2 * tookMs * random.unit())), 'abort');
      victim.kill('SIGKILL');
      codes.push((await end).code);
    }
    const last = await usurp([...ARGS, '--out', String(killed)]);

    expect(codes).toContain(-1);
    expect(last.code).toBe(0);
    for (const name of ['.csv', '.cells.csv']) {
      const read = (file = '') => readFileSync(file.replace('.csv', name), 'utf8');
      expect(read(killed) === read(whole), name).toBe(true);
    }
  });
});
