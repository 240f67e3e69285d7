/**
 * @module
 * `usurp attack --matrix`: every attack of the catalogue on every protocol, at every level.
 */

import { setImmediate } from 'node:timers/promises';
import type { MatrixRow } from '../../experiment/attack/matrix.ts';
import { attackMatrix, MATRIX_ATTACK_NAMES, markOf } from '../../experiment/attack/matrix.ts';
import type { Seed } from '../../random.ts';
import { parseSeed } from '../../random.ts';
import { runnable } from '../shell/command-line.ts';
import type { ExitCode } from '../shell/exit.ts';
import { EXIT } from '../shell/exit.ts';
import { columns } from '../shell/layout.ts';
import type { OutputOptions } from '../shell/options.ts';
import { wantsJson } from '../shell/options.ts';
import type { Terminal } from '../shell/terminal.ts';

/** Default seed: the matrix is the same for every reader. */
export const MATRIX_SEED = parseSeed('1');

/** Rows are printed as they are done, so that an interrupt leaves those that are whole. */
export async function runMatrix(
  options: OutputOptions & { readonly seed?: Seed | undefined },
  terminal: Terminal,
): Promise<ExitCode> {
  const { seed = MATRIX_SEED } = options;
  const rows: MatrixRow[] = [];
  const goOn = async (protocol: string, attack: string) => {
    terminal.progress(() => `playing ${attack} on ${protocol}, ${rows.length} protocols done`);
    await setImmediate();
    return !terminal.signal.aborted;
  };
  for await (const row of attackMatrix(seed, goOn)) rows.push(row);
  const replay = runnable(`usurp attack --matrix --seed ${seed}`);
  terminal.print(
    wantsJson(options)
      ? `${JSON.stringify({ attacks: MATRIX_ATTACK_NAMES, rows: rows.map(rowOf), seed, replay })}\n`
      : matrixTable(rows),
  );
  if (!terminal.signal.aborted) return EXIT.holds;
  terminal.note(`interrupted: ${rows.length} protocols were done`);
  return EXIT.interrupted;
}

function rowOf({ protocol, cells }: MatrixRow) {
  const played = Object.entries(cells).filter(([, cell]) => cell !== '');
  return {
    protocol,
    cells: Object.fromEntries(
      played.map(([attack, byLevel]) => [attack, { byLevel, mark: markOf(byLevel) }]),
    ),
  };
}

/** What each attack is to each protocol, as people read it. */
export function matrixTable(rows: readonly MatrixRow[]): string {
  const marks = rows.map(({ protocol, cells }) => [
    protocol,
    ...MATRIX_ATTACK_NAMES.map((attack) => shown(cells[attack])),
  ]);
  return `${columns([['', ...MATRIX_ATTACK_NAMES], ...marks])}${LEGEND}`;
}

/** A dot where it was played and came to nothing. */
function shown(cell: string): string {
  if (cell === '') return '';
  return markOf(cell) || (cell.includes('?') ? '?' : '·');
}

const LEGEND = `
○ works at level L3 still, ● works at a lower level and is stopped, · comes to nothing,
? unknown: the election fails without it too, blank where it means nothing to the protocol
`;
