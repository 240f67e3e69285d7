/**
 * @module
 * `usurp attack --matrix`: every attack of the catalogue on every protocol, at every level.
 */

import { setImmediate } from 'node:timers/promises';
import type { ProtocolName } from '../../election/registry.ts';
import { PROTOCOL_NAMES } from '../../election/registry.ts';
import type { MatrixRow } from '../../experiment/attack/matrix.ts';
import { MATRIX_ATTACK_NAMES, markOf } from '../../experiment/attack/matrix.ts';
import type { MatrixStep } from '../../experiment/attack/matrix-report.ts';
import {
  MATRIX_SEED,
  reportAttackMatrix,
  runAttackMatrix,
} from '../../experiment/attack/matrix-report.ts';
import type { SetsRow } from '../../experiment/attack/matrix-sets.ts';
import { remainingReason } from '../../experiment/attack/matrix-sets.ts';
import type { Seed } from '../../random.ts';
import { runnable } from '../shell/command-line.ts';
import type { ExitCode } from '../shell/exit.ts';
import { EXIT } from '../shell/exit.ts';
import { columns, textColumns } from '../shell/layout.ts';
import type { OutputOptions } from '../shell/options.ts';
import { wantsJson } from '../shell/options.ts';
import type { Terminal } from '../shell/terminal.ts';

export interface MatrixOptions extends OutputOptions {
  /** The rows; all by default. */
  readonly protocols?: readonly ProtocolName[] | undefined;
  readonly seed?: Seed | undefined;
  /** Whether the smallest set of defences is searched for each cell. */
  readonly sets?: true;
}

/** Prints the matrix. After an interrupt it has only complete rows. */
export async function runMatrix(options: MatrixOptions, terminal: Terminal): Promise<ExitCode> {
  const { seed = MATRIX_SEED, protocols = PROTOCOL_NAMES } = options;
  const goOn = async ({ phase, attack, protocol, done }: MatrixStep) => {
    terminal.progress(() =>
      phase === 'attacks'
        ? `running ${attack} on ${protocol}, ${done} protocols done`
        : `defences against ${attack} on ${protocol}, ${done} done`,
    );
    await setImmediate();
    return !terminal.signal.aborted;
  };
  const matrix = await runAttackMatrix(
    { seed, protocols: [...new Set(protocols)], hasSets: options.sets === true },
    goOn,
  );
  const { rows, sets } = matrix;
  const report = reportAttackMatrix(matrix);
  terminal.print(
    wantsJson(options)
      ? `${JSON.stringify({ ...report, replay: runnable(report.replay) })}\n`
      : `${matrixTable(rows)}${sets.length === 0 ? '' : `\n${setsTable(sets)}`}`,
  );
  if (!terminal.signal.aborted) return EXIT.holds;
  terminal.note(`interrupted: ${rows.length} protocols are printed`);
  return EXIT.interrupted;
}

/** The sets as a table for people: for each attack each set with the protocols on which it is the smallest. */
export function setsTable(rows: readonly SetsRow[]): string {
  const lines = MATRIX_ATTACK_NAMES.flatMap((attack) => {
    const cells = rows.flatMap(({ protocol, sets }) => {
      const smallest = sets[attack];
      if (smallest === undefined) return [];
      const text =
        smallest === null
          ? `none: ${remainingReason(protocol, attack) ?? 'not explained'}`
          : smallest.join(' + ');
      return [{ protocol, text }];
    });
    const groups = [...Map.groupBy(cells, ({ text }) => text)];
    return groups.map(([text, members], index) => ({
      attack: index === 0 ? attack : '',
      text,
      protocols: members.map(({ protocol }) => protocol).join(', '),
    }));
  });
  return textColumns([
    ['attack', 'smallest set of defences that stops it, and the protocols'],
    ...lines.flatMap(({ attack, text, protocols }) => [
      [attack, text],
      ['', `on ${protocols}`],
    ]),
  ]);
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
