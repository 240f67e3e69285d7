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

/** What the commands of a sweep share. */
export interface ReplayFrame {
  /** What starts usurp in printed commands, such as `npx usurp`. */
  readonly program: string;
  /** Options that every command needs to load the files of the user, such as `--load own.ts`. */
  readonly loading: readonly string[];
  /** Name or file of the threat model, as `usurp run` takes it. */
  readonly id: string;
  readonly spec: Pick<SweepSpec, 'seed' | 'seedRule' | 'runs'>;
}

/**
 * The command of one row of a cell, for many rows. Seconds that were really mined are replayed as the
 * attempts they bought; where several adversaries shared them that is not known, and seconds stay.
 */
export function rowReplay(
  { program, id, loading }: Omit<ReplayFrame, 'spec'>,
  cell: SweepCell,
): (seed: Seed, observations: Observations) => string {
  const words = ['run', ...loading, id, ...setWords(cell.settings)];
  const head = [program, ...words.map(shellWord)].join(' ');
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
export function cellReplay({ program, id, loading, spec }: ReplayFrame, cell: SweepCell): string {
  const rule = spec.seedRule === 'paired' ? [] : ['--seeds', spec.seedRule];
  const words = [
    ...['sweep', ...loading, id, ...setWords(cell.settings)],
    ...['--runs', String(spec.runs), '--seed', spec.seed, ...rule],
  ];
  return [program, ...words.map(shellWord)].join(' ');
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
