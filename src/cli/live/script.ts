/**
 * @module
 * The commands that a cluster carries out without a user: those of a script, and those of `attack`.
 */

import { LabError } from '../../errors.ts';
import { readText } from '../shell/files.ts';
import type { Terminal } from '../shell/terminal.ts';
import type { ClusterOptions } from './cluster-options.ts';
import type { ClusterCommand } from './commands.ts';
import { parseCommand } from './commands.ts';

/** A command, and where it is in a script: `file:line`. */
export interface LocatedCommand {
  readonly command: ClusterCommand;
  readonly location?: string;
}

/** What `attack` does. Throws LabError `arguments` without a budget. */
export function attackIn({
  cpu,
  attempts,
  behaviour: behaviours,
}: ClusterOptions): LocatedCommand[] {
  if (cpu === undefined && attempts === undefined) {
    throw new LabError('arguments', 'attack needs a budget: --cpu or --attempts');
  }
  const attack = { type: 'attack', budget: { cpuSeconds: cpu, attempts }, behaviours } as const;
  return [{ command: { type: 'wait' } }, { command: attack }];
}

/** The commands of a script; null without one. */
export async function scriptIn(
  script: string | undefined,
  terminal: Terminal,
): Promise<readonly LocatedCommand[] | null> {
  return script === undefined ? null : scripted(await readText(script, terminal), script);
}

/** All commands of a script, so that a wrong one is refused before anything is started. */
function scripted(text: string, path: string): readonly LocatedCommand[] {
  return text.split('\n').flatMap((line, index) => {
    const location = `${path}:${index + 1}`;
    try {
      const command = parseCommand(line);
      return command === null ? [] : { command, location };
    } catch (error) {
      if (!(error instanceof LabError)) throw error;
      throw new LabError('arguments', `${location}: ${error.message}`);
    }
  });
}
