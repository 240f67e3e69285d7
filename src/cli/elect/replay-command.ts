/**
 * @module
 * The command line that repeats an election from the current folder.
 */

import type { Seed } from '../../random.ts';
import { replayWords } from '../../simulation/request/replay-words.ts';
import { commandLine } from '../shell/command-line.ts';
import type { ElectRequest } from './options.ts';

/** The shell command with a seed. `runs` is the number of elections, or null without --runs. */
export function replayOf(request: ElectRequest, seed: Seed, runs: number | null = null): string {
  const { measure } = request.options;
  const asking = runs === null || measure === undefined ? [] : ['--measure', measure];
  return commandLine([...replayWords(request, seed, runs), ...asking]);
}
