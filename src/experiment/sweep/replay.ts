/**
 * @module
 * The commands that give a row or a cell of a sweep again, alone.
 */

import type { Seed } from '../../random.ts';
import type { ThreatModel } from '../document/threat-model.ts';
import { adversariesOf } from '../document/threat-model.ts';
import { shellWord } from '../reading/shell-word.ts';
import { isTimed } from '../runs/budget.ts';
import type { Observations } from '../runs/observations.ts';
import type { SweepCell, SweepSpec } from './sweep.ts';

/**
 * The command of one row of a cell, for many rows. Seconds that were really mined are replayed as the
 * attempts they bought; where several adversaries shared them that is not known, and seconds stay.
 */
export function rowReplay(
  id: string,
  cell: SweepCell,
): (seed: Seed, observations: Observations) => string {
  const head = ['usurp', 'run', id, ...setWords(cell.settings)].map(shellWord).join(' ');
  const timed = cell.model === null ? null : timedAdversary(cell.model);
  return (seed, { attempts }) => {
    const pinned =
      timed === null || attempts === undefined
        ? ''
        : setWords([
            `adversaries.${timed}.budget.attempts=${attempts}`,
            `adversaries.${timed}.budget.cpuSeconds=null`,
            `adversaries.${timed}.budget.wallSeconds=null`,
          ]).join(' ');
    return `${head}${pinned === '' ? '' : ` ${pinned}`} --seed ${seed} --runs 1`;
  };
}

/** The command of a cell: a sweep of it alone has the same rows. */
export function cellReplay(
  id: string,
  cell: SweepCell,
  spec: Pick<SweepSpec, 'seed' | 'seedRule' | 'runs'>,
): string {
  const rule = spec.seedRule === 'paired' ? [] : ['--seeds', spec.seedRule];
  const words = [
    ...['usurp', 'sweep', id, ...setWords(cell.settings)],
    ...['--runs', String(spec.runs), '--seed', spec.seed, ...rule],
  ];
  return words.map(shellWord).join(' ');
}

function setWords(settings: readonly string[]): readonly string[] {
  return settings.flatMap((setting) => ['--set', setting]);
}

/** The only adversary, where its seconds were mined in. */
function timedAdversary(model: ThreatModel): string | null {
  const [first, ...others] = adversariesOf(model);
  if (first === undefined || others.length > 0 || model.work !== 'mined') return null;
  return isTimed(first[1].budget) ? first[0] : null;
}
