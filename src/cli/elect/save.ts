/**
 * @module
 * `--save`: writes a finished election, with the digest of its trace, to a file for `usurp replay`.
 */

import { resolve } from 'node:path';
import { LabError } from '../../errors.ts';
import { usedFiles } from '../../runtime/load/used-files.ts';
import { traceDigest } from '../../simulation/engine/trace.ts';
import { saveRun } from '../../simulation/report/saved-run.ts';
import type { Simulation } from '../../simulation/run/simulation.ts';
import { refuseTarget, writeWhole } from '../shell/files.ts';
import type { Terminal } from '../shell/terminal.ts';

interface SaveOptions {
  readonly save?: string | undefined;
  readonly trace?: string | undefined;
  readonly force?: true | undefined;
}

/** Checks the target before the election, so that no work is lost. Throws LabError. */
export async function refuseSave({ save, trace, force }: SaveOptions): Promise<void> {
  if (save === undefined) return;
  if (save === '' || save === '-') {
    throw new LabError('arguments', `--save: expected the name of a file, got '${save}'`);
  }
  if (trace !== undefined && resolve(trace) === resolve(save)) {
    throw new LabError('arguments', `--save and --trace name the same file, ${save}`);
  }
  await refuseTarget(save, force === true);
}

/** Writes the run if --save is given. The simulation must have kept its trace. */
export async function writeSave(
  simulation: Simulation,
  initiators: readonly number[] | undefined,
  { save, force }: SaveOptions,
  terminal: Terminal,
): Promise<void> {
  if (save === undefined) return;
  const digest = traceDigest(simulation.traceLines());
  const text = saveRun(simulation.plan, {
    initiators: initiators ?? null,
    digest,
    loaded: usedFiles(),
  });
  await writeWhole(save, text, { force: force === true, isPrivate: false });
  terminal.note(`run written to ${save}`);
}
