/**
 * @module
 * Runs a nemesis by the command line until it has made a number of faults, and returns what it reports.
 */

import { usurp } from '../../cli/shell.ts';

export interface NemesisRun {
  readonly protocol: string;
  readonly store?: string;
  readonly resource?: string;
  readonly kinds: string;
  readonly seed: string;
  /** How long faults are drawn, in the form of `--for`. */
  readonly time: string;
  readonly latency: string;
  readonly more?: readonly string[];
}

export interface NemesisOutcome {
  readonly code: number | null;
  readonly stderr: string;
  /** The last line. */
  readonly nemesis: {
    readonly faults: number;
    readonly failure: string | null;
    readonly script?: readonly string[];
    readonly trials: number;
    readonly reproduced: boolean | null;
  };
  /** The result of the check of all logs. */
  readonly check: {
    readonly accepted: boolean;
    readonly steps: number;
    readonly defect: object | null;
    readonly epochClash: object | null;
    readonly writes: { readonly lateWrites: number } | null;
  };
}

export async function runNemesis(run: NemesisRun): Promise<NemesisOutcome> {
  const { protocol, store, resource, kinds, seed, time, latency, more = [] } = run;
  const stored = store === undefined ? [] : ['--store', store];
  const loaded = resource === undefined ? [] : ['--resource', resource];
  const { code, stdout, stderr } = await usurp([
    ...['cluster', 'up', '--protocol', protocol, ...stored, ...loaded, '--latency', latency],
    ...['--nemesis', kinds, '--for', time, '--seed', seed, '--json', ...more],
  ]);
  const lines = stdout.trim().split('\n');
  const all = lines.map((line) => JSON.parse(line));
  const check = all.find((line) => 'accepted' in line && 'epochClash' in line);
  return { code, stderr, nemesis: all.at(-1)?.nemesis, check };
}
