/**
 * @module
 * The command line that gives an election again: every flag that was given, and the seed. (A file that
 * `--faults` names is named again; `--save` keeps all of it in one file.)
 */

import type { Seed } from '../random.ts';
import { faultText } from '../simulation/faults/text.ts';
import { latencyText } from '../simulation/latency.ts';
import type { LinkFactors } from '../simulation/link-factors.ts';
import type { CalmOption, ElectOptions, ElectRequest } from './elect-options.ts';
import { SCHEDULED_FLAGS } from './elect-options.ts';

/** The command under a seed, for a shell. `runs` is how many elections it holds, null for one. */
export function replayOf(request: ElectRequest, seed: Seed, runs: number | null = null): string {
  const { options } = request;
  return [
    ...['usurp', 'elect', ...whoElects(request)],
    ...whatFails(options),
    ...networkOf(options),
    ...(options.until === undefined ? [] : ['--until', String(options.until)]),
    ...(runs === null ? [] : ['--runs', String(runs)]),
    ...['--seed', seed],
  ]
    .map(quoted)
    .join(' ');
}

function whoElects({ algorithm, nodes, options }: ElectRequest): string[] {
  const { flag = [], attr, ring, ringOrder, initiators } = options;
  return [
    ...['--algorithm', algorithm],
    ...flag.flatMap(([name, value]) => ['--flag', `${name}=${value}`]),
    ...(attr === undefined ? [] : ['--attr', attr.join(',')]),
    ...(ring === undefined ? ['--nodes', String(nodes)] : ['--ring', ring.join(',')]),
    ...(ringOrder === 'by-id' ? ['--ring-order', ringOrder] : []),
    ...(initiators === 'all' ? [] : ['--initiators', String(initiators)]),
  ];
}

function whatFails(options: ElectOptions): string[] {
  const { crash = [], faults, randomFaults, calm, detector } = options;
  const drawn = randomFaults === true ? [] : [String(randomFaults)];
  const spelt = SCHEDULED_FLAGS.flatMap((flag) => options[flag] ?? []).map(faultText);
  return [
    ...crash.flatMap(({ text }) => ['--crash', text]),
    ...(faults === undefined ? [] : ['--faults', faults]),
    ...(randomFaults === undefined ? [] : ['--random-faults', ...drawn]),
    ...spelt.flatMap(({ flag, text }) => [`--${flag}`, text]),
    ...(calm === undefined ? [] : ['--calm', calmText(calm)]),
    ...(detector === undefined ? [] : ['--detector', detector]),
  ];
}

function networkOf({ latency, linkFactors, fifo }: ElectOptions): string[] {
  return [
    ...['--latency', latencyText(latency)],
    ...(linkFactors === undefined ? [] : ['--link-factors', linkText(linkFactors)]),
    ...(fifo === false ? ['--no-fifo'] : []),
  ];
}

function calmText({ at, ticks, restart }: CalmOption): string {
  return `${at}${ticks === null ? '' : `+${ticks}`}${restart ? ':restart' : ''}`;
}

function linkText(links: LinkFactors): string {
  if (links.type === 'seeded') return String(links.factorMax);
  return links.factors.map(({ from, to, factor }) => `${from}>${to}:${factor}`).join(',');
}

/** As a POSIX shell takes it for one word. */
export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
