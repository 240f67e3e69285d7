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

/** Prints the matrix. After an interrupt it has only complete rows. */
export async function runMatrix(
  options: OutputOptions & { readonly seed?: Seed | undefined },
  terminal: Terminal,
): Promise<ExitCode> {
  const { seed = MATRIX_SEED } = options;
  const rows: MatrixRow[] = [];
  const goOn = async (protocol: string, attack: string) => {
    terminal.progress(() => `running ${attack} on ${protocol}, ${rows.length} protocols done`);
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
  terminal.note(`interrupted: ${rows.length} protocols are printed`);
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

/** The matrix as a table for people. */
export function matrixTable(rows: readonly MatrixRow[]): string {
  const marks = rows.map(({ protocol, cells }) => [
    protocol,
    ...MATRIX_ATTACK_NAMES.map((attack) => shown(cells[attack])),
  ]);
  return `${columns([['', ...MATRIX_ATTACK_NAMES], ...marks])}${LEGEND}`;
}

/** A dot stands for an attack without effect. */
function shown(cell: string): string {
  if (cell === '') return '';
  return markOf(cell) || (cell.includes('?') ? '?' : '·');
}

const LEGEND = `
○ works even at level L3, ● works only at lower levels, · has no effect,
? unknown (the election also fails without the attack), blank: does not apply to the protocol
`;
