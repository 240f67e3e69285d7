/**
 * @module
 * The commands that repeat a single row or cell of a sweep.
 */

import type { ThreatModel } from '../document/threat-model.ts';
import { adversariesOf } from '../document/threat-model.ts';
import { shellWord } from '../reading/shell-word.ts';
import { isTimed, pinnedBudget } from '../runs/budget.ts';
import type { TableValue } from './columns.ts';
import type { SweepCell, SweepSpec } from './sweep.ts';

/** The facts that the commands of a sweep share. */
export interface ReplayFrame {
  /** The start of printed commands, such as `npx usurp`. */
  readonly program: string;
  /** Options that every command needs to load the files of the user, such as `--load own.ts`. */
  readonly loading: readonly string[];
  /** Name or file of the threat model, as `usurp run` takes it. */
  readonly id: string;
  readonly spec: Pick<SweepSpec, 'seed' | 'seedRule' | 'runs'>;
}

/** The commands of the rows of a cell. */
export interface RowReplay {
  /** Whether the command depends on the attempts of the row. */
  readonly isPinned: boolean;
  /** The command before and after the seed of the row. */
  around(attempts: TableValue | undefined): readonly [string, string];
}

/**
 * Makes the commands of the rows of a cell. A budget in seconds is replayed as the attempts that it paid
 * for in mined work. With several adversaries the attempts of each are not known, and the seconds remain.
 */
export function rowReplay(
  { program, id, loading }: Omit<ReplayFrame, 'spec'>,
  cell: SweepCell,
): RowReplay {
  const args = ['run', ...loading, id, ...setArgs(cell.settings)];
  const head = [program, ...args.map(shellWord)].join(' ');
  const timed = cell.model === null ? null : timedAdversary(cell.model);
  return {
    isPinned: timed !== null,
    around(attempts) {
      const pinned =
        timed === null || typeof attempts !== 'number'
          ? []
          : setArgs(pinnedBudget(timed.name, timed.budget, attempts));
      return [`${[head, ...pinned].join(' ')} --seed `, ' --runs 1'];
    },
  };
}

/** The command of a sweep of this cell alone, which has the same rows. */
export function cellReplay({ program, id, loading, spec }: ReplayFrame, cell: SweepCell): string {
  const rule = spec.seedRule === 'paired' ? [] : ['--seeds', spec.seedRule];
  const args = [
    ...['sweep', ...loading, id, ...setArgs(cell.settings)],
    ...['--runs', String(spec.runs), '--seed', spec.seed, ...rule],
  ];
  return [program, ...args.map(shellWord)].join(' ');
}

function setArgs(settings: readonly string[]): readonly string[] {
  return settings.flatMap((setting) => ['--set', setting]);
}

/** The only adversary of mined work if its budget is in seconds. */
function timedAdversary(model: ThreatModel) {
  const [first, ...others] = adversariesOf(model);
  if (first === undefined || others.length > 0 || model.work !== 'mined') return null;
  const [name, { budget }] = first;
  return isTimed(budget) ? { name, budget } : null;
}
